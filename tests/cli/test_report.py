"""blockgen integrate --histograms DIR: tables, pictures and the page about the run."""
import csv
import html.parser
import math
import re
import resource
import shlex
import xml.etree.ElementTree
from support import *

GNUPLOT = shutil.which("gnuplot")
FIXED = ("dr_min", "dr_max", "ht", "weight")


def names(n_out):
    return [f"{what}_{k + 1}" for k in range(n_out) for what in ("pt", "eta")] + list(FIXED)


class Table:
    def __init__(self, path):
        with open(path) as file:
            lines = file.read().splitlines()
        self.comments = [line for line in lines if line.startswith("#")]
        self.rows = [{k: float(v) for k, v in row.items()}
                     for row in csv.DictReader(line for line in lines if not line.startswith("#"))]

    def shares(self):
        return [row["dsigma_dx"] * (row["high"] - row["low"]) for row in self.rows]

    def errors(self):
        return [row["error"] * (row["high"] - row["low"]) for row in self.rows]

    def mean(self):
        middle = [0.5 * (row["low"] + row["high"]) for row in self.rows]
        return sum(m * s for m, s in zip(middle, self.shares())) / sum(self.shares())


class Page(html.parser.HTMLParser):
    """Text, links and images of a page; checks that its elements are closed."""
    def __init__(self, path):
        super().__init__()
        self.text, self.links, self.images, self.tags, self.stack = "", [], [], set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in ("meta", "img"):
            self.stack.append(tag)
        for name, value in attributes:
            if name == "href":
                self.links.append(value)
            if name == "src":
                self.images.append(value)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


