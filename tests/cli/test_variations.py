"""--variations of integrate and generate: the JSON of the manual, bands in tables, named weights in every format, bad input."""
import csv
import json
import os
import re
import shutil
import tempfile

from support import CliTest, main, run

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT_IN = os.path.join(HERE, "..", "..", "data", "pdf", "BlockGen-toy-lo", "BlockGen-toy-lo")
TWO = ["--process", "p p > 2j", "--flavors", "3", "--quark-lines", "1", "--backend", "cpu", "--precision", "0.03"]
SCALES = ["MUR2_MUF2", "MUR0.5_MUF0.5", "MUR2_MUF1", "MUR1_MUF2", "MUR0.5_MUF1", "MUR1_MUF0.5"]


class VariationsTest(CliTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_set(self, members=3):
        """Replicas: member k has all densities of the built-in set times 1 + k/10, but member 0, which has them as they are."""
        os.mkdir(self.path("made"))
        with open(BUILT_IN + ".info") as file:
            info = file.read().replace("NumMembers: 1", f"NumMembers: {members}").replace("ErrorType: none", "ErrorType: replicas")
        with open(self.path("made/made.info"), "w") as file:
            file.write(info)
        with open(BUILT_IN + "_0000.dat") as file:
            head, *grids = file.read().split("---\n")
        for k in range(members):
            text = [head]
            for grid in grids:
                lines = grid.splitlines()
                rows = [" ".join("%.8e" % (float(x) * (1 + 0.1 * k)) for x in line.split()) for line in lines[3:]]
                text.append("".join(line + "\n" for line in lines[:3] + rows))
            with open(self.path(f"made/made_{k:04d}.dat"), "w") as file:
                file.write("---\n".join(text))
        return self.path("made")

    def integrate(self, *arguments):
        return json.loads(self.succeeds("integrate", "--json", "--quiet", *TWO, *arguments).stdout)

    def generate(self, name, count, *arguments):
        line = ["generate", "--json", "--quiet", "--events", count, "-o", self.path(name), *TWO, *arguments]
        return json.loads(self.succeeds(*line).stdout)


class Integrate(VariationsTest):
    def test_contract(self):
        found = self.integrate("--pdf", self.make_set(), "--variations", "scale,pdf")
        scale, pdf = found["variations"]["scale"], found["variations"]["pdf"]
        self.assertLess(scale["down_pb"], found["sigma_pb"])
        self.assertGreater(scale["up_pb"], found["sigma_pb"])
        self.assertEqual(len(scale["sigmas"]), 7)
        self.assertEqual(max(s["sigma_pb"] for s in scale["sigmas"]), scale["up_pb"])
        self.assertLess(scale["relative_error"], 1e-3)
        # two replicas of 1.21 and 1.44 sigma, but for the digits of their files
        self.assertAlmostEqual(pdf["error_pb"] / found["sigma_pb"], 0.23 / 2**0.5, delta=1e-6)
        self.assertEqual((pdf["members"], pdf["error_type"]), (3, "replicas"))
        without = self.integrate("--pdf", self.path("made"))
        self.assertNotIn("variations", without)
        self.assertEqual(without["sigma_pb"], found["sigma_pb"])

    def test_one_of_them(self):
        found = self.integrate("--variations", "scale")
        self.assertIn("scale", found["variations"])
        self.assertNotIn("pdf", found["variations"])
        again = self.integrate("--variations", "scale", "--threads", "2")
        self.assertEqual(again["variations"]["scale"], found["variations"]["scale"])
        text = self.succeeds("integrate", "--quiet", *TWO, "--variations", "scale").stdout
        self.assertRegex(text, r"scales: +[0-9.e+]+ to [0-9.e+]+ pb")

    def test_a_time(self):
        """The time is that of the integration: the points of the variations come on top."""
        p = run("integrate", "--json", "--quiet", *TWO[:-2], "--time", "1", "--variations", "scale")
        if p.returncode:  # a machine that is too busy for any result in that time
            self.assertIn("before the first points", p.stderr)
            return
        found = json.loads(p.stdout)
        self.assertGreater(found["variations"]["scale"]["up_pb"], found["sigma_pb"])

    def test_bands(self):
        self.integrate("--variations", "scale", "--histograms", self.path("out"))
        with open(self.path("out/pt_1.csv")) as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(l for l in file if l[0] != "#")]
        filled = [row for row in rows if row["dsigma_dx"] > 0]
        self.assertGreater(len(filled), 10)  # the range is that of jets of protons
        for row in filled:
            self.assertLess(row["scale_down"], row["dsigma_dx"])
            self.assertGreater(row["scale_up"], row["dsigma_dx"])
        with open(self.path("out/weight.csv")) as file:
            self.assertNotIn("scale_up", file.read())
        with open(self.path("out/histograms.yoda")) as file:
            self.assertIn("/BLOCKGEN/pt_1[scale_up]", file.read())
        with open(self.path("out/plots.gp")) as file:
            self.assertIn("boxxyerror", file.read())
        with open(self.path("out/index.html"), encoding="utf-8") as file:
            page = file.read()
        for text in ("every jet is one parton", "BlockGen-toy-lo", "with other scales", "Shaded bands"):
            self.assertIn(text, page)
        self.assertNotIn("Partonic", page)


class Generate(VariationsTest):
    def test_csv(self):
        found = self.generate("a.csv", 200, "--pdf", self.make_set(), "--variations", "scale,pdf")
        self.assertEqual(found["variations"], 8)
        with open(self.path("a.csv")) as file:
            rows = list(csv.DictReader(line for line in file if line[0] != "#"))
        self.assertEqual([name for name in rows[0] if name.startswith("MUR")], [*SCALES, "MUR1_MUF1_PDF:1", "MUR1_MUF1_PDF:2"])
        for row in rows:
            for k, name in ((1, "MUR1_MUF1_PDF:1"), (2, "MUR1_MUF1_PDF:2")):
                self.assertAlmostEqual(float(row[name]) / float(row["weight"]), (1 + 0.1 * k)**2, delta=1e-5)
            self.assertLess(float(row["MUR2_MUF1"]), float(row["weight"]))

    def test_lhe(self):
        self.generate("a.lhe", 5, "--pdf", self.make_set(), "--variations", "pdf,scale")
        with open(self.path("a.lhe")) as file:
            text = file.read()
        self.assertIn("<weightgroup name='scale_variation' combine='envelope'>", text)
        self.assertIn("<weightgroup name='PDF_variation' combine='replicas'>", text)
        self.assertEqual(re.findall("<weight id='([^']*)'", text), [*SCALES, "MUR1_MUF1_PDF:1", "MUR1_MUF1_PDF:2"])
        self.assertEqual(text.count("<wgt id='MUR2_MUF2'>"), 5)


class Refused(VariationsTest):
    def test_values(self):
        for wanted, line in (("'scales'", ["--variations", "scales"]), ("'scale,'", ["--variations", "scale,"]),
                             ("1 member", ["--variations", "pdf"]), ("BlockGen-toy-lo", ["--variations", "scale,pdf"])):
            for command in (["integrate"], ["generate", "-o", self.path("a.lhe")]):
                p = self.refused(2, wanted, *command, *TWO, *line)
                self.assertEqual(p.stdout, "")

    def test_partons(self):
        for process in ("g g > 3g", "g g > 2j"):
            self.refused(2, "two protons", "integrate", "--process", process, "--backend", "cpu", "--variations", "scale")


if __name__ == "__main__":
    main()
