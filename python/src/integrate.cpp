// Cross sections, with their classes and histograms.
#include "core.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

// ---- what comes back -------------------------------------------------------------------------------------------------

static nb::dict result_dict(const bg_result &r)
{
    nb::dict d;
    d["sigma"] = r.sigma_pb;
    d["error"] = r.error_pb;
    d["chi2"] = r.chi2_per_dof;
    d["error_scale"] = r.error_scale;
    d["points"] = r.points;
    d["accepted"] = r.accepted;
    d["warmup_points"] = r.warmup_points;
    d["nonfinite"] = r.nonfinite;
    d["unstable"] = r.unstable;
    d["rescued"] = r.rescued;
    d["evaluated"] = r.evaluated;
    d["estimated"] = r.estimated != 0;
    d["max_weight"] = r.max_weight_pb;
    d["unweighting_efficiency"] = r.unweighting;
    d["iterations"] = r.iterations;
    d["warming_up"] = r.warming_up != 0;
    d["interrupted"] = r.interrupted != 0;
    d["ranks"] = r.ranks;
    d["seconds"] = r.seconds;
    d["hardware"] = r.hardware;
    d["note"] = r.note;
    return d;
}

static nb::dict histogram_dict(const bg_histograms *h, int k)
{
    bg_error error;
    const auto bins = static_cast<size_t>(bg_histograms_bins(h, k));
    std::vector<double> edges(bins + 1), values(bins), errors(bins), entries(bins);
    double beyond[2], beyond_error[2];
    check(bg_histograms_read(h, k, edges.data(), values.data(), errors.data(), entries.data(), &error), error);
    check(bg_histograms_beyond(h, k, beyond, beyond_error, &error), error);
    nb::dict d;
    d["band"] = nb::none();
    if (std::vector<double> least(bins), most(bins);
        bg_histograms_band(h, k, least.data(), most.data(), nullptr) == BG_OK)
        d["band"] = nb::make_tuple(to_numpy(std::move(least)), to_numpy(std::move(most)));
    d["name"] = bg_histograms_name(h, k);
    d["title"] = bg_histograms_title(h, k);
    d["logarithmic"] = bg_histograms_logarithmic(h, k) != 0;
    d["edges"] = to_numpy(std::move(edges));
    d["values"] = to_numpy(std::move(values));
    d["errors"] = to_numpy(std::move(errors));
    d["entries"] = to_numpy(std::move(entries));
    d["below"] = nb::make_tuple(beyond[0], beyond_error[0]);
    d["above"] = nb::make_tuple(beyond[1], beyond_error[1]);
    return d;
}

// What was computed of the variations, and how many members there was room for.
static nb::dict variations_dict(const bg_variations &v)
{
    nb::dict d;
    if (v.scales) {
        nb::list sigmas;
        for (int k = 0; k < v.scales; k++) sigmas.append(nb::make_tuple(v.mur[k], v.muf[k], v.scale_pb[k]));
        nb::dict scale;
        scale["up"] = v.scale_up_pb;
        scale["down"] = v.scale_down_pb;
        scale["sigmas"] = sigmas;
        scale["relative_error"] = v.precision;
        d["scale"] = scale;
    }
    if (v.members) {
        const int kept = v.members < v.member_room ? v.members : v.member_room;
        nb::dict pdf;
        pdf["error"] = v.pdf_error_pb;
        pdf["up"] = v.pdf_up_pb;
        pdf["down"] = v.pdf_down_pb;
        pdf["error_type"] = v.pdf_error_type;
        pdf["members"] = to_numpy(std::vector<double>(v.member_pb, v.member_pb + kept));
        d["pdf"] = pdf;
    }
    return d;
}

// ---- callbacks -------------------------------------------------------------------------------------------------------

// What the library's callbacks get. Whatever is Python runs in the thread that called, see Watch.
struct Caller {
    Watch watch;
    nb::object progress;     // or None
    nb::object communicator; // or None: rank, ranks, local_rank, local_ranks, sum(), max(), broadcast()

    static int asked_to_stop(void *user) { return static_cast<Caller *>(user)->watch.stopped(); }

    static int show(const bg_result *now, void *user)
    {
        auto *c = static_cast<Caller *>(user);
        return c->watch.ask([&] { return nb::cast<bool>(nb::bool_(c->progress(result_dict(*now)))) ? 1 : 0; });
    }

    // The numbers as an array that points to them, for one method of the communicator.
    template <typename T> int join(const char *method, T *values, size_t count)
    {
        return watch.ask([&] {
            const nb::ndarray<nb::numpy, T, nb::ndim<1>> array(values, {count});
            communicator.attr(method)(nb::cast(array, nb::rv_policy::reference));
            return 0;
        });
    }
    static int sum(int64_t *values, size_t count, void *user)
    {
        return static_cast<Caller *>(user)->join("sum", values, count);
    }
    static int max(double *values, size_t count, void *user)
    {
        return static_cast<Caller *>(user)->join("max", values, count);
    }
    static int broadcast(void *data, size_t bytes, void *user)
    {
        return static_cast<Caller *>(user)->join("broadcast", static_cast<uint8_t *>(data), bytes);
    }
};

