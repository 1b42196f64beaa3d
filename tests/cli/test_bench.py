"""blockgen bench: the contract of its JSON, the subset that options choose, comparison, what is skipped."""
import resource
import signal
import time

from support import *

# Short, since every test runs it: what is tested here is not how fast the machine is.
QUICK = ("--seconds", "0.005", "--threads", "1", "--backend", "cpu", "--quiet")
CONTRACT = {"n_out": int, "algorithm": str, "color": str, "recursion": str, "helicity": str, "kernel": str,
            "backend": str, "threads": int, "stage": str, "ns_per_event": float, "bytes_per_event": int,
            "bytes_shared": int, "batch": int}
AXES = {"tess": ("leading", "ordered", "sampled"), "lc": ("leading", "ordered", "summed"),
        "co-sum": ("summed", "ordered", "summed"), "co-mc": ("sampled", "ordered", "summed"),
        "cd-mc": ("sampled", "dressed", "sampled")}


class Bench(CliTest):
    def bench(self, *arguments, status=0, **more):
        p = run("bench", "--json", *QUICK, *arguments, **more)
        self.assertEqual(p.returncode, status, p.stderr)
        return json.loads(p.stdout)

    def in_a_quiet_moment(self, measure):
        """Comparisons of times: a busy machine may spoil one measurement, and then a longer one, but not all of them."""
        for seconds in (0.1, 0.2, 0.4, 0.8):
            try:
                return measure(seconds)
            except AssertionError:
                pass
        return measure(1.6)

    def key(self, r):
        return tuple(r[k] for k in ("n_out", "algorithm", "helicity", "kernel", "stage"))

    def written(self, document):
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(file.close)
        json.dump(document, file)
        file.flush()
        return file.name


class Contract(Bench):
    def test_everything(self):
        d = self.bench("-n", "2:3")
        self.assertEqual(d["version"], run("--version").stdout.split()[1])
        self.assertEqual(d["skipped"], [])
        results = {self.key(r): r for r in d["results"]}
        self.assertEqual(len(results), len(d["results"]), "an entry was measured twice")
        for r in d["results"]:
            for name, kind in CONTRACT.items():
                self.assertIsInstance(r[name], (int, float) if kind is float else kind, name)
            self.assertGreater(r["ns_per_event"], 1.)
            self.assertGreater(r["batch"], 0)
            self.assertGreaterEqual(r["repetitions"], 1)
            self.assertGreaterEqual(r["spread"], 0.)
            self.assertEqual(r["threads"], 1)
            self.assertEqual(r["backend"], "cpu")
            self.assertIs(r["filled"], True)
        for n_out in (2, 3):
            for stage in ("me", "event", "phase-space"):  # cuts: see below, they need more time than this
                for name, (color, recursion, helicity) in AXES.items():
                    r = results[n_out, name, helicity, "paper", stage]
                    self.assertEqual((r["color"], r["recursion"]), (color, recursion))
                for helicity in ("summed", "sampled"):
                    for kernel in ("paper", "fast"):
                        for part in (stage, "amplitudes", "color-sum"):
                            self.assertIn((n_out, "co-sum", helicity, kernel, part), results)
        self.assertEqual({r["algorithm"] for r in d["results"] if r["stage"] in ("amplitudes", "color-sum")},
                         {"co-sum"})

    def test_a_part_is_less_than_the_whole(self):
        self.in_a_quiet_moment(self.compare_parts)

    def compare_parts(self, seconds):
        d = self.bench("-n", 3, "--algorithm", "co-sum", "--helicity", "summed", "--seconds", seconds)
        ns = {(r["kernel"], r["stage"]): r for r in d["results"]}
        for kernel in ("paper", "fast"):
            event = ns[kernel, "event"]
            self.assertGreater(event["ns_per_event"], ns[kernel, "phase-space"]["ns_per_event"])
            self.assertGreater(event["ns_per_event"], 0.8 * ns[kernel, "me"]["ns_per_event"])
            self.assertTrue(0.3 < event["efficiency"] <= 1.)
            self.assertGreater(event["events_per_repetition"], 64)
            parts = sum(ns[kernel, s]["ns_per_event"] for s in ("amplitudes", "color-sum"))
            self.assertTrue(0.4 < parts / ns[kernel, "me"]["ns_per_event"] < 2.5, ns)
            for s in ("amplitudes", "color-sum"):  # at n_out = 3 neither is negligible
                self.assertGreater(ns[kernel, s]["ns_per_event"], 0.02 * parts)

    @unittest.skipIf(SANITIZED, "times mean nothing with sanitizers")
    def test_cuts(self):
        self.in_a_quiet_moment(self.compare_cuts)

    def compare_cuts(self, seconds):
        # six gluons, 15 distances between them, logarithms and arcs: a good part of what a point costs
        entry = ("-n", 6, "--algorithm", "cd-mc", "--kernel", "fast", "--seconds", 3 * seconds)
        p = run("bench", "--json", *QUICK, *entry, "--stage", "cuts")
        self.assertEqual(p.returncode, 0, p.stderr)  # 1: lost in the noise
        cuts, = json.loads(p.stdout)["results"]
        self.assertEqual(cuts["stage"], "cuts")
        points, = self.bench(*entry, "--stage", "phase-space")["results"]
        self.assertAlmostEqual(points["efficiency"], cuts["efficiency"], delta=0.05)
        self.assertTrue(0.02 < cuts["ns_per_event"] / points["ns_per_event"] < 5., (cuts, points))

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
        for r in self.bench("-n", "2:4", "--stage", "me")["results"]:
            self.assertGreater(r["flops_per_event"], 100., r)
            self.assertGreater(r["roofline"], 0., r)

    def test_batch_is_what_was_used(self):
        # a register of 8 events and 4 of them in a chunk: what a thread of the CPU has in flight at most
        for r in self.bench("-n", 4, "--color", "summed")["results"]:
            self.assertTrue(1 <= r["batch"] <= 32, r)
            self.assertLessEqual(r["batch"], r["events_per_repetition"])

    def test_machine(self):
        m = self.bench("-n", 2, "--algorithm", "cd-mc", "--stage", "me")["machine"]
        for name in ("cpu", "simd", "system", "compiler"):
            self.assertTrue(m[name], name)
        self.assertGreaterEqual(m["cores"], 1)
        self.assertIn("cpu", [b["name"] for b in m["backends"]])
        for name in ("fp64_gflops_one_thread", "fp64_gflops_all_threads"):
            self.assertTrue(0.01 < m[name] < 1e5, m)
        for name in ("bandwidth_gbs_one_thread", "bandwidth_gbs_all_threads"):
            self.assertTrue(0.01 < m[name] < 1e5, m)
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

    @unittest.skipIf(SANITIZED, "times mean nothing with sanitizers")
    def test_fast_is_fast(self):
        self.in_a_quiet_moment(self.compare_kernels)

    def compare_kernels(self, seconds):
        d = self.bench("-n", 5, "--color", "summed", "--helicity", "summed", "--stage", "me", "--seconds", 2 * seconds)
        fast, = [r for r in d["results"] if r["kernel"] == "fast"]
        paper, = [r for r in d["results"] if r["kernel"] == "paper"]
        self.assertGreater(paper["ns_per_event"], 5 * fast["ns_per_event"])
        self.assertAlmostEqual(fast["speedup_over_paper"], paper["ns_per_event"] / fast["ns_per_event"])
        self.assertIsNone(paper["speedup_over_paper"])
        # above zero, and below what multiply-adds alone reach (the machine may have been busy just then: a factor 2)
        self.assertTrue(0. < fast["gflops"] < 2. * d["machine"]["fp64_gflops_one_thread"])

    def test_grid_is_adapted(self):
        # with a uniform grid 7 % of the trials are inside the cuts
        d = self.bench("-n", 8, "--algorithm", "cd-mc", "--kernel", "fast", "--stage", "event")
        self.assertGreater(d["results"][0]["efficiency"], 0.2)


