"""blockgen integrate: the command line, and the same sigma whatever the threads, ranks and interruptions."""
import math
import re
import resource

from support import *

EXACT = ["--color", "summed", "--recursion", "ordered", "--helicity", "summed"]
KEYS = {"process", "beams", "date", "command", "color_sampling", "color_group", "n_out", "sqrts", "cuts", "alpha_s", "sigma_pb", "error_pb", "points", "accepted", "chi2_per_dof", "seconds",
        "ns_per_point", "color", "recursion", "helicity", "kernel", "backend", "threads", "ranks", "seed", "version"}


MPIRUN = shutil.which("mpirun")
HAS_MPI = MPIRUN and json.loads(run("info", "--json").stdout)["built_in"]["MPI"]
# MPI refuses root without these. What its own libraries do not give back is no concern of the sanitizers here.
MPI_ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "ASAN_OPTIONS": "detect_leaks=0"}


class IntegrateTest(CliTest):
    def integrate(self, *arguments, **keywords):
        return json.loads(self.succeeds("integrate", "--backend", "cpu", "--json", *arguments, **keywords).stdout)

    def same(self, a, b):
        for key in ("sigma_pb", "error_pb", "points", "accepted", "chi2_per_dof", "max_weight_pb"):
            self.assertEqual(a[key], b[key], key)


