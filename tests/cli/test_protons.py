"""blockgen integrate with protons and with quarks: the command line, classes, threads and ranks, bad input."""
import json
import os
import shutil
import signal
import tempfile
import time

from support import CliTest, main, run, subprocess, PROGRAM

TWO = ["--process", "p p > 2j", "--backend", "cpu", "--points", "30000"]
THREE = ["--process", "p p > 3j", "--flavors", "3", "--quark-lines", "1", "--backend", "cpu", "--precision", "0.03"]
HAS_MPI = shutil.which("mpirun") and json.loads(run("info", "--json").stdout)["built_in"]["MPI"]
MPI_ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "ASAN_OPTIONS": "detect_leaks=0"}  # what the libraries of MPI do not give back is no concern here
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
        usual = self.integrate(*TWO)
        self.same(self.integrate(*TWO, "--pdf", folder), usual)
        far = os.path.join(os.path.dirname(folder), *["BlockGen-toy-lo", ".."] * 20, "BlockGen-toy-lo")
        self.assertGreater(len(far), 300)
        self.same(self.integrate(*TWO, "--pdf", far), usual)


class Bits(ProtonsTest):
    def test_threads(self):
        for line in (TWO, THREE):
            self.same(self.integrate(*line, "--threads", "1"), self.integrate(*line, "--threads", "2"))

    def test_ranks(self):
        if not HAS_MPI:
            self.skipTest("there is no MPI")
        p = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", PROGRAM, "integrate", "--json", "--quiet", *TWO, "--threads", "1"],
                           capture_output=True, text=True, timeout=600, env=MPI_ENVIRONMENT)
        self.assertEqual(p.returncode, 0, p.stderr)
        found = json.loads(p.stdout)
        self.assertEqual(found["ranks"], 2)
        self.same(found, self.integrate(*TWO))

    def test_seeds_differ(self):
        first, second = self.integrate(*TWO), self.integrate(*TWO, "--seed", "2")
        self.assertNotEqual(first["sigma_pb"], second["sigma_pb"])
        self.assertLess(abs(first["sigma_pb"] - second["sigma_pb"]), 5 * (first["error_pb"]**2 + second["error_pb"]**2)**0.5)


class Checkpoints(ProtonsTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.state = os.path.join(self.folder.name, "run.state")

    def start(self, *command):
        return self.tended([*command, PROGRAM, "integrate", "--json", *THREE, "--checkpoint", self.state, "--checkpoint-interval",
                            "0", "--force"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=MPI_ENVIRONMENT)

    def wait_for_state(self, p):
        while not os.path.exists(self.state):
            self.assertIsNone(p.poll(), "ended before its first checkpoint")
            time.sleep(0.005)

    def test_killed_and_interrupted(self):
        whole = self.integrate(*THREE)
        for number in (signal.SIGKILL, signal.SIGINT):
            p = self.start()
            self.wait_for_state(p)
            p.send_signal(number)
            p.communicate(timeout=120)
            self.assertIn(p.returncode, (-signal.SIGKILL, 130, 0))  # 0: it was finished before
            self.same(whole, self.integrate(*THREE, "--threads", "2", "--resume", self.state))
            os.unlink(self.state)

    def test_ranks(self):
        if not HAS_MPI:
            self.skipTest("there is no MPI")
        p = self.start("mpirun", "--oversubscribe", "-n", "2")
        self.wait_for_state(p)
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=120)
        again = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", PROGRAM, "integrate", "--json", "--quiet", *THREE, "--resume", self.state],
                               capture_output=True, text=True, timeout=120, env=MPI_ENVIRONMENT)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.same(self.integrate(*THREE), json.loads(again.stdout))

    def test_time(self):
        """It stops in the middle and goes on; histograms and variations are those of a run that was left alone."""
        whole, parts = (os.path.join(self.folder.name, name) for name in ("whole", "parts"))
        more = ["--variations", "scale", "--histograms"]
        straight = self.integrate(*THREE, *more, whole)
        run("integrate", "--json", *THREE, *more, parts, "--time", "0.05", "--checkpoint", self.state)  # with or without a result
        resumed = self.integrate(*THREE, *more, parts, "--resume", self.state)
        self.same(straight, resumed)
        self.assertEqual(straight["variations"]["scale"]["sigmas"], resumed["variations"]["scale"]["sigmas"])
        for name in ("pt_1.csv", "ht.csv"):
            first, second = (open(os.path.join(folder, name)).read() for folder in (whole, parts))
            self.assertEqual(first, second)

    def test_other_questions(self):
        self.integrate(*TWO, "--checkpoint", self.state)
        for wanted, line in (("seed is 1 there and 2 here", [*TWO, "--seed", "2"]), ("partons", THREE), ("scale is", [*TWO, "--scale", "ht"]),
                             ("process is", ["-n", "2", "--backend", "cpu"])):
            self.refused(2, wanted, "integrate", *line, "--resume", self.state)
            self.refused(2, "force", "integrate", *line, "--checkpoint", self.state)
        self.refused(2, "an earlier run of this question", "integrate", *TWO, "--checkpoint", self.state)
        self.integrate(*TWO, "--seed", "2", "--checkpoint", self.state, "--force")

    def test_densities(self):
        """Another set of the same name is another question."""
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "pdf", "BlockGen-toy-lo")
        own = os.path.join(self.folder.name, "BlockGen-toy-lo")
        shutil.copytree(here, own)
        self.integrate(*TWO, "--pdf", own, "--checkpoint", self.state)
        name = os.path.join(own, "BlockGen-toy-lo_0000.dat")
        with open(name) as f:
            lines = f.read().split("\n")
        at = next(k for k in range(6, len(lines)) if len(lines[k].split()) > 5 and float(lines[k].split()[3]) > 0.1)
        words = lines[at].split()
        words[3] = f"{1.01 * float(words[3]):.6e}"
        lines[at] = " ".join(words)
        with open(name, "w") as f:
            f.write("\n".join(lines))
        self.refused(2, "densities is", "integrate", *TWO, "--pdf", own, "--resume", self.state)


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
        self.refused(1, "cannot write checkpoint", "integrate", *TWO, "--checkpoint", "/nonexistent/state")
        self.refused(2, "--flavors", "integrate", "-n", "2", "--flavors", "4")
        for option, value in (("--pdf", "x"), ("--scale", "ht"), ("--mur", "2"), ("--muf", "2")):
            self.refused(2, f"{option} has no effect", "integrate", "-n", "2", "--backend", "cpu", option, value)
        self.refused(2, "--alpha-s has no effect", "integrate", *TWO, "--alpha-s", "0.2")

    def test_other_particles(self):
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "pdf", "BlockGen-toy-lo")
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "BlockGen-toy-lo")
            shutil.copytree(here, own)
            name = os.path.join(own, "BlockGen-toy-lo.info")
            with open(name) as f:
                text = f.read()
            with open(name, "w") as f:
                f.write(text.replace("Particle: 2212", "Particle: 211"))
            self.refused(2, ("particle 211", "2212"), "integrate", *TWO, "--pdf", own)


if __name__ == "__main__":
    main()
