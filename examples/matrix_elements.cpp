// |M|^2 of g g -> 4 gluons at a phase-space point and at the same point turned around the beam, from C++11: objects that
// clean up after themselves, and errors as exceptions. Prints one number per line, as matrix_elements.c does.
#include <blockgen/blockgen.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

struct destroy {
    void operator()(bg_process *process) const { bg_process_destroy(process); }
    void operator()(bg_evaluator *evaluator) const { bg_evaluator_destroy(evaluator); }
};
using process_ptr = std::unique_ptr<bg_process, destroy>;
using evaluator_ptr = std::unique_ptr<bg_evaluator, destroy>;

void check(bg_status status, const bg_error &error)
{
    if (status != BG_OK) throw std::runtime_error(error.message);
}

// A process with an evaluator for it. Options have the names that they have on the command line.
class matrix_element
{
  public:
    explicit matrix_element(int n_out) : legs_(2 + n_out)
    {
        bg_error error;
        bg_process *process = nullptr;
        check(bg_process_create_gluons(&process, n_out, &error), error);
        process_.reset(process);
        bg_options options;
        bg_options_init(&options);
        check(bg_options_set(&options, "color", "summed", &error), error);
        bg_evaluator *evaluator = nullptr;
        check(bg_evaluator_create(&evaluator, process, &options, &error), error);
        evaluator_.reset(evaluator);
    }

    // momenta: E, px, py, pz of each gluon of each point, the two incoming ones first
    std::vector<double> operator()(const std::vector<double> &momenta) const
    {
        std::vector<double> me2(momenta.size() / (4 * static_cast<std::size_t>(legs_)));
        bg_error error;
        check(bg_evaluator_evaluate(evaluator_.get(), 0, me2.size(), momenta.data(), me2.data(), nullptr, &error),
              error);
        return me2;
    }

  private:
    int legs_;
    process_ptr process_;
    evaluator_ptr evaluator_;
};

} // namespace

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
        const matrix_element gluons(4);
        for (const double value : gluons(momenta)) std::printf("%.17g\n", value);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
