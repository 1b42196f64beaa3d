#include "core.h"

#include <chrono>
#include <stdexcept>
#include <thread>

void check(bg_status status, const bg_error &error)
{
    switch (status) {
    case BG_OK: return;
    case BG_ERROR_ARGUMENT:
    case BG_ERROR_UNSUPPORTED:
    case BG_ERROR_POINT: throw nb::value_error(error.message);
    case BG_ERROR_MEMORY: PyErr_SetString(PyExc_MemoryError, error.message); break;
    case BG_ERROR_IO: PyErr_SetString(PyExc_OSError, error.message); break;
    case BG_ERROR_INTERRUPTED: PyErr_SetString(PyExc_KeyboardInterrupt, error.message); break;
    default: PyErr_SetString(PyExc_RuntimeError, error.message);
    }
    throw nb::python_error();
}

Question::Question(Settings given, bool open) : settings(std::move(given))
{
    bg_options_init(&options);
    bg_integration_init(&integration);
    if (open) bg_options_set_automatic(&options);
    for (const auto &[name, value] : settings) {
        bg_error error;
        const bg_option *o = bg_option_find(name.c_str());
        const bool of_integration = o && o->owner == BG_OPTION_OF_INTEGRATION;
        check(of_integration ? bg_integration_set(&integration, name.c_str(), value.c_str(), &error)
                             : bg_options_set(&options, name.c_str(), value.c_str(), &error),
              error);
    }
}

nb::dict options_dict(const bg_options &options)
{
    nb::dict all;
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        char value[BG_NOTE_LENGTH];
        if (o->owner == BG_OPTION_OF_ALGORITHM &&
            bg_options_get(&options, o->name, value, sizeof value, nullptr) == BG_OK)
            all[o->name] = value;
    }
    return all;
}

Process::Process(std::string name, int flavors, int quark_lines) : text(std::move(name))
{
    bg_error error;
    bg_process *process = nullptr;
    check(bg_process_parse(&process, text.c_str(), flavors, quark_lines, &error), error);
    held.reset(process, bg_process_destroy);
}

// ---- long calls ------------------------------------------------------------------------------------------------------

int Watch::ask(const std::function<int()> &code)
{
    std::unique_lock<std::mutex> lock(mutex);
    asked = &code;
    changed.notify_all();
    changed.wait(lock, [this] { return !asked; });
    return answer;
}

void Watch::run(const std::function<void()> &work)
{
    using namespace std::chrono_literals;
    std::exception_ptr trouble; // the first; destroyed with the GIL
    const auto attempt = [&](const std::function<int()> &code) {
        try {
            return code();
        } catch (...) {
            if (!trouble) trouble = std::current_exception();
            stop = true;
            return 1;
        }
    };
    const std::function<int()> signals = [] { return PyErr_CheckSignals() ? throw nb::python_error() : 0; };
    {
        nb::gil_scoped_release free;
        std::thread worker([&] {
            work();
            const std::lock_guard<std::mutex> lock(mutex);
            done = true;
            changed.notify_all();
        });
        std::unique_lock<std::mutex> lock(mutex);
        while (!done) {
            changed.wait_for(lock, 50ms, [this] { return done || asked; });
            if (done) break;
            const std::function<int()> *const code = asked;
            int said = 0;
            lock.unlock();
            {
                nb::gil_scoped_acquire held;
                attempt(signals);
                if (code) said = attempt(*code); // after an interrupt as well: other ranks may wait for it
            }
            lock.lock();
            if (code) {
                answer = said;
                asked = nullptr;
                changed.notify_all();
            }
        }
        lock.unlock();
        worker.join();
    }
    attempt(signals);
    if (trouble) std::rethrow_exception(trouble);
}