static bg_communicator connect(Caller &caller)
{
    bg_communicator c;
    bg_communicator_init(&c);
    if (caller.communicator.is_none()) return c;
    c.rank = nb::cast<int>(caller.communicator.attr("rank"));
    c.ranks = nb::cast<int>(caller.communicator.attr("ranks"));
    c.local_rank = nb::cast<int>(caller.communicator.attr("local_rank"));
    c.local_ranks = nb::cast<int>(caller.communicator.attr("local_ranks"));
    c.sum = Caller::sum;
    c.max = Caller::max;
    c.broadcast = Caller::broadcast;
    c.user = &caller;
    return c;
}

// ---- the call --------------------------------------------------------------------------------------------------------

using Histograms = std::unique_ptr<bg_histograms, decltype(&bg_histograms_destroy)>;

static Histograms make_histograms(const Process &process, const bg_integration &integration,
                                  const std::vector<std::string> &booked)
{
    bg_error error;
    bg_histograms *made = nullptr;
    check(bg_histograms_create(&made, process.get(), &integration, &error), error);
    Histograms histograms(made, bg_histograms_destroy);
    for (const std::string &text : booked) check(bg_histograms_book(made, text.c_str(), &error), error);
    return histograms;
}

static nb::list class_list(const Process &process, const std::vector<bg_class_result> &results)
{
    nb::list all;
    for (int k = 0; k < bg_process_classes(process.get()); k++) {
        const bg_class_result &r = results[static_cast<size_t>(k)];
        bg_process_class c;
        bg_error error;
        bg_process_class_init(&c);
        check(bg_process_class_at(process.get(), k, &c, &error), error);
        nb::dict d;
        d["process"] = c.name;
        d["channels"] = c.channels;
        d["quark_lines"] = c.quark_lines;
        d["sigma"] = r.sigma_pb;
        d["error"] = r.error_pb;
        d["points"] = r.points;
        all.append(d);
    }
    return all;
}

static nb::dict integrate(const Process &process, Settings settings, bool standard, std::vector<std::string> booked,
                          nb::object progress, nb::object communicator)
{
    Question question(std::move(settings), true);
    bg_integration &w = question.integration;
    Caller caller{{}, std::move(progress), std::move(communicator)};
    const bg_communicator ranks = connect(caller);
    const bool several = bg_process_is_open(process.get());
    std::vector<bg_class_result> classes(static_cast<size_t>(bg_process_classes(process.get())));
    Histograms histograms(nullptr, bg_histograms_destroy);
    constexpr int MOST_MEMBERS = 4096;
    std::vector<double> members(MOST_MEMBERS);
    bg_variations variations;
    bg_variations_init(&variations);
    variations.member_pb = members.data();
    variations.member_room = MOST_MEMBERS;
    w.variation_results = &variations;
    bg_options resolved = question.options;
    bg_result result;
    bg_error error;
    bg_status status = BG_OK;
    bg_result_init(&result);
    if (standard) histograms = make_histograms(process, w, booked);
    if (w.resume && !w.checkpoint) w.checkpoint = w.resume;
    w.histograms = histograms.get();
    w.resolved = &resolved;
    w.interrupted = Caller::asked_to_stop;
    w.user = &caller;
    if (!caller.progress.is_none()) w.progress = Caller::show;
    if (ranks.ranks > 1) w.communicator = &ranks;
    if (several) {
        w.class_results = classes.data();
        w.class_room = static_cast<int>(classes.size());
    }
    caller.watch.run([&] { status = bg_integrate(process.get(), &question.options, &w, &result, &error); });
    if (status == BG_ERROR_IO && result.seconds > 0.) { // the result is there, its checkpoint is not
        if (PyErr_WarnEx(PyExc_RuntimeWarning, error.message, 1)) throw nb::python_error();
    } else {
        check(status, error);
    }
    if (!several) {
        classes[0].sigma_pb = result.sigma_pb;
        classes[0].error_pb = result.error_pb;
        classes[0].points = result.points;
    }
    nb::dict d = result_dict(result);
    nb::list drawn;
    for (int k = 0; k < bg_histograms_size(histograms.get()); k++) drawn.append(histogram_dict(histograms.get(), k));
    d["classes"] = class_list(process, classes);
    d["histograms"] = drawn;
    d["variations"] = variations_dict(variations);
    d["options"] = options_dict(resolved);
    return d;
}

void bind_integrate(nb::module_ &m)
{
    m.def("integrate", integrate, nb::arg("process"), nb::arg("settings"), nb::arg("standard"), nb::arg("booked"),
          nb::arg("progress").none(), nb::arg("communicator").none());
}
