// Matrix elements of given points: arrays of the host, and of devices where CUDA is built in.
#include "core.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <optional>

#ifdef BG_PYTHON_CUDA
#include <cuda_runtime_api.h>
#endif

using Momenta = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// ---- devices ---------------------------------------------------------------------------------------------------------

// An array of another library, through DLPack: where it is and what it looks like. It is kept alive.
struct View {
    nb::ndarray<nb::ro> array;
};

static nb::dict describe(const View &v)
{
    nb::list shape, strides;
    for (size_t k = 0; k < v.array.ndim(); k++) {
        shape.append(v.array.shape(k));
        strides.append(v.array.stride(k));
    }
    nb::dict d;
    d["pointer"] = reinterpret_cast<uintptr_t>(v.array.data_handle()) + v.array.byte_offset();
    d["shape"] = nb::tuple(shape);
    d["strides"] = nb::tuple(strides); // in numbers, not bytes
    d["double"] = v.array.dtype() == nb::dtype<double>();
    d["device_type"] = v.array.device_type();
    d["device"] = v.array.device_id();
    return d;
}

#ifdef BG_PYTHON_CUDA
static void check_cuda(cudaError_t code)
{
    if (code != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
}

// Makes a device the current one as long as it lives.
struct OnDevice {
    int before = 0;
    explicit OnDevice(int device)
    {
        check_cuda(cudaGetDevice(&before));
        check_cuda(cudaSetDevice(device));
    }
    ~OnDevice() { (void)cudaSetDevice(before); }
};

// Numbers on a device for callers whose library cannot be asked for an empty array that may be written to.
static nb::ndarray<nb::array_api, double, nb::ndim<1>, nb::device::cuda> device_numbers(size_t count, int device)
{
    const OnDevice here(device);
    void *numbers = nullptr;
    check_cuda(cudaMalloc(&numbers, (count ? count : 1) * sizeof(double)));
    nb::capsule owner(numbers, [](void *p) noexcept { (void)cudaFree(p); });
    return {static_cast<double *>(numbers), {count}, owner, {}, nb::dtype<double>(), nb::device::cuda::value, device};
}

// The device that a pointer belongs to.
static int pointer_device(uintptr_t pointer)
{
    cudaPointerAttributes about;
    check_cuda(cudaPointerGetAttributes(&about, reinterpret_cast<const void *>(pointer)));
    return about.device;
}

static void synchronize(uintptr_t stream, int device)
{
    const nb::gil_scoped_release free;
    const OnDevice here(device);
    check_cuda(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)));
}
#endif

// ---- the evaluator ---------------------------------------------------------------------------------------------------

class Evaluator
{
  public:
    const int legs;

    Evaluator(const Process &process, Settings settings)
        : legs(2 + bg_process_n_out(process.get())), question(std::move(settings), false)
    {
        bg_error error;
        bg_status status = BG_OK;
        bg_evaluator *made = nullptr;
        Watch planning;
        watch = &planning;
        planning.run([&] {
            status =
                bg_evaluator_create_stoppable(&made, process.get(), &question.options, asked_to_stop, this, &error);
            evaluator.reset(made);
        });
        watch = nullptr;
        check(status, error);
    }
    ~Evaluator()
    {
        const nb::gil_scoped_release free;
#ifdef BG_PYTHON_CUDA
        if (passed) (void)cudaEventDestroy(passed);
#endif
        evaluator.reset();
    }
    Evaluator(const Evaluator &) = delete;
    Evaluator &operator=(const Evaluator &) = delete;

    const bg_evaluator *get() const { return evaluator.get(); }

    void evaluate(uint64_t first_event, const Momenta &momenta, const Numbers &me2, std::optional<Numbers> uncertainty,
                  double tolerance)
    {
        const size_t count = momenta.shape(0);
        bg_error error;
        bg_status status = BG_OK;
        size_t bad = count;
        if (static_cast<int>(momenta.shape(1)) != legs || momenta.shape(2) != 4)
            throw nb::value_error("momenta must have the shape (events, legs, 4)");
        if (me2.shape(0) != count || (uncertainty && uncertainty->shape(0) != count))
            throw nb::value_error("the arrays of results must have one number for each event");
        call(count, [&] {
            if (tolerance > 0.) bad = find_unphysical(momenta, tolerance, &error);
            if (bad == count)
                status = bg_evaluator_evaluate(evaluator.get(), first_event, count, momenta.data(), me2.data(),
                                               uncertainty ? uncertainty->data() : nullptr, &error);
        });
        if (bad < count) throw nb::value_error(("point " + std::to_string(bad) + ": " + error.message).c_str());
        check(status, error);
    }

    // Device pointers; the work is queued on the stream and not waited for.
    void evaluate_device(uint64_t first_event, size_t count, uintptr_t momenta, uintptr_t me2, uintptr_t stream,
                         int device)
    {
        bg_error error;
        bg_status status = BG_OK;
        {
            const nb::gil_scoped_release free;
            const std::lock_guard<std::mutex> alone(busy);
#ifdef BG_PYTHON_CUDA
            // There is one workspace: a call on another stream waits for the one before, on the device.
            const OnDevice here(device);
            const auto queue = reinterpret_cast<cudaStream_t>(stream);
            if (!passed) check_cuda(cudaEventCreateWithFlags(&passed, cudaEventDisableTiming));
            check_cuda(cudaStreamWaitEvent(queue, passed, 0));
#else
            (void)device;
#endif
            status = bg_evaluator_evaluate_device(
                evaluator.get(), first_event, count, reinterpret_cast<const double *>(momenta),
                reinterpret_cast<double *>(me2), reinterpret_cast<void *>(stream), &error);
#ifdef BG_PYTHON_CUDA
            check_cuda(cudaEventRecord(passed, queue));
#endif
        }
        check(status, error);
    }

