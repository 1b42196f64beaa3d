"""blockgen study: the files of each figure, recorded and measured curves, time limits, messages and exit status."""
import csv
import glob
import math
import re
import xml.etree.ElementTree

from support import *

GNUPLOT = shutil.which("gnuplot")
NAMES = ["tess-lc", "overhead", "color-sum", "gpu-memory", "cpu-memory", "cpu-time", "gpu-time", "cpu-gpu", "hybrid",
         "one-percent", "accuracy", "events"]
SHORT = ("--backend", "cpu", "--threads", "1", "--quiet")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def recorded_folder():
    """The newest folder of bench/results with the results of a GPU, as cmake/Recorded.cmake takes it."""
    results = os.path.join(SOURCE, "bench", "results")
    return os.path.join(results, max(
        name for name in os.listdir(results)
        if all(os.path.exists(os.path.join(results, name, file)) for file in ("bench-cuda.json", "study-cuda.json"))))


class Figure:
    """The files of one figure."""
    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        with open(self.path + ".csv") as file:
            lines = file.read().splitlines()
        self.comments = [line for line in lines if line.startswith("#")]
        self.rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        with open(self.path + ".json") as file:
            self.json = json.load(file)
        with open(self.path + ".txt") as file:
            self.caption = " ".join(file.read().split())

    def values(self, panel, series):
        return {int(r["n_out"]): float(r["value"]) for r in self.rows if (r["panel"], r["series"]) == (panel, series)}

    def kinds(self, panel, series):
        return {r["kind"] for r in self.rows if (r["panel"], r["series"]) == (panel, series)}


class StudyTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "out")

    def study(self, *arguments, seconds=0.005, **more):
        return self.succeeds("study", *arguments, "-o", self.folder, *SHORT, "--seconds", seconds, **more)

    def given_time(self, check, *arguments, seconds=0.005, limit=60):
        """Checks the figure. What a busy machine has no time for is no matter of these tests: then it is given more."""
        for factor in (1, 5, 25):
            self.study(*arguments, "--limit", factor * limit, seconds=factor * seconds)
            try:
                return check(*([] if arguments[0] == "all" else [self.figure(arguments[0])]))
            except (AssertionError, KeyError):
                if factor == 25:
                    raise
                shutil.rmtree(self.folder)

    def figure(self, name):
        f = Figure(self.folder, name)
        self.assertEqual(f.json["name"], name)
        self.assertEqual(len(f.json["rows"]), len(f.rows))
        for a, b in zip(f.rows, f.json["rows"]):
            self.assertEqual((a["panel"], a["series"], int(a["n_out"]), a["kind"]),
                             (b["panel"], b["series"], b["n_out"], b["kind"]))
            self.close([float(a["value"])], [b["value"]], 1e-5)
        self.assertIn(" ".join(f.json["caption"].split())[:60], f.caption)
        return f

    def drawn(self, name):
        with open(os.path.join(self.folder, name + ".png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        xml.etree.ElementTree.parse(os.path.join(self.folder, name + ".svg"))


class Words(StudyTest):
    def test_list(self):
        listed = [line.split()[0] for line in self.succeeds("study", "--list").stdout.splitlines()]
        self.assertEqual(listed, NAMES + ["all"])
        document = json.loads(self.succeeds("study", "--list", "--json").stdout)
        self.assertEqual([f["name"] for f in document["figures"]], NAMES)

    def test_unknown_name(self):
        p = self.refused(2, ["there is no figure 'figure-6'"], "study", "figure-6", "-o", self.folder)
        for name in NAMES + ["all"]:
            self.assertIn(name, p.stderr)
        self.assertFalse(os.path.exists(self.folder))

    def test_all_names_at_once(self):
        """The limit of one second leaves hardly anything to be measured."""
        p = self.study(*NAMES, "-n", 2, "--limit", 1)
        for name in NAMES:
            self.assertTrue(os.path.exists(os.path.join(self.folder, name + ".csv")), p.stdout)
        with open(os.path.join(self.folder, "index.html"), encoding="utf-8") as file:
            links = re.findall(r'(?:href|src)="([^#"]+)"', file.read())
        for link in links:  # the page has all of them, and leads nowhere else
            self.assertTrue(os.path.isfile(os.path.join(self.folder, link)), link)
        for name in NAMES:
            self.assertIn(name + ".csv", links)

    def test_something_is_missing(self):
        self.refused(2, "no figure is named", "study", "-o", self.folder)
        self.refused(2, "-o DIR is missing", "study", "cpu-memory")
        self.refused(2, "2 to 12", "study", "cpu-memory", "-o", self.folder, "-n", "1:3")

    def test_folder_that_cannot_be_made(self):
        with tempfile.NamedTemporaryFile() as file:
            p = self.refused(1, "cannot write", "study", "cpu-memory", "-o", os.path.join(file.name, "out"))
            self.assertEqual(p.stdout, "")
            self.refused(1, "cannot write", "study", "cpu-memory", "-o", file.name)

    def test_backend_that_is_not_there(self):
        if run("study", "gpu-memory", "--backend", "cuda", "-o", self.folder, "--limit", 5).returncode == 0:
            self.skipTest("there is a GPU")
        self.refused(1, "cuda", "study", "gpu-memory", "--backend", "cuda", "-o", self.folder)

    def test_one_document(self):
        d = json.loads(self.study("cpu-memory", "gpu-memory", "--json").stdout)
        self.assertEqual([f["name"] for f in d["figures"]], ["gpu-memory", "cpu-memory"])
        self.assertIs(d["interrupted"], False)
        self.assertIn("H200", d["recorded"])
        self.assertEqual([f["svg"] for f in d["figures"]], [bool(GNUPLOT)] * 2)

    @unittest.skipUnless(GNUPLOT, "no gnuplot")
    def test_pictures(self):
        self.study("cpu-memory")
        self.drawn("cpu-memory")

    def test_page(self):
        self.study("cpu-memory", "gpu-memory")
        with open(os.path.join(self.folder, "index.html")) as file:
            page = file.read()
        for name in ("cpu-memory", "gpu-memory"):
            self.assertIn(f'id="{name}"', page)
            for link in re.findall(rf'(?:href|src)="({name}[^"]*)"', page):
                self.assertTrue(os.path.exists(os.path.join(self.folder, link)), link)
        self.assertNotIn('id="cpu-time"', page)

    def test_without_gnuplot(self):
        p = self.study("cpu-memory", env={**os.environ, "PATH": "/nonexistent"})
        self.assertIn("apt-get install gnuplot", p.stderr)
        self.assertTrue(self.figure("cpu-memory").rows)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         [f"cpu-memory.{e}" for e in ("csv", "gp", "json", "md", "txt")] + ["index.html", "study-cpu.json"])

    def test_interrupted(self):
        p = subprocess.Popen([PROGRAM, "study", "cpu-time", "cpu-memory", "-o", self.folder, "--backend", "cpu",
                              "--seconds", "1", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(p, 1.5)  # of many
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=300)
        self.assertEqual(p.returncode, 130)
        f = self.figure("cpu-time")
        self.assertIn("interrupted", f.caption)
        self.assertTrue(self.figure("cpu-memory").rows)

    def test_interrupted_while_tables_are_built(self):
        p = self.tended([PROGRAM, "study", "color-sum", "-n", "10", "-o", self.folder, "--backend", "cpu"],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(p, 4.)  # of minutes
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=300)
        self.assertEqual(p.returncode, 130)
        self.assertTrue(self.figure("color-sum"))


class Recorded(StudyTest):
    """Curves of a GPU that is not there are those of the files in the source tree."""
    def test_times(self):
        self.study("gpu-time")
        f = self.figure("gpu-time")
        expected = {}
        for name in ("bench-cuda.json", "study-cuda.json"):
            with open(os.path.join(recorded_folder(), name)) as file:
                document = json.load(file)
            for r in document["results"]:
                if (r["backend"], r["stage"], r["algorithm"], r["helicity"], r["kernel"]) == (
                        "cuda", "me", "co-sum", "summed", "fast"):
                    expected[r["n_out"]] = r["ns_per_event"]
        got = f.values("summed", "full")
        self.assertEqual(sorted(got), sorted(expected))
        for n_out in got:
            self.close([got[n_out]], [expected[n_out]], 1e-5)
        self.assertEqual(f.kinds("summed", "full"), {"recorded"})
        self.assertIn("recorded results", f.caption)
        self.assertIn(document["label"], f.caption)
        self.assertIn(document["date"], f.caption)
        self.assertIn("H200", f.caption)

    def test_other_programs(self):
        self.study("gpu-time")
        f = self.figure("gpu-time")
        self.assertEqual(f.values("summed", "cudacpp-gpu"), {2: 4.4, 3: 94., 4: 2400.})
        self.assertEqual(f.kinds("summed", "cudacpp-gpu"), {"peer"})

    def test_memory(self):
        self.study("gpu-memory")
        f = self.figure("gpu-memory")
        tables = f.values("independent", "co-sum-paper")
        self.assertGreater(tables[8], 6e9)  # the color matrix
        self.assertLess(f.values("independent", "co-sum")[8], 1e-2 * tables[8])


class Documents(StudyTest):
    """docs/figures is what `study all --recorded` writes: data, tables and captions cannot differ from the records."""
    def test_figures_of_the_documents(self):
        p = self.succeeds("study", "all", "--recorded", "-o", self.folder, env={**os.environ, "PATH": "/nonexistent"})
        self.assertNotIn("study-cpu.json", p.stdout)
        for name in NAMES:
            for ending in ("csv", "md", "txt"):
                with open(os.path.join(self.folder, f"{name}.{ending}")) as ours, \
                        open(os.path.join(SOURCE, "docs", "figures", f"{name}.{ending}")) as theirs:
                    self.assertEqual(ours.read(), theirs.read(),
                                     f"{name}.{ending}: run blockgen study all --recorded -o docs/figures")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "study-cpu.json")))

    def test_records_can_be_read_again(self):
        """What a run leaves is a record of the kind that --recorded draws from."""
        self.study("cpu-time", "-n", "2:3")
        with open(os.path.join(self.folder, "study-cpu.json")) as file:
            record = json.load(file)
        f = self.figure("cpu-time")
        for r in record["results"]:
            if (r["place"], r["stage"], r["strategy"]) == ("one-thread", "me", "full"):
                self.close([f.values("summed", "full")[r["n_out"]]], [r["ns_per_event"]], 1e-5)
        self.assertEqual(sorted(record), sorted(["version", "label", "date", "seconds_per_entry", "machine", "results",
                                                 "one_percent", "memory", "points", "digits", "missing", "interrupted"]))

    def test_one_run_has_no_spread(self):
        with open(os.path.join(SOURCE, "docs", "figures", "one-percent.csv")) as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual({r["relative_spread"] for r in rows}, {""})


