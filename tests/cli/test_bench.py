"""blockgen bench: its JSON as the manual has it, the subset that options choose, comparison, what is skipped."""
import resource

from support import *

# Short, since every test runs it: how fast the machine is, is no matter here (test_times.py).
SECONDS = 0.005
QUICK = ("--threads", "1", "--backend", "cpu", "--quiet")
CONTRACT = {"n_out": int, "algorithm": str, "color": str, "recursion": str, "helicity": str, "kernel": str,
            "backend": str, "threads": int, "stage": str, "ns_per_event": float, "bytes_per_event": int,
            "bytes_shared": int, "batch": int}
AXES = {"tess": ("leading", "ordered", "sampled"), "lc": ("leading", "ordered", "summed"),
        "co-sum": ("summed", "ordered", "summed"), "co-mc": ("sampled", "ordered", "summed"),
        "cd-mc": ("sampled", "dressed", "sampled")}


class BenchTest(CliTest):
    def bench(self, *arguments, status=0, seconds=SECONDS, **more):
        """The document. What a busy machine has no time for is no matter of these tests: then it is given more."""
        for factor in (1, 10, 100, 1000):
            p = run("bench", "--json", *QUICK, "--seconds", factor * seconds, *arguments, **more)
            d = json.loads(p.stdout) if p.stdout else {"skipped": [], "results": []}
            if not any("would take" in s["reason"] for s in d["skipped"]) and all(r["filled"] for r in d["results"]):
                break
        self.assertEqual(p.returncode, status, p.stderr)
        return d

    def key(self, r):
        return tuple(r[k] for k in ("n_out", "algorithm", "helicity", "kernel", "stage"))

    def written(self, document):
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(file.close)
        json.dump(document, file)
        file.flush()
        return file.name


