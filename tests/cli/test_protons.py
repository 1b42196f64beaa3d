"""blockgen integrate with protons and with quarks: the contract, classes, threads and ranks, bad input."""
import json
import os
import shutil

from support import CliTest, main, run, subprocess, PROGRAM

TWO = ["--process", "p p > 2j", "--backend", "cpu", "--points", "30000"]
THREE = ["--process", "p p > 3j", "--flavors", "3", "--quark-lines", "1", "--backend", "cpu", "--precision", "0.03"]
KEYS = {"process", "n_out", "sqrts", "beams", "pdf", "scale", "cuts", "alpha_s", "sigma_pb", "error_pb", "points", "accepted",
        "chi2_per_dof", "seconds", "ns_per_point", "color", "recursion", "helicity", "kernel", "backend", "threads", "ranks",
        "seed", "version", "classes"}


class ProtonsTest(CliTest):
    def integrate(self, *arguments):
        return json.loads(self.succeeds("integrate", "--json", "--quiet", *arguments).stdout)

    def same(self, first, second):
        for key in ("sigma_pb", "error_pb", "points", "accepted", "chi2_per_dof", "classes"):
            self.assertEqual(first[key], second[key], key)


class Contract(ProtonsTest):
    def test_protons(self):
        found = self.integrate(*TWO)
        self.assertLessEqual(KEYS, set(found))
        self.assertEqual((found["process"], found["n_out"], found["beams"]), ("p p > 2j", 2, "p p"))
        self.assertEqual((found["sqrts"], found["scale"], found["mur"], found["muf"]), (14000, "ht/2", 1, 1))
        self.assertEqual(found["cuts"]["pt_min"], 20)
        self.assertIn("BlockGen-toy-lo", found["pdf"])
        self.assertIn("built in", found["pdf"])
        self.assertGreater(found["sigma_pb"], 0)
        self.assertLess(found["error_pb"], 0.05 * found["sigma_pb"])

    def test_classes_add_up(self):
        for line in (TWO, THREE):
            found = self.integrate(*line)
            listed = json.loads(self.succeeds("processes", line[1], "--json", *line[2:line.index("--backend")]).stdout)
            for key in ("process", "channels", "quark_lines"):
                self.assertEqual([c[key] for c in found["classes"]], [c[key] for c in listed["classes"]])
            self.assertAlmostEqual(sum(c["sigma_pb"] for c in found["classes"]) / found["sigma_pb"], 1, delta=1e-12)
            squares = sum(c["error_pb"]**2 for c in found["classes"])
            self.assertGreater(found["error_pb"]**2, 0.999 * squares)  # it may be widened
            self.assertEqual(sum(c["points"] for c in found["classes"]), found["points"])

    def test_quarks(self):
        found = self.integrate("--process", "u g > u g g", "--backend", "cpu", "--points", "20000")
        self.assertLessEqual(KEYS, set(found))
        self.assertEqual((found["beams"], found["pdf"], found["scale"], found["alpha_s"]), ("partonic", None, None, 0.118))
        self.assertEqual([c["process"] for c in found["classes"]], ["u g > u g g"])
        self.assertEqual(found["classes"][0]["sigma_pb"], found["sigma_pb"])

    def test_jets_of_partons(self):
        """What j stands for adds up: pairs of every flavor and gluons."""
        goal = ["--backend", "cpu", "--precision", "0.01"]
        every = self.integrate("--process", "g g > j j", "--flavors", "4", *goal)
        quarks, gluons = self.integrate("--process", "g g > u u~", *goal), self.integrate("-n", "2", *goal)
        error = (every["error_pb"]**2 + 16 * quarks["error_pb"]**2 + gluons["error_pb"]**2)**0.5
        self.assertLess(abs(every["sigma_pb"] - 4 * quarks["sigma_pb"] - gluons["sigma_pb"]), 5 * error)


