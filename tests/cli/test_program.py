"""The program as a whole: help, version, exit statuses, info, selftest."""
from support import *


class Program(CliTest):
    def commands(self):
        text = self.succeeds("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in text.splitlines()]

    def test_help_on_every_subcommand(self):
        commands = self.commands()
        for name in ("me", "selftest", "info"):
            self.assertIn(name, commands)
        for name in commands:
            for option in ("--help", "-h"):
                p = self.succeeds(name, option)
                self.assertIn(f"Usage: blockgen {name}", p.stdout)
                self.assertIn("--json", p.stdout)
                self.assertEqual(p.stderr, "")

    def test_help_by_name(self):
        self.assertEqual(self.succeeds("help", "me").stdout, self.succeeds("me", "--help").stdout)
        self.assertEqual(self.succeeds("help").stdout, self.succeeds("--help").stdout)

    def test_help_lists_the_axes(self):
        text = self.succeeds("me", "--help").stdout
        for option in ("algorithm", "color", "recursion", "helicity", "kernel", "backend", "threads", "seed", "alpha-s",
                       "samples", "device", "vertex", "decomposition", "orderings", "layout", "helicity-sampling",
                       "color-sampling", "color-group", "no-rescue", "keep-going"):
            self.assertIn("--" + option + " ", text)

    def test_every_subcommand_refuses_nonsense(self):
        for name in self.commands():
            p = self.refused(2, "--nonsense", name, "--nonsense")
            self.assertEqual(p.stdout, "")

    def test_version(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^blockgen \d+\.\d+\.\d+( \([0-9a-f]+\+?\))?\n$")

    def test_alone_it_lists_the_commands(self):
        p = self.refused(2, "no command")
        for name in self.commands():
            self.assertIn(f"  {name} ", p.stderr)

    def test_bad_usage(self):
        self.refused(2, "'frobnicate'", "frobnicate")
        self.refused(2, "'frobnicate'", "help", "frobnicate")
        self.refused(2, "'--frobnicate'", "--frobnicate")
        self.refused(2, "unexpected argument", "info", "more")
        self.refused(2, "unexpected argument", "selftest", "more")


class Info(CliTest):
    def test_text(self):
        text = self.succeeds("info").stdout
        for word in (self.succeeds("--version").stdout.strip(), "cpu", "core", "OpenMP", "CUDA", "MPI", "2 to 10",
                     "2 to 12", "compiler"):
            self.assertIn(word, text)
        self.assertNotIn("later version", text)
        for name in ("zlib", "HDF5"):
            self.assertRegex(text, rf"(?m)^  {name} +(yes, \d+\.\d+(\.\d+)*|no; needs .*)$")

    def test_json(self):
        d = json.loads(self.succeeds("info", "--json").stdout)
        self.assertEqual(set(d["n_out"]), {"summed", "ordered", "dressed"})
        for low, high in d["n_out"].values():
            self.assertEqual(low, 2)
            self.assertGreaterEqual(high, 8)
        self.assertEqual(d["n_out"]["dressed"], [2, 12])
        cpu = [b for b in d["backends"] if b["name"] == "cpu"][0]
        self.assertTrue(cpu["usable"])
        self.assertGreaterEqual(d["threads"], 1)
        self.assertEqual({name for name in ("MPI", "zlib", "HDF5", "parallel HDF5") if d["built_in"][name]}, set(d["versions"]))

    def test_instruction_set_is_the_one_in_use(self):
        p = self.succeeds("info", env={**os.environ, "BLOCKGEN_SIMD": "baseline"})
        self.assertIn("baseline", p.stdout)
        p = self.succeeds("info", env={**os.environ, "BLOCKGEN_SIMD": "mmx"})
        self.assertIn("not usable here: BLOCKGEN_SIMD is 'mmx'", p.stdout)


class Processes(CliTest):
    def test_text(self):
        lines = self.succeeds("processes", "p p > 2j").stdout.splitlines()
        self.assertEqual(lines[-1], "9 classes, 176 channels")
        self.assertEqual(lines[1].split(), "g g > g g 1 0".split())
        self.assertEqual(self.succeeds("processes", "u g > u g g").stdout.splitlines()[-1], "1 class, 1 channel")

    def test_json(self):
        d = json.loads(self.succeeds("processes", "p p > 3j", "--json").stdout)
        self.assertEqual(d["process"], "p p > 3j")
        self.assertEqual(len(d["classes"]), 11)
        self.assertEqual(d["classes"][0], {"process": "g g > g g g", "channels": 1, "quark_lines": 0})
        self.assertEqual(sum(c["channels"] for c in d["classes"]), 276)

    def test_options(self):
        def count(*words):
            return len(json.loads(self.succeeds("processes", "p p > 6j", "--json", *words).stdout)["classes"])
        self.assertEqual([count(), count("--quark-lines", "all"), count("--quark-lines", "0")], [30, 51, 1])
        self.assertLess(count("--flavors", "3", "--quark-lines", "all"), 51)

    def test_refused(self):
        self.refused(2, "no process given", "processes")
        self.refused(2, "'x'", "processes", "x g > g g")
        self.refused(2, "'e-'", "processes", "e- g > e- g")
        self.refused(2, "flavor u is not conserved", "processes", "u g > g g")
        self.refused(2, "6 quark lines", "processes", "g g > 6u 6u~")
        self.refused(2, "--flavors is '2'", "processes", "p p > 2j", "--flavors", "2")
        self.refused(2, "--quark-lines is 'many'", "processes", "p p > 2j", "--quark-lines", "many")
        self.refused(2, "--flavors has no effect", "processes", "g g > 2g", "--flavors", "4")
        self.refused(2, "--quark-lines has no effect", "processes", "g g > 2g", "--quark-lines", "2")


class Selftest(CliTest):
    def test_all_algorithms(self):
        p = self.succeeds("selftest", "--json", *(("-n", "2:3") if SANITIZED else ()))
        d = json.loads(p.stdout)
        self.assertTrue(d["passed"])
        self.assertEqual(d["failures"], 0)
        for measure in ("deviation", "pull") if SANITIZED else ("deviation", "pull", "agreement"):
            self.assertTrue([r for r in d["results"] if r["measure"] == measure])
        self.assertEqual({r["algorithm"] for r in d["results"]}, set(ALGORITHMS))
        for process in ("u g > u g",) if SANITIZED else ("u g > u g", "u u > u u g g", "u d > u d s s~"):  # one, two and three quark lines
            found = [r for r in d["results"] if r["process"] == process]
            self.assertTrue({"deviation", "pull"} <= {r["measure"] for r in found})
            self.assertEqual({r["algorithm"] for r in found}, {"co-sum", "cd-mc"})  # colors summed and drawn
        for r in d["results"]:
            self.assertTrue(r["passed"])
            self.assertLess(r["value"], r["limit"])

    def test_some_numbers_of_partons(self):
        d = json.loads(self.succeeds("selftest", "--json", "--quiet", "-n", "3").stdout)
        self.assertTrue(d["passed"])
        self.assertEqual({(r["n_out_min"], r["n_out_max"]) for r in d["results"]}, {(3, 3)})
        self.refused(2, ["'1'", "from 2 to 12"], "selftest", "-n", 1)
        self.refused(2, ["'9'", "2 to 8"], "selftest", "-n", 9)

    def test_fails_without_a_backend(self):
        p = self.refused(1, "left out", "selftest", env={**os.environ, "BLOCKGEN_SIMD": "mmx"})
        self.assertIn("0 of 0", p.stdout)


if __name__ == "__main__":
    main()