class Contract(BenchTest):
    def test_everything(self):
        d = self.bench("-n", "2:3")
        self.assertEqual(d["version"], run("--version").stdout.split()[1])
        self.assertEqual(d["skipped"], [])
        results = {self.key(r): r for r in d["results"]}
        self.assertEqual(len(results), len(d["results"]), "an entry was measured twice")
        for r in d["results"]:
            for name, kind in CONTRACT.items():
                self.assertIsInstance(r[name], (int, float) if kind is float else kind, name)
            self.assertGreater(r["ns_per_event"], 0.)
            self.assertGreater(r["batch"], 0)
            self.assertGreaterEqual(r["repetitions"], 1)
            self.assertGreaterEqual(r["spread"], 0.)
            self.assertEqual(r["threads"], 1)
            self.assertEqual(r["backend"], "cpu")
            self.assertIs(r["filled"], True)
        for n_out in (2, 3):
            for stage in ("me", "event", "phase-space"):  # cuts need more time than this: test_times.py
                for name, (color, recursion, helicity) in AXES.items():
                    r = results[n_out, name, helicity, "paper", stage]
                    self.assertEqual((r["color"], r["recursion"]), (color, recursion))
                for helicity in ("summed", "sampled"):
                    for kernel in ("paper", "fast"):
                        for part in (stage, "amplitudes", "color-sum"):
                            self.assertIn((n_out, "co-sum", helicity, kernel, part), results)
        self.assertEqual({r["algorithm"] for r in d["results"] if r["stage"] in ("amplitudes", "color-sum")},
                         {"co-sum"})

    def test_operations(self):
        # docs/performance.md, Counts: half the operations for each ordering and configuration
        d = self.bench("-n", 5, "--algorithm", "co-sum", "--kernel", "fast")
        ns = {(r["helicity"], r["stage"]): r for r in d["results"]}
        for helicity, configurations, amplitudes in (("summed", 128, 40.9), ("sampled", 1, 226.)):
            for stage, count in (("amplitudes", amplitudes), ("color-sum", 13.3)):
                r = ns[helicity, stage]
                self.assertAlmostEqual(r["flops_per_event"], 2 * 120 * configurations * count,
                                       delta=0.01 * r["flops_per_event"])
            me = ns[helicity, "me"]
            self.assertEqual(me["flops_per_event"],
                             sum(ns[helicity, s]["flops_per_event"] for s in ("amplitudes", "color-sum")))
            self.assertAlmostEqual(me["gflops"], me["flops_per_event"] / me["ns_per_event"])
            self.assertEqual(me["bytes_moved_per_event"], 8 * (7 * 4 + 1))
            self.assertIsNone(ns[helicity, "event"]["flops_per_event"])
            self.assertIsNone(ns[helicity, "event"]["roofline"])
        peak = d["machine"]["fp64_gflops_one_thread"]
        for (_, stage), r in ns.items():
            if stage in ("me", "amplitudes", "color-sum"):
                self.assertAlmostEqual(r["roofline"], r["gflops"] / peak, places=6)

    def test_every_algorithm_is_counted(self):
        d = self.bench("-n", "2:4", "--stage", "me")
        peak = d["machine"]["fp64_gflops_one_thread"]
        before = {}
        for r in d["results"]:
            key = self.key(r)[1:]
            self.assertGreater(r["flops_per_event"], 2. * before.get(key, 50.), r)  # a gluon more at least doubles it
            before[key] = r["flops_per_event"]
            self.close([r["gflops"]], [r["flops_per_event"] / r["ns_per_event"]], 1e-9)
            self.assertGreaterEqual(r["roofline"], (1. - 1e-5) * r["gflops"] / peak, r)  # or closer to that of the memory

    def test_batch_is_what_was_used(self):
        # a register of 8 events and 4 of them in a chunk: what a thread of the CPU has in flight at most
        for r in self.bench("-n", 4, "--color", "summed")["results"]:
            self.assertTrue(1 <= r["batch"] <= 32, r)
            self.assertLessEqual(r["batch"], r["events_per_repetition"])

    def test_machine(self):
        short = self.bench("-n", 2, "--algorithm", "cd-mc", "--stage", "me")["machine"]
        self.assertIsNone(short["bandwidth_gbs_one_thread"])  # there is no time for it
        self.assertGreater(short["fp64_gflops_one_thread"], 0.)
        m = self.bench("-n", 2, "--algorithm", "cd-mc", "--stage", "me", seconds=0.02)["machine"]
        for name in ("cpu", "simd", "system", "compiler"):
            self.assertTrue(m[name], name)
        self.assertGreaterEqual(m["cores"], 1)
        self.assertIn("cpu", [b["name"] for b in m["backends"]])
        for name in ("fp64_gflops", "bandwidth_gbs"):
            self.assertTrue(0. < m[name + "_one_thread"] <= m[name + "_all_threads"], m)
        cpu, = [b for b in m["backends"] if b["name"] == "cpu"]
        self.assertEqual(cpu["fp64_gflops"], m["fp64_gflops_all_threads"])
        self.assertEqual(cpu["bandwidth_gbs"], m["bandwidth_gbs_all_threads"])
        self.assertIsNone(cpu["fp64_tensor_gflops"])

    def test_label(self):
        label = 'a "b" \u00e9'
        self.assertEqual(self.bench("-n", 2, "--algorithm", "lc", "--stage", "me", "--label", label)["label"], label)
        # what is no text must not spoil the document
        d = self.bench("-n", 2, "--algorithm", "lc", "--stage", "me", "--label", os.fsdecode(b"a\xff\xc3b\xed\xa0\x80"))
        self.assertEqual(d["label"], "a\ufffd\ufffdb\ufffd\ufffd\ufffd")

    def test_grid_is_adapted(self):
        # with a uniform grid 7 % of the trials are inside the cuts
        d = self.bench("-n", 8, "--algorithm", "cd-mc", "--kernel", "fast", "--stage", "event")
        self.assertGreater(d["results"][0]["efficiency"], 0.2)


HAS_DEVICE = any(b["name"] == "cuda" and b["usable"] for b in json.loads(run("info", "--json").stdout)["backends"])


@unittest.skipUnless(HAS_DEVICE, "no CUDA device here")
class Device(BenchTest):
    """The same on a GPU, where the parts are timed by its own events."""
    def device(self, *arguments):
        return self.bench("--backend", "cuda", *arguments, seconds=0.1)

    def test_roofline(self):
        d = self.device("-n", 4, "--algorithm", "co-sum", "--stage", "me")
        cuda, = [b for b in d["machine"]["backends"] if b["name"] == "cuda"]
        self.assertGreater(cuda["fp64_gflops"], 10.)
        self.assertGreater(cuda["bandwidth_gbs"], 10.)
        for r in d["results"]:
            self.assertGreaterEqual(r["roofline"], (1. - 1e-5) * r["gflops"] / cuda["fp64_gflops"], r)

    def test_stages(self):
        d = self.device("-n", "2:5", "--color", "summed", "--helicity", "summed")
        found = {(r["n_out"], r["kernel"], r["stage"]) for r in d["results"]}
        for n_out in (2, 3, 4, 5):
            for kernel in ("paper", "fast"):
                apart = kernel == "paper" or n_out > 3  # below, one kernel does everything
                self.assertEqual((n_out, kernel, "color-sum") in found, apart)
                self.assertIn((n_out, kernel, "phase-space"), found)
                self.assertIn((n_out, kernel, "event"), found)

    def test_upper_bounds(self):
        # one thread an event, a third of a second each: the time allows for a few of them only
        p = self.succeeds("bench", "--json", "--quiet", "--backend", "cuda", "-n", 6, "--algorithm", "lc", "--stage", "me",
                          "--seconds", 0.04)
        self.assertEqual([r["filled"] for r in json.loads(p.stdout)["results"]], [False])


