// What the files of the extension share: errors as exceptions, options by name, and calls that Python can interrupt.
// The extension is a client of blockgen/blockgen.h, as any program is.
#pragma once

#define BLOCKGEN_EXPERIMENTAL
#include <blockgen/blockgen.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

// Throws what Python raises for a status: ValueError for what was asked, MemoryError, OSError for files, KeyboardInterrupt,
// RuntimeError for the rest, with the library's message.
void check(bg_status status, const bg_error &error);

// Options as text, by the names of the library's table.
using Settings = std::vector<std::pair<std::string, std::string>>;

// A question: options of both kinds, set by name. Text options point into `settings`, so a question stays where it is.
struct Question {
    bg_options options;
    bg_integration integration;

    // `open`: color, recursion and helicity are left to the library unless they are set.
    Question(Settings given, bool open);
    Question(const Question &) = delete;
    Question &operator=(const Question &) = delete;

  private:
    Settings settings;
};

// The algorithm's options by name.
nb::dict options_dict(const bg_options &options);

struct Process {
    std::string text;
    std::shared_ptr<bg_process> held;

    Process(std::string name, int flavors, int quark_lines);
    const bg_process *get() const { return held.get(); }
};

// A long call. It runs in a thread of its own without the GIL, while the thread of Python waits for it: looks for
// signals many times a second, and runs whatever Python code the computation asks for. So all of that runs where the call was
// made, as signal handlers, notebooks and MPI want it.
class Watch
{
  public:
    // Calls `work` and returns when it is done. Raises what signal handlers or asked code have raised. With the GIL.
    void run(const std::function<void()> &work);

    // From the computation: has `code` run by the waiting thread, with the GIL, and returns its answer; 1 where it raised.
    int ask(const std::function<int()> &code);

    // Whether to stop: what the library's callbacks look at.
    bool stopped() const { return stop.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::condition_variable changed;
    const std::function<int()> *asked = nullptr;
    int answer = 0;
    bool done = false;
};

// An array of numpy that owns its numbers.
template <typename T> nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> numbers)
{
    auto *kept = new std::vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

void bind_evaluator(nb::module_ &m);
void bind_integrate(nb::module_ &m);
void bind_generate(nb::module_ &m);
