// The cross section of p p -> 2 jets and a few events of it, from C++17: options by name, a distribution, callbacks, and an
// error that says what is wrong. Prints sigma and its error in pb, the sum of the distribution, and how many events came.
// Events are of the experimental part of the library.
#define BLOCKGEN_EXPERIMENTAL
#include <blockgen/blockgen.hpp>

#include <cstdio>
#include <exception>
#include <numeric>

int main()
{
    try {
        const blockgen::process process("p p > 2j");
        blockgen::options options = blockgen::options::automatic();
        options.set("precision", 0.02).set("pt-min", 50).set("scale", "ht/2").set("backend", "cpu");

        blockgen::histograms distributions(process, options);
        const blockgen::result result = blockgen::integrator(process, options)
                                            .fill(distributions)
                                            .on_progress([](const bg_result &) { return true; })
                                            .run();
        const blockgen::histogram hardest = distributions[0];
        std::printf("%g %g %g\n", result.sigma_pb, result.error_pb,
                    std::accumulate(hardest.sigma_pb.begin(), hardest.sigma_pb.end(), 0.));
        std::fprintf(stderr, "%s, %zu classes of subprocesses\n", hardest.title.c_str(), result.classes.size());

        std::size_t events = 0;
        blockgen::generate(process, options, 100, [&events](const bg_event *first, std::size_t number) {
            for (std::size_t k = 0; k < number; k++) events += first[k].legs == 4;
            return true;
        });
        std::printf("%zu\n", events);

        try {
            options.set("pt-min", "many");
        } catch (const blockgen::error &refused) {
            std::fprintf(stderr, "as it should be: %s\n", refused.what());
            return 0;
        }
        return 1;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
}