class Processes(BenchTest):
    """Processes with names, beside the numbers of gluons."""

    def test_quarks(self):
        d = self.bench("--process", "u g > u g", "--process", "2 2 > 2 2 21")
        results = {(r["process"], *self.key(r)[1:]): r for r in d["results"]}
        self.assertEqual(len(results), len(d["results"]), "an entry was measured twice")
        self.assertEqual(d["skipped"], [])
        for process, n_out in (("u g > u g", 2), ("u u > u u g", 3)):
            for helicity in ("summed", "sampled"):
                entry = {stage: results[process, "co-sum", helicity, "fast", stage]
                         for stage in ("me", "amplitudes", "color-sum", "event", "phase-space")}
                for r in entry.values():
                    self.assertEqual((r["n_out"], r["color"], r["recursion"]), (n_out, "summed", "ordered"))
                    self.assertGreater(r["ns_per_event"], 0.)
                me = entry["me"]
                self.assertEqual(me["flops_per_event"],
                                 sum(entry[s]["flops_per_event"] for s in ("amplitudes", "color-sum")))
                self.assertIsNone(me["speedup_over_paper"])
                # Full sums of these are code that was written out and needs no tables.
                self.assertEqual(me["bytes_shared"] == 0, helicity == "summed", me)
        self.assertEqual({r["algorithm"] for r in d["results"]}, {"co-sum", "cd-mc"})

    def test_beside_gluons(self):
        """Gluons under a name are those of -n; without -n there is nothing but what was named."""
        d = self.bench("-n", 2, "--process", "g g > 2g", "--process", "u u~ > g g", "--stage", "me")
        found = {}
        for r in d["results"]:
            found.setdefault(r["process"], []).append(self.key(r)[1:])
        self.assertEqual(set(found), {"g g > g g", "u u~ > g g"})
        self.assertEqual(len(found["g g > g g"]), 2 * len(set(found["g g > g g"])))
        self.assertEqual(set(found["u u~ > g g"]), {("co-sum", "summed", "fast", "me"), ("co-sum", "sampled", "fast", "me"),
                                                     ("cd-mc", "sampled", "fast", "me")})
        text = self.succeeds("bench", *QUICK, "--seconds", 0.1, "--stage", "me", "-n", 2, "--process", "u u~ > g g").stdout
        self.assertIn("\ng g -> 2 g\n", text)
        self.assertIn("\nu u~ > g g\n", text)

    def test_helicities(self):
        d = self.bench("--process", "u g > u g", "--helicity", "+-+-", "--stage", "me")
        self.assertEqual([r["helicity"] for r in d["results"]], ["+-+-"] * 2)  # colors summed and drawn
        self.refused(2, ["+-+-+", "5 partons", "u g > u g has 4"], "bench", "--process", "u g > u g", "--helicity", "+-+-+")

    def test_compare(self):
        """Entries of another process are no match; those of files without processes are of gluons."""
        d = self.bench("--process", "u g > u g", "--stage", "me")
        for r in d["results"]:
            r["ns_per_event"] *= 1000
        again = self.bench("--process", "u g > u g", "--stage", "me", "--compare", self.written(d))
        self.assertEqual((again["compared"], again["slower"]), (3, 0))
        for r in d["results"]:
            r["process"] = "u d > u d"
        self.bench("--process", "u g > u g", "--stage", "me", "--compare", self.written(d), status=2)
        for r in d["results"]:
            del r["process"]
        self.bench("--process", "u g > u g", "--stage", "me", "--compare", self.written(d), status=2)
        again = self.bench("-n", 2, "--algorithm", "co-sum", "--stage", "me", "--compare", self.written(d))
        self.assertEqual(again["compared"], 2)

    def test_refused(self):
        for wanted, arguments in ((["p p > 2j", "9 subprocesses"], ["--process", "p p > 2j"]),
                                  (["flavor d is not conserved"], ["--process", "u g > d g"]),
                                  (["gluons alone"], ["--process", "u g > u g", "--kernel", "paper"]),
                                  (["gluons alone"], ["--process", "u g > u g", "--algorithm", "co-mc"]),
                                  (["color structures"], ["--process", "u g > u 9g"]),
                                  (["32 processes at most"], 33 * ["--process", "u g > u g"])):
            self.refused(2, wanted, "bench", *arguments)


