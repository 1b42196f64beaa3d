// |M|^2 of g g -> 4 gluons at a phase-space point and at the same point turned around the beam, from C++17. Prints one
// number per line, as matrix_elements.c does.
#include <blockgen/blockgen.hpp>

#include <cstdio>
#include <exception>
#include <vector>

int main()
{
    try {
        std::vector<double> momenta = {
            500.,
            0.,
            0.,
            500.,
            500.,
            0.,
            0.,
            -500., //
            290.31075577423763,
            -213.36929162671257,
            88.965338665326172,
            175.61050317417747, //
            362.25784622409594,
            153.75280273294220,
            -190.28771533698082,
            -267.17299301111615, //
            186.58961514320910,
            -82.776424293003245,
            62.116350397414720,
            155.25883895566528, //
            160.84178285845732,
            142.39291318677365,
            39.206026274239925,
            -63.696349118726602,
        };
        const std::size_t numbers = momenta.size();
        for (std::size_t k = 0; k < numbers; k += 4) {
            const double turned[] = {momenta[k], -momenta[k + 2], momenta[k + 1], momenta[k + 3]};
            momenta.insert(momenta.end(), turned, turned + 4);
        }
        blockgen::evaluator gluons("g g > 4g", {{"color", "summed"}});
        for (const double value : gluons(momenta)) std::printf("%.17g\n", value);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
