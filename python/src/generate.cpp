// Events, batch by batch: the library hands them over as it makes them, Python asks for them one batch after the other.
#include "core.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <deque>
#include <thread>

// The incoming parton along +z comes first, as in files: the library leaves them in the order of the class's representative.
static bg_event in_order(bg_event e)
{
    if (e.momentum[0][3] < 0.) {
        std::swap(e.pdg[0], e.pdg[1]);
        std::swap(e.color[0], e.color[1]);
        std::swap(e.helicity[0], e.helicity[1]);
        std::swap(e.momentum[0], e.momentum[1]);
    }
    return e;
}

// The bytes of events, as the rows of the program's .npy files have them.
static void add_event(std::vector<uint8_t> &to, const bg_event &e, size_t variations)
{
    const auto add = [&](const void *data, size_t bytes) {
        const auto *from = static_cast<const uint8_t *>(data);
        to.insert(to.end(), from, from + bytes);
    };
    const auto legs = static_cast<size_t>(e.legs);
    const int32_t ints[2] = {e.process, e.legs};
    const double numbers[8] = {e.weight, e.trials, e.scale, e.muf, e.mur, e.alpha_s, e.x[0], e.x[1]};
    static_assert(sizeof(int) == sizeof(int32_t), "arrays of int are written as they are");
    add(&e.number, sizeof e.number);
    add(ints, sizeof ints);
    add(numbers, sizeof numbers);
    add(e.pdg, legs * sizeof *e.pdg);
    add(e.color, legs * sizeof *e.color);
    add(e.helicity, legs * sizeof *e.helicity);
    add(e.momentum, legs * sizeof *e.momentum);
    if (variations) add(e.variation, variations * sizeof *e.variation);
}

// A thread of its own makes events and waits while enough of them are ready.
class Stream
{
  public:
    Stream(Process asked, Settings settings, uint64_t events, double overweight, bool weighted, bool softest)
        : process(std::move(asked)), question(std::move(settings), true)
    {
        bg_generation_init(&generation);
        bg_generation_result_init(&result);
        bg_integration &w = question.integration;
        classes.resize(static_cast<size_t>(bg_process_classes(process.get())));
        w.class_results = classes.data();
        w.class_room = static_cast<int>(classes.size());
        w.progress = note_sigma;
        w.interrupted = asked_to_stop;
        w.user = this;
        generation.events = events;
        generation.overweight = overweight;
        generation.weighted = weighted;
        generation.softest_scale = softest;
        generation.begin = note_begin;
        generation.receive = keep;
        generation.user = this;
        worker = std::thread([this] { make(); });
    }
    ~Stream() { close(); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    // The next batch as bytes; None behind the last.
    nb::object next()
    {
        while (!wait()) {
            if (PyErr_CheckSignals()) throw nb::python_error();
        }
        std::unique_lock<std::mutex> lock(mutex);
        if (ready.empty()) {
            const bg_status failed = status;
            lock.unlock();
            check(failed, error);
            return nb::none();
        }
        std::vector<uint8_t> batch = std::move(ready.front());
        ready.pop_front();
        changed.notify_all();
        lock.unlock();
        return nb::cast(to_numpy(std::move(batch)));
    }

    // Stops the thread; what was not fetched is lost.
    void close()
    {
        const nb::gil_scoped_release free;
        {
            const std::lock_guard<std::mutex> lock(mutex);
            stop = true;
            changed.notify_all();
        }
        if (worker.joinable()) worker.join();
    }

    nb::dict state()
    {
        const std::lock_guard<std::mutex> lock(mutex);
        nb::dict d;
        d["begun"] = begun;
        d["done"] = done;
        d["sigma"] = result.sigma_pb;
        d["error"] = result.error_pb;
        d["points"] = points;
        d["pdf_id"] = result.pdf_id;
        d["variations"] = variations;
        if (done && status == BG_OK) {
            d["events"] = result.events;
            d["trials"] = result.trials;
            d["efficiency"] = result.efficiency;
            d["overweight_share"] = result.overweight_share;
            d["largest_weight"] = result.largest_weight;
            d["cut_share"] = result.cut_share;
            d["estimated"] = result.estimated != 0;
            d["evaluated"] = result.evaluated;
            d["seconds"] = result.seconds;
            d["seconds_events"] = result.seconds_events;
        }
        return d;
    }

  private:
    static constexpr size_t MOST_READY = 4; // batches

    Process process;
    Question question;
    bg_generation generation;
    std::vector<bg_class_result> classes;
    std::mutex mutex; // of everything below
    std::condition_variable changed;
    std::deque<std::vector<uint8_t>> ready;
    std::atomic<bool> stop{false};
    bool begun = false, done = false;
    uint64_t points = 0;
    std::vector<std::string> variations; // names of the weights that events have besides their own
    bg_generation_result result;
    bg_status status = BG_OK;
    bg_error error{};
    std::thread worker; // last: it uses the others

    // Whether there is a batch or an end; gives up after a moment, so that signals are seen.
    bool wait()
    {
        using namespace std::chrono_literals;
        const nb::gil_scoped_release free;
        std::unique_lock<std::mutex> lock(mutex);
        return changed.wait_for(lock, 50ms, [this] { return !ready.empty() || done; });
    }

    void make()
    {
        bg_generation_result last;
        bg_error trouble;
        bg_generation_result_init(&last);
        const bg_status ended =
            bg_events_generate(process.get(), &question.options, &question.integration, &generation, &last, &trouble);
        const std::lock_guard<std::mutex> lock(mutex);
        status = ended;
        error = trouble;
        if (ended == BG_OK) result = last;
        done = true;
        changed.notify_all();
    }

    static int asked_to_stop(void *user) { return static_cast<Stream *>(user)->stop; }

    static int note_sigma(const bg_result *now, void *user)
    {
        auto *s = static_cast<Stream *>(user);
        const std::lock_guard<std::mutex> lock(s->mutex);
        s->result.sigma_pb = now->sigma_pb;
        s->result.error_pb = now->error_pb;
        s->points = now->points + now->warmup_points;
        return s->stop;
    }

    static int note_begin(const bg_generation_result *first, void *user)
    {
        auto *s = static_cast<Stream *>(user);
        const std::lock_guard<std::mutex> lock(s->mutex);
        s->result.sigma_pb = first->sigma_pb;
        s->result.error_pb = first->error_pb;
        s->result.pdf_id = first->pdf_id;
        s->variations.assign(first->variation_names, first->variation_names + first->variations);
        s->begun = true;
        return s->stop;
    }

    static int keep(const bg_event *event, size_t count, void *user)
    {
        auto *s = static_cast<Stream *>(user);
        std::vector<uint8_t> batch;
        for (size_t k = 0; k < count; k++) add_event(batch, in_order(event[k]), s->variations.size());
        std::unique_lock<std::mutex> lock(s->mutex);
        s->changed.wait(lock, [s] { return s->stop || s->ready.size() < MOST_READY; });
        if (!s->stop) s->ready.push_back(std::move(batch));
        s->changed.notify_all();
        return s->stop;
    }
};

void bind_generate(nb::module_ &m)
{
    nb::class_<Stream>(m, "Stream")
        .def(nb::init<Process, Settings, uint64_t, double, bool, bool>(), nb::arg("process"), nb::arg("settings"),
             nb::arg("events"), nb::arg("overweight"), nb::arg("weighted"), nb::arg("softest"))
        .def("next", &Stream::next)
        .def("close", &Stream::close)
        .def("state", &Stream::state);
}