class Contract(IntegrateTest):
    def test_json(self):
        d = self.integrate("-n", "2")
        self.assertLessEqual(KEYS, set(d))
        self.assertEqual(d["cuts"], {"pt_min": 20, "eta_max": 2.5, "dr_min": 0.4, "mass_min": 0, "ht_min": 0})
        self.assertEqual((d["n_out"], d["sqrts"], d["alpha_s"], d["ranks"]), (2, 14000, 0.118, 1))
        self.assertLessEqual(d["error_pb"], 0.01 * d["sigma_pb"])
        self.assertLess(abs(d["sigma_pb"] - 56.62666), 5 * d["error_pb"])
        self.assertLessEqual(d["accepted"], d["points"])

    def test_unstable_points(self):
        d = self.integrate("-n", "3", "--points", "1000")
        self.assertEqual((d["unstable"], d["rescued"]), (0, 0))
        loose = ["-n", "3", "--points", "2000", "--pt-min", "0.1", "--eta-max", "0", "--dr-min", "1e-6", "--color", "leading",
                 "--helicity", "sampled"]
        d = self.integrate(*loose)
        self.assertGreater(d["unstable"], 0)
        self.assertEqual(d["rescued"], 0 if SANITIZED else d["unstable"])
        self.assertEqual(self.integrate(*loose, "--no-rescue")["unstable"], 0)
        self.assertIn("evaluated again", self.succeeds("integrate", "--backend", "cpu", *loose).stdout)

    def test_text(self):
        p = self.succeeds("integrate", "-n", "2", "--points", "2000", "--backend", "cpu")
        for word in ("g g > 2 g", "partonic", "no parton densities", "sigma:", "pb", "points:", "2000", "inside the cuts",
                     "warm-up points"):
            self.assertIn(word, p.stdout)
        self.assertEqual(len(p.stderr.splitlines()), 1, p.stderr)

    def test_digits_that_the_error_supports(self):
        """Two digits of the error and as many of sigma, at any size of them; JSON has all."""
        for more in ([], ["--sqrts", "100", "--pt-min", "10"], ["--alpha-s", "1e-3"], ["--alpha-s", "2"]):
            options = ["-n", "2", "--points", "3000", "--backend", "cpu", *more]
            d = self.integrate(*options)
            line = [x for x in self.succeeds("integrate", *options).stdout.splitlines() if x.startswith("sigma:")][0]
            found = re.match(r"sigma: +\(?([0-9.]+) \+- ([0-9.]+)\)?(e-?[0-9]+)? pb +\(", line)
            self.assertTrue(found, line)
            value, error, power = found.group(1), found.group(2), float("1" + (found.group(3) or "e0"))
            self.assertEqual(len(error.replace(".", "").strip("0")) <= 2, True, line)
            self.assertEqual(len((value.split(".") + [""])[1]), len((error.split(".") + [""])[1]), line)
            self.assertLess(abs(float(error) * power / d["error_pb"] - 1), 0.051)
            self.assertLess(abs(float(value) * power - d["sigma_pb"]), 0.051 * d["error_pb"])

    def test_chooses_unless_told(self):
        p = self.succeeds("integrate", "--backend", "cpu", "--json", "-n", "4", "--points", "2048")
        d = json.loads(p.stdout)
        self.assertEqual((d["color"], d["recursion"], d["helicity"], d["estimate"]), ("summed", "ordered", "summed", "on"))
        self.assertLess(d["evaluated"], d["accepted"])
        for n, wanted in ((6, ("summed", "ordered", "masses")), (7, ("sampled", "dressed", "masses"))):
            d = self.integrate("-n", n, "--points", "2048")
            self.assertEqual((d["color"], d["recursion"], d["helicity_sampling"], d["helicity"]), (*wanted, "sampled"))
        p = self.succeeds("integrate", "--backend", "cpu", "--json", "-n", "6", "--points", "2048", "--estimate", "off")
        d = json.loads(p.stdout)
        self.assertEqual((d["color"], d["recursion"], d["helicity"]), ("sampled", "dressed", "sampled"))
        self.assertEqual((d["color_sampling"], d["color_group"], d["helicity_sampling"]), ("coherent", 32, "invariants"))
        self.assertEqual((d["process"], d["beams"]), ("g g > 6 g", "partonic"))
        self.assertEqual(d["command"], "blockgen integrate --backend cpu --json -n 6 --points 2048 --estimate off")
        self.assertEqual((d["estimate"], d["evaluated"]), ("off", d["accepted"]))
        self.assertRegex(d["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        # it is said first, in a line
        self.assertRegex(p.stderr.splitlines()[0], r"g g > 6 g, chosen automatically: color sampled \(coherent, groups of 32\), "
                         r"dressed recursion, helicity sampled \(invariants\), fast kernel; on cpu \(.*thread")
        self.assertEqual(self.succeeds("integrate", "--backend", "cpu", "-n", "2", "--points", "2000", "--quiet").stderr, "")
        # every axis by itself
        for given, wanted in ((EXACT, ("summed", "ordered", "summed")), (["--color", "summed"], ("summed", "ordered", "sampled")),
                              (["--recursion", "dressed"], ("sampled", "dressed", "sampled")),
                              (["--color-group", "8"], ("sampled", "dressed", "sampled")),
                              (["--helicity", "summed"], ("summed", "ordered", "summed")),
                              (["--orderings", "one"], ("leading", "ordered", "summed")),
                              (["--algorithm", "co-mc"], ("sampled", "ordered", "summed"))):
            d = self.integrate("-n", "4", "--points", "256", *given)
            self.assertEqual((d["color"], d["recursion"], d["helicity"]), wanted, given)
        self.assertRegex(self.succeeds("integrate", "--help").stdout, r"how colors are treated.*\(auto\)")
        self.assertRegex(self.succeeds("me", "--help").stdout, r"how colors are treated.*\(summed\)")

    def test_what_a_strategy_cannot_do_gets_a_hint(self):
        for given in (["--color", "summed"], ["--algorithm", "co-mc"], ["--algorithm", "lc"]):
            self.refused(2, ["n_out = 11", "g g > 11 g works with --color auto"], "integrate", "--backend", "cpu", "-n", "11", *given)
        p = self.refused(2, "pt_min", "integrate", "--backend", "cpu", "-n", "3", "--pt-min", "9000")
        self.assertEqual(len(p.stderr.splitlines()), 1, p.stderr)

    @unittest.skipIf(run("info").stdout.count("not usable here") == 0, "all backends are usable")
    def test_no_device(self):
        wanted = r"no GPU found; using the CPU \(.*thread"
        self.assertRegex(self.succeeds("integrate", "-n", "2", "--points", "2000").stderr, wanted)
        self.assertNotRegex(self.succeeds("integrate", "-n", "2", "--points", "2000", "--backend", "cpu").stderr, wanted)
        self.assertRegex(self.succeeds("me", stdin=GOOD).stderr, wanted)

    def test_points_are_exact(self):
        for points in (1, 7, 1000, 12345):
            self.assertEqual(self.integrate("-n", "3", "--points", str(points))["points"], points)

    def test_time(self):
        d = self.integrate("-n", "3", "--time", "0.5")
        self.assertGreaterEqual(d["seconds"], 0.5)
        self.assertLess(d["seconds"], 60)

    def test_cuts_act(self):
        """On two gluons against the integral over their angle; the mass of a pair needs a third."""
        def part(lowest, highest):  # of pseudorapidities; Simpson's rule, up to a constant
            def density(eta):
                t, u = -0.5 * (1 - math.tanh(eta)), -0.5 * (1 + math.tanh(eta))
                return (3 - t * u - u / t ** 2 - t / u ** 2) / math.cosh(eta) ** 2
            steps = 2000
            width = (highest - lowest) / steps
            weights = [1] + [4, 2] * (steps // 2 - 1) + [4, 1]
            return sum(w * density(lowest + k * width) for k, w in enumerate(weights)) * width / 3
        all_of_it = part(0, 2.5)
        for cut, lowest, highest in ((["--eta-max", "1"], 0, 1), (["--pt-min", "3000"], 0, math.acosh(7 / 3)),
                                     (["--ht-min", "5000"], 0, math.acosh(14 / 5)),
                                     (["--dr-min", "4"], math.sqrt(16 - math.pi ** 2) / 2, 2.5),
                                     (["--dr-max", "4"], 0, math.sqrt(16 - math.pi ** 2) / 2),
                                     (["--pt-max", "3000"], math.acosh(7 / 3), 2.5), (["--eta-min", "1"], 1, 2.5),
                                     (["--pt1-min", "3000"], 0, math.acosh(7 / 3)), (["--pt2-min", "3000"], 0, math.acosh(7 / 3)),
                                     (["--kt-min", "3000"], 0, math.acosh(7 / 3))):
            d = self.integrate("-n", "2", "--precision", "0.003", *cut)
            expected = 56.62666 * part(lowest, highest) / all_of_it
            self.assertLess(abs(d["sigma_pb"] - expected), 4 * d["error_pb"], (cut, d["sigma_pb"], expected))
        options = ["-n", "3", "--points", "20000", "--sqrts", "1000", "--pt-min", "30"]
        heavy, plain = (self.integrate(*options, *more)["sigma_pb"] for more in (["--mass-min", "100"], []))
        self.assertTrue(0.1 * plain < heavy < 0.95 * plain, (heavy, plain))
        light = self.integrate(*options, "--mass-max", "900")
        self.assertTrue(0.1 * plain < light["sigma_pb"] < 0.95 * plain, (light["sigma_pb"], plain))
        self.assertEqual(light["cuts"]["mass_max"], 900)
        hard = self.integrate(*options, "--pt3-min", "60", "--kt-min", "20", "--kt-radius", "0.5")
        self.assertTrue(0.01 * plain < hard["sigma_pb"] < 0.95 * plain, (hard["sigma_pb"], plain))
        self.assertEqual((hard["cuts"]["pt3_min"], hard["cuts"]["kt_min"], hard["cuts"]["kt_radius"]), (60, 20, 0.5))

    def test_coupling_scales(self):
        a = self.integrate("-n", "3", "--points", "2000")["sigma_pb"]
        b = self.integrate("-n", "3", "--points", "2000", "--alpha-s", "0.236")["sigma_pb"]
        self.assertAlmostEqual(b / a, 8., places=9)

    def test_seeds_differ_and_repeat(self):
        a, b, c = (self.integrate("-n", "3", "--points", "3000", "--seed", s) for s in ("5", "5", "6"))
        self.same(a, b)
        self.assertNotEqual(a["sigma_pb"], c["sigma_pb"])

    def test_refusals(self):
        for words, arguments in (
                ("-n", []),
                ("'13'", ["-n", "13"]),
                ("'1'", ["-n", "1"]),
                ("'0'", ["-n", "3", "--sqrts", "0"]),
                ("'-1'", ["-n", "3", "--pt-min", "-1"]),
                ("'2'", ["-n", "3", "--precision", "2"]),
                ("exclude", ["-n", "3", "--precision", "0.1", "--points", "5"]),
                ("'flat'", ["-n", "3", "--phase-space", "flat"]),
                ("needs a device", ["-n", "3", "--hybrid", "--backend", "cpu"]),
                ("pt_min is 6000", ["-n", "3", "--pt-min", "6000"]),
                ("infinite", ["-n", "3", "--pt-min", "0"]),
                ("infinite", ["-n", "3", "--dr-min", "0"]),
                ("infinite", ["-n", "4", "--dr-min", "0", "--phase-space", "rambo"]),
                ("samples is 2", ["-n", "3", "--helicity", "sampled", "--samples", "2"]),
                ("samples is 2", ["-n", "3", "--samples", "2"]),
                ("nothing is sampled", ["-n", "3", *EXACT, "--samples", "2"]),
                ("--helicity-sampling is for", ["-n", "3", *EXACT, "--helicity-sampling", "invariants"]),
                ("no fast kernel", ["-n", "3", "--algorithm", "lc", "--kernel", "fast"]),
                ("0 to 1000000000000000000", ["-n", "2", "--points", "1000000000000000001"]),
                ("the tree amplitude vanishes", ["-n", "2", "--helicity=++-+"]),
                ("ht_min is 15000", ["-n", "2", "--ht-min", "15000"]),
                ("mass_min is 15000", ["-n", "2", "--mass-min", "15000"]),
                ("dr_min is 100", ["-n", "2", "--dr-min", "100"]),
                ("pt_max is 10; it must be above pt_min", ["-n", "2", "--pt-max", "10"]),
                ("dr_max is 0.3; it must be above dr_min", ["-n", "3", "--dr-max", "0.3"]),
                ("pt4_min is 30 GeV; of 3 gluons", ["-n", "3", "--pt4-min", "30"]),
                ("add up to 15000 GeV", ["-n", "3", "--pt3-min", "5000"]),
                ("'0'", ["-n", "3", "--kt-radius", "0"]),
                ("dressed", ["-n", "3", "--color", "summed", "--recursion", "dressed"]),
                ("n_out = 11", ["-n", "11", "--color", "summed"]),
                ("'+-+'", ["-n", "3", "--helicity", "+-+"]),
                ("fast kernel", ["-n", "3", "--algorithm", "cd-mc", "--color-sampling", "coherent", "--kernel", "paper"]),
                ("color_group is 8", ["-n", "3", *EXACT, "--color-group", "8"]),
                ("color_group is 5", ["-n", "3", "--algorithm", "cd-mc", "--color-group", "5"]),
        ):
            p = self.refused(2, words, "integrate", "--backend", "cpu", *arguments)
            self.assertEqual(p.stdout, "")


    def test_time_is_a_goal_like_others(self):
        d = self.integrate("-n", "2", "--time", "0.3")
        self.assertIs(d["interrupted"], False)
        p = self.succeeds("integrate", "--backend", "cpu", "-n", "3", "--time", "0.001", "--json")
        self.assertIn("still adapted", p.stderr)
        d = json.loads(p.stdout)
        self.assertGreater(d["sigma_pb"], 0)
        self.assertGreater(d["error_pb"], 0)

    def test_results_that_are_none_are_said_to_be(self):
        p = self.succeeds("integrate", "--backend", "cpu", "-n", "2", "--points", "1", "--json")
        self.assertIsNone(json.loads(p.stdout)["error_pb"])
        self.assertIn("warning", p.stderr)
        text = self.succeeds("integrate", "--backend", "cpu", "-n", "2", "--points", "1").stdout
        self.assertIn("unknown", text)
        self.assertNotIn("nan", text)

    @unittest.skipIf(SANITIZED, "too slow with sanitizers")
    def test_hopeless_cuts(self):
        self.refused(2, "trial points is inside the cuts", "integrate", "-n", "3", "--pt-min", "4666", "--precision", "0.1")

    @unittest.skipIf(SANITIZED, "too slow with sanitizers")
    def test_iterations_that_do_not_agree(self):
        p = self.succeeds("integrate", "--backend", "cpu", "-n", "3", "--phase-space", "rambo", "--precision", "0.1", "--seed", "2",
                          "--quiet")
        self.assertIn("the error of sigma was widened", p.stderr)

    def test_folder_of_a_refused_run_is_not_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            new = os.path.join(folder, "new")
            self.refused(2, "pt_min", "integrate", "-n", "3", "--pt-min", "9000", "--histograms", new)
            self.assertFalse(os.path.exists(new))


class Progress(CliTest):
    def start(self, *arguments, **more):
        return self.tended([PROGRAM, "integrate", "--backend", "cpu", *arguments], stdout=subprocess.PIPE, **more)

    def end(self, p):
        p.send_signal(signal.SIGINT)
        out, _ = p.communicate(timeout=120)
        self.assertEqual(p.returncode, 130)
        return out if isinstance(out, str) else out.decode()

    def test_a_line_at_once_on_a_terminal(self):
        own, theirs = os.openpty()
        self.addCleanup(os.close, own)
        p = self.start("-n", "4", "--precision", "1e-6", stderr=theirs)
        os.close(theirs)
        said = ""
        while "about" not in said:  # the estimate comes with the first points
            said += os.read(own, 4096).decode()
        self.end(p)
        self.assertLess(said.index("chosen automatically"), said.index("adapting, first round"))

    def test_long_runs_are_foreseen(self):
        """Somebody's own choice of an algorithm: it is said how long it takes, and that there is a better one. Nothing else is
        said within the first minute where there is no terminal."""
        p = self.start("-n", "5", *EXACT, "--precision", "1e-6", stderr=subprocess.PIPE, text=True)
        self.assertIn("as asked for: color summed", p.stderr.readline())
        self.assertRegex(p.stderr.readline(), r"this will take about .*; --color auto .*, the default, chooses what is fastest \(.* on .*\)")
        out = self.end(p)
        self.assertRegex(out, r"interrupted: (while the generator still adapted|before the goal)")

    def test_interrupted_while_adapting(self):
        p = self.start("-n", "6", *EXACT, "--precision", "1e-6", "--json", stderr=subprocess.PIPE, text=True)
        wait_for_work(p, 0.5)
        p.send_signal(signal.SIGTERM)
        out, err = p.communicate(timeout=300)
        self.assertEqual(p.returncode, 130)
        self.assertIn("interrupted while the generator still adapted", err)
        self.assertTrue(json.loads(out)["still_adapting"])


class DeterminismTest(IntegrateTest):
    def check_threads(self):
        first = self.integrate(*self.options, "--threads", "1")
        for threads in ("2", "3"):
            self.same(first, self.integrate(*self.options, "--threads", threads))

    def check_ranks(self):
        first = self.integrate(*self.options, "--threads", "1")
        for ranks in ("2",) if SANITIZED else ("1", "2", "4"):
            p = subprocess.run([MPIRUN, "--oversubscribe", "-n", ranks, PROGRAM, "integrate", "--backend", "cpu", "--json",
                                "--threads", "1", *self.options], env=MPI_ENVIRONMENT, capture_output=True, text=True, timeout=300)
            self.assertEqual(p.returncode, 0, p.stderr)
            d = json.loads(p.stdout)
            self.assertEqual(d["ranks"], int(ranks))
            self.same(first, d)


class Determinism(DeterminismTest):
    options = ["-n", "4", "--points", "4000" if SANITIZED else "20000", "--helicity", "sampled", "--helicity-sampling", "invariants"]

    def test_threads(self):
        self.check_threads()

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_ranks(self):
        self.check_ranks()


class CoherentDeterminism(DeterminismTest):
    options = ["-n", "5", "--points", "5000" if SANITIZED else "20000", "--algorithm", "cd-mc"]

    def test_threads(self):
        self.check_threads()

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_ranks(self):
        self.check_ranks()


class CheckpointsTest(IntegrateTest):
    def setUp(self):
        super().setUp()
        self.state = os.path.join(tempfile.mkdtemp(), "run.state")
        self.addCleanup(shutil.rmtree, os.path.dirname(self.state), True)


class Interruptions(CheckpointsTest):
    """Runs that end in the middle, and `whole`, one that does not."""
    options = ["-n", "4", "--points", "40000" if SANITIZED else "1500000", "--helicity", "sampled", "--threads", "2"]

    @classmethod
    def setUpClass(cls):
        p = run("integrate", "--backend", "cpu", "--json", *cls.options)
        assert p.returncode == 0, p.stderr
        cls.whole = json.loads(p.stdout)

    def start(self, *more):
        return self.tended([PROGRAM, "integrate", "--backend", "cpu", "--json", *self.options, "--checkpoint", self.state,
                            "--checkpoint-interval", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_state(self, p):
        while not os.path.exists(self.state):
            self.assertIsNone(p.poll(), "ended before its first checkpoint")
            time.sleep(0.01)

    def test_kill_and_resume(self):
        p = self.start()
        self.wait_for_state(p)
        self.assertIsNone(p.poll(), "ended before it could be killed")
        p.send_signal(signal.SIGKILL)
        p.communicate()
        self.assertEqual(p.returncode, -signal.SIGKILL)
        threads = self.options.index("--threads")
        other = self.options[:threads] + ["--threads", "1"] + self.options[threads + 2:]
        self.same(self.whole, self.integrate(*other, "--resume", self.state))

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_a_rank_that_dies_ends_the_job(self):
        p = subprocess.Popen([MPIRUN, "--oversubscribe", "-n", "2", PROGRAM, "integrate", "--backend", "cpu", *self.options,
                              "--checkpoint", self.state, "--checkpoint-interval", "0"], env=MPI_ENVIRONMENT, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        self.wait_for_state(p)
        with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
            os.kill(int(f.read().split()[-1]), signal.SIGKILL)
        p.communicate(timeout=120)
        self.assertNotEqual(p.returncode, 0)
        self.same(self.whole, self.integrate(*self.options, "--resume", self.state))

    @unittest.skipUnless(HAS_MPI, "no MPI")
    def test_a_signal_to_any_rank_ends_the_job(self):
        p = subprocess.Popen([MPIRUN, "--oversubscribe", "-n", "2", PROGRAM, "integrate", "--backend", "cpu", "--json", *self.options,
                              "--checkpoint", self.state, "--checkpoint-interval", "0"], env=MPI_ENVIRONMENT, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        self.wait_for_state(p)
        with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
            os.kill(int(f.read().split()[-1]), signal.SIGTERM)
        out, err = p.communicate(timeout=120)
        self.assertIn("interrupted; go on with --resume", err)
        self.assertTrue(json.loads(out)["interrupted"])
        self.same(self.whole, self.integrate(*self.options, "--resume", self.state))

    def test_full_disk_costs_the_checkpoint_alone(self):
        p = run("integrate", "--backend", "cpu", "--json", *self.options, "--checkpoint", self.state,
                "--checkpoint-interval", "0",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("cannot write checkpoint", p.stderr)
        self.same(self.whole, json.loads(p.stdout))
        self.assertEqual(os.listdir(os.path.dirname(self.state)), [])

    def test_signals_that_end_a_run(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU):
            p = self.start("--force")
            self.wait_for_state(p)
            p.send_signal(number)
            if number != signal.SIGTERM:
                p.send_signal(number)  # it comes again, as it does when a terminal is closed
            out, err = p.communicate(timeout=120)
            self.assertEqual(p.returncode, 130, (number, err))
            self.assertIn("--resume", err)
            self.assertTrue(json.loads(out)["interrupted"])
            if number == signal.SIGHUP:
                self.same(self.whole, self.integrate(*self.options, "--resume", self.state))
            os.unlink(self.state)

    def test_nohup(self):
        p = subprocess.Popen([PROGRAM, "integrate", "--backend", "cpu", "--json", *self.options, "--checkpoint", self.state,
                              "--checkpoint-interval", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_state(p)
        p.send_signal(signal.SIGHUP)
        out, err = p.communicate(timeout=300)
        self.assertEqual(p.returncode, 0, err)
        self.same(self.whole, json.loads(out))

    def test_interrupt_and_resume(self):
        p = self.start()
        self.wait_for_state(p)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=120)
        self.assertEqual(p.returncode, 130, err)
        self.assertIn("--resume", err)
        self.assertTrue(json.loads(out)["interrupted"])
        self.same(self.whole, self.integrate(*self.options, "--resume", self.state))


@unittest.skipUnless(HAS_MPI, "no MPI")
class Lessons(CheckpointsTest):
    """A run that is long enough for its estimate to learn a factor on the way."""
    options = ["-n", "4", "--points", "1200000", *EXACT, "--estimate", "on"]

    @unittest.skipIf(SANITIZED, "test_lesson learns under the sanitizers as well")
    def test_breaks_and_ranks_change_nothing(self):
        whole = self.integrate(*self.options, "--threads", "2")
        short = self.integrate(*self.options[:3], "150000", *self.options[4:])
        self.assertLess(whole["evaluated"] / whole["points"], 0.8 * short["evaluated"] / short["points"], "it has learned nothing")
        done, seconds = {"points": 0}, 0.
        while done["points"] < whole["points"]:
            seconds += 0.1  # of all runs together; a busy machine may not get to its first points in that time
            p = run("integrate", "--backend", "cpu", "--json", *self.options, "--threads", "1", "--time", f"{seconds:.2f}",
                    "--checkpoint", self.state, *(["--resume", self.state] if os.path.exists(self.state) else []))
            if p.returncode == 0:
                done = json.loads(p.stdout)
            else:
                self.assertIn("before the first points", p.stderr)
        self.same(whole, done)
        if HAS_MPI:
            p = subprocess.run([MPIRUN, "--oversubscribe", "-n", "2", PROGRAM, "integrate", "--backend", "cpu", "--json", *self.options],
                               env=MPI_ENVIRONMENT, capture_output=True, text=True, timeout=300)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.same(whole, json.loads(p.stdout))


class Ranks(CheckpointsTest):
    """Ranks that are told different things, or all the same wrong one."""

    def mpirun(self, *arguments):
        return subprocess.run([MPIRUN, "--oversubscribe", *arguments], env=MPI_ENVIRONMENT, capture_output=True, text=True, timeout=120)

    def test_ranks_that_differ_do_not_wait_for_each_other(self):
        line = [PROGRAM, "integrate", "--backend", "cpu", "-n", "2", "--points", "4000"]
        for wanted, other in (("rank 1 has another question", [*line, "--seed", "5"]),
                              ("rank 1 has another question", [*line, "--histograms", self.state]),
                              ("'nope'", ["env", "BLOCKGEN_SIMD=nope", *line]),
                              ("'2x'", [*line, "--threads", "2x"]),
                              ("-n N_OUT (2 to 12) or --process PROCESS is missing", [*line[:4], *line[6:]]),
                              ("nothing is sampled", [*line, *EXACT, "--samples", "2"]),
                              ("rank 1 is asked for --help", [*line, "--help"]),
                              ("whether they write a checkpoint", [*line, "--checkpoint", self.state])):
            p = self.mpirun("-n", "1", *line, ":", "-n", "1", *other)
            self.assertNotEqual(p.returncode, 0)
            self.assertEqual(p.stderr.count(wanted), 1, p.stderr)
            self.assertEqual(p.stdout, "")

    def test_the_first_rank_speaks_for_all(self):
        for wanted, options in (("'2x'", ["-n", "2", "--points", "2x"]), ("pt_min is 9000", ["-n", "2", "--pt-min", "9000"])):
            p = self.mpirun("-n", "3", PROGRAM, "integrate", "--backend", "cpu", *options)
            self.assertNotEqual(p.returncode, 0)
            self.assertEqual(p.stderr.count(wanted), 1, p.stderr)
        p = self.mpirun("-n", "2", PROGRAM, "integrate", "--help")
        self.assertEqual((p.returncode, p.stdout.count("Usage:")), (0, 1))


class Checkpoints(CheckpointsTest):
    def question(self, *more):
        return ["integrate", "--backend", "cpu", "-n", "2", "--points", "1000", *more]

    def test_other_runs_are_not_overwritten(self):
        self.succeeds(*self.question("--checkpoint", self.state))
        with open(self.state, "rb") as file:
            before = file.read()
        self.refused(2, ("seed is 1 there and 2 here", "force"), *self.question("--seed", "2", "--checkpoint", self.state))
        self.refused(2, ("an earlier run of this question", "resume", "force"), *self.question("--checkpoint", self.state))
        with open(self.state, "rb") as file:
            self.assertEqual(file.read(), before)
        self.succeeds(*self.question("--checkpoint", self.state, "--resume", self.state))
        self.succeeds(*self.question("--seed", "2", "--checkpoint", self.state, "--force"))
        self.succeeds(*self.question("--seed", "2", "--resume", self.state))

    def test_files_that_cannot_be_read_are_not_overwritten(self):
        folder = os.path.dirname(self.state)
        with open(self.state, "w") as file:
            file.write("my thesis\n")
        os.chmod(self.state, 0)
        os.chmod(folder, 0o777)

        def become_somebody():  # whom permissions concern
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
        try:
            self.succeeds("--version", preexec_fn=become_somebody)
        except (AssertionError, OSError, subprocess.SubprocessError):
            self.skipTest("another user cannot run the program")
        self.refused(1, "is not overwritten", *self.question("--checkpoint", self.state), preexec_fn=become_somebody)
        os.chmod(self.state, 0o600)
        with open(self.state) as file:
            self.assertEqual(file.read(), "my thesis\n")

    def test_what_killed_runs_have_left_is_removed(self):
        self.succeeds(*self.question("--checkpoint", self.state))
        gone = subprocess.Popen(["true"])
        gone.wait()
        names = {"gone": f".{gone.pid}-0", "cut short": f".{gone.pid}-3", "alive": f".{os.getpid()}-0",
                 "other": f".{gone.pid}-1", "no number": f".{gone.pid}-x", "no process": ".00-1"}
        with open(self.state, "rb") as file:
            whole = file.read()
        for what, name in names.items():
            with open(self.state + name, "wb") as file:
                file.write({"cut short": whole[:5], "other": b"my notes"}.get(what, whole))
        self.succeeds(*self.question("--resume", self.state))
        left = sorted(name[len("run.state"):] for name in os.listdir(os.path.dirname(self.state)))
        self.assertEqual(left, sorted(["", *(names[what] for what in ("alive", "other", "no number", "no process"))]))

    def test_checkpoint_that_cannot_be_written_is_noticed_first(self):
        for name in ("/nonexistent/state", os.path.dirname(self.state), ""):
            p = run("integrate", "--backend", "cpu", "-n", "5", "--precision", "1e-6", "--checkpoint", name, timeout=60)
            self.assertIn(p.returncode, (1, 2), p.stderr)
            self.assertIn("checkpoint", p.stderr)

    def test_other_files_are_not_overwritten(self):
        with open(self.state, "w") as file:
            file.write("my notes\n")
        self.refused(1, "is not overwritten", "integrate", "--backend", "cpu", "-n", "2", "--checkpoint", self.state)
        with open(self.state) as file:
            self.assertEqual(file.read(), "my notes\n")

    def test_shared_colors_are_part_of_the_question(self):
        options = ["-n", "3", "--points", "6000", "--algorithm", "cd-mc"]
        whole = self.integrate(*options, "--checkpoint", self.state)
        self.same(whole, self.integrate(*options, "--color-group", "32", "--resume", self.state))
        self.refused(2, "there and", "integrate", *options, "--color-group", "8", "--backend", "cpu", "--resume", self.state)
        self.refused(2, "there and", "integrate", *options, "--color-sampling", "continuous", "--backend", "cpu", "--resume",
                     self.state)

    def test_finished_run_resumes_to_itself(self):
        whole = self.integrate("-n", "2", "--points", "5000", "--checkpoint", self.state)
        self.same(whole, self.integrate("-n", "2", "--points", "5000", "--resume", self.state))

    def test_refusals(self):
        self.integrate("-n", "2", "--points", "2000", "--checkpoint", self.state)
        self.refused(2, "process is g g > g g there and g g > g g g here", "integrate", "-n", "3", "--backend", "cpu", "--resume", self.state)
        self.refused(2, "rescue", "integrate", "-n", "2", "--no-rescue", "--backend", "cpu", "--resume", self.state)
        self.refused(2, "seed", "integrate", "-n", "2", "--seed", "9", "--backend", "cpu", "--resume", self.state)
        with open(self.state, "r+b") as f:
            f.truncate(1000)
        self.refused(2, "cut short", "integrate", "-n", "2", "--backend", "cpu", "--resume", self.state)
        with open(self.state, "wb") as f:
            f.write(b"x" * 100)
        self.refused(2, "not a checkpoint", "integrate", "-n", "2", "--backend", "cpu", "--resume", self.state)
        self.refused(1, "cannot read", "integrate", "-n", "2", "--backend", "cpu", "--resume", "/nonexistent/state")
        self.refused(1, "cannot write", "integrate", "-n", "2", "--backend", "cpu", "--points", "100", "--checkpoint",
                     "/nonexistent/state")


if __name__ == "__main__":
    main()