HAS_DEVICE = any(b["name"] == "cuda" and b["usable"] for b in json.loads(run("info", "--json").stdout)["backends"])


@unittest.skipUnless(HAS_DEVICE, "no CUDA device here")
class Device(Bench):
    """The same on a GPU, where the parts are timed by its own events."""
    def device(self, *arguments):
        return self.bench("--backend", "cuda", "--seconds", 0.1, *arguments)

    def test_roofline(self):
        d = self.device("-n", 4, "--algorithm", "co-sum", "--stage", "me")
        cuda, = [b for b in d["machine"]["backends"] if b["name"] == "cuda"]
        self.assertGreater(cuda["fp64_gflops"], 10.)
        self.assertGreater(cuda["bandwidth_gbs"], 10.)
        for r in d["results"]:
            self.assertTrue(0. < r["roofline"] <= 1.1, r)

    def test_stages(self):
        self.in_a_quiet_moment(self.compare_stages)

    def compare_stages(self, seconds):
        d = self.device("-n", "2:5", "--color", "summed", "--helicity", "summed", "--seconds", seconds)
        ns = {(r["n_out"], r["kernel"], r["stage"]): r["ns_per_event"] for r in d["results"]}
        for n_out in (2, 3, 4, 5):
            for kernel in ("paper", "fast"):
                apart = kernel == "paper" or n_out > 3  # below, one kernel does everything
                self.assertEqual((n_out, kernel, "color-sum") in ns, apart)
                self.assertIn((n_out, kernel, "phase-space"), ns)
                self.assertIn((n_out, kernel, "event"), ns)
                if apart and n_out > 3:
                    parts = ns[n_out, kernel, "amplitudes"] + ns[n_out, kernel, "color-sum"]
                    self.assertTrue(0.7 < parts / ns[n_out, kernel, "me"] < 1.4, ns)

    def test_cuts(self):
        ns = {r["stage"]: r["ns_per_event"] for r in self.device("-n", 5, "--algorithm", "cd-mc", "--kernel", "fast")["results"]}
        self.assertTrue(0. < ns["cuts"] < 10. * ns["phase-space"], ns)
        self.assertLess(ns["phase-space"], ns["event"])

    def test_events_fill_the_device(self):
        d = self.device("-n", 5, "--algorithm", "co-sum", "--kernel", "fast", "--seconds", 0.5)
        batch = {(r["helicity"], r["stage"]): r["batch"] for r in d["results"]}
        for helicity in ("summed", "sampled"):
            self.assertGreater(batch[helicity, "event"], 0.8 * batch[helicity, "me"])
        self.assertTrue(all(r["filled"] for r in d["results"]))

    def test_upper_bounds(self):
        # one thread an event, a third of a second each: the time allows for a few of them only
        d = self.device("-n", 6, "--algorithm", "lc", "--stage", "me", "--seconds", 0.04)
        self.assertEqual([r["filled"] for r in d["results"]], [False])