class Subset(BenchTest):
    def chosen(self, *arguments):
        d = self.bench("-n", 2, "--stage", "me", *arguments)
        return {(r["algorithm"], r["helicity"], r["kernel"]) for r in d["results"]}

    def test_algorithm(self):
        self.assertEqual(self.chosen("--algorithm", "lc"), {("lc", "summed", "paper")})

    def test_axes(self):
        self.assertEqual(self.chosen("--color", "leading"), {("tess", "sampled", "paper"), ("lc", "summed", "paper")})
        self.assertEqual(self.chosen("--recursion", "dressed"), {("cd-mc", "sampled", "paper"), ("cd-mc", "sampled", "fast")})
        self.assertEqual(self.chosen("--color", "sampled", "--recursion", "ordered"), {("co-mc", "summed", "paper")})
        self.assertEqual(self.chosen("--kernel", "fast", "--color", "summed"),
                         {("co-sum", "summed", "fast"), ("co-sum", "sampled", "fast")})

    def test_helicity_is_imposed_on_all(self):
        for word in ("summed", "sampled", "--++"):
            chosen = self.chosen("--helicity", word, "--kernel", "paper")
            self.assertEqual(chosen, {(a, word, "paper") for a in ALGORITHMS})

    def test_refinements_take_out_what_they_make_no_sense_for(self):
        d = self.bench("-n", 2, "--stage", "me", "--vertex", "tensor")
        self.assertEqual({r["algorithm"] for r in d["results"]}, {"lc", "co-sum", "co-mc"})
        self.assertEqual({r["variant"] for r in d["results"]}, {"vertex tensor"})

    def test_stage(self):
        for stage in ("me", "event", "phase-space"):
            d = self.bench("-n", 2, "--algorithm", "cd-mc", "--kernel", "fast", "--stage", stage)
            self.assertEqual([r["stage"] for r in d["results"]], [stage])
        for stage in ("amplitudes", "color-sum"):
            d = self.bench("-n", 2, "--color", "summed", "--helicity", "summed", "--stage", stage)
            self.assertEqual([r["stage"] for r in d["results"]], 2 * [stage])

    def test_stages_that_are_not_apart(self):
        d = self.bench("-n", 2, "--algorithm", "lc", "--stage", "color-sum", status=2)
        self.assertEqual([(s["stage"], s["reason"]) for s in d["skipped"]],
                         [("color-sum", "amplitudes and color sum are not apart")])

    def test_learned_helicities_have_events_only(self):
        d = self.bench("-n", 3, "--algorithm", "co-sum", "--kernel", "fast", "--helicity", "sampled",
                       "--helicity-sampling", "adaptive")
        self.assertEqual({r["stage"] for r in d["results"]} - {"cuts"}, {"event", "phase-space"})
        self.assertEqual([s["stage"] for s in d["skipped"]], ["me"])

    def test_threads(self):
        d = self.bench("-n", 2, "--algorithm", "lc", "--stage", "me", "--threads", 2)
        self.assertEqual([r["threads"] for r in d["results"]], [2])

    def test_range(self):
        d = self.bench("-n", "3:4", "--algorithm", "cd-mc", "--kernel", "paper", "--stage", "me")
        self.assertEqual([r["n_out"] for r in d["results"]], [3, 4])


