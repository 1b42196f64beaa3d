"""blockgen me: values, input, output, refusals."""
import fcntl
import math
import pty
import select
import termios

import struct

from support import *

EXACT = {  # every exact way to the full color sum
    "default": [],
    "fast": ["--kernel", "fast"],
    "paper quartic": ["--kernel", "paper", "--vertex", "quartic"],
    "paper tensor": ["--kernel", "paper", "--vertex", "tensor"],
    "co-sum": ["--algorithm", "co-sum"],
}
LEADING = {  # every exact way to leading color
    "leading": ["--color", "leading"],
    "lc": ["--algorithm", "lc"],
    "lc paper": ["--algorithm", "lc", "--kernel", "paper"],
    "lc paper tensor": ["--algorithm", "lc", "--kernel", "paper", "--vertex", "tensor"],
    "tess": ["--algorithm", "tess", "--helicity", "summed"],
    "tess paper": ["--algorithm", "tess", "--helicity", "summed", "--kernel", "paper"],
}
SAMPLED = {
    "co-mc": ["--algorithm", "co-mc"],
    "cd-mc": ["--algorithm", "cd-mc"],
    "cd-mc paper": ["--algorithm", "cd-mc", "--kernel", "paper"],
    "cd-mc continuous": ["--algorithm", "cd-mc", "--color-sampling", "continuous"],
    "cd-mc discrete": ["--algorithm", "cd-mc", "--color-sampling", "discrete"],
    "cd-mc, one a group": ["--algorithm", "cd-mc", "--color-group", "1"],
    "helicities": ["--helicity", "sampled"],
    "tess": ["--algorithm", "tess"],
    "one ordering": ["--algorithm", "lc", "--orderings", "one"],
}
# sqrt(s) = 1000 GeV, from AmpliCol: (full color, leading color), outgoing momenta
AMPLICOL = {
    4: (1.8874337394242578e-4, 1.8843411042454043e-4,
        "290.31075577423763 -213.36929162671257 88.965338665326172 175.61050317417747 "
        "362.25784622409594 153.75280273294220 -190.28771533698082 -267.17299301111615 "
        "186.58961514320910 -82.776424293003245 62.116350397414720 155.25883895566528 "
        "160.84178285845732 142.39291318677365 39.206026274239925 -63.696349118726602"),
    5: (2.168639004087548e-6, 2.163934871326543e-6,
        "155.06051690160680 -68.453342647259362 16.586283564551419 138.14050448628990 "
        "288.18207892682562 178.22969018159100 -184.80444327339475 -130.88317653072090 "
        "116.77873912402301 -6.8497605558471957 8.5028776565679447 116.26717405734786 "
        "133.29753963260461 131.17670833861058 -10.069649361602231 -21.436124259932605 "
        "306.68112541493991 -234.10329531709502 169.78493141387759 -102.08837775298424"),
}
TEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "points", "gg_10g.points")
BEAMS = "500 0 0 500 500 0 0 -500 "
HIGHEST = 4 if SANITIZED else 5


def numbers(process):
    return [float(line) for line in process.stdout.splitlines()]


class Values(CliTest):
    def test_full_color(self):
        for name, options in EXACT.items():
            for n in range(2, HIGHEST + 1):
                with self.subTest(name, n_out=n):
                    p = self.succeeds("me", "--quiet", *options, data(f"gg_{n}g.points"))
                    self.close(numbers(p), values(f"gg_{n}g.values"), 1e-11)
                    self.assertEqual(p.stderr, "")

    def test_trace_decomposition(self):
        for n in (2, 3, 4):
            p = self.succeeds("me", "--decomposition", "trace", data(f"gg_{n}g.points"))
            self.close(numbers(p), values(f"gg_{n}g.values"), 1e-11)
        self.refused(2, ["trace", "2 to 4", ":2:"], "me", "--decomposition", "trace", data("gg_5g.points"))

    def test_leading_color(self):
        for name, options in LEADING.items():
            with self.subTest(name):
                for n in (2, 3):  # equal to full color
                    p = self.succeeds("me", *options, data(f"gg_{n}g.points"))
                    self.close(numbers(p), values(f"gg_{n}g.values"), 1e-11)
                for n in range(4, HIGHEST + 1):
                    p = self.succeeds("me", *options, stdin=BEAMS + AMPLICOL[n][2])
                    self.close(numbers(p), [AMPLICOL[n][1]], 1e-11)

    def test_second_program(self):
        for n in (4, 5):
            p = self.succeeds("me", stdin=BEAMS + AMPLICOL[n][2])
            self.close(numbers(p), [AMPLICOL[n][0]], 1e-11)

    def test_single_helicities(self):
        """Three that count and three that vanish; all of them are in tests/unit/test_reference.c."""
        for n in (2, 3):
            point, largest = lines(f"gg_{n}g.points")[0], values(f"gg_{n}g.values")[0]
            table = [(helicities, float(text)) for helicities, text in rows(f"gg_{n}g.helicities")]
            for helicities, expected in [r for r in table if r[1]][:3] + [r for r in table if not r[1]][:3]:
                got = numbers(self.succeeds("me", "--helicity", helicities, stdin=point))[0]
                self.assertLess(abs(got - expected), 1e-11 * expected if expected else 1e-20 * largest)

    def test_alpha_s_scales(self):
        a = numbers(self.succeeds("me", data("gg_3g.points")))
        b = numbers(self.succeeds("me", "--alpha-s", "0.236", data("gg_3g.points")))
        self.close(b, [8 * x for x in a], 1e-14)

    def test_sampled_means(self):
        for name, options in SAMPLED.items():
            with self.subTest(name):
                p = self.succeeds("me", "--json", "--samples", 4000, *options, stdin=lines("gg_3g.points")[0])
                point = json.loads(p.stdout)["points"][0]
                exact = values("gg_3g.values")[0]
                self.assertGreater(point["error"], 0)
                self.assertLess(abs(point["me2"] - exact), 5 * point["error"])
                self.assertLess(point["error"], 0.3 * exact)

    def test_helicity_sampling_choices(self):
        exact = values("gg_2g.values")[0]
        for choice in ("angle", "phase", "linear", "circular"):
            p = self.succeeds("me", "--json", "--helicity", "sampled", "--helicity-sampling", choice, "--samples", 4000,
                              stdin=lines("gg_2g.points")[0])
            point = json.loads(p.stdout)["points"][0]
            self.assertLess(abs(point["me2"] - exact), 5 * point["error"], choice)


