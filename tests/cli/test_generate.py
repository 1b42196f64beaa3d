"""blockgen generate: exactly so many events, the same for any number of threads and after an interruption, and physical."""
import csv
import gzip
import json
import math
import os
import resource
import shutil
import signal
import struct
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

from support import CliTest, SANITIZED, main, run, subprocess, wait_for_work, PROGRAM

TWO = ["--process", "p p > 2j", "--backend", "cpu", "--precision", "0.02", *(["--quark-lines", "1"] if SANITIZED else [])]  # fewer classes
THREE = ["--process", "p p > 3j", "--flavors", "3", "--quark-lines", "1", "--backend", "cpu", "--precision", "0.02"]
READERS = os.environ.get("READERS", "")
KEYS = {"events", "trials", "sigma_pb", "error_pb", "efficiency", "overweight_share", "seconds", "events_per_second", "file", "format"}


def read_lhe(path):
    """Processes {id: (sigma, error)} and events {process, weight, scale, alpha, partons: [(pdg, status, color, momentum)]}."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        tree = xml.fromstring(file.read())
    head = tree.find("init").text.split("\n")[1:]
    beams = head[0].split()
    processes = {int(row[3]): (float(row[0]), float(row[1])) for row in (line.split() for line in head[1:1 + int(beams[9])])}
    events = []
    for event in tree.findall("event"):
        first, *rows = [line.split() for line in event.text.strip().split("\n")]
        events.append({"process": int(first[1]), "weight": float(first[2]), "scale": float(first[3]), "alpha": float(first[5]),
                       "partons": [(int(r[0]), int(r[1]), (int(r[4]), int(r[5])), [float(x) for x in r[6:10]]) for r in rows]})
        assert len(rows) == int(first[0])
    return beams, processes, events


class GenerateTest(CliTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def generate(self, name, count, *arguments):
        p = self.succeeds("generate", "--json", "--quiet", "--events", count, "-o", self.path(name), *arguments)
        return json.loads(p.stdout)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def same_hdf5(self, name, *others):
        """Number for number, and in all that is said about them."""
        same = ("import h5py, sys\nfiles = [h5py.File(name) for name in sys.argv[1:]]\na = files[0]\n"
                "for b in files[1:]:\n    assert set(a) == set(b) and dict(a.attrs) == dict(b.attrs)\n"
                "    for name in a:\n        assert a[name].shape == b[name].shape and (a[name][:] == b[name][:]).all(), name\n"
                "        assert list(a[name].attrs) == list(b[name].attrs), name")
        p = subprocess.run([os.path.join(READERS, "bin", "python"), "-c", same, *map(self.path, (name, *others))], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)


class Contract(GenerateTest):
    def test_json(self):
        found = self.generate("a.lhe", 300, *TWO)
        self.assertLessEqual(KEYS, set(found))
        self.assertEqual((found["events"], found["file"], found["format"]), (300, self.path("a.lhe"), "lhe"))
        self.assertGreaterEqual(found["trials"], 300)
        self.assertAlmostEqual(found["efficiency"], 300 / found["trials"], delta=1e-12)
        self.assertIn("built in", found["pdf"])
        self.assertLess(found["overweight_share"], 0.1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.lhe"])

    def test_sigma_is_that_of_integrate(self):
        line = [*TWO, "--color", "summed", "--recursion", "ordered", "--helicity", "summed"]
        found = self.generate("a.lhe", 10, *line)
        whole = json.loads(self.succeeds("integrate", "--json", "--quiet", *line).stdout)
        # the grids learn something else: there the error is to be small, here the largest weight
        self.assertLess(abs(found["sigma_pb"] - whole["sigma_pb"]), 5 * math.hypot(found["error_pb"], whole["error_pb"]))
        _, processes, _ = read_lhe(self.path("a.lhe"))
        self.assertEqual(len(processes), len(whole["classes"]))
        self.assertAlmostEqual(sum(s for s, _ in processes.values()), found["sigma_pb"], delta=1e-9 * found["sigma_pb"])

    def test_exactly_so_many(self):
        for count in (777,) if SANITIZED else (1, 777):
            for name in ("a.lhe", "a.lhe.gz"):
                self.generate(name, count, *TWO, "--force")
                self.assertEqual(len(read_lhe(self.path(name))[2]), count)
            self.generate("a.csv", count, *TWO, "--force")
            with open(self.path("a.csv")) as file:
                self.assertEqual(len([r for r in csv.reader(file) if r and not r[0].startswith("#")]), count + 1)
            self.generate("a.npy", count, *TWO, "--force")
            found = self.bytes("a.npy")
            size = struct.unpack("<I", found[8:12])[0]
            self.assertIn(f"({count},", found[12:12 + size].decode().replace(" ", ""))

    def test_hdf5(self):
        p = run("generate", "--quiet", "--events", "777", "-o", self.path("a.h5"), *TWO)
        if p.returncode and "HDF5" in p.stderr:
            self.skipTest("HDF5 is not built in")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(self.bytes("a.h5")[1:4], b"HDF")
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        count = "import h5py, sys; f = h5py.File(sys.argv[1]); print(len(f['events']), len(f['particles']))"
        p = subprocess.run([os.path.join(READERS, "bin", "python"), "-c", count, self.path("a.h5")], capture_output=True, text=True)
        self.assertEqual(p.stdout.split(), ["777", str(4 * 777)], p.stderr)

    def test_words(self):
        p = self.succeeds("generate", *TWO, "--events", "50", "-o", self.path("a.lhe"))
        for text in ("50 unweighted events", "BlockGen-toy-lo (built in", "sigma:", "overweight:", "events/s"):
            self.assertIn(text, p.stdout)
        for text in ("integrating to 2 % first", "built in", "color summed"):
            self.assertIn(text, p.stderr)

    def test_cuts_that_leave_little(self):
        """Of the usual points of a survey none is inside the cuts."""
        line = ["--process", "g g > 4g", "--phase-space", "rambo", "--sqrts", "400", "--pt-min", "94", "--dr-min", "0.4", "--eta-max", "5",
                "--estimate", "on", "--precision", "0.3", "--backend", "cpu"]
        found = self.generate("a.lhe", 5, *line)
        self.assertEqual(len(read_lhe(self.path("a.lhe"))[2]), 5)
        self.assertLess(found["efficiency"], 1e-4)

    def test_limit(self):
        """Where events wait for the file most of the time, which takes many times as long to compress as they take to make, it says so."""
        line = [*TWO, "--precision", "0.1", "--threads", "1", "--compression", "9", "-o", self.path("a.lhe.gz"), "--events"]
        p = run("generate", *line, "30000")
        if "built without" in p.stderr:
            self.skipTest("there is no zlib")
        self.assertRegex(p.stdout, r"(?m)^limit: +writing: events waited for the file in \d+ % of that time$")
        self.assertNotIn("limit:", self.succeeds("generate", *line, "100", "--force").stdout)


class Physics(GenerateTest):
    def check(self, events, found):
        charge = {1: -1, 2: 2, 3: -1, 4: 2, 5: -1}
        for e in events:
            total, flavor, tags = [0.] * 4, {}, {}
            energy = sum(p[3][3] for p in e["partons"] if p[1] == -1)
            for pdg, status, (color, anticolor), p in e["partons"]:
                sign = status  # incoming ones count with the opposite sign
                total = [t + sign * x for t, x in zip(total, p)]
                self.assertLess(abs(p[3]**2 - p[0]**2 - p[1]**2 - p[2]**2), 1e-10 * energy**2)
                if pdg != 21:
                    flavor[abs(pdg)] = flavor.get(abs(pdg), 0) + sign * (1 if pdg > 0 else -1)
                self.assertEqual((color > 0, anticolor > 0), (pdg > 0, pdg < 0 or pdg == 21))
                self.assertNotEqual(color, anticolor)
                if status == -1:
                    color, anticolor = anticolor, color
                for tag, end in ((color, 1), (anticolor, -1)):
                    if tag:
                        tags.setdefault(tag, []).append(end)
                if status == 1:
                    self.assertGreaterEqual(math.hypot(p[0], p[1]), 20 * (1 - 1e-12))
            self.assertLess(max(map(abs, total)), 1e-9 * energy)
            self.assertEqual(set(flavor.values()) | {0}, {0}, e)
            self.assertEqual(sum(charge[f] * n for f, n in flavor.items()), 0)
            for ends in tags.values():
                self.assertEqual(sorted(ends), [-1, 1], e)
            self.assertGreater(e["scale"], 0)
        self.mean(events, found)

    def mean(self, events, found):
        weights = [e["weight"] for e in events]
        mean = sum(weights) / len(weights)
        spread = math.sqrt(sum((w - mean)**2 for w in weights)) / len(weights)
        self.assertLess(abs(mean - found["sigma_pb"]), 5 * spread + 0.005 * found["sigma_pb"])

    def test_protons(self):
        for line, count in ((TWO, 2000), (THREE, 1000)):
            found = self.generate("a.lhe", count, *line, "--force")
            beams, processes, events = read_lhe(self.path("a.lhe"))
            self.assertEqual([int(beams[0]), int(beams[1])], [2212, 2212])
            self.check(events, found)
            for e in events:  # the first flies along +z, and is a part of its proton
                self.assertGreater(e["partons"][0][3][2], 0)
                self.assertLess(e["partons"][1][3][2], 0)
                self.assertLess(e["partons"][0][3][3], 7000)
            for k, (sigma, _) in processes.items():
                share = sigma / found["sigma_pb"]
                there = sum(e["process"] == k for e in events)
                self.assertLess(abs(there - share * count), 5 * math.sqrt(share * count) + 3)

    def test_partons(self):
        found = self.generate("a.lhe", 500, "--process", "u~ g > u~ g g", "--sqrts", "1000", "--backend", "cpu",
                              *(["--precision", "0.02"] if SANITIZED else []))
        beams, _, events = read_lhe(self.path("a.lhe"))
        self.assertEqual([int(beams[0]), int(beams[1])], [-2, 21])
        self.check(events, found)
        for e in events:
            self.assertEqual(sorted(p[0] for p in e["partons"][:2]), [-2, 21])
            self.assertEqual(e["alpha"], 0.118)

    def test_usual_weights_are_equal(self):
        found = self.generate("a.lhe", 1000, *TWO)
        weights = [e["weight"] for e in read_lhe(self.path("a.lhe"))[2]]
        usual = min(weights)
        above = [w for w in weights if w > usual * (1 + 1e-12)]
        self.assertAlmostEqual(sum(above) / sum(weights), found["overweight_share"], delta=1e-9)
        self.assertAlmostEqual(max(weights) / usual, found["largest_weight"], delta=1e-9)

    def test_weighted(self):
        found = self.generate("a.lhe", 3000, *TWO, "--weighted", "--estimate", "off")
        self.assertTrue(found["weighted"])
        events = read_lhe(self.path("a.lhe"))[2]
        self.assertEqual(len(events), 3000)
        self.assertGreater(len({e["weight"] for e in events}), 2900)
        self.mean(events, found)

    def test_weight_one(self):
        """Without overweight events the strategy is 3 and every weight is 1; what is above the survey's largest is reported."""
        found = self.generate("a.lhe", 3000, *TWO, "--overweight", "0")
        beams, processes, events = read_lhe(self.path("a.lhe"))
        self.assertEqual(beams[8], "3")
        self.assertEqual({e["weight"] for e in events}, {1.})
        self.assertAlmostEqual(sum(s for s, _ in processes.values()) / found["sigma_pb"], 1, delta=1e-12)
        self.assertEqual((found["overweight_share"], found["largest_weight"]), (0, 1))
        self.assertTrue(0 <= found["cut_share"] < 0.01, found["cut_share"])
        self.generate("b.lhe", 10, *TWO)
        self.assertEqual(read_lhe(self.path("b.lhe"))[0][8], "-4")

    def test_densities(self):
        """x1, x2 and what the densities were are there; the scale of the beams is the factorization scale."""
        self.generate("a.lhe", 20, *TWO, "--muf", "0.5")
        for e in xml.parse(self.path("a.lhe")).getroot().findall("event"):
            first, *rows = [line.split() for line in e.text.strip().split("\n")]
            about = {k: float(v) for k, v in e.find("pdfinfo").attrib.items()}
            for k in (1, 2):
                self.assertEqual(about[f"p{k}"], int(rows[k - 1][0]))
                self.assertAlmostEqual(about[f"x{k}"] * 7000 / float(rows[k - 1][9]), 1, delta=1e-14)
                self.assertGreater(about[f"xf{k}"], 0)
            self.assertAlmostEqual(about["scale"] / (0.5 * float(first[3])), 1, delta=1e-14)

    def test_shower_scale(self):
        line = TWO if SANITIZED else THREE  # of two jets both are the softest
        self.generate("a.lhe", 50, *line)
        self.generate("b.lhe", 50, *line, "--shower-scale", "softest")
        for a, b in zip(read_lhe(self.path("a.lhe"))[2], read_lhe(self.path("b.lhe"))[2]):
            pt = [math.hypot(*p[3][:2]) for p in a["partons"][2:]]
            self.assertAlmostEqual(a["scale"] / (0.5 * sum(pt)), 1, delta=1e-9)
            self.assertAlmostEqual(b["scale"] / min(*pt, 0.5 * sum(pt)), 1, delta=1e-9)


