// BlockGen from C++17: objects that clean up after themselves over blockgen/blockgen.h, and errors as exceptions.
//
//     blockgen::process process("u g > u g g");
//     blockgen::options options{{"color", "summed"}, {"threads", "4"}};
//     blockgen::evaluator evaluator(process, options);
//     std::vector<double> me2 = evaluator(momenta);                      // [event][2 + n_out][4] in, one number each out
//
//     blockgen::result result = blockgen::integrate("p p > 3j", {{"precision", "0.01"}});
//
// Options have the names that they have on the command line, those of an algorithm and those of an integration alike.
// What fails throws blockgen::error with the library's message. Nothing here holds state of its own: where this header
// has no word for something, get() hands out the object of C.
//
// The header is compiled into your program and adds nothing to what the library promises (docs/api.md). Events need
// BLOCKGEN_EXPERIMENTAL before the first include, as in C.
#ifndef BLOCKGEN_HPP
#define BLOCKGEN_HPP

#include "blockgen/blockgen.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace blockgen
{

// ---- errors ---------------------------------------------------------------------------------------------------------

class error : public std::runtime_error
{
  public:
    error(bg_status status, const char *message) : std::runtime_error(message), status_(status) {}
    bg_status status() const noexcept { return status_; }

  private:
    bg_status status_;
};

namespace detail
{

inline void check(bg_status status, const bg_error &why)
{
    if (status != BG_OK) throw error(status, why.message);
}

// Calls `function` with `arguments` and a bg_error behind them.
template <typename Function, typename... Arguments> void call(Function function, Arguments... arguments)
{
    bg_error why = {};
    check(function(arguments..., &why), why);
}

// An exception must not travel through C: it is kept, the library is asked to stop, and it goes on from there.
class guard
{
  public:
    template <typename Function> int operator()(Function function) noexcept
    {
        try {
            stopped_ = !function();
            return stopped_ ? 1 : 0;
        } catch (...) {
            thrown_ = std::current_exception();
            return 1;
        }
    }
    // What the callback threw goes on; that it asked to stop is no failure.
    void check(bg_status status, const bg_error &why) const
    {
        if (thrown_) std::rethrow_exception(thrown_);
        if (!(stopped_ && status == BG_ERROR_INTERRUPTED)) detail::check(status, why);
    }

  private:
    std::exception_ptr thrown_;
    bool stopped_ = false;
};

} // namespace detail

// ---- processes ------------------------------------------------------------------------------------------------------

// What scatters. A process never changes, and copies share it.
class process
{
  public:
    // "u g > u g g", "g g > 4g" or "p p > 3j", as the command line takes it.
    process(const char *text, int flavors = BG_MAX_FLAVORS, int quark_lines = 3)
    {
        bg_process *made = nullptr;
        detail::call(bg_process_parse, &made, text, flavors, quark_lines);
        process_.reset(made, bg_process_destroy);
    }
    process(const std::string &text, int flavors = BG_MAX_FLAVORS, int quark_lines = 3)
        : process(text.c_str(), flavors, quark_lines)
    {
    }

    // From PDG ids, the two incoming partons first.
    explicit process(const std::vector<int> &pdg)
    {
        bg_process *made = nullptr;
        detail::call(bg_process_create, &made, 2, static_cast<int>(pdg.size()) - 2, pdg.data());
        process_.reset(made, bg_process_destroy);
    }

    int n_out() const noexcept { return bg_process_n_out(get()); }
    std::size_t legs() const noexcept { return 2 + static_cast<std::size_t>(n_out()); }
    bool is_open() const noexcept { return bg_process_is_open(get()) != 0; }
    bool has_protons() const noexcept { return bg_process_has_protons(get()) != 0; }

    std::vector<bg_process_class> classes() const
    {
        std::vector<bg_process_class> all(static_cast<std::size_t>(bg_process_classes(get())));
        int k = 0;
        for (bg_process_class &c : all) {
            bg_process_class_init(&c);
            detail::call(bg_process_class_at, get(), k++, &c);
        }
        return all;
    }

    const bg_process *get() const noexcept { return process_.get(); }

  private:
    std::shared_ptr<const bg_process> process_;
};

// ---- options --------------------------------------------------------------------------------------------------------

// The options of an algorithm and of an integration together, by name.
class options
{
  public:
    options()
    {
        bg_options_init(&algorithm_);
        bg_integration_init(&integration_);
    }
    options(std::initializer_list<std::pair<std::string, std::string>> given) : options()
    {
        for (const auto &option : given) set(option.first, option.second);
    }

    // Color, recursion and helicity are left to the library: what `blockgen integrate` does unless told otherwise.
    static options automatic()
    {
        options chosen;
        bg_options_set_automatic(&chosen.algorithm_);
        return chosen;
    }

    options &set(const std::string &name, const std::string &value)
    {
        if (owner(name) == BG_OPTION_OF_ALGORITHM) {
            detail::call(bg_options_set, &algorithm_, name.c_str(), value.c_str());
        } else {
            // The library keeps the address of a text. Copies of these options share it.
            auto text = std::make_shared<const std::string>(value);
            detail::call(bg_integration_set, &integration_, name.c_str(), text->c_str());
            texts_.push_back(std::move(text));
        }
        return *this;
    }
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    options &set(const std::string &name, Number value)
    {
        if constexpr (std::is_same_v<Number, bool>) {
            return set(name, std::string(value ? "yes" : "no"));
        } else if constexpr (std::is_integral_v<Number>) {
            return set(name, std::to_string(value));
        } else {
            std::ostringstream text; // all digits of a double, whatever the locale
            text.imbue(std::locale::classic());
            text << std::setprecision(std::numeric_limits<double>::max_digits10) << static_cast<double>(value);
            return set(name, text.str());
        }
    }

    std::string get(const std::string &name) const
    {
        char text[4096];
        if (owner(name) == BG_OPTION_OF_ALGORITHM)
            detail::call(bg_options_get, &algorithm_, name.c_str(), text, sizeof text);
        else
            detail::call(bg_integration_get, &integration_, name.c_str(), text, sizeof text);
        return text;
    }

    // Throws where a value is out of range or a combination makes no sense for the process.
    void check(const process &p) const { detail::call(bg_options_check, p.get(), &algorithm_); }

    bg_options &algorithm() noexcept { return algorithm_; }
    const bg_options &algorithm() const noexcept { return algorithm_; }
    bg_integration &integration() noexcept { return integration_; }
    const bg_integration &integration() const noexcept { return integration_; }

  private:
    static bg_option_owner owner(const std::string &name)
    {
        const bg_option *known = bg_option_find(name.c_str());
        return known ? known->owner : BG_OPTION_OF_ALGORITHM; // which refuses an unknown one
    }

    bg_options algorithm_;
    bg_integration integration_;
    std::vector<std::shared_ptr<const std::string>> texts_;
};

// ---- matrix elements -------------------------------------------------------------------------------------------------

// A plan for one process: create it once, evaluate as often as you like. One thread at a time.
class evaluator
{
  public:
    explicit evaluator(const process &p, const options &o = options()) : legs_(p.legs())
    {
        bg_evaluator *made = nullptr;
        detail::call(bg_evaluator_create, &made, p.get(), &o.algorithm());
        evaluator_.reset(made);
    }

    // |M|^2 of `count` points [event][2 + n_out][4]; `uncertainty` may be null.
    void evaluate(std::size_t count, const double *momenta, double *me2, double *uncertainty = nullptr,
                  std::uint64_t first_event = 0)
    {
        detail::call(bg_evaluator_evaluate, get(), first_event, count, momenta, me2, uncertainty);
    }

    // The same for whole arrays.
    std::vector<double> operator()(const std::vector<double> &momenta, std::uint64_t first_event = 0)
    {
        if (momenta.size() % (4 * legs_) != 0)
            throw error(BG_ERROR_ARGUMENT, ("there are " + std::to_string(momenta.size()) + " numbers, but points of " +
                                            std::to_string(legs_) + " partons have " + std::to_string(4 * legs_))
                                               .c_str());
        std::vector<double> me2(momenta.size() / (4 * legs_));
        evaluate(me2.size(), momenta.data(), me2.data(), nullptr, first_event);
        return me2;
    }

    // Arrays on the device, queued on a stream of CUDA and not waited for.
    void evaluate_device(std::size_t count, const double *momenta, double *me2, void *stream = nullptr,
                         std::uint64_t first_event = 0)
    {
        detail::call(bg_evaluator_evaluate_device, get(), first_event, count, momenta, me2, stream);
    }

    std::size_t legs() const noexcept { return legs_; }
    std::string backend() const { return bg_evaluator_backend(get()); }
    std::string hardware() const { return bg_evaluator_hardware(get()); }
    std::string note() const { return bg_evaluator_note(get()); }
    int threads() const noexcept { return bg_evaluator_threads(get()); }
    const bg_options &resolved() const noexcept { return *bg_evaluator_options(get()); }
    bg_stability stability() const
    {
        bg_stability seen;
        bg_stability_init(&seen);
        detail::call(bg_evaluator_stability, get(), &seen);
        return seen;
    }

    bg_evaluator *get() const noexcept { return evaluator_.get(); }

  private:
    struct destroy {
        void operator()(bg_evaluator *e) const noexcept { bg_evaluator_destroy(e); }
    };
    std::size_t legs_;
    std::unique_ptr<bg_evaluator, destroy> evaluator_;
};

// ---- cross sections ----------------------------------------------------------------------------------------------------

// One distribution: what every bin adds to sigma, in pb.
struct histogram {
    std::string name, title;
    bool logarithmic;
    std::vector<double> edges, sigma_pb, error_pb, entries;
};

// The standard distributions of a process within cuts, and those that are booked.
class histograms
{
  public:
    histograms(const process &p, const options &o)
    {
        bg_histograms *made = nullptr;
        detail::call(bg_histograms_create, &made, p.get(), &o.integration());
        histograms_.reset(made);
    }
    histograms &book(const std::string &text) // "mass(1,2):50:0:5000"
    {
        detail::call(bg_histograms_book, get(), text.c_str());
        return *this;
    }
    int size() const noexcept { return bg_histograms_size(get()); }
    histogram operator[](int k) const
    {
        const std::size_t bins = static_cast<std::size_t>(bg_histograms_bins(get(), k));
        const char *name = bg_histograms_name(get(), k), *title = bg_histograms_title(get(), k);
        histogram h = {name ? name : "",
                       title ? title : "",
                       bg_histograms_logarithmic(get(), k) != 0,
                       std::vector<double>(bins + 1),
                       std::vector<double>(bins),
                       std::vector<double>(bins),
                       std::vector<double>(bins)};
        detail::call(bg_histograms_read, get(), k, h.edges.data(), h.sigma_pb.data(), h.error_pb.data(),
                     h.entries.data());
        return h;
    }
    bg_histograms *get() const noexcept { return histograms_.get(); }

  private:
    struct destroy {
        void operator()(bg_histograms *h) const noexcept { bg_histograms_destroy(h); }
    };
    std::unique_ptr<bg_histograms, destroy> histograms_;
};

// A cross section, and what each class of subprocesses adds to it, in the order of process::classes().
struct result : bg_result {
    std::vector<bg_class_result> classes;
    bg_options resolved; // the options as they were run
};

// Callbacks return whether to go on, and may throw.
class integrator
{
  public:
    explicit integrator(process p, options o = options::automatic()) : process_(std::move(p)), options_(std::move(o)) {}

    // Called about four times a second with the result so far.
    integrator &on_progress(std::function<bool(const bg_result &)> callback)
    {
        progress_ = std::move(callback);
        return *this;
    }
    // Called with every batch of points inside the cuts, by one thread at a time.
    integrator &on_points(std::function<bool(const bg_points &)> callback)
    {
        points_ = std::move(callback);
        return *this;
    }
    // They must live until run() is over.
    integrator &fill(histograms &filled)
    {
        options_.integration().histograms = filled.get();
        return *this;
    }

    result run()
    {
        result r;
        detail::guard guard;
        calls called = {this, &guard};
        bg_integration integration = options_.integration();
        bg_error why = {};
        bg_result_init(&r);
        bg_options_init(&r.resolved);
        r.classes.resize(static_cast<std::size_t>(bg_process_classes(process_.get())));
        integration.class_results = r.classes.data();
        integration.class_room = static_cast<int>(r.classes.size());
        integration.resolved = &r.resolved;
        integration.user = &called;
        if (progress_) integration.progress = progress;
        if (points_) integration.receive = receive;
        const bg_status status = bg_integrate(process_.get(), &options_.algorithm(), &integration, &r, &why);
        guard.check(status, why);
        return r;
    }

  private:
    struct calls {
        const integrator *owner;
        detail::guard *guard;
    };
    static int progress(const bg_result *so_far, void *user) noexcept
    {
        const calls *c = static_cast<const calls *>(user);
        return (*c->guard)([&] { return c->owner->progress_(*so_far); });
    }
    static int receive(const bg_points *points, void *user) noexcept
    {
        const calls *c = static_cast<const calls *>(user);
        return (*c->guard)([&] { return c->owner->points_(*points); });
    }

    process process_;
    options options_;
    std::function<bool(const bg_result &)> progress_;
    std::function<bool(const bg_points &)> points_;
};

// Without callbacks. What is not given of color, recursion and helicity is chosen.
inline result integrate(const process &p, const options &o) { return integrator(p, o).run(); }
inline result integrate(const process &p, std::initializer_list<std::pair<std::string, std::string>> given)
{
    options chosen = options::automatic();
    for (const auto &option : given) chosen.set(option.first, option.second);
    return integrate(p, chosen);
}

// ---- events (experimental) -----------------------------------------------------------------------------------------------

#ifdef BLOCKGEN_EXPERIMENTAL

// Makes `count` events and hands them over in batches, [first, first + number), in their order, by the calling thread.
// The callback returns whether to go on, and may throw.
inline bg_generation_result generate(const process &p, const options &o, std::uint64_t count,
                                     const std::function<bool(const bg_event *first, std::size_t number)> &receive,
                                     bool weighted = false)
{
    struct calls {
        const std::function<bool(const bg_event *, std::size_t)> *receive;
        detail::guard guard;
    } called = {&receive, {}};
    bg_generation generation;
    bg_generation_result made;
    bg_error why = {};
    bg_generation_init(&generation);
    bg_generation_result_init(&made);
    generation.events = count;
    generation.weighted = weighted ? 1 : 0;
    generation.user = &called;
    generation.receive = [](const bg_event *event, std::size_t number, void *user) {
        calls *c = static_cast<calls *>(user);
        return c->guard([&] { return (*c->receive)(event, number); });
    };
    const bg_status status = bg_events_generate(p.get(), &o.algorithm(), &o.integration(), &generation, &made, &why);
    called.guard.check(status, why);
    return made;
}

#endif

} // namespace blockgen

#endif