class Reproducibility(CliTest):
    def test_threads(self):
        for options in (*EXACT.values(), *LEADING.values(), *SAMPLED.values()):
            one = self.succeeds("me", "--threads", 1, *options, data("gg_4g.points")).stdout
            for threads in (2, 3):
                self.assertEqual(one, self.succeeds("me", "--threads", threads, *options, data("gg_4g.points")).stdout)

    def test_seed(self):
        for name, options in SAMPLED.items():
            with self.subTest(name):
                a = self.succeeds("me", *options, data("gg_3g.points")).stdout
                self.assertEqual(a, self.succeeds("me", *options, "--seed", 1, data("gg_3g.points")).stdout)
                self.assertNotEqual(a, self.succeeds("me", *options, "--seed", 2, data("gg_3g.points")).stdout)

    def test_batching(self):
        """The draws of a point depend on its place alone, also with other multiplicities and bad lines between."""
        three, four = lines("gg_3g.points"), lines("gg_4g.points")
        for options in (SAMPLED["co-mc"], SAMPLED["cd-mc"], SAMPLED["tess"]):
            whole = self.succeeds("me", *options, stdin="\n".join(three[:6])).stdout.splitlines()
            mixed = [three[0], four[1], three[2], "spoiled", three[4], four[5]]
            p = run("me", "--keep-going", *options, stdin="\n".join(mixed))
            self.assertEqual(p.returncode, 2)
            got = p.stdout.splitlines()
            self.assertEqual([got[0], got[2], got[4]], [whole[0], whole[2], whole[4]])
            self.assertEqual(got[3], "nan")
            many = self.succeeds("me", *options, stdin="\n".join(three[:6] * 100)).stdout.splitlines()
            self.assertEqual(many[:6], whole)
            self.assertNotEqual(many[6:12], whole)

    def test_many_points(self):
        """More than a batch: order kept, every point the same however it was batched."""
        count = 2500 if SANITIZED else 60000
        point = lines("gg_2g.points")
        p = self.succeeds("me", stdin="".join(point[k % 7] + "\n" for k in range(count)))
        got = p.stdout.splitlines()
        self.assertEqual(len(got), count)
        self.assertTrue(all(got[k] == got[k % 7] for k in range(count)))