class Refused(BenchTest):
    def test_bad_usage(self):
        for word in ("1", "13", "4:3", "2:13", "2:", ":3", "2:3:4", "x", "", "2 3", "2.5"):
            self.refused(2, "-n is", "bench", "-n", word)
        self.refused(2, "--seconds", "bench", "--seconds", 0)
        self.refused(2, "--stage", "bench", "--stage", "color")
        self.refused(2, "--tolerance", "bench", "--tolerance", -1)
        self.refused(2, "unexpected argument", "bench", "more")
        self.refused(2, "4 outgoing gluons", "bench", "-n", "2:3", "--helicity", "+-+--+")

    def test_axes_that_make_no_sense(self):
        self.refused(2, "dressed", "bench", "--color", "summed", "--recursion", "dressed")
        self.refused(2, "cooperative", "bench", "--layout", "cooperative", "--vertex", "tensor")
        self.refused(2, "none of the algorithms", "bench", "--algorithm", "lc", "--color", "summed")

    def test_backend_that_is_not_there(self):
        self.refused(1, "mmx", "bench", "-n", 2, env={**os.environ, "BLOCKGEN_SIMD": "mmx"})

    def test_beyond_the_range_of_an_algorithm(self):
        d = self.bench("-n", 12, "--stage", "me", "--color", "leading", status=2)
        self.assertEqual(d["results"], [])
        self.assertTrue(all("n_out = 12" in s["reason"] for s in d["skipped"]))


