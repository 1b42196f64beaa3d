"""What to cite for a run."""
import re

from support import *

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ALWAYS = ["blockgen", "Bothmann:2021nch", "Berends:1987me"]
CROSS_SECTION = ALWAYS + ["DelDuca:1999rs", "Salmon:2011", "Lepage:1977sw"]


class Cite(CliTest):
    def keys(self, *words):
        document = json.loads(self.succeeds("cite", "--json", *words).stdout)
        return [r["key"] for r in document["references"]]

    def test_nothing_given(self):
        self.assertEqual(self.keys(), ALWAYS)

    def test_options(self):
        self.assertEqual(self.keys("-n", 3, "--color", "summed"), CROSS_SECTION)
        self.assertEqual(self.keys("-n", 3, "--color", "summed", "--phase-space", "rambo"), CROSS_SECTION[:-1] + ["Kleiss:1985gy"])
        self.assertEqual(self.keys("-n", 3, "--algorithm", "cd-mc"), ALWAYS + ["Duhr:2006iq", "Salmon:2011", "Lepage:1977sw"])
        self.assertEqual(self.keys("--process", "u g > u g"), ALWAYS + ["Salmon:2011", "Lepage:1977sw"])
        self.assertEqual(self.keys("--process", "p p > 2j", "-o", "x.lhe.gz"),
                         CROSS_SECTION + ["Giele:2002hx", "Alwall:2006yp", "LHEF:3"])
        self.assertEqual(self.keys("--process", "p p > 2j", "--pdf", "SET:3", "-o", "x.h5")[-3:],
                         ["Buckley:2014ana", "Hoeche:2019rti", "Bothmann:2023ozs"])

    def test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            def keep(name, *words):
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(self.succeeds(*words, "--json", "--quiet").stdout)
                return path
            points = keep("me.json", "me", data("gg_2g.points"))
            self.assertEqual(self.keys(points), ALWAYS + ["DelDuca:1999rs"])
            sigma = keep("sigma.json", "integrate", "--process", "p p > 2j", "--precision", "0.1")
            self.assertEqual(self.keys(sigma), CROSS_SECTION + ["Giele:2002hx"])
            events = keep("events.json", "generate", "-n", 2, "--events", 10, "--precision", "0.1", "-o", os.path.join(folder, "x.lhe"))
            self.assertEqual(self.keys(events), CROSS_SECTION + ["Alwall:2006yp", "LHEF:3"])
            other = os.path.join(folder, "other.json")
            with open(other, "w") as file:
                file.write('{"version": 1}\n')
            self.refused(2, "other.json is not what me, integrate or generate write", "cite", other)
            self.refused(2, "not both", "cite", sigma, "-n", 3)

    def test_the_set_says_what_to_cite_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "SomeSet"))
            with open(os.path.join(folder, "SomeSet", "SomeSet.info"), "w") as file:
                file.write('SetDesc: "a set"\nReference: "arXiv:0000.00000"\n')
            words = ("cite", "--process", "p p > 2j", "--pdf", "SomeSet:1")
            environment = {**os.environ, "LHAPDF_DATA_PATH": "/nowhere:" + folder}
            for more in ((), ("--bibtex",)):
                self.assertIn("arXiv:0000.00000", self.succeeds(*words, *more, env=environment).stdout)
            self.assertIn("arXiv:0000.00000", self.succeeds(*words[:-1], os.path.join(folder, "SomeSet")).stdout)

    def test_text_and_bibtex(self):
        text = self.succeeds("cite", "-n", 3).stdout
        self.assertIn('Stefan Höche, Joshua Isaacson, Max Knobbe, "Many-gluon', text)
        self.assertIn("Nucl. Phys. B 306 (1988) 759", text)
        entries = self.succeeds("cite", "--process", "p p > 2j", "--pdf", "SET", "-o", "x.h5", "--bibtex").stdout
        self.assertEqual(entries.count("{"), entries.count("}"))
        found = re.findall(r"^@(\w+)\{([\w:]+),\n((?:    \w+ = \{.*\},?\n)+)\}$", entries, re.M)
        self.assertEqual([key for _, key, _ in found], CROSS_SECTION + ["Buckley:2014ana", "Hoeche:2019rti", "Bothmann:2023ozs"])
        for _, key, fields in found:
            self.assertRegex(fields, r"    year = \{(19|20)\d\d\}", key)

    def test_it_says_what_the_citation_file_says(self):
        with open(os.path.join(ROOT, "CITATION.cff"), encoding="utf-8") as file:
            citation = file.read()
        text = self.succeeds("cite").stdout
        for title in re.findall(r'title: "(.*)"', citation):
            self.assertIn(f'"{title}"', text)
        for name in re.findall(r"family-names: (\w+)", citation):
            self.assertIn(name, text)
        self.assertIn(re.search(r"arXiv:[\d.]+", citation)[0], text)
        self.assertIn(f"version {re.search(r'^version: (.*)$', citation, re.M)[1]} ({re.search(r'date-released: .(....)', citation)[1]})", text)

    def test_refused(self):
        self.refused(2, "exclude each other", "cite", "--json", "--bibtex")
        self.refused(2, "--process or -n is missing", "cite", "--pdf", "SET")
        self.refused(2, "no protons come in", "cite", "-n", 3, "--pdf", "SET")
        self.refused(2, "it must end in", "cite", "-n", 3, "-o", "x.root")
        self.refused(2, "cannot read", "cite", "/nowhere/x.json")
        self.refused(2, "'e'", "cite", "--process", "e e > e e")


if __name__ == "__main__":
    main()