class Measured(StudyTest):
    def test_times_and_ratios(self):
        def check(f):
            fast, paper = f.values("summed", "full"), f.values("summed", "full-paper")
            self.assertEqual((sorted(fast), sorted(paper)), ([2, 3], [2, 3]))
            self.assertEqual(f.kinds("summed", "full"), {"measured"})
            for n_out, ratio in f.values("summed-ratio", "full-paper").items():
                self.close([ratio], [paper[n_out] / fast[n_out]], 1e-4)
            for series in ("co-sum", "co-sum-paper", "tess", "lc", "co-mc", "co-mc-sampled", "cd-mc"):
                self.assertEqual(sorted(f.values("sampled", series)), [2, 3], series)
            self.assertEqual(f.values("sampled", "comix-sampled")[8], 119e6)
            self.assertIn("Ice Lake", f.caption)

        self.given_time(check, "cpu-time", "-n", "2:3")

    def test_memory_is_counted(self):
        self.study("cpu-memory")
        f = self.figure("cpu-memory")
        self.assertEqual(f.kinds("memory", "co-sum"), {"counted"})
        self.assertEqual(max(f.values("memory", "co-sum")), 10)
        self.assertEqual(max(f.values("memory", "cd-mc")), 12)
        memory, ratio = f.values("memory", "cd-mc"), f.values("memory-ratio", "cd-mc")
        self.close([ratio[5]], [memory[5] / f.values("memory", "co-sum")[5]], 1e-4)

    def test_parts_of_a_color_sum(self):
        def check(f):
            dense, fourier = f.values("cpu", "color-sum-paper"), f.values("cpu", "color-sum-fast")
            self.assertEqual(sorted(dense), [3, 4, 5])
            self.assertEqual(sorted(fourier), [3, 4, 5])
            self.close([f.values("cpu-ratio", "paper")[5]], [dense[5] / f.values("cpu", "amplitudes-paper")[5]], 1e-4)

        self.given_time(check, "color-sum", "-n", "3:5", seconds=0.05)

    @unittest.skipIf(SANITIZED, "the same code as for the time to one percent")
    def test_overhead(self):
        def check(f):
            points, ratio = f.values("points", "full"), f.values("overhead-ratio", "co-sum")
            self.close([ratio[2]], [f.values("points", "co-sum")[2] / points[2]], 1e-4)
            self.assertGreater(ratio[2], 3.)  # helicities sampled cost points
            # exact at n_out = 2: one pair of helicities is as good as their sum
            self.close([f.values("overhead-ratio", "co-sum-invariants")[2]], [1.], 1e-3)

        self.given_time(check, "overhead", "-n", 2, limit=12)

    def test_time_to_one_percent(self):
        def check(f):
            self.assertTrue(f.values("cpu", "full")[2] > 0.)
            self.assertIn("Fastest on the CPU, where ", f.caption)
            self.assertIn("Fastest on the GPU, where ", f.caption)
            self.assertEqual(f.kinds("gpu", "full") - {"recorded", "extrapolated"}, set())

        self.given_time(check, "one-percent", "-n", 2, limit=6)

    @unittest.skipIf(SANITIZED, "no quadruple precision under the sanitizers")
    def test_accuracy(self):
        def check(f):
            for series in ("full", "full-paper", "co-sum", "co-sum-paper", "lc", "cd-mc"):
                median, worst = f.values("median", series), f.values("worst", series)
                self.assertTrue(13. < median[2] <= 16., (series, median))
                self.assertTrue(6. < worst[2] <= median[2], (series, worst))

        self.given_time(check, "accuracy", "-n", 2, limit=6)

    def test_what_does_not_fit_is_left_out(self):
        def check(f):
            self.assertTrue(f.values("summed", "full"))
            self.assertTrue(any("time" in note or "would take" in note for note in f.json["left_out"]), f.json["left_out"])
            self.assertTrue(any("left out" in line for line in f.comments))
            self.assertIn("Left out:", f.caption)

        self.given_time(check, "cpu-time", "-n", "2:7", limit=4)


class Everything(StudyTest):
    def test_all(self):
        def check():
            for name in NAMES:
                f = self.figure(name)
                # without quadruple precision there are only reasons
                self.assertTrue(f.json["left_out"] if SANITIZED and name == "accuracy" else f.rows, name)
                for r in f.rows:
                    self.assertTrue(math.isfinite(float(r["value"])) and float(r["value"]) > 0., r)
                if GNUPLOT:
                    self.drawn(name)

        self.given_time(check, "all", "--quick", "-n", "2:3", limit=10)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "study-cuda.json")))


if __name__ == "__main__":
    main()