class Input(CliTest):
    def test_comments_blank_lines_and_endings(self):
        plain = self.succeeds("me", stdin=GOOD).stdout
        for text in ("# a comment\n\n   \n" + GOOD + "\n", GOOD + " # trailing\n", GOOD + "#close\n", GOOD + "\r\n\r\n",
                     "\t" + GOOD.replace(" ", "\t"), GOOD.replace(" ", "   "), GOOD.replace("500", "5e2"),
                     GOOD.replace(" 500", " +500.000")):
            self.assertEqual(self.succeeds("me", stdin=text).stdout, plain)

    def test_standard_input_and_file_are_the_same(self):
        with open(data("gg_3g.points")) as file:
            text = file.read()
        a = self.succeeds("me", data("gg_3g.points")).stdout
        self.assertEqual(a, self.succeeds("me", stdin=text).stdout)
        self.assertEqual(a, self.succeeds("me", "-", stdin=text).stdout)

    def test_no_points(self):
        for text in ("", "\n", "# nothing\n"):
            self.assertEqual(self.succeeds("me", stdin=text).stdout, "")
            self.assertEqual(json.loads(self.succeeds("me", "--json", stdin=text).stdout)["points"], [])

    def test_multiplicities_may_change(self):
        mixed = [line for n in (2, 3, 4, 3, 2) for line in lines(f"gg_{n}g.points")[:2]]
        expected = [x for n in (2, 3, 4, 3, 2) for x in values(f"gg_{n}g.values")[:2]]
        self.close(numbers(self.succeeds("me", stdin="\n".join(mixed))), expected, 1e-11)

    def test_long_line(self):
        self.assertEqual(self.succeeds("me", stdin=GOOD.replace(" ", " " * 50000)).stdout,
                         self.succeeds("me", stdin=GOOD).stdout)
        self.assertEqual(self.succeeds("me", stdin=GOOD + " #" + "x" * 1000000).stdout,
                         self.succeeds("me", stdin=GOOD).stdout)

    def test_lines_that_are_too_long(self):
        value = self.succeeds("me", stdin=GOOD).stdout.strip()
        long = GOOD + " #" + "x" * (4 << 20)
        p = self.refused(2, ("<stdin>:2:", "more than 4194304 bytes"), "me", "--keep-going", stdin=f"{GOOD}\n{long}\n{GOOD}\n")
        self.assertEqual(p.stdout.split(), [value, "nan", value])
        self.assertEqual(p.stderr.count("bytes"), 1)
        p = self.refused(2, "<stdin>:1:", "me", stdin=long + "\n" + GOOD)
        self.assertEqual(p.stdout, "")
        self.refused(2, ("/dev/zero:1:", "bytes"), "me", "/dev/zero")

    def test_a_terminal_is_told_what_is_waited_for(self):
        leader, terminal = pty.openpty()
        for options, told in (([], True), (["--quiet"], False)):
            p = subprocess.Popen([PROGRAM, "me", *options], stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            os.write(leader, (GOOD + "\n\x04").encode())
            out, err = p.communicate(timeout=120)
            self.assertEqual((p.returncode, len(out.split())), (0, 1), err)
            self.assertEqual("standard input" in err, told, err)
        os.close(leader)
        os.close(terminal)

    def test_bad_lines(self):
        word = GOOD.split()

        def with_number(place, text):
            return " ".join(word[:place] + [text] + word[place + 1:])

        bad = {
            "15 numbers": " ".join(word[:15]),
            "17 numbers": GOOD + " 1",
            "1 numbers": "1",
            "12 numbers": " ".join(word[:12]),
            "60 numbers": " ".join(["1"] * 60),
            "100000 numbers": " ".join(["1"] * 100000),
            "'abc' is not a number": with_number(5, "abc"),
            "'5oo' is not a number": with_number(5, "5oo"),
            "',' is not a number": with_number(5, ", ,"),
            "not a finite number": with_number(9, "nan"),
            "px of parton 3 is inf": with_number(9, "inf"),
            "pz of parton 1 is -inf": with_number(3, "-inf"),
            "py of parton 4 is inf": with_number(14, "1e999"),
            "energies must be positive": with_number(0, "-500"),
            "E of parton 4 is 0": with_number(12, "0"),
            "parton 3 is not massless": with_number(8, "500.01"),
            "parton 1 is not massless": with_number(3, "499.9"),
            "momentum is not conserved": "500 0 0 500 500 0 0 -500 500 500 0 0 500 0 500 0",
            "same direction": "500 0 0 500 500 0 0 500 500 0 0 500 500 0 0 500",
            "zero byte": GOOD + "\0",
        }
        for reason, line in bad.items():
            with self.subTest(reason):
                p = self.refused(2, ["<stdin>:3:", reason], "me", stdin=f"{GOOD}\n# c\n{line}\n{GOOD}\n{GOOD}\n")
                self.assertEqual(len(p.stdout.splitlines()), 1)
                p = self.refused(2, ["<stdin>:3:", reason], "me", "--keep-going",
                                 stdin=f"{GOOD}\n# c\n{line}\n{GOOD}\n{GOOD}\n")
                got = p.stdout.splitlines()
                self.assertEqual(got[1], "nan")
                self.assertEqual(got[0], got[2])
                self.assertEqual(len(got), 4)

    def test_tolerance(self):
        """1e-6 of the energy: just inside passes, just outside does not."""
        self.succeeds("me", stdin=GOOD.replace("-500 0 0", "-500 0.0009 0"))
        self.refused(2, "py", "me", stdin=GOOD.replace("-500 0 0", "-500 0.0011 0"))

    def test_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "points.dat")
            with open(name, "w") as file:
                file.write(GOOD + "\n\n1 2 3\n")
            p = self.refused(2, f"{name}:3: 3 numbers", "me", name)
            self.assertEqual(len(p.stdout.splitlines()), 1)

    def test_helicities_must_fit_the_line(self):
        three = lines("gg_3g.points")[0]
        p = self.refused(2, [":2:", "4 helicities", "5 partons"], "me", "--helicity", "--++", stdin=f"{GOOD}\n{three}\n{GOOD}")
        self.assertEqual(len(p.stdout.splitlines()), 1)
        p = self.refused(2, ":2:", "me", "--helicity=--++", "--keep-going", stdin=f"{GOOD}\n{three}\n{GOOD}")
        self.assertEqual(p.stdout.splitlines()[1], "nan")
        self.assertEqual(len(p.stdout.splitlines()), 3)

    def test_unreadable(self):
        self.refused(1, ["/no/such/file", "No such file"], "me", "/no/such/file")
        self.refused(1, "directory", "me", "/")