class ReportTest(CliTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = temporary.name

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def integrate(self, folder, *arguments, n_out=3, **more):
        p = self.succeeds("integrate", "-n", n_out, "--points", 4000, "--json", "--histograms", folder, *arguments, **more)
        return p, json.loads(p.stdout)

    def without_gnuplot(self):
        """An environment whose PATH holds nothing, or what is put into the folder `bin`."""
        os.makedirs(self.path("bin"), exist_ok=True)
        return dict(os.environ, PATH=self.path("bin"))

    def fake_gnuplot(self, body):
        environment = self.without_gnuplot()
        with open(self.path("bin", "gnuplot"), "w") as file:
            file.write("#!/bin/sh\n" + body)
        os.chmod(self.path("bin", "gnuplot"), 0o755)
        return environment


class Tables(ReportTest):
    def test_integral_of_every_table_is_sigma(self):
        for n_out, arguments in ((2, ()), (4, ("--color", "sampled", "--recursion", "ordered", "--helicity", "sampled")),
                                 (3, ("--phase-space", "rambo", "--pt-min", 500))):
            folder = self.path(f"out{n_out}")
            _, result = self.integrate(folder, *arguments, n_out=n_out, env=self.without_gnuplot())
            self.assertGreater(result["sigma_pb"], 0)
            moments = []
            for name in names(n_out):
                table = Table(os.path.join(folder, name + ".csv"))
                self.assertEqual(len(table.rows), 50, name)
                self.close([math.fsum(table.shares())], [result["sigma_pb"]], 1e-12)
                for a, b in zip(table.rows, table.rows[1:]):
                    self.assertLess(a["low"], a["high"])
                    self.assertAlmostEqual(a["high"] / b["low"] if b["low"] else 1 + a["high"], 1, delta=1e-9)
                # sum w^2 / N, whichever way it is cut into bins
                moments.append(math.fsum(e * e * (result["points"] - 1) + s * s
                                         for e, s in zip(table.errors(), table.shares())))
            self.close(moments, [moments[0]] * len(moments), 1e-9)
            # and the error of sigma, but for the spread between its iterations
            error = math.sqrt((moments[0] - result["sigma_pb"] ** 2) / (result["points"] - 1))
            self.close([error], [result["error_pb"]], 0.02)

    def test_contents(self):
        folder = self.path("out")
        _, result = self.integrate(folder, "--seed", 77, "--pt-min", 50, env=self.without_gnuplot())
        table = Table(os.path.join(folder, "pt_2.csv"))
        self.assertEqual(list(table.rows[0]), ["low", "high", "dsigma_dx", "error", "points"])
        comments = "\n".join(table.comments)
        for text in ("p_T of gluon 2 [GeV]", "partonic", "g g > 3 g", "pT > 50 GeV", "|eta| < 2.5", "DeltaR > 0.4", "pb/GeV", "seed 77",
                     repr(result["sigma_pb"])[:10]):
            self.assertIn(text, comments)
        # logarithmic, from what is left for the second of three to half of the energy that the third leaves
        lowest = 14000 / math.cosh(2.5) / 4
        self.close([table.rows[0]["low"], table.rows[-1]["high"]], [lowest, (14000 - 50) / 2], 1e-9)
        self.close([table.rows[1]["high"] / table.rows[1]["low"]], [table.rows[40]["high"] / table.rows[40]["low"]], 1e-9)
        means = [Table(os.path.join(folder, f"pt_{k}.csv")).mean() for k in (1, 2, 3)]
        self.assertGreater(means[0], means[1])
        self.assertGreater(means[1], means[2])
        # nothing below the cut on DeltaR
        for row in Table(os.path.join(folder, "dr_min.csv")).rows:
            if row["high"] <= 0.4:
                self.assertEqual(row["dsigma_dx"], 0)

    def test_weights(self):
        folder = self.path("out")
        _, result = self.integrate(folder, env=self.without_gnuplot())
        rows = Table(os.path.join(folder, "weight.csv")).rows
        self.assertAlmostEqual(sum(row["fraction"] for row in rows), 1, delta=1e-12)
        for row in rows:
            self.assertEqual(row["fraction"] > 0, row["points"] > 0)
            self.assertEqual(row["dsigma_dx"] > 0, row["points"] > 0)
            # nobody has a weight above the largest, and a bin has no fewer than one point if any
            if row["fraction"]:
                self.assertLessEqual(row["low"], result["max_weight_pb"])
                self.assertGreater(row["points"], 0.999)
        points = sum(row["points"] for row in rows)
        self.assertLessEqual(points, result["accepted"] * (1 + 1e-9))
        self.assertGreater(points, 0.7 * result["accepted"])

    def test_ones_own(self):
        """Bins as they were asked for; what lies beyond is in none of them, but in the head of the table."""
        folder = self.path("out")
        own = {"mass_1_2": "mass(1,2):30:1000:9000", "pt_1": "pt(1):20:700:5000:log", "dphi_1_3": "dphi(3,1):10:0:3", "y_2": "y(2)",
               "energy_1": "energy(1):7", "ht": "ht:12:3000:9000", "ht_b": "ht:5:3000:9000"}
        _, result = self.integrate(folder, *[word for text in own.values() for word in ("--histogram", text)],
                                   env=self.without_gnuplot())
        for name, text in own.items():
            table = Table(os.path.join(folder, name + ".csv"))
            parts = text.split(":") + [""] * 4
            self.assertEqual(len(table.rows), int(parts[1] or 50))
            beyond = re.search(r"in no bin, lie (\S+) \+- \S+ pb below and (\S+) \+- \S+ pb above", "\n".join(table.comments))
            if parts[2]:
                self.close([table.rows[0]["low"] + 1, table.rows[-1]["high"] + 1], [float(parts[2]) + 1, float(parts[3]) + 1], 1e-12)
            outside = sum(map(float, beyond.groups())) if beyond else 0
            self.assertEqual(outside > 0, name in ("pt_1", "mass_1_2", "dphi_1_3", "ht", "ht_b"), name)
            self.close([math.fsum(table.shares()) + outside], [result["sigma_pb"]], 1e-12)
        # bins of a table that is cut more finely add up
        self.close([sum(Table(os.path.join(folder, "ht.csv")).shares())], [sum(Table(os.path.join(folder, "ht_b.csv")).shares())], 1e-12)
        for wanted, text in (("no observable 'm'", "m(1,2):50:0:1"), ("from 1 to 3", "pt(4):5:0:1"), ("1 to 1000", "ht:0:0:1")):
            self.refused(2, wanted, "integrate", "-n", 3, "--histograms", self.path("no"), "--histogram", text)
            self.assertFalse(os.path.exists(self.path("no")))
        self.refused(2, "--histograms DIR", "integrate", "-n", 3, "--histogram", "ht")

    def test_ones_own_and_checkpoints(self):
        own, state = ("--histogram", "mass(1,2):30:1000:9000"), self.path("state")
        common = ("integrate", "-n", 3, "--backend", "cpu", "--json", "--quiet")
        environment = self.without_gnuplot()
        self.succeeds(*common, "--points", 8000, *own, "--histograms", self.path("whole"), env=environment)
        # stopped by the clock at once, and again: the sums of the bins go on from where they were
        self.succeeds(*common, "--points", 8000, "--time", 0.001, *own, "--histograms", self.path("parts"), "--checkpoint", state, env=environment)
        self.succeeds(*common, "--points", 8000, *own, "--histograms", self.path("parts"), "--resume", state, env=environment)
        for name in ("mass_1_2", "ht"):
            with open(self.path("whole", name + ".csv")) as one, open(self.path("parts", name + ".csv")) as two:
                self.assertEqual(one.read(), two.read())
        for other in (("--histogram", "mass(1,2):30:1000:9001"), ("--histogram", "mass(1,2):30:1000:9000:log"), ()):
            self.refused(2, ["histograms is 11 [", "mass_1_2:30:1000:9000 there and"], *common, "--points", 9000, *other, "--histograms",
                         self.path("parts"), "--resume", state)

    def test_yoda(self):
        folder = self.path("out")
        _, result = self.integrate(folder, "--histogram", "mass(1,2):30:1000:9000", env=self.without_gnuplot())
        with open(os.path.join(folder, "histograms.yoda")) as file:
            text = file.read()
        found = re.findall(r"BEGIN YODA_HISTO1D_V2 /BLOCKGEN/(\S+)\nPath: /BLOCKGEN/\1\n(.*?)\n---\n(.*?)END YODA_HISTO1D_V2\n", text, re.DOTALL)
        self.assertEqual([name for name, _, _ in found], [name for name in names(3) if name != "weight"] + ["mass_1_2"])
        for name, head, body in found:
            self.assertIn("Type: Histo1D", head)
            rows = [line.split() for line in body.splitlines() if not line.startswith("#")]
            self.assertEqual([row[0] for row in rows[:3]], ["Total", "Underflow", "Overflow"])
            self.assertTrue(all(len(row) == 7 for row in rows))
            self.close([float(rows[0][2])], [result["sigma_pb"]], 1e-5)
            self.close([sum(float(row[2]) for row in rows[1:])], [result["sigma_pb"]], 1e-5)
            table = Table(os.path.join(folder, name + ".csv"))
            self.assertEqual(len(rows) - 3, len(table.rows))
            for row, share, error in zip(rows[3:], table.shares(), table.errors()):
                self.assertLessEqual(abs(float(row[2]) - share), 1e-6 * share)
                self.assertLessEqual(abs(float(row[3]) - error ** 2), 1e-5 * error ** 2)

    def test_standard_ranges_are_filled(self):
        """Kinematics say where they begin and end: most bins of a long run have something."""
        folder = self.path("out")
        self.succeeds("integrate", "-n", 4, "--points", 100000, "--quiet", "--histograms", folder, env=self.without_gnuplot())
        for name in ("pt_1", "pt_2", "pt_3", "pt_4", "ht", "dr_max"):
            rows = Table(os.path.join(folder, name + ".csv")).rows
            self.assertGreater(len([row for row in rows if row["dsigma_dx"]]), 37, name)

    def test_threads_do_not_matter(self):
        for threads in (1, 2):
            self.integrate(self.path(str(threads)), "--threads", threads, env=self.without_gnuplot())
        for name in names(3):
            with open(self.path("1", name + ".csv")) as one, open(self.path("2", name + ".csv")) as two:
                self.assertEqual(one.read(), two.read())


class Pictures(ReportTest):
    def setUp(self):
        super().setUp()
        if not GNUPLOT:
            self.skipTest("gnuplot is not here")

    def complete(self, folder, n_out):
        """Every picture is there and whole, every link of the page leads somewhere."""
        for name in names(n_out) + ["pt", "eta"]:
            svg = xml.etree.ElementTree.parse(os.path.join(folder, name + ".svg")).getroot()
            self.assertTrue(svg.tag.endswith("svg"))
            with open(os.path.join(folder, name + ".png"), "rb") as file:
                png = file.read()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(len(png), 5000)
        page = Page(os.path.join(folder, "index.html"))
        self.assertEqual(sorted(page.images), sorted(name + ".svg" for name in names(n_out) + ["pt", "eta"]))
        for link in page.links:
            self.assertTrue(os.path.isfile(os.path.join(folder, link)), link)
        self.assertEqual([f for f in os.listdir(folder) if f.endswith(".part")], [])
        return page

    def test_page_and_pictures(self):
        folder = self.path("not", "there", "yet")
        p, result = self.integrate(folder, "--seed", 4711, "--threads", 1, "--ht-min", 100, "--quiet")
        self.assertEqual(p.stderr, "")
        page = self.complete(folder, 3)
        for text in ("g g > 3 g", "4711", "14 TeV", "summed", "ordered", "fast", "%.10g pb" % result["sigma_pb"],
                     "%.2f (" % result["chi2_per_dof"], "%.1f %%" % (100 * result["accepted"] / result["points"]),
                     "unweighting", "cpu: ", "integrate -n 3", "HT > 100", result["version"]):
            self.assertIn(text, page.text)
        self.assertNotIn("before its goal", page.text)
        # the sum of pT is shown with its cut, the title of a picture too
        with open(os.path.join(folder, "ht.svg"), encoding="utf-8") as file:
            picture = "".join(xml.etree.ElementTree.parse(file).getroot().itertext())
        for text in ("14 TeV", "100 GeV", "σ = "):
            self.assertIn(text, picture)

    def test_folders_with_odd_names(self):
        for name in ("with space, quo'te\"s, $(touch hacked) `touch hacked`", "<script>alert(1)<∕script>&amp;\nnew line"):
            folder = self.path(name)
            self.integrate(folder, n_out=2, cwd=self.root)
            page = self.complete(folder, 2)
            self.assertNotIn("script", page.tags)
            line = re.search(r"Command line(.*)blockgen [0-9.]+, 2\d\d\d-", page.text, re.DOTALL).group(1)
            self.assertEqual(shlex.split(line)[-2:], ["--histograms", folder])  # it can be run again
            self.assertFalse(os.path.exists(self.path("hacked")) or os.path.exists(os.path.join(folder, "hacked")))
        self.integrate("-d", n_out=2, cwd=self.root)
        self.complete(self.path("-d"), 2)

    def test_folder_whose_name_is_no_text(self):
        folder = os.path.join(os.fsencode(self.root), b"caf\xe9 \xff")
        p = subprocess.run([PROGRAM, "integrate", "-n", "2", "--points", "1000", "--json", "--histograms", folder], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("\ufffd", json.loads(p.stdout.decode())["command"])
        with open(os.path.join(folder, b"index.html"), "rb") as file:
            self.assertIn("caf\ufffd", file.read().decode())

    def test_many_runs_into_one_folder(self):
        folder = self.path("out")
        command = [PROGRAM, "integrate", "-n", "2", "--points", "1000", "--quiet", "--threads", "1", "--histograms", folder, "--seed"]
        runs = [subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for seed in range(4)]
        for p in runs:
            _, err = p.communicate(timeout=300)
            self.assertEqual((p.returncode, err), (0, b""))
        self.complete(folder, 2)

    def test_hardly_any_room(self):
        folder = self.path("out")
        self.integrate(folder, "--sqrts", 100, "--pt-min", 49.999999999, n_out=2)
        self.complete(folder, 2)

    def test_no_point_inside(self):
        folder = self.path("out")
        p = self.succeeds("integrate", "-n", 3, "--points", 100, "--pt-min", 4666, "--histograms", folder)
        page = Page(os.path.join(folder, "index.html"))
        for text in (p.stdout, page.text, *(open(os.path.join(folder, name + ".csv")).read() for name in names(3))):
            self.assertNotIn("nan", text)
        self.assertIn("No point is inside the cuts", page.text)

    def test_overwrites(self):
        folder = self.path("out")
        _, first = self.integrate(folder, "--seed", 1, n_out=2)
        _, second = self.integrate(folder, "--seed", 2, n_out=2)
        self.assertNotEqual(first["sigma_pb"], second["sigma_pb"])
        self.close([math.fsum(Table(os.path.join(folder, "ht.csv")).shares())], [second["sigma_pb"]], 1e-12)
        self.assertIn("%.10g" % second["sigma_pb"], self.complete(folder, 2).text)

    def test_script_runs_by_hand(self):
        folder = self.path("out")
        self.integrate(folder, n_out=2)
        os.remove(os.path.join(folder, "pt.png"))
        subprocess.run([GNUPLOT, "plots.gp"], cwd=folder, check=True, stderr=subprocess.PIPE)
        self.complete(folder, 2)

    def test_many_jets(self):
        folder = self.path("out")
        p = self.succeeds("integrate", "-n", 9, "--points", 256, "--algorithm", "cd-mc", "--phase-space", "rambo",
                          "--histograms", folder)
        self.complete(folder, 9)
        self.assertIn("sigma:", p.stdout)

    def interrupted_after(self, seconds, folder):
        p = subprocess.Popen([PROGRAM, "integrate", "-n", "3", "--precision", "1e-6", "--json", "--histograms", folder],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_work(p, seconds)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=300)
        self.assertEqual(p.returncode, 130, err)
        return json.loads(out)

    def test_interrupted(self):
        folder = self.path("out")
        for seconds in (1, 4, 16, 64):  # until it was not adapting any more
            result = self.interrupted_after(seconds, folder)
            if result["iterations"]:
                break
        self.assertTrue(result["interrupted"])
        self.assertIn("Interrupted before its goal", self.complete(folder, 3).text)
        self.close([math.fsum(Table(os.path.join(folder, "eta_1.csv")).shares())], [result["sigma_pb"]], 1e-12)


class Trouble(ReportTest):
    def test_stopped_while_adapting(self):
        folder = self.path("out")
        p = self.succeeds("integrate", "-n", 3, "--time", 0.001, "--json", "--histograms", folder)
        self.assertEqual(json.loads(p.stdout)["iterations"], 0)
        page = Page(os.path.join(folder, "index.html"))
        self.assertIn("still adapting", page.text)
        self.assertEqual(page.images, [])
        for name in names(3):
            self.assertEqual(sum(Table(os.path.join(folder, name + ".csv")).shares()), 0)

    def test_without_gnuplot(self):
        folder = self.path("out")
        if GNUPLOT:
            self.integrate(folder, n_out=2)
        p, _ = self.integrate(folder, n_out=2, env=self.without_gnuplot())
        self.assertIn("gnuplot-nox", p.stderr)
        page = Page(os.path.join(folder, "index.html"))
        self.assertEqual(page.images, [])
        for link in page.links:
            self.assertTrue(os.path.isfile(os.path.join(folder, link)), link)
        # no pictures of the run before beside the numbers of this one
        self.assertEqual(sorted(os.listdir(folder)), sorted([n + ".csv" for n in names(2)] + ["histograms.yoda", "index.html", "plots.gp"]))

    def failed(self, wanted, folder, **more):
        """Exit status 1 and a reason, and the cross section all the same."""
        p = self.refused(1, wanted, "integrate", "-n", 2, "--points", 1000, "--json", "--histograms", folder, **more)
        self.assertGreater(json.loads(p.stdout)["sigma_pb"], 0)

    def test_gnuplot_fails(self):
        self.failed(("status 3", "no colors today", "plots.gp"), self.path("out"),
                    env=self.fake_gnuplot("echo; echo '  no colors today' >&2; exit 3\n"))
        self.assertTrue(os.path.isfile(self.path("out", "index.html")))
        self.failed("signal 9", self.path("out"), env=self.fake_gnuplot("kill -9 $$\n"))

    def test_gnuplot_that_hangs(self):
        environment = {**self.fake_gnuplot("exec /bin/sleep 1000\n"), "BLOCKGEN_GNUPLOT_SECONDS": "0.3"}
        self.failed("was not done after 0.3 s and was ended", self.path("out"), env=environment)
        for name in [n + ".csv" for n in names(2)] + ["index.html", "plots.gp"]:
            self.assertTrue(os.path.isfile(self.path("out", name)), name)

    def test_results_are_out_before_gnuplot_starts(self):
        with open(self.path("result"), "w") as file:
            run("integrate", "-n", 2, "--points", 1000, "--histograms", self.path("out"), stdout=file,
                env=self.fake_gnuplot(f"while read -r line; do echo \"$line\"; done < {self.path('result')} > seen\n"))
        with open(self.path("out", "seen")) as file:
            self.assertIn("sigma:", file.read())

    def test_gnuplot_leaves_broken_pictures(self):
        self.failed(("pt.png", "full"), self.path("out"), env=self.fake_gnuplot("exit 0\n"))
        self.failed(("pt.png", "full"), self.path("out"), env=self.fake_gnuplot("echo '<svg>' > pt.svg\n"))

    def test_gnuplot_talks_much(self):
        noise = "k=0; while [ $k -lt 3000 ]; do echo 'warning: a line of noise, and another'; k=$((k+1)); done\n"
        self.failed("status 1: the end", self.path("out"), env=self.fake_gnuplot("echo 'the end'; exit 1\n"))
        self.failed("status 1", self.path("out"), env=self.fake_gnuplot(noise + "exit 1\n"))

    def refused_at_once(self, wanted, folder):
        """Before anything is computed: this would take years."""
        p = self.refused(1, wanted, "integrate", "-n", 6, "--points", 10 ** 15, "--json", "--histograms", folder)
        self.assertEqual(p.stdout, "")

    def test_unwritable(self):
        with open(self.path("file"), "w"):
            pass
        self.refused_at_once((self.path("file"), "Not a directory"), self.path("file"))
        self.refused_at_once((self.path("file", "out"), "Not a directory"), self.path("file", "out", "deeper"))
        self.refused_at_once("cannot write", "")
        self.refused_at_once("cannot write /proc/", "/proc/blockgen/out")
        self.refused_at_once("too long", self.path("x" * 5000))
        # what shows at the end only
        os.makedirs(self.path("out", "ht.csv"))
        self.failed(self.path("out", "ht.csv"), self.path("out"))

    def test_full_disk(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        folder = self.path("out")
        self.failed((os.path.join(folder, "pt_1.csv"), "File too large"), folder, preexec_fn=small_files,
                    restore_signals=False)
        self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    main()
