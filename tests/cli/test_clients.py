"""Events of blockgen generate in the hands of others: pylhe, Pythia 8, pyhepmc, h5py, fastjet (tests/events/readers.sh)."""
import json
import math
import os
import re
import shutil
import subprocess
import tempfile

from support import CliTest, main

READERS = os.environ.get("READERS", "")
READ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "events", "read.py")
THREE = ["--process", "p p > 3j", "--flavors", "3", "--quark-lines", "1", "--backend", "cpu", "--precision", "0.01"]


class ClientTest(CliTest):
    def setUp(self):
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def generate(self, name, count, *more):
        path = os.path.join(self.folder, name)
        return path, json.loads(self.succeeds("generate", "--json", "--quiet", "--events", count, "-o", path, *THREE, *more).stdout)

    def read(self, reader, *paths):
        p = subprocess.run([os.path.join(READERS, "bin", "python"), "-B", READ, reader, *paths], capture_output=True, text=True, timeout=900)
        self.assertEqual(p.returncode, 0, p.stderr)
        found = json.loads(p.stdout)
        if "missing" in found:
            self.skipTest(f"{found['missing']} is not installed")
        return found


class Showers(ClientTest):
    def test_thousand_events(self):
        """None fails, and sigma is ours: that in the file with all weights one, the mean of the weights otherwise."""
        for count, more, strategy in ((1000, ["--overweight", "0"], 3), (100, [], -4)):
            path, made = self.generate(f"{count}.lhe.gz", count, *more)
            found = self.read("pythia", path)
            self.assertEqual((found["accepted"], found["failed"], found["strategy"]), (count, 0, strategy))
            spread = 0.005 if strategy == -4 else 1e-9
            self.assertAlmostEqual(found["sigma_pb"] / made["sigma_pb"], 1, delta=spread)
            if strategy == 3:
                self.assertAlmostEqual(found["error_pb"] / made["error_pb"], 1, delta=1e-9)
            self.assertGreater(found["final"], 100 * count)