class Subset(Bench):
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


class Refused(Bench):
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


class Skipped(Bench):
    def test_too_slow(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        d = self.bench("-n", "7:8", "--color", "leading", "--helicity", "summed", "--stage", "me", status=1)
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


class Compare(Bench):
    ENTRY = ("-n", "2", "--algorithm", "co-sum", "--helicity", "summed", "--stage", "me")

    def test_slower_is_marked(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["spread"] = 0.
            if r["kernel"] == "fast":
                r["ns_per_event"] /= 100.  # now it looks a hundred times slower
            else:
                r["ns_per_event"] *= 100.
        name = self.written(old)
        d = self.bench(*self.ENTRY, "--compare", name)
        self.assertEqual((d["compared"], d["slower"], d["compared_with"]), (2, 1, name))
        for r, o in zip(d["results"], old["results"]):
            self.assertEqual(r["slower"], r["kernel"] == "fast")
            self.assertEqual(r["old_ns_per_event"], o["ns_per_event"])
        text = self.succeeds("bench", *QUICK, *self.ENTRY, "--compare", name).stdout
        self.assertEqual(text.count("SLOWER: me takes"), 1)
        self.assertIn(f"1 of 2 entries are slower than in {name}", text)

    def test_upper_bounds_are_not_compared(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["ns_per_event"] /= 100.
            r["filled"] = r["kernel"] == "fast"
        d = self.bench(*self.ENTRY, "--compare", self.written(old))
        self.assertEqual((d["compared"], d["slower"]), (1, 1))
        self.assertEqual([r["kernel"] for r in d["results"] if r["slower"]], ["fast"])

    def test_tolerance(self):
        old = self.bench(*self.ENTRY)
        for r in old["results"]:
            r["ns_per_event"] /= 100.
        d = self.bench(*self.ENTRY, "--compare", self.written(old), "--tolerance", 1000)
        self.assertEqual((d["compared"], d["slower"]), (2, 0))

    def test_other_entries_are_not_compared(self):
        for name, value in (("threads", 7), ("backend", "cuda"), ("n_out", 3), ("kernel", "other"),
                            ("stage", "event"), ("variant", "vertex tensor"), ("helicity", "sampled"),
                            ("algorithm", "lc"), ("ns_per_event", None)):
            old = {"results": [{**r, name: value} for r in self.bench(*self.ENTRY)["results"]]}
            d = self.bench(*self.ENTRY, "--compare", self.written(old))
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

    def test_unusual_but_valid_json(self):
        old = self.bench(*self.ENTRY)
        old["more"] = ["\U0001d11e \u00e9 \t\"\\", None, True, False, [], {}, [[-1.5e-3]], 0]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(old, file, ensure_ascii=True, indent=3)
            file.flush()
            self.assertEqual(self.bench(*self.ENTRY, "--compare", file.name)["compared"], 2)


class Text(Bench):
    def test_table(self):
        text = self.succeeds("bench", *QUICK, "-n", "2:3", "--color", "summed").stdout
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

    def test_quiet_on_standard_error(self):
        self.assertEqual(self.succeeds("bench", *QUICK, "-n", 2, "--algorithm", "lc").stderr, "")

    def interrupted_after(self, seconds):
        p = subprocess.Popen([PROGRAM, "bench", "--json", "--seconds", "0.3", "--threads", "1", "--backend", "cpu",
                              "-n", "2:8"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(seconds)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=300)
        self.assertIn(p.returncode, (130, -signal.SIGINT), err)  # killed before it listened
        return json.loads(out) if out else None

    def test_interrupted(self):
        for seconds in (4., 8., 16., 32.):  # until there was something to print
            d = self.interrupted_after(seconds)
            if d and d["results"]:
                break
        self.assertTrue(d["interrupted"])
        self.assertTrue(d["results"])


if __name__ == "__main__":
    main()