class Words(ProtonsTest):
    def test_first_command(self):
        """Nothing is installed, nothing is downloaded: it works, and says that the set is a built-in one."""
        p = self.succeeds("integrate", *TWO, env={"PATH": "/nonexistent"})
        for text in ("BlockGen-toy-lo (built in", "g g > g g", "channels", "chi2/dof", "alpha_s of the parton densities"):
            self.assertIn(text, p.stdout)
        self.assertNotIn("partonic", p.stdout)
        self.assertIn("chosen automatically", p.stderr)

    def test_largest_class_first(self):
        text = self.succeeds("integrate", *TWO, "--quiet").stdout
        table = text[text.index("class "):].split("\n\n")[0].splitlines()[1:]
        sigma = [float(line.split()[-4]) for line in table]
        self.assertEqual(sigma, sorted(sigma, reverse=True))
        self.assertEqual(len(table), 9)

    def test_scales(self):
        fixed = self.integrate(*TWO, "--scale", "fixed:91.2")
        self.assertEqual(fixed["scale"], "fixed:91.2")
        less = self.integrate(*TWO, "--scale", "fixed:91.2", "--mur", "2")
        self.assertLess(less["sigma_pb"], fixed["sigma_pb"])  # the coupling falls
        self.same(self.integrate(*TWO, "--scale", "ht", "--mur", "0.5", "--muf", "0.5"), self.integrate(*TWO, "--scale", "ht/2"))

    def test_set_by_path(self):
        here = os.path.dirname(os.path.abspath(__file__))
        folder = os.path.join(here, "..", "..", "data", "pdf", "BlockGen-toy-lo")
        self.same(self.integrate(*TWO, "--pdf", folder), self.integrate(*TWO))


class Bits(ProtonsTest):
    def test_threads(self):
        for line in (TWO, THREE):
            self.same(self.integrate(*line, "--threads", "1"), self.integrate(*line, "--threads", "2"))

    def test_ranks(self):
        if not shutil.which("mpirun") or "MPI             yes" not in run("info").stdout:
            self.skipTest("there is no MPI")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "ASAN_OPTIONS": "detect_leaks=0"}  # what the libraries of MPI do not give back is no concern here
        p = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", PROGRAM, "integrate", "--json", "--quiet", *TWO, "--threads", "1"],
                           capture_output=True, text=True, timeout=600, env=environment)
        self.assertEqual(p.returncode, 0, p.stderr)
        found = json.loads(p.stdout)
        self.assertEqual(found["ranks"], 2)
        self.same(found, self.integrate(*TWO))

    def test_seeds_differ(self):
        first, second = self.integrate(*TWO), self.integrate(*TWO, "--seed", "2")
        self.assertNotEqual(first["sigma_pb"], second["sigma_pb"])
        self.assertLess(abs(first["sigma_pb"] - second["sigma_pb"]), 5 * (first["error_pb"]**2 + second["error_pb"]**2)**0.5)


class Refused(ProtonsTest):
    def test_values(self):
        for wanted, line in (("NoSuchSet", ["--pdf", "NoSuchSet"]), ("'ht/3'", ["--scale", "ht/3"]),
                             ("fixed:-1", ["--scale", "fixed:-1"]), ("'6'", ["--flavors", "6"]), ("'2'", ["--flavors", "2"]),
                             ("'9'", ["--quark-lines", "9"]), ("'0'", ["--mur", "0"]), ("'x'", ["--muf", "x"])):
            p = self.refused(2, wanted, "integrate", "--process", "p p > 2j", "--backend", "cpu", *line)
            self.assertEqual(p.stdout, "")

    def test_what_does_not_go_together(self):
        self.refused(2, "proton", "integrate", "--process", "p g > 2j", "--backend", "cpu")
        self.refused(2, "adaptive", "integrate", *TWO, "--phase-space", "rambo")
        self.refused(2, "checkpoint", "integrate", *TWO, "--checkpoint", "/nonexistent/state")
        self.refused(2, "--flavors", "integrate", "-n", "2", "--flavors", "4")


if __name__ == "__main__":
    main()