class Repeated(GenerateTest):
    def test_threads(self):
        for line, count in ((TWO, 9000),) if SANITIZED else ((TWO, 9000), (THREE, 300)):
            self.generate("1.lhe", count, *line, "--threads", "1", "--force")
            self.generate("2.lhe", count, *line, "--threads", "2", "--force")
            self.assertEqual(self.bytes("1.lhe"), self.bytes("2.lhe"))
        self.generate("65.lhe", 20, *TWO, "--threads", "65")  # more than encode
        self.generate("1.lhe", 20, *TWO, "--threads", "1", "--force")
        self.assertEqual(self.bytes("1.lhe"), self.bytes("65.lhe"))

    def test_fewer_are_the_first(self):
        self.generate("a.lhe", 100, *TWO)
        self.generate("b.lhe", 300, *TWO)
        few, many = read_lhe(self.path("a.lhe"))[2], read_lhe(self.path("b.lhe"))[2]
        self.assertEqual(few, many[:100])
        self.generate("c.lhe", 100, *TWO, "--seed", "2")
        self.assertNotEqual(few, read_lhe(self.path("c.lhe"))[2])

    def interrupt(self, name, count, *line):
        """A run that is stopped once some events are in the file; None where it was faster."""
        command = [PROGRAM, "generate", "--quiet", "--events", str(count), "-o", self.path(name), *line]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
            part = self.path(name + ".part")
            while p.poll() is None and not (os.path.exists(part) and os.path.getsize(part) > 100000):
                time.sleep(0.005)
            p.send_signal(signal.SIGINT)
            _, stderr = p.communicate(timeout=120)
        return (p.returncode, stderr) if p.returncode else None

    def test_interruption(self):
        count = 20000 if SANITIZED else 80000
        line = [*TWO, "--threads", "1"]
        self.generate("whole.lhe", count, *line)
        stopped = self.interrupt("run.lhe", count, *line)
        if not stopped:
            self.skipTest("it was over before it could be interrupted")
        self.assertEqual(stopped[0], 130, stopped[1])
        self.assertIn("--resume", stopped[1])
        self.assertFalse(os.path.exists(self.path("run.lhe")))
        self.refused(2, ("run.lhe.part", "--resume", "--force"), "generate", "--events", count, "-o", self.path("run.lhe"), *line)
        self.refused(2, "another run", "generate", "--quiet", "--events", count, "-o", self.path("run.lhe"), "--resume", *line,
                     "--shower-scale", "softest")
        self.generate("run.lhe", count, *line, "--resume")
        self.assertEqual(self.bytes("run.lhe"), self.bytes("whole.lhe"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.lhe", "whole.lhe"])

    def test_interrupted_while_integrating(self):
        command = [PROGRAM, "generate", "--events", "10", "-o", self.path("a.lhe"), "-n", "5", "--precision", "1e-6", "--backend", "cpu"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
            wait_for_work(p, 2)
            p.send_signal(signal.SIGINT)
            stdout, stderr = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 130, stderr)
        self.assertEqual(os.listdir(self.folder), [])
        if not SANITIZED:  # there the first points take longer
            self.assertIn("interrupted before the first event", stdout)
            self.assertRegex(stdout, r"sigma: +[0-9.e+]+ \+- [0-9.e+]+ pb so far")

    def test_another_run_leaves_no_trace(self):
        """What a line with a mistake would learn is not in the way of the right one."""
        for name in ("a.lhe",) if SANITIZED else ("a.lhe", "a.lhe.gz", "a.h5"):
            p = run("generate", "--quiet", "--events", "20", "-o", self.path(name), *TWO)
            if p.returncode and "built without" in p.stderr:
                continue
            before = self.bytes(name)
            for wanted, change in (("seed = 2", ["--seed", "2"]), ("pt-min = 21", ["--pt-min", "21"]), ("events = 30", ["--events", "30"])):
                self.refused(2, ("another run", wanted), "generate", "--quiet", "--events", "20", "-o", self.path(name), *TWO, "--resume", *change)
                self.assertEqual(os.listdir(self.folder), [name])
            self.generate(name, 20, *TWO, "--resume")
            self.assertEqual(self.bytes(name), before)
            os.unlink(self.path(name))

    def test_files_are_not_overwritten(self):
        self.generate("a.lhe", 20, *TWO)
        before = self.bytes("a.lhe")
        self.refused(2, ("a.lhe", "--force"), "generate", "--events", "30", "-o", self.path("a.lhe"), *TWO)
        self.assertEqual(self.bytes("a.lhe"), before)
        self.generate("a.lhe", 30, *TWO, "--force")
        self.assertNotEqual(self.bytes("a.lhe"), before)


class Killed(GenerateTest):
    """At any moment, by a signal that nobody can catch; --resume ends with the file of a run that was left alone."""
    COUNT = 20000 if SANITIZED else 80000
    LINE = [*TWO, "--threads", "1"]

    def kill(self, name, when, *more):
        """A run that is killed as soon as `when` is true; whether it was in time."""
        command = [PROGRAM, "generate", "--quiet", "--events", str(self.COUNT), "-o", self.path(name), *self.LINE, *more]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as p:
            while p.poll() is None and not when(p):
                time.sleep(0.001)
            p.kill()
            p.communicate(timeout=120)
        return p.returncode == -signal.SIGKILL

    def larger(self, name, size):
        path = self.path(name)
        return lambda p: os.path.exists(path) and os.path.getsize(path) >= size

    def go_on(self, name, *more):
        return self.generate(name, self.COUNT, *self.LINE, "--resume", *more)

    def test_text(self):
        whole = self.generate("whole.lhe", self.COUNT, *self.LINE)
        in_time = 0
        begun = time.monotonic()
        moments = [lambda p: time.monotonic() > begun + 0.05, self.larger("run.lhe.state", 0), self.larger("run.lhe.part", 0),
                   self.larger("run.lhe.part", 2000000), self.larger("run.lhe.part", 9000000)]
        for when in moments:  # one run, killed again and again
            begun = time.monotonic()
            in_time += self.kill("run.lhe", when, "--resume")
        found = self.go_on("run.lhe")
        self.assertEqual(self.bytes("run.lhe"), self.bytes("whole.lhe"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.lhe", "whole.lhe"])
        for key in ("events", "trials", "sigma_pb", "error_pb", "efficiency"):
            self.assertEqual(found[key], whole[key])
        # a run that was killed when the file had its name, and what it had learned was still there
        self.generate("run.lhe", self.COUNT, *self.LINE, "--force", "--keep-state")
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.lhe", "run.lhe.state", "whole.lhe"])
        self.go_on("run.lhe")
        self.assertEqual(self.bytes("run.lhe"), self.bytes("whole.lhe"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.lhe", "whole.lhe"])
        if not in_time:
            self.skipTest("it was over before it could be killed")

    def test_nothing_is_repeated(self):
        if not self.kill("run.lhe", self.larger("run.lhe.part", 2000000)):
            self.skipTest("it was over before it could be killed")
        p = self.succeeds("generate", "--events", self.COUNT, "-o", self.path("run.lhe"), *self.LINE, "--resume", "--keep-state")
        self.assertIn("going on behind", p.stderr)
        with open(self.path("run.lhe.state"), "rb") as file:
            learned = bytearray(file.read())
        learned[len(learned) // 2] ^= 1
        with open(self.path("run.lhe.state"), "wb") as file:
            file.write(learned)
        self.refused(2, ("run.lhe.state", "damaged"), "generate", "--events", self.COUNT, "-o", self.path("run.lhe"), *self.LINE, "--resume")
        os.unlink(self.path("run.lhe"))
        self.refused(2, ("run.lhe.state", "--force"), "generate", "--events", self.COUNT, "-o", self.path("run.lhe"), *self.LINE)

    def test_full_disk(self):
        """What is complete can be read, the exit status is 1, and with more room the file becomes that of any other run."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500000, resource.RLIM_INFINITY))
        line = ["generate", "--quiet", "--events", "5000", "-o", self.path("run.lhe"), *self.LINE]
        p = run(*line, preexec_fn=limit)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("complete events", p.stderr)
        self.assertIn("--resume", p.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.lhe.part", "run.lhe.state"])
        found = len(read_lhe(self.path("run.lhe.part"))[2])
        self.assertTrue(100 < found < 5000)
        self.assertIn(f"{found} complete events", p.stderr)
        self.succeeds(*line, "--resume")
        self.generate("whole.lhe", 5000, *self.LINE)
        self.assertEqual(self.bytes("run.lhe"), self.bytes("whole.lhe"))

    def test_compressed(self):
        if not self.kill("run.lhe.gz", self.larger("run.lhe.gz.part", 500000)):
            self.skipTest("it was over before it could be killed")
        self.go_on("run.lhe.gz")
        self.generate("whole.lhe.gz", self.COUNT, *self.LINE)
        self.assertEqual(self.bytes("run.lhe.gz"), self.bytes("whole.lhe.gz"))

    def test_hdf5(self):
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        in_time = sum([self.kill("run.h5", self.larger("run.h5.part", size), "--resume") for size in (100000, 2000000, 9000000)])
        self.go_on("run.h5")
        self.generate("whole.h5", self.COUNT, *self.LINE)
        self.same_hdf5("run.h5", "whole.h5")
        if not in_time:
            self.skipTest("it was over before it could be killed")

    def test_hdf5_in_the_middle(self):
        """The first block of HDF5 says how much of the file is in use, and is written last: a run may be killed just before that."""
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        if not self.kill("run.h5", self.larger("run.h5.part", 3000000)):
            self.skipTest("it was over before it could be killed")
        with open(self.path("run.h5.part"), "r+b") as file:
            head = file.read(48)
            self.assertEqual((head[:8], head[8], head[13]), (b"\x89HDF\r\n\x1a\n", 0, 8))
            file.seek(40)
            file.write(struct.pack("<Q", struct.unpack("<Q", head[40:48])[0] - 1000000))
        p = self.succeeds("generate", "--events", self.COUNT, "-o", self.path("run.h5"), *self.LINE, "--resume")
        self.assertRegex(p.stderr, "going on behind [1-9]")  # nothing is made again
        self.generate("whole.h5", self.COUNT, *self.LINE)
        self.same_hdf5("run.h5", "whole.h5")


class Again(GenerateTest):
    """blockgen event makes what is in the file."""
    LINE = [*(TWO if SANITIZED else THREE), "--seed", "5"]  # there, what is learned takes seconds each time

    def event(self, *arguments):
        return json.loads(self.succeeds("event", "--json", "--quiet", *arguments).stdout)["events"]

    @unittest.skipIf(SANITIZED, "many events")
    def test_many_events(self):
        """What is learned before the first event depends on their number, which the file has."""
        self.generate("run.lhe", 70000, *TWO, "--seed", "5")
        again = self.event(self.path("run.lhe"), "1", "70000")
        self.assertEqual([e["difference"] for e in again], [0, 0])

    @unittest.skipIf(SANITIZED, "many starts")
    def test_many_trials(self):
        """Trial points have numbers beyond 2^31 and 2^32, all of them points of their own."""
        with open(self.path("run.json"), "w") as file:
            json.dump(self.generate("run.lhe", 5, *TWO, "--seed", "5", "--keep-state"), file)
        found = {}
        for first in (0, 2**31, 2**32, 2**33, 10**12):
            for number in range(first, first + 16):  # about half of them are kept
                p = run("event", "--json", "--quiet", self.path("run.json"), f"1:{number}")
                if p.returncode == 0:
                    found[number] = json.loads(p.stdout)["events"][0]
                    break
                self.assertIn(f"trial point {number} ", p.stderr)
            else:
                self.fail(f"no trial point after {first} is kept")
        self.assertEqual([e["number"] for e in found.values()], list(found))
        self.assertEqual(len({json.dumps(e["partons"]) for e in found.values()}), 5)

    def check(self, events, file):
        """Numbers follow from one another as the formulas say, and the partons are those of the file."""
        for e, f in zip(events, file):
            self.assertEqual(e["difference"], 0)
            self.assertEqual(e["class"], f["process"])
            self.assertEqual(e["scale"], f["scale"])
            self.assertEqual(e["alpha_s"], f["alpha"])
            self.assertEqual(e["weight_pb"], f["weight"])
            self.assertEqual([(p["pdg"], -1 if p["incoming"] else 1, (p["color"], p["anticolor"]),
                               p["momentum"][1:] + p["momentum"][:1]) for p in e["partons"]], f["partons"])
            beam = 7000.
            self.assertAlmostEqual(e["x1"] * beam / f["partons"][0][3][3], 1, delta=1e-14)
            self.assertAlmostEqual(e["x2"] * beam / f["partons"][1][3][3], 1, delta=1e-14)
            self.assertGreaterEqual(e["luminosity"] * (1 + 1e-12), e["densities"][0] * e["densities"][1])
            self.assertAlmostEqual(e["me2"] * e["luminosity"] * e["phase_space_pb"] / e["point_weight_pb"], 1, delta=1e-12)
            self.assertGreater(e["point_weight_pb"], e["chance"] * e["largest_pb"])
            self.assertGreater(e["estimate"], 0)

    def test_formats(self):
        self.generate("a.lhe", 40, *self.LINE)
        file = read_lhe(self.path("a.lhe"))[2]
        wanted = [1, 7, 40, 7]
        first = self.event(self.path("a.lhe"), *wanted)
        self.check(first, [file[k - 1] for k in wanted])
        self.assertGreater(len({e["class"] for e in self.event(self.path("a.lhe"), *range(1, 41))}), 1)
        for name in ("a.csv", "a.h5") if SANITIZED else ("a.lhe.gz", "a.csv", "a.npy", "a.h5"):
            p = run("generate", "--quiet", "--events", "40", "-o", self.path(name), *self.LINE, "--keep-state")
            if p.returncode and "built without" in p.stderr:
                continue
            self.assertEqual(p.returncode, 0, p.stderr)
            for e, f in zip(self.event(self.path(name), *wanted), first):
                self.assertEqual({**e, "place": 0}, {**f, "place": 0})
        # what was kept and what is learned again are the same
        os.unlink(self.path("a.csv.state"))
        self.assertEqual(self.event(self.path("a.csv"), 7), first[1:2])

    def test_run(self):
        made = self.generate("a.lhe", 10, *self.LINE, "--keep-state")
        with open(self.path("run.json"), "w") as file:
            json.dump(made, file)
        by_place = self.event(self.path("a.lhe"), 3)[0]
        name = f"{by_place['class']}:{by_place['number']}"
        for path in ("a.lhe", "run.json"):
            found = self.event(self.path(path), name)[0]
            self.assertEqual({**found, "place": 3, "difference": 0}, by_place)
        self.assertEqual(self.event(self.path("run.json"), 3)[0], by_place)
        p = self.succeeds("event", self.path("a.lhe"), 3, name)
        for text in ("x1, x2:", "luminosity:", "|M|^2:", "estimate", "differs by 0", f"trial point {by_place['number']}"):
            self.assertIn(text, p.stdout)

    def test_matrix_element(self):
        """|M|^2 is that of blockgen me, at the event's coupling; helicities where they are given."""
        line = ["--process", "g u > g g u", "--sqrts", "1000", "--backend", "cpu", "--precision", "0.05", "--alpha-s", "0.1"]
        for helicity in ("summed", "++-++"):
            self.generate("a.lhe", 3, *line, "--helicity", helicity, "--force")
            e = self.event(self.path("a.lhe"), 2)[0]
            point = " ".join(repr(x) for p in e["partons"] for x in p["momentum"])
            me = self.succeeds("me", "--process", "g u > g g u", "--alpha-s", "0.1", "--helicity", helicity, "--backend", "cpu", stdin=point)
            self.assertAlmostEqual(float(me.stdout) / e["me2"], 1, delta=1e-12)
            self.assertEqual([p["helicity"] for p in e["partons"]],
                             [None] * 5 if helicity == "summed" else [1 if h == "+" else -1 for h in helicity])
            spins = [row.split()[12] for row in xml.parse(self.path("a.lhe")).getroot().find("event").text.strip().split("\n")[1:]]
            self.assertEqual(spins, ["9"] * 5 if helicity == "summed" else [h.replace("+", "1").replace("-", "-1") for h in helicity])

    def test_sampled_colors(self):
        """Points that share colors are made again together."""
        self.generate("a.lhe", 20, "-n", "4", "--color", "sampled", "--helicity", "sampled", "--backend", "cpu", "--precision", "0.2", "--keep-state")
        for e in self.event(self.path("a.lhe"), 1, 20):
            self.assertEqual(e["difference"], 0)

    def test_variations(self):
        """Columns of variations are no partons."""
        for name in ("a.csv", "a.npy"):
            self.generate(name, 5, *TWO, "--variations", "scale", "--keep-state")
            self.assertEqual(self.event(self.path(name), 5)[0]["difference"], 0)
        self.refused(2, "no event", "event", self.path("a.npy"), 1152921504606846977)  # times the length of a row it is 1

    def test_refused(self):
        self.generate("a.csv", 10, *TWO, "--keep-state")
        path = self.path("a.csv")
        for wanted, *words in (("no event 11", path, 11), ("'x'", path, "x"), ("'0'", path, 0), ("class 99", path, "99:5"),
                               ("'1:'", path, "1:"), ("2^61", path, f"1:{2**62}"), ("no number", path), ("no file", ),
                               ("run.json", self.path("run.json"), 1)):
            status = 1 if "run.json" in wanted else 2
            self.assertEqual(self.refused(status, wanted, "event", *words).stdout.count("partons"), 0)
        with open(path + ".about") as file:
            about = file.read()
        for good, bad in (("events = 10", "events = x"), ("events = 10", "events = 1.5"), ("weighted = no", "weighted = perhaps"),
                          ("overweight = ", "overweight = x"), ("shower-scale = event", "shower-scale = soft")):
            self.assertIn(good, about)
            with open(path + ".about", "w") as file:
                file.write(about.replace(good, bad))
            self.refused(2, ("a.csv", bad.split(" = ")[0]), "event", path, 1)
        os.unlink(path + ".about")
        self.refused(1, "a.csv.about", "event", path, 1)


class Ranks(GenerateTest):
    LINE = [*(TWO if SANITIZED else THREE), "--threads", "1", "--quiet", "--events", "9000"]

    def setUp(self):
        super().setUp()
        if not shutil.which("mpirun") or "MPI             yes" not in run("info").stdout:
            self.skipTest("there is no MPI")

    def mpirun(self, ranks, status, name, *more, line=LINE, **how):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "ASAN_OPTIONS": "detect_leaks=0"}  # what the libraries of MPI do not give back is no concern here
        p = subprocess.run(["mpirun", "--oversubscribe", "-n", str(ranks), PROGRAM, "generate", *line, "--json", "-o", self.path(name), *more],
                           capture_output=True, text=True, timeout=600, env=environment, **how)
        self.assertEqual(p.returncode, status, p.stderr)
        return p

    def test_same_events(self):
        self.generate("0.lhe", 9000, *self.LINE)
        for ranks in (2,) if SANITIZED else (1, 2, 3):
            made = json.loads(self.mpirun(ranks, 0, f"{ranks}.lhe").stdout)
            self.assertEqual((made["ranks"], made["writers"]), (ranks, 1))
            self.assertEqual(self.bytes(f"{ranks}.lhe"), self.bytes("0.lhe"))
        p = self.mpirun(2, 2, "2.lhe")
        self.assertEqual(p.stderr.count("is there already"), 1, p.stderr)
        # one rank goes on with what two have begun
        os.rename(self.path("2.lhe"), self.path("4.lhe.part"))
        with open(self.path("4.lhe.part"), "r+b") as file:
            file.truncate(5000000)
        self.mpirun(3, 0, "4.lhe", "--resume")
        self.assertEqual(self.bytes("4.lhe"), self.bytes("0.lhe"))

    def test_together(self):
        """Ranks write a file in HDF5 together, where that is built in: the same numbers. They stop together where a disk is full, and what
        they have written is gone on with by other ranks, or by one process."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5400000, resource.RLIM_INFINITY))
        if "parallel HDF5   yes" not in run("info").stdout:
            self.skipTest("there is no parallel HDF5")
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        line = [*TWO, "--flavors", "3", "--precision", "0.1", "--threads", "1", "--quiet", "--events", "9000"]
        self.generate("0.h5", 9000, *line)
        for ranks, more in ((1, []), (2, ["--compression", "1"])):
            made = json.loads(self.mpirun(ranks, 0, f"{ranks}.h5", *more, line=line).stdout)
            self.assertEqual((made["ranks"], made["writers"]), (ranks, ranks))
        p = self.mpirun(3, 1, "a.h5", line=line, preexec_fn=limit)
        self.assertEqual(p.stderr.count("8192 complete events"), 1, p.stderr)
        for path in ("a.h5.part", "a.h5.state"):
            shutil.copy(self.path(path), self.path(path.replace("a.h5", "b.h5")))
        self.mpirun(2, 0, "a.h5", "--resume", line=line)
        self.generate("b.h5", 9000, *line, "--resume")
        self.same_hdf5("0.h5", "1.h5", "2.h5", "a.h5", "b.h5")


class Refused(GenerateTest):
    def test_values(self):
        good = {"--events": "10", "-o": self.path("a.lhe"), "--process": "p p > 2j", "--backend": "cpu"}
        for wanted, change in (("a.txt", {"-o": self.path("a.txt")}), ("'0'", {"--events": "0"}), ("1.5", {"--events": "1.5"}),
                               ("-o FILE is missing", {"-o": None}), ("--process", {"--process": None}),
                               ("'soft'", {"--shower-scale": "soft"}), ("'0.7'", {"--overweight": "0.7"}),
                               ("'10'", {"--compression": "10"}), ("NoSuchSet", {"--pdf": "NoSuchSet"}), ("ht/9", {"--scale": "ht/9"}),
                               ("pt_min", {"--pt-min": "9000"}), ("'--time'", {"--time": "3"}),
                               ("'--checkpoint'", {"--checkpoint": "x"})):
            line = [word for name, value in {**good, **change}.items() if value is not None for word in (name, value)]
            p = self.refused(2, wanted, "generate", *line)
            self.assertEqual(p.stdout, "")
            self.assertEqual(os.listdir(self.folder), [])

    def test_format(self):
        """A name without an ending gets that of the format; another ending is a contradiction."""
        found = json.loads(self.succeeds("generate", "--json", "--quiet", *TWO, "--events", "10", "-o", self.path("run"), "--format", "npy").stdout)
        self.assertEqual((found["format"], found["file"]), ("npy", self.path("run.npy")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["run.npy", "run.npy.about"])
        self.refused(2, ("--format is csv", "npy"), "generate", *TWO, "--events", "10", "-o", self.path("run.npy"), "--format", "csv")
        self.refused(2, "'xml'", "generate", *TWO, "--events", "10", "-o", self.path("run"), "--format", "xml")

    def test_formats_that_cannot_be_gone_on_with(self):
        self.refused(2, ("csv", ".lhe.gz and .h5"), "generate", *TWO, "--events", "10", "-o", self.path("a.csv"), "--resume")

    def test_goals(self):
        self.refused(2, "exclude each other", "generate", *TWO, "--points", "1000", "--events", "10", "-o", self.path("a.lhe"))

    def test_folder_that_is_not_there(self):
        """Before anything is computed."""
        p = self.refused(1, "cannot write '/nonexistent/a.lhe.part'", "generate", *TWO, "--events", "10", "-o", "/nonexistent/a.lhe")
        self.assertNotIn("integrating", p.stderr)

    def test_options_without_effect(self):
        line = ["--events", "10", "-o", self.path("a.lhe"), "--backend", "cpu"]
        self.refused(2, ("--overweight", "--weighted"), "generate", *TWO, *line, "--weighted", "--overweight", "0.1")
        self.refused(2, "--alpha-s has no effect", "generate", *TWO, *line, "--alpha-s", "0.2")
        self.refused(2, "--scale has no effect", "generate", "-n", "2", *line, "--scale", "ht")


if __name__ == "__main__":
    main()