  private:
    Question question;
    std::unique_ptr<bg_evaluator, decltype(&bg_evaluator_destroy)> evaluator{nullptr, bg_evaluator_destroy};
    std::mutex busy; // one thread at a time
    std::atomic<Watch *> watch{nullptr};
    double seconds_each = -1.; // of a point, from the calls so far; below 0: unknown
#ifdef BG_PYTHON_CUDA
    cudaEvent_t passed = nullptr;
#endif

    static int asked_to_stop(void *user)
    {
        const Watch *w = static_cast<Evaluator *>(user)->watch;
        return w && w->stopped();
    }

    size_t find_unphysical(const Momenta &momenta, double tolerance, bg_error *error) const
    {
        const size_t count = momenta.shape(0), stride = momenta.shape(1) * 4;
        size_t k = 0;
        while (k < count && bg_check_point(legs - 2, momenta.data() + k * stride, tolerance, error) == BG_OK) k++;
        return k;
    }

    // A call that will be over before anybody could want to stop it needs no thread of its own.
    template <typename Work> void call(size_t count, Work work)
    {
        constexpr double SHORT = 0.25;
        const auto timed = [&] {
            const auto start = std::chrono::steady_clock::now();
            work();
            const std::chrono::duration<double> passed_time = std::chrono::steady_clock::now() - start;
            if (count) seconds_each = std::fmax(passed_time.count() / static_cast<double>(count), 0.5 * seconds_each);
        };
        std::unique_lock<std::mutex> alone(busy, std::defer_lock);
        {
            const nb::gil_scoped_release free;
            alone.lock();
        }
        if (seconds_each >= 0. && seconds_each * static_cast<double>(count) < SHORT) {
            const nb::gil_scoped_release free;
            timed();
            return;
        }
        Watch here;
        watch = &here;
        try {
            here.run(timed);
        } catch (...) {
            watch = nullptr;
            throw;
        }
        watch = nullptr;
    }
};

static nb::dict stability(const Evaluator &e)
{
    bg_stability s;
    bg_error error;
    bg_stability_init(&s);
    check(bg_evaluator_stability(e.get(), &s, &error), error);
    nb::dict d;
    d["points"] = s.points;
    d["unstable"] = s.unstable;
    d["rescued"] = s.rescued;
    return d;
}

static nb::dict memory(const Evaluator &e)
{
    bg_memory s;
    bg_error error;
    bg_memory_init(&s);
    check(bg_evaluator_memory(e.get(), &s, &error), error);
    nb::dict d;
    d["shared"] = s.shared;
    d["per_event"] = s.per_event;
    d["batch"] = s.batch;
    return d;
}

void bind_evaluator(nb::module_ &m)
{
    nb::class_<View>(m, "View")
        .def(nb::new_([](nb::ndarray<nb::ro> array) { return View{std::move(array)}; }), nb::arg("array").noconvert())
        .def("describe", describe);

    nb::class_<Evaluator>(m, "Evaluator")
        .def(nb::init<const Process &, Settings>(), nb::arg("process"), nb::arg("settings"))
        .def("evaluate", &Evaluator::evaluate, nb::arg("first_event"), nb::arg("momenta").noconvert(),
             nb::arg("me2").noconvert(), nb::arg("uncertainty").noconvert().none(), nb::arg("tolerance"))
        .def("evaluate_device", &Evaluator::evaluate_device, nb::arg("first_event"), nb::arg("count"),
             nb::arg("momenta"), nb::arg("me2"), nb::arg("stream"), nb::arg("device"))
        .def_ro("legs", &Evaluator::legs)
        .def_prop_ro("backend", [](const Evaluator &e) { return bg_evaluator_backend(e.get()); })
        .def_prop_ro("hardware", [](const Evaluator &e) { return bg_evaluator_hardware(e.get()); })
        .def_prop_ro("note", [](const Evaluator &e) { return bg_evaluator_note(e.get()); })
        .def_prop_ro("threads", [](const Evaluator &e) { return bg_evaluator_threads(e.get()); })
        .def_prop_ro("device", [](const Evaluator &e) { return bg_evaluator_options(e.get())->device; })
        .def_prop_ro("options", [](const Evaluator &e) { return options_dict(*bg_evaluator_options(e.get())); })
        .def_prop_ro("stability", stability)
        .def_prop_ro("memory", memory);

#ifdef BG_PYTHON_CUDA
    m.def("device_numbers", device_numbers, nb::arg("count"), nb::arg("device"));
    m.def("pointer_device", pointer_device, nb::arg("pointer"));
    m.def("synchronize", synchronize, nb::arg("stream"), nb::arg("device"));
    m.attr("cuda") = true;
#else
    m.attr("cuda") = false;
#endif
}
