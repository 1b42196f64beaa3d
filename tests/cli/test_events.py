"""Files of events as readers see them that are not ours: pylhe, Pythia 8, h5py and numpy (tests/events)."""
import json
import os
import shutil
import subprocess
import tempfile

from support import CliTest, main

WRITE = os.environ.get("WRITE_EVENTS", "")
READERS = os.environ.get("READERS", "")
READ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "events", "read.py")


def read(reader, path):
    p = subprocess.run([os.path.join(READERS, "bin", "python"), "-B", READ, reader, path], capture_output=True, text=True, timeout=600)
    if p.returncode:
        raise AssertionError(p.stderr)
    return json.loads(p.stdout)


class ReaderTest(CliTest):
    def setUp(self):
        if not os.path.exists(os.path.join(READERS, "ready")):
            self.skipTest("the readers of event files are not installed")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, process, count, strategy, name, *options):
        """The path of a file, and the cross section in it."""
        path = os.path.join(self.folder, name)
        p = subprocess.run([WRITE, process, str(count), str(strategy), *options, path], capture_output=True, text=True, check=True)
        if "left out" in p.stdout:
            self.skipTest(p.stdout.strip())
        return path, float(p.stdout)


class Readers(ReaderTest):
    def check(self, name, process, strategy, ids):
        path, sigma = self.write(process, 50, strategy, name)
        found = read("pylhe", path)
        self.assertEqual(found["events"], 50)
        self.assertLess(found["momentum"], 1e-12)
        self.assertLess(found["mass"], 1e-14)
        self.assertTrue(found["colors"])
        self.assertEqual(found["strategy"], strategy)
        self.assertEqual(found["beams"], [2212, 6800])
        self.assertEqual(found["pdf"], 316200)
        self.assertEqual(found["sigma"], [sigma])
        self.assertEqual(found["error"], [0.5])
        self.assertEqual(found["ids"], ids)
        self.assertEqual(found["statuses"], [-1, -1] + [1] * (len(ids) - 2))
        self.assertGreater(found["scale"], 0)
        self.assertEqual(list(found["weights"]), ["muR=2", "muF=0.5 muR=1"])
        self.assertAlmostEqual(found["weights"]["muR=2"], 1.5 * found["weight"], delta=1e-12 * found["weight"])
        return found, sigma

    def test_text(self):
        found, _ = self.check("a.lhe", "u g > u g g", 3, [2, 21, 2, 21, 21])
        self.assertEqual(found["mean"], 1)

    def test_compressed(self):
        found, sigma = self.check("a.lhe.gz", "g g > 4g", -4, [21] * 6)
        self.assertAlmostEqual(found["mean"] / sigma, 1, delta=1e-12)

    def test_hdf5(self):
        for process, strategy, ids in (("u u~ > d d~ g", 3, [2, -2, 1, -1, 21]), ("u u > u u", -4, [2] * 4)):
            found, sigma = self.check(f"a{strategy}.h5", process, strategy, ids)
            self.assertAlmostEqual(found["mean"] / sigma, 1, delta=1e-12)

    def test_hdf5_layout(self):
        path, sigma = self.write("u g > u g g", 50, 3, "a.hdf5")
        found = read("h5py", path)
        self.assertEqual(found["shapes"], {"version": [3], "init": [10], "procInfo": [1, 6], "events": [50, 12],
                                           "particles": [250, 13], "blockgen_numbers": [50]})
        for name in ("init", "procInfo", "events", "particles"):
            self.assertEqual(found["types"][name], "float64")
        self.assertEqual(found["version"], [2, 0, 1])
        self.assertEqual(found["attributes"]["events"], ["events"])  # readers take the first one
        self.assertEqual(found["fixed"], None)  # strings of variable length
        self.assertEqual(found["columns"], ["pid", "nparticles", "start", "trials", "scale", "fscale", "rscale", "aqed", "aqcd",
                                            "NOMINAL", "muR=2", "muF=0.5 muR=1"])
        self.assertEqual(found["starts"], [5 * k for k in range(50)])
        self.assertEqual(found["nominal"], [sigma] * 50)
        self.assertEqual(found["trials"], [1] * 50)
        self.assertEqual(found["tried"], 250)
        self.assertEqual(found["processes"], [[1, 5, -1, sigma, 0.5, sigma]])
        self.assertEqual(found["numbers"], [1000 + 3 * k for k in range(50)])

    def test_hdf5_in_halves(self):
        for strategy in (3, -4):
            whole, _ = self.write("u g > u g g", 2501, strategy, f"whole{strategy}.h5")
            halves, _ = self.write("u g > u g g", 2501, strategy, f"halves{strategy}.h5", "--halves")
            first, second = read("h5py", whole), read("h5py", halves)
            for a, b in zip(first.pop("nominal"), second.pop("nominal")):  # multiplied in the end
                self.assertAlmostEqual(a / b, 1, delta=1e-14)
            self.assertEqual(first, second)

    def test_text_in_halves(self):
        whole, _ = self.write("u g > u g g", 2501, 3, "whole.lhe")
        halves, _ = self.write("u g > u g g", 2501, 3, "halves.lhe", "--halves")
        with open(whole, "rb") as first, open(halves, "rb") as second:
            self.assertEqual(first.read(), second.read())

    def test_arrays(self):
        for name in ("a.npy", "a.csv"):
            path, _ = self.write("u g > u g g", 50, 3, name)
            found = read("numpy", path)
            self.assertEqual(found["events"], 50)
            self.assertEqual(found["numbers"], [1000 + 3 * k for k in range(50)])
            self.assertLess(found["balance"], 1e-9)
        self.assertIn("pz_5", found["columns"])


class Showers(ReaderTest):
    def check(self, name, process, strategy):
        path, sigma = self.write(process, 8, strategy, name)
        found = read("pythia", path)
        self.assertTrue(found["started"])
        self.assertEqual(found["accepted"], 8)
        self.assertEqual(found["failed"], 0)
        self.assertGreater(found["final"], 8 * 100)
        self.assertEqual(found["strategy"], strategy)
        self.assertAlmostEqual(found["sigma_pb"] / sigma, 1, delta=1e-9)
        self.assertEqual(found["names"][1:], ["muR=2", "muF=0.5 muR=1"])
        return found, sigma

    def test_unweighted(self):
        found, _ = self.check("a.lhe", "u g > u g g", 3)
        self.assertAlmostEqual(found["error_pb"], 0.5, delta=1e-9)
        self.assertEqual(found["weights"], 8)

    def test_weighted(self):
        found, sigma = self.check("a.lhe.gz", "u u~ > u u~ g g", -4)
        self.assertAlmostEqual(found["weights"] / sigma / 8, 1, delta=1e-9)

    def test_gluons(self):
        self.check("a.lhe.gz", "g g > 4g", -4)


if __name__ == "__main__":
    main()