class Documented(ClientTest):
    """What docs/events.md says about showers and merging."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(os.path.dirname(READ), "..", "..", "docs", "events.md")) as file:
            self.page = file.read()

    def test_ten_lines(self):
        script = re.search(r"python3 - <<END\n(.*?)    END\n", self.page, re.S).group(1).replace("\n    ", "\n")[4:]
        self.generate("run.lhe.gz", 10)
        p = subprocess.run([os.path.join(READERS, "bin", "python"), "-"], input=script, capture_output=True, text=True, cwd=self.folder,
                           timeout=600)
        self.assertEqual(p.returncode, 0, p.stderr)
        events = [line.split() for line in p.stdout.split("\n") if re.fullmatch(r"\d+ [-+.e\d]+", line)]
        self.assertEqual(len(events), 10, p.stdout)
        for final, weight in events:
            self.assertGreater(int(final), 20)
            self.assertGreater(float(weight), 0)

    def test_merging(self):
        settings = re.findall(r"^    (Merging:\w+ = \S+)$", self.page, re.M)
        self.assertEqual(len(settings), 6)
        options = re.search(r"blockgen generate --process \"p p > \$\{n\}j\" (.*?)\\\n\s+--events \S+ (.*?) -o", self.page).groups()
        quick = ["--flavors", "3", "--quark-lines", "1", "--precision", "0.05", "--backend", "cpu"]
        for n in (2, 3):
            path = os.path.join(self.folder, f"{n}.lhe")
            self.succeeds("generate", "--quiet", "--process", f"p p > {n}j", "--events", 200, "-o", path, *quick,
                          *" ".join(options).split())
            found = self.read("merging", path, *settings, "HadronLevel:all = off", "PartonLevel:MPI = off")
            self.assertTrue(found["started"])
            self.assertEqual(found["strategy"], 3)
            self.assertEqual(found["failed"], 0)
            self.assertGreaterEqual(found["accepted"], 196)  # the cut of Pythia's own is the same but for rounding
            self.assertGreater(found["sigma_pb"], 0)


class Readers(ClientTest):
    def test_pylhe(self):
        for name in ("a.lhe", "a.h5"):
            path, made = self.generate(name, 500)
            found = self.read("pylhe", path)
            self.assertEqual(found["events"], 500)
            self.assertLess(found["momentum"], 1e-9)
            self.assertLess(found["mass"], 1e-12)
            self.assertTrue(found["colors"])
            self.assertEqual(found["spins"], [9])  # helicities were summed over
            self.assertAlmostEqual(sum(found["sigma"]) / made["sigma_pb"], 1, delta=1e-12)
            self.assertAlmostEqual(math.hypot(*found["error"]) / made["error_pb"], 1, delta=0.5)
            self.assertAlmostEqual(found["mean"] / made["sigma_pb"], 1, delta=0.01)

    def test_helicities(self):
        """They are there where they were drawn with the point, and every quark line conserves them."""
        for name in ("a.lhe", "a.h5"):
            path, _ = self.generate(name, 200, "--precision", "0.05", "--helicity", "sampled", "--helicity-sampling", "adaptive")
            found = self.read("pylhe", path)
            self.assertEqual((found["spins"], found["conserved"]), ([-1, 1], True))

    def test_hepmc(self):
        path, made = self.generate("a.lhe", 300)
        found = self.read("hepmc", path)
        self.assertEqual((found["events"], found["partons"]), (300, [[2, 3]]))
        self.assertLess(found["momentum"], 1e-9)
        self.assertAlmostEqual(found["mean"] / made["sigma_pb"], 1, delta=0.01)

    def test_jets(self):
        """Partons are further apart than the radius, so each is a jet."""
        found = self.read("jets", self.generate("a.lhe", 300)[0])
        self.assertEqual(found["jets"], [3] * 300)
        self.assertGreater(found["softest"], 20 * (1 - 1e-9))

    def test_hdf5(self):
        """sigma is the mean of NOMINAL, and the sum of NOMINAL over that of trials: with and without Pythia's normalization."""
        for more in ([], ["--overweight", "0"], ["--weighted"]):
            path, made = self.generate("a.h5", 2000, *more, "--force")
            found = self.read("h5py", path)
            nominal = found["nominal"]
            mean = sum(nominal) / len(nominal)
            spread = math.sqrt(sum((w - mean)**2 for w in nominal)) / len(nominal)
            self.assertEqual(set(found["trials"]), {1.})
            self.assertLess(abs(mean - made["sigma_pb"]), 5 * spread + 0.002 * made["sigma_pb"])
            if "0" in more:
                for w in nominal:
                    self.assertAlmostEqual(w / made["sigma_pb"], 1, delta=1e-12)
            self.assertAlmostEqual(sum(row[3] for row in found["processes"]) / made["sigma_pb"], 1, delta=1e-12)
            self.assertAlmostEqual(sum(row[5] for row in found["processes"]) / made["sigma_pb"], 1, delta=1e-12)
            self.assertEqual({tuple(row[1:3]) for row in found["processes"]}, {(5, -1)})
            self.assertEqual(found["tried"], made["trials"])


class Distributions(ClientTest):
    def test_weighted_and_unweighted(self):
        """The same cross section everywhere, from independent samples of 2e5 events; and that of integrate."""
        paths = [self.generate(name, 200000, "--seed", seed, *more)[0] for name, seed, *more in (("u.npy", 1), ("w.npy", 2, "--weighted"))]
        found = self.read("compare", *paths)
        self.assertEqual(found["events"], [200000, 200000])
        for name, chi2 in found["chi2"].items():
            self.assertLess(chi2, found["bins"] + 5 * math.sqrt(2 * found["bins"]), name)
        whole = json.loads(self.succeeds("integrate", "--json", "--quiet", *THREE, "--seed", "3").stdout)
        for mean, error in zip(found["mean"], found["error"]):  # normalized with an integration of 1 %
            self.assertLess(abs(mean - whole["sigma_pb"]), 5 * math.hypot(error, whole["error_pb"], 0.01 * whole["sigma_pb"] / 2))


if __name__ == "__main__":
    main()
