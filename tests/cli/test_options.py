"""The command line itself: suggestions, counts, files of options."""
from support import *


class Suggestions(CliTest):
    def test_of_a_command(self):
        for wrong, right in (("integrat", "integrate"), ("intergate", "integrate"), ("sefltest", "selftest"), ("inf", "info")):
            self.refused(2, [f"unknown command '{wrong}'", f"did you mean {right}?"], wrong)
        self.assertNotIn("did you mean", self.refused(2, "unknown command", "frobnicate").stderr)

    def test_of_an_option(self):
        for wrong, right in (("--colour", "--color"), ("--colo", "--color"), ("--recursoin", "--recursion"),
                             ("--keep-giong", "--keep-going"), ("--jsno", "--json"), ("--helicty-sampling", "--helicity-sampling")):
            self.refused(2, [f"unknown option '{wrong}'", f"did you mean {right}?"], "me", wrong, "summed", stdin=GOOD)
        self.refused(2, ["unknown option '--pt-mn'", "did you mean --pt-min?"], "integrate", "-n", 2, "--pt-mn", 30)
        self.assertNotIn("did you mean", self.refused(2, "unknown option", "me", "--nonsense").stderr)

    def test_not_of_another_command(self):
        """--pt-min is an option of integrate, not of me."""
        self.refused(2, "unknown option '--pt-min'", "me", "--pt-min", 30)


class Counts(CliTest):
    def test_powers_of_ten(self):
        short = json.loads(self.succeeds("integrate", "-n", 2, "--backend", "cpu", "--points", "2e3", "--json").stdout)
        long = json.loads(self.succeeds("integrate", "-n", 2, "--backend", "cpu", "--points", "2000", "--json").stdout)
        self.assertEqual(short["points"], long["points"])
        self.assertEqual(short["sigma_pb"], long["sigma_pb"])
        for word in ("1.5", "1e-3", "-1e3", "1e30", "1e3x", "0x10"):
            self.refused(2, ["--points", f"'{word}'", "whole number"], "integrate", "-n", 2, "--points", word)

    def test_commas_between_numbers(self):
        plain = self.succeeds("me", "--backend", "cpu", stdin=GOOD).stdout
        for comma in (",", ", ", " , "):
            self.assertEqual(self.succeeds("me", "--backend", "cpu", stdin=comma.join(GOOD.split())).stdout, plain)


class Threads(CliTest):
    """What the environment says about threads is checked as --threads is."""

    def refused_with(self, wanted, *arguments, **environment):
        self.refused(2, wanted, "integrate", "-n", "2", "--points", "500", "--backend", "cpu", *arguments,
                     env={**os.environ, **environment})

    def test_number(self):
        for number in ("99999", "4097", "1000000000000"):
            self.refused_with((number, "1 to 4096"), OMP_NUM_THREADS=number)
        self.succeeds("integrate", "-n", "2", "--points", "500", "--threads", "1", env={**os.environ, "OMP_NUM_THREADS": "99999"})

    def test_stack(self):
        for size in ("16k", "32", "24 K", "65536B"):
            self.refused_with((size, "1024k at least"), "--threads", "2", OMP_STACKSIZE=size)
        for threads, size in (("1", "16k"), ("2", "1M"), ("2", "2048")):
            self.succeeds("integrate", "-n", "2", "--points", "500", "--backend", "cpu", "--threads", threads,
                          env={**os.environ, "OMP_STACKSIZE": size})


class Config(CliTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "run.cfg")

    def write(self, text):
        with open(self.file, "w") as file:
            file.write(text)

    def integrate(self, *arguments):
        return json.loads(self.succeeds("integrate", *arguments).stdout)

    def test_as_on_the_command_line(self):
        self.write("# a run\nn-out = 3\n\n backend=cpu   # no GPU\npoints = 3e3\nseed = 7\njson = yes\nrescue = no\n"
                   "color = sampled\nrecursion = dressed\nhelicity = sampled\n")
        given = self.integrate("-n", 3, "--backend", "cpu", "--points", 3000, "--seed", 7, "--json", "--no-rescue", "--color",
                               "sampled", "--recursion", "dressed", "--helicity", "sampled")
        read = self.integrate("--config", self.file)
        for key in ("n_out", "sigma_pb", "error_pb", "points", "seed", "color", "recursion", "helicity"):
            self.assertEqual(read[key], given[key])

    def test_quotation_marks(self):
        self.write('process = "u g > u g"\npoints = 1e3\nbackend = cpu\njson = yes\n')
        self.assertEqual(self.integrate("--config", self.file)["process"], "u g > u g")

    def test_the_command_line_overrides_it(self):
        self.write("n-out = 2\nseed = 7\nalgorithm = cd-mc\n")
        d = self.integrate("--seed", 9, "--config", self.file, "--backend", "cpu", "--points", 1000, "--json", "-n", 3)
        self.assertEqual((d["n_out"], d["seed"], d["color"]), (3, 9, "sampled"))

    def test_mistakes_name_the_line(self):
        for text, wanted in (("seed = 1\ncolour = summed\n", [":2:", "unknown option 'colour'", "did you mean --color?"]),
                             ("seed\n", [":1:", "name = value"]), ("seed = x\n", [":1:", "seed is 'x'", "whole number"]),
                             ("json = perhaps\n", [":1:", "json is 'perhaps'", "yes or no"]),
                             ("config = other\n", ["cannot name another"]), ("help = yes\n", ["cannot ask for help"])):
            self.write(text)
            self.refused(2, [*wanted, *([self.file] if wanted[0] == ":" else [])], "integrate", "--config", self.file)
        self.refused(1, ["/nowhere/run.cfg", "cannot read"], "integrate", "--config", "/nowhere/run.cfg")


class Floats(CliTest):
    def test_quad_and_instruction_sets(self):
        p = json.loads(self.succeeds("info", "--json").stdout)
        exact = float(self.succeeds("me", "--backend", "cpu", stdin=GOOD).stdout)
        base = float(self.succeeds("me", "--backend", "cpu", "--instruction-set", "baseline", stdin=GOOD).stdout)
        self.close([base], [exact], 1e-13)
        if p["built_in"]["128-bit floats"]:
            quad = float(self.succeeds("me", "--backend", "cpu", "--floats", "quad", stdin=GOOD).stdout)
            self.close([quad], [exact], 1e-13)
        self.refused(2, ["--floats", "double or quad"], "me", "--floats", "half", stdin=GOOD)
        self.refused(2, ["--instruction-set", "auto, baseline, avx2 or avx512"], "me", "--instruction-set", "mmx", stdin=GOOD)


if __name__ == "__main__":
    main()
