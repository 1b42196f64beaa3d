// What blockgen.hpp promises beyond the examples: exceptions out of callbacks, callbacks that stop, options by name, errors that say
// what is wrong, and objects that can be moved and copied where that makes sense. Prints what failed.
#define BLOCKGEN_EXPERIMENTAL
#include <blockgen/blockgen.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

static int failures;

static void expect(bool good, const char *what)
{
    if (good) return;
    std::printf("not so: %s\n", what);
    failures++;
}

// The message of the error that `function` throws, or "".
template <typename Function> static std::string refused(Function function, bg_status status)
{
    try {
        function();
    } catch (const blockgen::error &error) {
        return error.status() == status ? error.what() : "another status";
    }
    return "";
}

static void options()
{
    blockgen::options given{{"color", "sampled"}, {"sqrts", "1000"}};
    given.set("threads", 2).set("pt-min", 30.5).set("rescue", false).set("pdf", "SomeSet:1");
    const blockgen::options copy = given; // shares the text that the library keeps the address of
    given = blockgen::options();
    expect(copy.get("color") == "sampled" && copy.get("threads") == "2" && copy.get("rescue") == "no",
           "of an algorithm");
    expect(copy.get("sqrts") == "1000" && copy.get("pt-min") == "30.5" && copy.get("pdf") == "SomeSet:1",
           "of an integration");
    expect(refused(
               [] {
                   blockgen::options{{"colr", "summed"}};
               },
               BG_ERROR_ARGUMENT)
                   .find("color") != std::string::npos,
           "the nearest name");
    expect(!refused([] { blockgen::options().set("pt-min", -1.); }, BG_ERROR_ARGUMENT).empty(), "a range");
}

static void objects()
{
    expect(!refused([] { blockgen::process("u g > g g"); }, BG_ERROR_ARGUMENT).empty(), "flavors are conserved");
    const blockgen::process process("p p > 2j"), copy = process;
    expect(copy.get() == process.get() && copy.has_protons() && copy.classes().size() == 9, "copies share a process");
    expect(blockgen::process(std::vector<int>{21, 21, 21, 21}).legs() == 4, "PDG ids");
    blockgen::evaluator first("g g > 2g", {{"backend", "cpu"}, {"threads", "1"}});
    blockgen::evaluator second = std::move(first);
    const std::vector<double> point = {500, 0, 0, 500, 500, 0, 0, -500, 500, 500, 0, 0, 500, -500, 0, 0};
    expect(second(point).size() == 1 && second.backend() == "cpu" && second.threads() == 1,
           "an evaluator that was moved");
    expect(!refused([&] { second({1., 2., 3.}); }, BG_ERROR_ARGUMENT).empty(), "three numbers");
    expect(!refused([&] { second.evaluate_device(1, point.data(), nullptr); }, BG_ERROR_UNSUPPORTED).empty() ||
               !refused([&] { second.evaluate_device(1, point.data(), nullptr); }, BG_ERROR_ARGUMENT).empty(),
           "the CPU has no device");
}

static void callbacks()
{
    const blockgen::options quick = blockgen::options::automatic().set("backend", "cpu").set("points", 20000);
    std::size_t points = 0;
    blockgen::integrator("g g > 2g", quick)
        .on_points([&points](const bg_points &batch) {
            points += batch.count;
            return true;
        })
        .run();
    expect(points > 0, "points as they come");
    bool caught = false;
    try {
        blockgen::integrator("g g > 2g", quick)
            .on_points([](const bg_points &) -> bool { throw std::logic_error("mine"); })
            .run();
    } catch (const std::logic_error &mine) {
        caught = std::string(mine.what()) == "mine";
    }
    expect(caught, "an exception comes through");
    std::size_t events = 0;
    const bg_generation_result made =
        blockgen::generate("g g > 2g", quick, 100000, [&events](const bg_event *, std::size_t number) {
            events += number;
            return false;
        });
    expect(events > 0 && events < 100000 && made.sigma_pb > 0., "a callback that stops is no failure");
    const blockgen::result result = blockgen::integrate("g g > 2g", {{"backend", "cpu"}, {"points", "20000"}});
    expect(result.points >= 20000 && result.classes.size() == 1, "the short form");
}

int main()
{
    options();
    objects();
    callbacks();
    return failures != 0;
}