class Skipped(BenchTest):
    def test_too_slow(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        p = run("bench", "--json", *QUICK, "--seconds", SECONDS, "-n", "7:8", "--color", "leading", "--helicity", "summed",
                "--stage", "me")
        self.assertEqual(p.returncode, 1, p.stderr)
        d = json.loads(p.stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime - before.ru_utime, 60.)  # of the processor: others may keep it busy
        self.assertEqual(d["results"], [])
        self.assertEqual({(s["n_out"], s["algorithm"]) for s in d["skipped"]},
                         {(n, a) for n in (7, 8) for a in ("lc", "tess")})
        for s in d["skipped"]:
            self.assertIn("one batch would take", s["reason"])

    def test_samples_are_for_matrix_elements(self):
        d = self.bench("-n", 2, "--algorithm", "cd-mc", "--kernel", "fast", "--samples", 3)
        self.assertEqual([(r["stage"], r["variant"]) for r in d["results"]], [("me", "samples 3")])
        self.assertEqual([s["stage"] for s in d["skipped"]], ["event"])


class Compare(BenchTest):
    ENTRY = ("-n", "2", "--algorithm", "co-sum", "--helicity", "summed", "--stage", "me")

    def test_slower_is_marked(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["spread"] = 0.
            if r["kernel"] == "fast":
                r["ns_per_event"] /= 1e4  # now it looks that much slower
            else:
                r["ns_per_event"] *= 1e4
        name = self.written(old)
        d = self.bench(*self.ENTRY, "--compare", name)
        self.assertEqual((d["compared"], d["slower"], d["compared_with"]), (2, 1, name))
        for r, o in zip(d["results"], old["results"]):
            self.assertEqual(r["slower"], r["kernel"] == "fast")
            self.assertEqual(r["old_ns_per_event"], o["ns_per_event"])
        text = self.succeeds("bench", *QUICK, "--seconds", SECONDS, *self.ENTRY, "--compare", name).stdout
        self.assertEqual(text.count("SLOWER: me takes"), 1)
        self.assertIn(f"1 of 2 entries are slower than in {name}", text)

    def test_upper_bounds_are_not_compared(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["spread"] = 0.
            r["ns_per_event"] /= 1e4
            r["filled"] = r["kernel"] == "fast"
        d = self.bench(*self.ENTRY, "--compare", self.written(old))
        self.assertEqual((d["compared"], d["slower"]), (1, 1))
        self.assertEqual([r["kernel"] for r in d["results"] if r["slower"]], ["fast"])

    def test_tolerance(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["ns_per_event"] /= 2.  # a thousand times slower would still do
        d = self.bench(*self.ENTRY, "--compare", self.written(old), "--tolerance", 1000)
        self.assertEqual((d["compared"], d["slower"]), (2, 0))

    def test_other_entries_are_not_compared(self):
        old = self.bench(*self.ENTRY)
        for name, value in (("threads", 7), ("backend", "cuda"), ("n_out", 3), ("kernel", "other"),
                            ("stage", "event"), ("variant", "vertex tensor"), ("helicity", "sampled"),
                            ("algorithm", "lc"), ("ns_per_event", None)):
            other = {"results": [{**r, name: value} for r in old["results"]]}
            d = self.bench(*self.ENTRY, "--compare", self.written(other), status=2)  # nothing could be compared
            self.assertEqual((d["compared"], d["slower"]), (0, 0), name)
            self.assertTrue(all(r["old_ns_per_event"] is None for r in d["results"]))

    def test_files_that_are_no_results(self):
        self.refused(1, ("/nowhere/old.json", "cannot read"), "bench", *self.ENTRY, "--compare", "/nowhere/old.json")
        self.refused(2, "no array", "bench", *self.ENTRY, "--compare", self.written({"version": "1"}))
        for text in ("", "{", "[1, 2", '{"a" 1}', '{"a": tru}', '"\\q"', '"\\u12"', '"\\ud800"', "[1] 2", "[+1]",
                     "[0x1]", "nan", "[" * 100, '{"a": "b', "{1: 2}", '"\n"'):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                self.refused(2, (file.name, "not JSON"), "bench", *self.ENTRY, "--compare", file.name)

    def test_entries_that_bench_did_not_write(self):
        entry = {"n_out": 2, "threads": 1}
        for wanted, results in (("entry 2", [entry, {**entry, "n_out": 2.9}]), ("n_out", [{"threads": 1}]),
                                ("threads", [{**entry, "threads": "1"}]), ("no object", [7])):
            self.refused(2, wanted, "bench", *self.ENTRY, "--compare", self.written({"results": results}))

    def test_files_that_are_no_text_or_have_no_end(self):
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (2 ** 30, 2 ** 30))} if not SANITIZED else {}
        self.refused(2, "zero byte", "bench", *self.ENTRY, "--compare", "/dev/zero", **limit)
        with tempfile.NamedTemporaryFile("wb") as file:
            file.write(json.dumps({"results": []}).encode() + b"\0 and more")
            file.flush()
            self.refused(2, "zero byte", "bench", *self.ENTRY, "--compare", file.name)

    def test_unusual_but_valid_json(self):
        old = self.bench(*self.ENTRY)
        old["more"] = ["\U0001d11e \u00e9 \t\"\\", None, True, False, [], {}, [[-1.5e-3]], 0]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(old, file, ensure_ascii=True, indent=3)
            file.flush()
            self.assertEqual(self.bench(*self.ENTRY, "--compare", file.name)["compared"], 2)


class Text(BenchTest):
    def test_table(self):
        text = self.succeeds("bench", *QUICK, "--seconds", 0.05, "-n", "2:3", "--color", "summed").stdout
        self.assertIn("GFLOP/s", text)
        self.assertIn("g g -> 2 g", text)
        self.assertIn("g g -> 3 g", text)
        rows = [line.split() for line in text.splitlines() if line.startswith("  co-sum")]
        self.assertEqual([r[1:3] for r in rows],
                         2 * [[h, kernel] for h in ("summed", "sampled") for kernel in ("paper", "fast")])
        header = [line for line in text.splitlines() if line.startswith("  algo")][0]
        self.assertTrue(header.endswith("fast:paper"))
        for line in text.splitlines():
            if line.startswith("  co-sum"):
                self.assertEqual(len(line), len(header))
        for r in rows:  # the last column: how much faster the fast kernel is
            self.assertEqual(r[-1], "x" if r[2] == "fast" else "-")

    def test_brief(self):
        for factor in (1, 10, 100, 1000):  # on a busy machine there are lines about what there was no time for
            text = self.succeeds("bench", *QUICK, "--seconds", factor * SECONDS, "-n", "2:3", "--brief").stdout
            if "would take" not in text:
                break
        self.assertGreater(len([line for line in text.splitlines() if line.startswith("co-sum")]), 7)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_quiet_on_standard_error(self):
        self.assertEqual(self.succeeds("bench", *QUICK, "--seconds", SECONDS, "-n", 2, "--algorithm", "lc").stderr, "")

    def start(self, *arguments):
        return self.tended([PROGRAM, "bench", "--seconds", "0.1", "--threads", "1", "--backend", "cpu", "-n", "2:8", *arguments],
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_interrupted(self):
        p = self.start("--quiet")
        for line in p.stdout:
            if line.startswith("  tess"):  # the first entry
                break
        p.send_signal(signal.SIGINT)
        rest, err = p.communicate(timeout=300)
        self.assertEqual(p.returncode, 130, err)
        self.assertNotIn("g g -> 8 g", rest)

    def test_interrupted_document(self):
        for seconds in (1.5, 5., 20., 60.):  # until there was something to print
            p = self.start("--json")
            wait_for_work(p, seconds)
            p.send_signal(signal.SIGINT)
            out, err = p.communicate(timeout=300)
            self.assertIn(p.returncode, (130, -signal.SIGINT), err)  # killed before it listened
            d = json.loads(out) if out else None
            if d and d["results"]:
                break
        self.assertTrue(d["interrupted"])
        self.assertTrue(d["results"])


if __name__ == "__main__":
    main()