def is_asleep(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "S"


class Output(CliTest):
    def test_format(self):
        p = self.succeeds("me", data("gg_4g.points"))
        for line in p.stdout.splitlines():
            self.assertEqual(line, "%.17g" % float(line))

    def test_json(self):
        p = self.succeeds("me", "--json", data("gg_4g.points"))
        document = json.loads(p.stdout)
        self.assertEqual(set(document), {"version", "process", "points", "unstable", "rescued", "algorithms"})
        self.assertIsNone(document["process"])
        self.assertEqual(document["version"], self.succeeds("--version").stdout.split()[1])
        for point in document["points"]:
            self.assertEqual(list(point), ["n_out", "me2", "error"])
            self.assertEqual(point["n_out"], 4)
            self.assertIsNone(point["error"])
        self.close([point["me2"] for point in document["points"]], values("gg_4g.values"), 1e-11)
        plain = numbers(self.succeeds("me", data("gg_4g.points")))
        self.assertEqual(plain, [point["me2"] for point in document["points"]])

    def test_json_of_bad_input(self):
        p = self.refused(2, ":2:", "me", "--json", stdin=f"{GOOD}\nbad\n{GOOD}")
        self.assertEqual(len(json.loads(p.stdout)["points"]), 1)
        p = self.refused(2, ":2:", "me", "--json", "--keep-going", stdin=f"{GOOD}\nbad\n{GOOD}")
        points = json.loads(p.stdout)["points"]
        self.assertEqual([point["me2"] is None for point in points], [False, True, False])

    def test_json_of_one_draw(self):
        """The error of a single draw is not known: null."""
        p = self.succeeds("me", "--json", "--algorithm", "co-mc", stdin=GOOD)
        self.assertIsNone(json.loads(p.stdout)["points"][0]["error"])

    def test_what_was_chosen(self):
        """With everything left to the program: what is drawn has an error, and the output says what was done."""
        circle = " ".join(f"1 {math.cos(2 * math.pi * k / 11)!r} {math.sin(2 * math.pi * k / 11)!r} 0" for k in range(11))
        for helicity, expected in (("sampled", (11, "sampled", "sampled")), ("auto", (2, "summed", "summed"))):
            n_out = expected[0]
            p = self.succeeds("me", "--json", "--backend", "cpu", "--color", "auto", "--helicity", helicity, "--samples", 20,
                              stdin=f"5.5 0 0 5.5 5.5 0 0 -5.5 {circle}\n" if n_out == 11 else GOOD)
            d = json.loads(p.stdout)
            self.assertEqual(d["points"][0]["error"] is None, n_out == 2)
            self.assertEqual([(a["n_out"], a["color"], a["helicity"]) for a in d["algorithms"]], [expected])
            self.assertIn(f"n_out = {n_out}: color {expected[1]}", p.stderr)

    def test_answers_do_not_wait_for_more(self):
        """A program at the other end of two pipes gets its answer before it says more."""
        p = subprocess.Popen([PROGRAM, "me", "--backend", "cpu"], text=True, bufsize=1, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3):
            p.stdin.write(GOOD + "\n")
            p.stdin.flush()
            ready, _, _ = select.select([p.stdout], [], [], 60)
            self.assertTrue(ready)
            self.close([float(p.stdout.readline())], [33.394122318426675], 1e-12)
        p.communicate(timeout=60)
        self.assertEqual(p.returncode, 0)

    def test_terminals_are_told_nothing_else(self):
        p = self.refused(2, "'1?[31m' is not a number", "me", stdin="1\x1b[31m 2\n")
        self.assertNotIn("\x1b", p.stderr)

    def test_options_without_effect_are_refused(self):
        for words, arguments in (("--helicity-sampling is for", ["--helicity-sampling", "circular"]),
                                 ("--helicity-sampling is for", ["--helicity", "summed", "--helicity-sampling", "angle"]),
                                 ("nothing is sampled", ["--samples", "5"]),
                                 ("no fast kernel", ["--algorithm", "co-mc", "--kernel", "fast"])):
            self.refused(2, words, "me", *arguments, stdin=GOOD)

    def test_singular_point_is_not_an_error(self):
        p = self.succeeds("me", stdin="500 0 0 500 500 0 0 -500 500 0 0 500 500 0 0 -500")
        self.assertIn("<stdin>:1: warning", p.stderr)
        self.assertEqual(len(p.stdout.splitlines()), 1)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            for options in ([], ["--json"]):
                self.refused(1, "standard output", "me", *options, data("gg_4g.points"), stdout=full)
            self.refused(1, "standard output", "info", stdout=full)
            self.refused(1, "standard output", "me", "--help", stdout=full)
            self.refused(1, "standard output", "--version", stdout=full)

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            self.refused(1, "standard output", "me", data("gg_4g.points"), stdout=pipe)

    def test_interrupt(self):
        """What was read is evaluated and printed, then 130."""
        for options in ([], ["--json"]):
            p = subprocess.Popen([PROGRAM, "me", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            p.stdin.write((GOOD + "\n") * 3)
            p.stdin.flush()
            # bytes that it has not read; after them it works until it waits for more
            while any(fcntl.ioctl(p.stdin, termios.FIONREAD, bytes(4))) or not is_asleep(p.pid):
                self.assertIsNone(p.poll())
                time.sleep(0.01)
            p.send_signal(signal.SIGINT)
            out, err = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 130, err)
            self.assertIn("interrupted", err)
            count = len(json.loads(out)["points"]) if options else len(out.splitlines())
            self.assertEqual(count, 3)

    def test_interrupt_while_tables_are_built(self):
        """The colors of ten outgoing gluons take many seconds before there is a point."""
        for options in ([], ["--json"]):
            p = self.tended([PROGRAM, "me", *options, TEN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for_work(p, 1.5)
            p.send_signal(signal.SIGINT)
            out, err = p.communicate(timeout=300)
            self.assertEqual(p.returncode, 130, err)
            self.assertIn("stopped while the color tables of n_out = 10 were built", err)
            self.assertEqual(json.loads(out)["points"] if options else out.split(), [])


class Quarks(CliTest):
    """Processes that are named; all values of the file are in tests/unit/test_quark_values.c."""
    @staticmethod
    def references():
        """Process, points as text, values, and the table of helicities at the first point."""
        found = []
        for line in lines("quarks/reference.txt"):
            word, rest = line.split(" ", 1)
            if word == "process":
                found.append((rest, [], [], []))
            elif word == "point":
                value, point = rest.split(" ", 1)
                found[-1][1].append(point)
                found[-1][2].append(float(value))
            else:
                found[-1][3].append((rest.split()[0], float(rest.split()[1])))
        return found

    def point(self, process):
        return next(points[0] for name, points, *_ in self.references() if name == process)

    def test_values(self):
        for process, points, expected, helicities in self.references()[::4 if SANITIZED else 2]:
            with self.subTest(process):
                text = "\n".join(points)
                p = self.succeeds("me", "--quiet", "--process", process, stdin=text)
                self.close(numbers(p), expected, 1e-11)
                self.assertEqual(p.stderr, "")
                signs, value = helicities[0]
                p = self.succeeds("me", "--process", process, "--helicity", signs, stdin=points[0])
                self.close(numbers(p), [value], 1e-11)

    def test_ways_to_name_it(self):
        expected = numbers(self.succeeds("me", "--process", "u g > u g", stdin=self.point("u g > u g")))
        for text in ("2 21 > 2 21", "u  g  >  u  g", "c g > c g", "u~ g > u~ g"):
            self.close(numbers(self.succeeds("me", "--process", text, stdin=self.point("u g > u g"))), expected, 1e-12)
        self.close(numbers(self.succeeds("me", "--process", "g g > 2g", stdin=lines("gg_2g.points")[0])),
                   values("gg_2g.values")[:1], 1e-11)

    def test_sampled_helicities(self):
        process, points, expected, _ = self.references()[10]
        for choice in ("angle", "phase", "linear", "circular"):
            p = self.succeeds("me", "--json", "--process", process, "--helicity", "sampled", "--helicity-sampling", choice,
                              "--samples", 4000, stdin=points[0])
            document = json.loads(p.stdout)
            point = document["points"][0]
            self.assertEqual(document["process"], process)
            self.assertLess(abs(point["me2"] - expected[0]), 5 * point["error"], choice)

    def test_refused_processes(self):
        point = self.point("u g > u g")
        for wanted, process in ((["4 momenta", "u g > u g g", "5 partons"], "u g > u g g"),
                                (["unknown parton 'x'", "u~"], "x g > x g"),
                                (["flavor d is not conserved", "u g > d g", "0 before and 1 after"], "u g > d g"),
                                (["6 quark lines", "at most 5"], "g g > 6u 6u~"),
                                (["'t'", "massless"], "g g > t t~"),
                                (["one of 9 subprocesses"], "p p > 2j"),
                                (["more than 2 incoming"], "u g u g"),
                                (["no arrow"], "")):
            p = self.refused(2, wanted, "me", "--process", process, stdin=point)
            self.assertEqual(p.stdout, "")

    def test_refused_options(self):
        point = self.point("u g > u g")
        for wanted, arguments in ((["paper", "gluons alone", "fast"], ["--kernel", "paper"]),
                                  (["leading", "gluons alone", "summed"], ["--color", "leading"]),
                                  (["sampled", "gluons alone", "dressed"], ["--algorithm", "co-mc"]),
                                  (["ordered", "gluons alone", "dressed"],
                                   ["--color", "sampled", "--recursion", "ordered"]),
                                  (["discrete", "gluons alone", "coherent"],
                                   ["--color", "sampled", "--recursion", "dressed", "--color-sampling", "discrete"]),
                                  (["continuous", "gluons alone", "coherent"],
                                   ["--color", "sampled", "--recursion", "dressed", "--color-sampling", "continuous"]),
                                  (["tensor", "gluons alone"], ["--vertex", "tensor"]),
                                  (["trace", "gluons alone"], ["--decomposition", "trace"]),
                                  (["invariants", "integrating"],
                                   ["--helicity", "sampled", "--helicity-sampling", "invariants"]),
                                  (["masses", "integrating"], ["--helicity", "sampled", "--helicity-sampling", "masses"]),
                                  (["5 helicities", "4 partons"], ["--helicity", "+-+-+"])):
            self.refused(2, wanted, "me", "--process", "u g > u g", *arguments, stdin=point)

    def test_unphysical_points(self):
        words = self.point("u g > u g").split()
        words[0] = "501"
        self.refused(2, ":1:", "me", "--process", "u g > u g", stdin=" ".join(words))
        self.refused(2, "15", "me", "--process", "u g > u g", stdin=" ".join(words[:15]))


class Refusals(CliTest):
    def test_values(self):
        for wanted, arguments in (
                (["--color", "'blue'", "auto, summed, sampled or leading"], ["--color", "blue"]),
                (["--recursion", "'x'", "auto, ordered or dressed"], ["--recursion=x"]),
                (["--helicity", "'+-x-'"], ["--helicity", "+-x-"]),
                (["--helicity", "4 to 14"], ["--helicity", "+-"]),
                (["--helicity", "4 to 14"], ["--helicity", "+" * 15]),
                (["--kernel", "'slow'", "fast or paper"], ["--kernel", "slow"]),
                (["--backend", "'tpu'", "auto, cpu or cuda"], ["--backend", "tpu"]),
                (["--algorithm", "'best'", "tess, lc, co-sum, co-mc or cd-mc"], ["--algorithm", "best"]),
                (["--vertex", "quartic or tensor"], ["--vertex", "q"]),
                (["--decomposition", "adjoint or trace"], ["--decomposition", "q"]),
                (["--orderings", "all or one"], ["--orderings", "two"]),
                (["--layout", "events or cooperative"], ["--layout", "two"]),
                (["--helicity-sampling", "angle, phase, linear, circular"], ["--helicity-sampling", "q"]),
                (["--color-sampling", "auto, continuous, discrete or coherent"], ["--color-sampling", "q"]),
                (["--color-group", "'64'", "0 to 32"], ["--algorithm", "cd-mc", "--color-group", "64"]),
                (["--color-group", "'-1'", "0 to 32"], ["--algorithm", "cd-mc", "--color-group", "-1"]),
                (["color_group is 3", "power of two"], ["--algorithm", "cd-mc", "--color-group", "3"]),
                (["--threads", "'-1'", "0 to 4096"], ["--threads", "-1"]),
                (["--threads", "'4097'", "0 to 4096"], ["--threads", "4097"]),
                (["--threads", "'two'"], ["--threads", "two"]),
                (["--threads", "'2x'"], ["--threads", "2x"]),
                (["--threads", "''"], ["--threads", ""]),
                (["--samples", "'0'", "1 to 2147483647"], ["--samples", "0"]),
                (["--samples", "'99999999999'"], ["--samples", "99999999999"]),
                (["--seed", "'-1'", "0 to 18446744073709551615"], ["--seed", "-1"]),
                (["--seed", "'18446744073709551616'"], ["--seed", "18446744073709551616"]),
                (["--alpha-s", "'0'", "1e-06 to 10"], ["--alpha-s", "0"]),
                (["--alpha-s", "'nan'"], ["--alpha-s", "nan"]),
                (["--alpha-s", "'inf'"], ["--alpha-s", "inf"]),
                (["--alpha-s", "'0.1.1'"], ["--alpha-s", "0.1.1"]),
                (["--device", "'-2'"], ["--device", "-2"]),
                (["--nonsense"], ["--nonsense"]),
                (["-x"], ["-x"]),
                (["--colo"], ["--colo", "summed"]),
                (["--threads", "needs a value"], ["--threads"]),
                (["--json", "no value"], ["--json=yes"]),
                (["unexpected argument 'b'"], ["a", "b"])):
            with self.subTest(arguments):
                p = self.refused(2, wanted, "me", *arguments, stdin=GOOD)
                self.assertEqual(p.stdout, "")
                self.assertTrue(p.stderr.startswith("blockgen me: "))

    def test_combinations(self):
        for wanted, arguments in (
                (["dressed", "summed"], ["--recursion", "dressed"]),
                (["dressed", "leading"], ["--recursion", "dressed", "--color", "leading"]),
                (["trace"], ["--decomposition", "trace", "--color", "leading"]),
                (["ordering"], ["--orderings", "one"]),
                (["cooperative"], ["--layout", "cooperative"]),
                (["cooperative"], ["--algorithm", "tess", "--color", "summed"]),
                (["cooperative", "quartic"], ["--algorithm", "tess", "--vertex", "tensor"]),
                (["discrete"], ["--color-sampling", "discrete"]),
                (["coherent", "dressed"], ["--color-sampling", "coherent"]),
                (["coherent", "fast kernel"], ["--algorithm", "cd-mc", "--color-sampling", "coherent", "--kernel", "paper"]),
                (["color_group is 4", "coherent"], ["--algorithm", "cd-mc", "--color-group", "4", "--kernel", "paper"]),
                (["color_group is 4", "coherent"], ["--color-group", "4"]),
                (["vertex"], ["--algorithm", "cd-mc", "--vertex", "tensor"])):
            with self.subTest(arguments):
                for text in ("", GOOD):  # before any input is read
                    self.assertEqual(self.refused(2, wanted, "me", *arguments, stdin=text).stdout, "")

    def test_missing_backend(self):
        # where a GPU is built in, it is not to be found; where it is not, that is the reason
        hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        self.refused(1, "cuda", "me", "--backend", "cuda", stdin=GOOD, env=hidden)
        self.refused(1, "mmx", "me", "--backend", "cpu", stdin=GOOD, env={**os.environ, "BLOCKGEN_SIMD": "mmx"})

    def test_multiplicity(self):
        """Exact color sums end at n_out = 10, points at 12."""
        def point(n_out):  # n_out / 2 back-to-back pairs in the transverse plane
            from math import cos, sin, pi
            e = 1000. / n_out
            pairs = [(cos(pi * (k + .3) / (n_out // 2)), sin(pi * (k + .3) / (n_out // 2))) for k in range(n_out // 2)]
            return "500 0 0 500 500 0 0 -500 " + " ".join(
                f"{e} {s * e * x!r} {s * e * y!r} 0" for x, y in pairs for s in (1, -1))
        self.succeeds("me", "--algorithm", "cd-mc", stdin=point(10))
        self.succeeds("me", "--algorithm", "cd-mc", stdin=point(12))
        self.succeeds("me", "--algorithm", "lc", "--orderings", "one", "--helicity", "sampled", stdin=point(8))
        self.refused(2, [":1:", "n_out = 12", "it must be 2 to 10"], "me", stdin=point(12))
        self.refused(2, [":1:", "64 numbers", "56"], "me", "--algorithm", "cd-mc", stdin=point(14))


def collinear(angle):
    """g g -> 3 g with two gluons at a small angle."""
    def gluon(energy, theta, phi):
        return [energy, energy * math.sin(theta) * math.cos(phi), energy * math.sin(theta) * math.sin(phi),
                energy * math.cos(theta)]
    a, b = gluon(250, 1.0, 0.3), gluon(200, 1.0 + angle, 0.3)
    c = [-(x + y) for x, y in zip(a, b)]
    c[0] = math.sqrt(sum(x * x for x in c[1:]))
    beam = (a[0] + b[0] + c[0]) / 2
    return " ".join(repr(float(x)) for x in [beam, 0, 0, beam, beam, 0, 0, -beam, *a, *b, *c]) + "\n"


class Unstable(CliTest):
    points = collinear(0.3) + collinear(1e-7) + collinear(1e-8)

    def test_reported(self):
        p = self.succeeds("me", "--json", "--backend", "cpu", stdin=self.points)
        d = json.loads(p.stdout)
        self.assertEqual(len(d["points"]), 3)
        self.assertEqual((d["unstable"], d["rescued"]), (2, 0 if SANITIZED else 2))
        self.assertIn("2 of 3 points", p.stderr)
        # --quiet: points that stay as they are must be told of all the same
        quiet = self.succeeds("me", "--quiet", "--backend", "cpu", stdin=self.points).stderr
        self.assertEqual("2 of 3 points" in quiet, SANITIZED)
        p = self.succeeds("me", "--json", "--no-rescue", "--backend", "cpu", stdin=self.points)
        self.assertEqual(p.stderr, "")
        self.assertEqual(json.loads(p.stdout)["unstable"], 0)

    @unittest.skipIf(SANITIZED, "no 128-bit floats in this build")
    def test_rescued(self):
        exact = numbers(self.succeeds("me", "--backend", "cpu", stdin=self.points, env={"BLOCKGEN_SIMD": "quad"}))
        for kernel in ("fast", "paper"):
            options = ["--backend", "cpu", "--quiet", "--kernel", kernel]
            rescued = numbers(self.succeeds("me", *options, stdin=self.points))
            plain = numbers(self.succeeds("me", *options, "--no-rescue", stdin=self.points))
            self.close(rescued, exact, 1e-12)
            self.assertEqual(rescued[0], plain[0])
            self.assertTrue(all(abs(a / b - 1) > 1e-12 for a, b in zip(plain[1:], exact[1:])), kernel)


class Presets(CliTest):
    def test_axes_override_presets_in_any_place(self):
        for before, after in ((["--helicity", "summed"], []), ([], ["--helicity", "summed"])):
            p = self.succeeds("me", *before, "--algorithm", "tess", *after, data("gg_2g.points"))
            self.close(numbers(p), values("gg_2g.values"), 1e-11)

    def test_presets_are_axes(self):
        for algorithm, axes in (("lc", ["--color", "leading"]),
                                ("co-sum", ["--color", "summed"]),
                                ("co-mc", ["--color", "sampled"]),
                                ("cd-mc", ["--color", "sampled", "--recursion", "dressed", "--helicity", "sampled"])):
            self.assertEqual(self.succeeds("me", "--algorithm", algorithm, data("gg_3g.points")).stdout,
                             self.succeeds("me", *axes, data("gg_3g.points")).stdout)

    def test_spellings(self):
        a = self.succeeds("me", "--color", "leading", data("gg_2g.points")).stdout
        self.assertEqual(a, self.succeeds("me", data("gg_2g.points"), "--color=leading").stdout)
        self.assertEqual(a, self.succeeds("me", "--color", "summed", "--color", "leading", "--", data("gg_2g.points")).stdout)


class Arrays(CliTest):
    """Files of numpy.save(), and of numpy.savetxt() with commas."""
    def array(self, rows, shape, kind="<f8", order="False", version=1, cut=0):
        header = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        size = struct.pack("<H" if version == 1 else "<I", len(header))
        data = b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + b"".join(struct.pack(f"<{len(r)}d", *r) for r in rows)
        file = tempfile.NamedTemporaryFile(suffix=".npy")
        self.addCleanup(file.close)
        file.write(data[:len(data) - cut])
        file.flush()
        return file.name

    def test_same_numbers(self):
        points = [[float(x) for x in row] for row in rows("gg_4g.points")]
        expected = self.succeeds("me", "--backend", "cpu", data("gg_4g.points")).stdout
        for shape in (f"({len(points)}, 24)", f"({len(points)}, 6, 4)"):
            for version in (1, 2):
                name = self.array(points, shape, version=version)
                self.assertEqual(self.succeeds("me", "--backend", "cpu", name).stdout, expected)
        with open(name, "rb") as file:
            self.assertEqual(self.succeeds("me", "--backend", "cpu", text=False, stdin=file.read()).stdout.decode(), expected)
        self.assertEqual(self.succeeds("me", "--backend", "cpu", self.array(points[:1], "(24,)")).stdout, expected.splitlines(True)[0])
        commas = "\n".join(",".join(map(repr, point)) for point in points)
        self.assertEqual(self.succeeds("me", "--backend", "cpu", stdin=commas).stdout, expected)

    def test_refusals(self):
        points = [[float(x) for x in row] for row in rows("gg_4g.points")][:3]
        for wanted, name in (("'<f4'", self.array(points, "(3, 24)", kind="<f4")), ("Fortran", self.array(points, "(3, 24)", order="True")),
                             ("(3, 23)", self.array(points, "(3, 23)")), ("(3, 60)", self.array(points, "(3, 60)")),
                             ("not understood", self.array(points, "3, 24")), ("cut short", self.array(points, "(3, 24)", cut=8)),
                             ("cut short", self.array(points, "(2, 24)")), ("(3, 24, 9999999999)", self.array(points, "(3, 24, 9999999999)")),
                             ("header of the array is cut", self.array([], "(0, 24)", cut=60)), ("neither", self.array(points, "(3, 24)", version=9))):
            self.refused(2, [wanted, name], "me", "--backend", "cpu", name)
        # a point that is not physical is named by its row, and those before it are answered
        points[1][0] += 1
        p = self.refused(2, ":2: ", "me", "--backend", "cpu", self.array(points, "(3, 24)"))
        self.assertEqual(len(p.stdout.splitlines()), 1)


if __name__ == "__main__":
    main()
