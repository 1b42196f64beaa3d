#!/usr/bin/env python3
"""The measured numbers of the documents, from the files that hold them:

    docs/numbers.py            writes them into README.md and docs/*.md (make docs-numbers)
    docs/numbers.py --check    says which places differ from what would be written, exit status 1 if there are any

A place is marked by two comments, which a reader of the rendered page does not see:

    the color sum takes <!--= span("color-sum/cpu-ratio/fast", 5, 8, "%") -->5 to 17 %<!--/--> of the amplitudes

The first comment holds an expression of the functions below; what stands between the two is its value. Values with several lines
(tables, captions) stand on lines of their own. The files: docs/figures/*.csv, *.txt and *.md, which `blockgen study all
--recorded` writes from bench/results; bench/results/*/*.json and one-percent.txt; bench/peers/peers.json; bench/validation/*.csv and *.json.
"""
import csv
import glob
import json
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EPYC, H200 = "bench/results/2026-11-15-epyc", "bench/results/2026-11-15-h200"
MARK = re.compile(r"<!--= (.*?) -->(.*?)<!--/-->", re.S)
UNITS = {"": 1., "ns": 1., "us": 1e-3, "ms": 1e-6, "s": 1., "kB": 1e-3, "MB": 1e-6, "GB": 1e-9, "B": 1., "%": 100.}
cache = {}


def read(path):
    if path not in cache:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            cache[path] = json.load(file) if path.endswith(".json") else file.read()
    return cache[path]


# ---- numbers as text ---------------------------------------------------------------------------------------------------

def num(x, digits=2):
    """A number with so many significant digits, and no exponent where it can be read without one."""
    if x is None:
        return "-"
    if x == 0.:
        return "0"
    size = math.floor(math.log10(abs(x)))
    x = round(x, digits - 1 - size)
    size = math.floor(math.log10(abs(x)))
    if size >= 6 or size < -4:
        mantissa = f"{x / 10. ** size:.{digits - 1}f}".rstrip("0").rstrip(".") if digits > 1 else f"{x / 10. ** size:.0f}"
        return f"{mantissa}e{size}"
    return f"{x:.{max(0, digits - 1 - size)}f}"


def unit(text, name):
    return f"{text} {name}" if name else text


# ---- the figures ---------------------------------------------------------------------------------------------------------

def points(path):
    """{n_out: (value, kind)} of "figure/panel/series"."""
    figure, panel, series = path.split("/")
    if ("figure", figure) not in cache:
        lines = [line for line in read(f"docs/figures/{figure}.csv").splitlines() if not line.startswith("#")]
        table = {}
        for r in csv.DictReader(lines):
            table.setdefault((r["panel"], r["series"]), {})[int(r["n_out"])] = (float(r["value"]), r["kind"])
        cache["figure", figure] = table
    if (panel, series) not in cache["figure", figure]:
        raise KeyError(f"no series {path}")
    return cache["figure", figure][panel, series]


def v(path, n_out):
    """One value of a figure."""
    return points(path)[n_out][0]


def known(path, low, high):
    return [n for n in range(low, high + 1) if n in points(path)]


def at(path, n_out, name="", digits=2):
    return unit(num(v(path, n_out) * UNITS[name], digits), name)


def row(path, low, high, name="", digits=2):
    """Values at n_out = low to high, with a ~ where they are extrapolated."""
    data = points(path)
    texts = [("~" if data[n][1] == "extrapolated" else "") + num(data[n][0] * UNITS[name], digits) if n in data else "-"
             for n in range(low, high + 1)]
    return unit(" / ".join(texts), name)


def span(path, low, high, name="", digits=2):
    """Least and largest value between n_out = low and high."""
    values = [v(path, n) * UNITS[name] for n in known(path, low, high)]
    texts = [num(min(values), digits), num(max(values), digits)]
    return unit(texts[0] if texts[0] == texts[1] else " to ".join(texts), name)


def over(a, b, low, high, digits=2):
    """Ratios of two curves."""
    return " / ".join(num(v(a, n) / v(b, n), digits) if n in points(a) and n in points(b) else "-"
                      for n in range(low, high + 1))


def over_span(a, b, low, high, digits=2):
    values = [v(a, n) / v(b, n) for n in range(low, high + 1) if n in points(a) and n in points(b)]
    return f"{num(min(values), digits)} to {num(max(values), digits)}"


def step(path, n_out, digits=2):
    """By what factor a curve grows from n_out - 1 to n_out."""
    return num(v(path, n_out) / v(path, n_out - 1), digits)


def caption(figure):
    """The caption of a figure, and what was left out of it."""
    text = read(f"docs/figures/{figure}.txt").split("\n", 2)[2].strip()
    words, _, left = text.partition("\nLeft out:\n")
    out = "*" + " ".join(words.split()).replace("*", "\\*").replace("_", "\\_").replace("|", "\\|") + "*"
    lines = [line for line in wrap(out)]
    if left:
        lines += ["", "<details><summary>Left out</summary>", ""]
        for item in left.strip().splitlines():
            lines += wrap(item.replace("_", "\\_").replace("|", "\\|"), "  ")
        lines += ["", "</details>"]
    return "\n".join(lines)


def wrap(text, indent=""):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 120:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    return lines + [line]


def tables(figure):
    return "<details><summary>The numbers</summary>\n\n" + read(f"docs/figures/{figure}.md").strip() + "\n\n</details>"


# ---- tables ----------------------------------------------------------------------------------------------------------------

def table(columns, rows, corner="n_out"):
    lines = [f"| {corner} | " + " | ".join(str(c) for c in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in r) + " |" for r in rows])


def curves(rows, low, high, name="", digits=2):
    """A table of curves: [(title, path), ...] over n_out = low to high."""
    def cells(path):
        data = points(path)
        return [("~" if data[n][1] == "extrapolated" else "") + num(data[n][0] * UNITS[name], digits) if n in data else ""
                for n in range(low, high + 1)]
    return table(range(low, high + 1), [[title] + cells(path) for title, path in rows])


def bench(folder, kind, stage, n_out, **axes):
    """The row of bench-KIND.json with these axes; None: there is none."""
    for r in read(f"{folder}/bench-{kind}.json")["results"]:
        if r["stage"] == stage and r["n_out"] == n_out and r["backend"] == kind and r["threads"] == 1 \
                and all(r[key] == value for key, value in axes.items()) and r.get("filled", True) and r.get("adapted", True):
            return r
    return None


KERNELS = [
    ("co-sum, one polarization, paper", dict(algorithm="co-sum", helicity="sampled", kernel="paper", variant=""), range(4, 9)),
    ("co-sum, one polarization, fast", dict(algorithm="co-sum", helicity="sampled", kernel="fast", variant=""), range(4, 10)),
    ("co-sum, full sum, paper", dict(algorithm="co-sum", helicity="summed", kernel="paper", variant=""), range(4, 8)),
    ("co-sum, full sum, fast", dict(algorithm="co-sum", helicity="summed", kernel="fast", variant=""), range(4, 9)),
    ("lc, all orderings, full sum, paper", dict(algorithm="lc", helicity="summed", kernel="paper", variant=""), range(4, 7)),
    ("co-mc, helicities summed, paper", dict(algorithm="co-mc", helicity="summed", kernel="paper", variant=""), range(4, 8)),
    ("cd-mc, one sample, paper", dict(algorithm="cd-mc", helicity="sampled", kernel="paper", variant=""), range(4, 9)),
    ("coherent, one sample, fast", dict(algorithm="cd-mc", helicity="sampled", kernel="fast", variant=""), range(4, 9))]


def gpu_kernels():
    """Time, operations, share of the roofline and memory of each kernel on the GPU, from bench-cuda.json."""
    rows = []
    for title, axes, range_ in KERNELS:
        for n in range_:
            r = bench(H200, "cuda", "me", n, **axes)
            if not r:
                continue
            roof = r.get("roofline")
            flops = r.get("flops_per_event")
            rows.append([title, n, num(r["ns_per_event"], 3), num(flops, 2) if flops else "", f"{100. * roof:.0f} %" if roof else "",
                         num(r["bytes_per_event"], 3), num(r["bytes_on_chip"], 3) if r["bytes_on_chip"] else "",
                         num(r["bytes_shared"], 2)])
            title = ""
    return table(["n_out", "ns", "operations per event", "of the roofline", "workspace per event, B", "on chip, B", "tables, B"],
                 rows, "strategy")


def cpu_table():
    """Microseconds per matrix element on one CPU thread, and how much faster the fast kernels are."""
    def cells(path, factor=1e-3):
        return [num(v(path, n) * factor) if n in points(path) else "" for n in range(2, 9)]
    return table(range(2, 9), [["full sum, fast"] + cells("cpu-time/summed/full"),
                               ["full sum, paper"] + cells("cpu-time/summed/full-paper"),
                               ["paper / fast"] + cells("cpu-time/summed-ratio/full-paper", 1.),
                               ["one polarization, fast"] + cells("cpu-time/sampled/co-sum"),
                               ["one polarization, paper"] + cells("cpu-time/sampled/co-sum-paper"),
                               ["paper / fast"] + cells("cpu-time/sampled-ratio/co-sum-paper", 1.),
                               ["one sample, coherent"] + cells("cpu-time/sampled/coherent")])


def co_mc(n_out):
    """Nanoseconds of one sample of co-mc on the GPU, from co-mc.txt."""
    return float(re.search(rf"^co-mc angle +{n_out} +([\d.]+) ns", read(f"{H200}/co-mc.txt"), re.M)[1])


def co_mc_over(path, low, high, digits=2):
    return " / ".join(num(co_mc(n) / v(path, n), digits) for n in range(low, high + 1))


def cd_mc_roof(low, high):
    values = [100. * bench(H200, "cuda", "me", n, algorithm="cd-mc", helicity="sampled", kernel="paper")["roofline"]
              for n in range(low, high + 1)]
    return f"{min(values):.0f} to {max(values):.0f} %" if round(min(values)) < round(max(values)) else f"{max(values):.0f} %"


def threads():
    """By how much 16 threads do more than one: full sums at n_out = 4 and 5, and multiply-adds alone, from threads.txt."""
    text = read(f"{H200}/threads.txt")
    scale = {"ns": 1., "us": 1e3}
    times = [float(t) * scale[u] for t, u in re.findall(r"co-sum summed +fast +cpu +(?:1|16) +([\d.]+) (ns|us)", text)]
    rates = [float(r) for r in re.findall(r"measured on cpu: ([\d.]+) GFLOP", text)]
    alone = [float(r) for r in re.findall(r"with one thread ([\d.]+) GFLOP", text)]
    return [times[0] / times[2], times[1] / times[3], rates[0] / alone[0]]


def hybrid_share(low, high):
    """Seconds of copies over the wall time of the hybrid arrangement."""
    rows = {r["n_out"]: r for r in read(f"{H200}/study-cuda.json")["hybrid"]}
    return " / ".join(num(100. * rows[n]["seconds_copies"] / rows[n]["seconds"]) for n in range(low, high + 1)) + " %"


def digits(panel, names, low, high):
    """Least and most digits of some curves of figure 11."""
    values = [v(f"accuracy/{panel}/{name}", n) for name in names for n in known(f"accuracy/{panel}/{name}", low, high)]
    return f"{min(values):.1f} to {max(values):.1f}"


def roofline(key, digits=2):
    return num(read(f"{H200}/bench-cuda.json")["machine"]["backends"][0][key] / 1e3, digits)


def cpu_rate(key, digits=2):
    return num(read(f"{EPYC}/bench-cpu.json")["machine"][key], digits)


def auto_runs():
    """{n_out: (wall, seconds, sigma, error, chi2)} of --color auto on the GPU, from one-percent.txt."""
    runs = {}
    for line in read(f"{H200}/one-percent.txt").splitlines():
        m = re.match(r'(\d+) --color auto: ([\d.]+) s with start-up; (.*),$', line)
        if m:
            d = json.loads("{" + m[3] + "}")
            runs[int(m[1])] = (float(m[2]), d["seconds"], d["sigma_pb"], d["error_pb"], d["chi2_per_dof"])
    return runs


def auto_row(low, high, digits=2):
    runs = auto_runs()
    return " / ".join(num(runs[n][1], digits) for n in range(low, high + 1)) + " s"


def to_one_percent():
    """Time to 1 %: one CPU core, the GPU by the program's own clock and from shell to shell, and Comix."""
    runs, high = auto_runs(), 9
    columns = range(2, high + 1)
    best = {n: min(points(f"one-percent/cpu/{s}").get(n, (math.inf, ""))[::1] for s in
                   ("full", "co-sum-invariants", "coherent-invariants", "coherent")) for n in range(2, 9)}
    comix = {len(r["process"]) - 3: r for r in read("bench/peers/peers.json")["seconds_to_one_percent"]}
    def cpu(n):
        return "" if n not in best else ("~" if best[n][1] == "extrapolated" else "") + num(best[n][0]) + " s"
    rows = [["BlockGen, one core of an EPYC, best strategy"] + [cpu(n) for n in columns],
            ["BlockGen, one H200, the program's own clock"] + [num(runs[n][1]) + " s" for n in columns],
            ["BlockGen, one H200, from shell to shell"] + [num(runs[n][0]) + " s" for n in columns],
            ["Comix, one Ice Lake core"] + [("" if n not in comix else
             ("~" if "extrapolated" in comix[n]["how"] else "") +
             (f"{comix[n]['seconds'] / 60:.0f} min" if comix[n]["seconds"] < 3600 else f"{comix[n]['seconds'] / 3600:.1f} h"))
             for n in columns]]
    return table(columns, rows)


# ---- estimates first --------------------------------------------------------------------------------------------------------

ESTIMATES = {"cuda": "bench/results/2026-11-19-h200/estimates.json", "one core": "bench/results/2026-11-19-xeon/estimates.json"}


def estimated(kind, where):
    """{n_out: run} of estimates.json: "pp", "gluons" or "events", on "cuda" or "one core"."""
    runs = {}
    for r in read(ESTIMATES[where])["runs"]:
        words = r["name"].split(" ", 2)
        if words[0] == kind and words[2] == where:
            runs[int(words[1])] = r
    return runs


def estimated_times(kind):
    """Seconds to 1 % where |M|^2 is estimated first; where another precision was reached, that too."""
    device, core = estimated(kind, "cuda"), estimated(kind, "one core")
    columns = sorted(set(device) | set(core))

    def cell(runs, n, key):
        if n not in runs:
            return ""
        r = runs[n]["result"]
        reached = r["error_pb"] / r["sigma_pb"]
        return num({**r, **runs[n]}[key]) + " s" + ("" if reached < 0.0101 else f" ({100. * reached:.1f} %)")

    def count(n, key):
        return num((device.get(n) or core[n])["result"][key])
    def reached(n):
        r = (device.get(n) or core[n])["result"]
        return f"{100. * r['error_pb'] / r['sigma_pb']:.2f} %"
    rows = [["one H200, from shell to shell"] + [cell(device, n, "wall_seconds") for n in columns],
            ["one H200, the program's own clock"] + [cell(device, n, "seconds") for n in columns],
            ["one core of a Xeon, the program's own clock"] + [cell(core, n, "seconds") for n in columns],
            ["H200, the error that was reached"] + [reached(n) for n in columns],
            ["H200, exact matrix elements"] + [count(n, "evaluated") for n in columns]]
    return table(columns, rows, "n_out" if kind == "gluons" else "jets")


def cuts_over():
    """The cuts of a trial point on the H200 over those of 0.1.0."""
    def times(name):
        return {r["n_out"]: r["ns_per_event"] for r in read(f"bench/results/2026-11-16-h200/{name}.json")["results"]}
    before, after = times("cuts-before"), times("cuts-after")
    return " / ".join(num(after[n] / before[n]) for n in sorted(before))


def event_rates():
    """Unweighted events of protons."""
    device, core = estimated("events", "cuda"), estimated("events", "one core")
    columns = sorted(set(device) | set(core))

    def cells(runs, key, digits=2):
        return [num(runs[n]["result"][key], digits) if n in runs else "" for n in columns]
    rows = [["one H200, events a second"] + cells(device, "events_per_second"),
            ["one core of a Xeon, events a second"] + cells(core, "events_per_second"),
            ["H200, events kept of trial points"] + cells(device, "efficiency"),
            ["one core, the same"] + cells(core, "efficiency"),
            ["H200, exact matrix elements for an event"] + cells(device, "exact_per_event"),
            ["one core, the same"] + cells(core, "exact_per_event"),
            ["H200, share of sigma in overweights"] + cells(device, "overweight_share", 1),
            ["one core, the same"] + cells(core, "overweight_share", 1)]
    return table(columns, rows, "jets")


def proton_maps():
    """Cross sections and events of protons on one core, before rings and neighbors and after."""
    record = read("bench/results/2026-11-18-epyc/protons.json")
    columns = [r["jets"] for r in record["after"]]

    def mean(run, value):
        return sum(value(r) for r in run["sigma"]) / len(run["sigma"])
    rows = []
    for when in ("before", "after"):
        runs = record[when]
        rows += [[f"seconds of a run to 1 %, {when}"] + [num(mean(r, lambda s: s["seconds"])) for r in runs],
                 [f"its error in percent, {when}"] + [num(mean(r, lambda s: 100. * s["error_pb"] / s["sigma_pb"])) for r in runs],
                 [f"events kept of trial points, {when}"] + [num(r["events"]["efficiency"]) for r in runs],
                 [f"exact matrix elements for an event, {when}"] + [num(r["events"]["exact_per_event"]) for r in runs],
                 [f"share of sigma in overweights, {when}"] + [num(r["events"]["overweight_share"], 1) for r in runs],
                 [f"events a second, {when}"] + [num(r["events"]["events_per_second"]) for r in runs]]
    return table(columns, rows, "jets")


def drawn_helicities():
    """Time of the CPU for sigma to 1 % before and after helicities were drawn by invariant masses: means over the seeds."""
    rows = list(csv.DictReader(read("bench/results/2026-11-16-xeon/draws.csv").splitlines()))
    columns = range(6, 10)
    def mean(n, *ways):
        of = [float(r["seconds"]) for r in rows if r["setup"] == "paper" and int(r["n_out"]) == n and r["way"] in ways]
        return num(sum(of) / len(of)) + " s" if of else ""
    return table(columns, [["before"] + [mean(n, "summed", "invariants") for n in columns],
                           ["helicities by invariant masses"] + [mean(n, "auto") for n in columns]])


def threshold_runs(way, column):
    """Least and largest of a column of the runs near the threshold."""
    of = [float(r[column]) for r in csv.DictReader(read("bench/results/2026-11-16-xeon/draws.csv").splitlines())
          if r["setup"] == "threshold" and r["way"] == way]
    return f"{num(min(of))} to {num(max(of))}"


def writing_rates():
    """Formats of event files with one thread, bench/writing.py."""
    rows = read("bench/results/2026-11-16-xeon/writing.json")["results"]
    return table(["events a second", "MB a second", "bytes an event", "waiting for the file"],
                 [[r["format"], num(r["events_per_second"]), num(r["megabytes_per_second"]), num(1e6 * r["megabytes"] / r["events"], 3),
                   f"{100. * r['seconds_writing'] / r['seconds_events']:.0f} %"] for r in rows], "format")


# ---- other programs ----------------------------------------------------------------------------------------------------------

def peer(program, machine, n_out, question="full-sum"):
    """Microseconds of the fastest build; None: there is no number."""
    times = [r["us"] for r in read("bench/peers/peers.json")["times"] if r["program"] == program and r["machine"] == machine
             and r["question"] == question and r["process"] == "gg>" + "g" * n_out]
    return min(times) if times else None


def same_machine():
    """BlockGen and MadGraph, in turns on one core."""
    columns = range(2, 5)
    rows = [[name] + [num(peer(program, "epyc", n), 3) for n in columns] for name, program in
            (("BlockGen, `--kernel fast`", "blockgen"), ("MadGraph CUDACPP (AVX-512), fastest build", "cudacpp"),
             ("MadGraph Fortran, fastest build", "madgraph"))]
    rows.append(["CUDACPP / BlockGen"] + [num(peer("cudacpp", "epyc", n) / peer("blockgen", "epyc", n)) for n in columns])
    return table(columns, rows)


def same_machine_ratios():
    return " / ".join(num(peer("cudacpp", "epyc", n) / peer("blockgen", "epyc", n)) for n in range(2, 5))


def other_machine():
    """Programs on the Ice Lake."""
    columns = range(2, 9)
    rows = [[name] + [num(peer(program, "icelake", n, question), 3) if peer(program, "icelake", n, question) else ""
                      for n in columns] for name, program, question in
            (("MadGraph Fortran", "madgraph", "full-sum"), ("MadGraph CUDACPP (AVX-512)", "cudacpp", "full-sum"),
             ("Comix, full sum", "comix", "full-sum"), ("Amegic (CSW)", "amegic", "full-sum"),
             ("Comix, colors sampled, helicities summed", "comix", "colors-sampled"))]
    return table(columns, rows)


def textbook(low, high):
    return " / ".join(num(peer("textbook", "h200", n, "color-sum") / peer("textbook", "h200", n, "amplitudes"))
                      for n in range(low, high + 1))


def include(path):
    """A file as it is."""
    return read(path).strip()


# ---- cross sections ------------------------------------------------------------------------------------------------------------

def records(name):
    return list(csv.DictReader(line for line in read(f"bench/validation/{name}.csv").splitlines() if not line.startswith("#")))


def with_error(value, error):
    """Two digits of the error decide about those of the value."""
    places = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{places}f} ± {error:.{places}f}"


def with_power(value, error):
    """The same with a power of ten, (6.2230 ± 0.0009)e7; without an error seven digits."""
    power = math.floor(math.log10(value))
    if not error:
        return f"{value / 10**power:.6f}e{power}"
    places = max(0, 1 - math.floor(math.log10(error / 10**power)))
    return f"({value / 10**power:.{places}f} ± {error / 10**power:.{places}f})e{power}"


def cross_sections():
    peers = {len(r["process"]) - 3: r for r in read("bench/peers/peers.json")["cross_sections"]}
    exact = {int(r["n_out"]): r for r in records("references")}
    rows = []
    for r in records("cross-sections"):
        n, sigma, error = int(r["n_out"]), float(r["sigma_pb"]), float(r["error_pb"])
        def compare(value, other):
            value, other = float(value), float(other)
            return f"{(sigma - value) / math.hypot(error, other):+.1f} sigma"
        ours = with_error(sigma, error)
        cells = [[ours, f"{float(r['chi2_per_dof']):.1f}", f"`{r['command']}`"]]
        refs = []
        if n in exact:
            e = exact[n]
            refs.append((with_error(float(e["sigma_pb"]), float(e["error_pb"])) if float(e["error_pb"]) else f"{float(e['sigma_pb']):.4f}",
                         e["source"], compare(e["sigma_pb"], e["error_pb"])))
        if n in peers:
            p = peers[n]
            refs.append((with_error(p["sigma_pb"], p["error_pb"]), "Sherpa", compare(p["sigma_pb"], p["error_pb"])))
        for k, (value, source, deviation) in enumerate(refs or [("", "", "")]):
            rows.append([f"gg -> {n}g" if not k else ""] + (cells[0] if not k else ["", "", ""]) + [value, source, deviation])
    return table(["BlockGen, pb", "chi2/dof", "command", "reference, pb", "source", "deviation"], rows, "process")


def literature():
    """Cross sections that others have published, {n_out: (value, error)}, against ours with their cuts."""
    published = {8: (0.755, 0.003), 9: (0.305, 0.002)}
    rows = []
    for r in records("literature"):
        n, sigma, error = int(r["n_out"]), float(r["sigma_pb"]), float(r["error_pb"])
        value, its = published[n]
        rows.append([f"gg -> {n}g", with_error(sigma, error), f"{float(r['chi2_per_dof']):.1f}", f"`{r['command']}`", f"{value} ± {its}",
                     f"{(sigma - value) / math.hypot(error, its):+.1f} sigma"])
    return table(["BlockGen, pb", "chi2/dof", "command", "Comix, pb", "deviation"], rows, "process")


def gpu_cross_sections():
    rows = [[f"gg -> {n}g", with_error(r[2], r[3]), f"{r[4]:.1f}", f"{num(r[1])} s"] for n, r in sorted(auto_runs().items())]
    return table(["sigma, pb", "chi2/dof", "time"], rows, "process")


def pulls():
    return table(["seeds", "mean pull", "rms pull"], [[f"`{r['command']}`", r["seeds"], f"{float(r['mean']):+.2f}", f"{float(r['rms']):.2f}"]
                                                       for r in records("pulls")], "run")


def honest():
    """Pulls of short runs against a long one, from pulls.json (bench/validation/measure.py honest)."""
    r = read("bench/validation/pulls.json")
    rows = [[f"`{q['command']}`", with_error(q["long"]["sigma_pb"], q["long"]["error_pb"]), f"{100 * q['error']:.2f} %", f"{q['mean']:+.2f}",
             f"{q['rms']:.2f}", f"{q['largest']:.1f}", q["widened"]] for q in r["runs"]]
    return table(["long run, pb", "error", "mean pull", "rms pull", "largest", "widened"], rows, "run") + \
        f"\n\n{r['seeds']} seeds each; {r['date']}, " + ", ".join(dict.fromkeys(q.get("version", r["version"]) for q in r["runs"])) + f", {r['hardware']}."


def points_for_one_percent():
    return curves([("colors and helicities summed", "overhead/points/full"),
                   ("helicities by invariants", "overhead/points/co-sum-invariants"),
                   ("coherent colors, helicities by invariants", "overhead/points/coherent-invariants")], 2, 8)


def few(what):
    """Where the time of coherent colors went on the H200, with a warp and with a block for a group of events."""
    data = read("bench/results/2026-11-16-h200/few.json")
    cycles = data["cycles"]
    currents = sum(cycles["currents by size"].values())
    paths = cycles["paths+schedule"] + cycles["there and back"]
    if what == "least":
        return " / ".join(num(min(x["ms"] for x in launches)) for launches in data["warp a group"].values())
    return {"busy": num(data["busy warps percent"]["10"]), "currents": num(currents * 1e-6), "paths": num(paths * 1e-6),
            "cycles": num((currents + sum(v for v in cycles.values() if not isinstance(v, dict))) * 1e-6)}[what]


TWELVE = "bench/results/2026-11-18-h200/twelve.json"


def one_event_at_a_time():
    """Drawn colors of many gluons on the H200: a block for the currents of eight events, and for one after the other."""
    rows = []
    for what, unit in (("seconds", "s"), ("draw", "million cycles"), ("currents", "million cycles")):
        for way, name in (("before", "eight events together"), ("after", "one after the other")):
            rows.append([f"{what}, {name}" if unit == "s" else f"{unit} of {'colors' if what == 'draw' else what}, {name}"] +
                        [num(r[way][what]) for r in read(TWELVE)["kernel"]])
    return table([str(r["n_out"]) for r in read(TWELVE)["kernel"]], rows, "n_out")


def twelve(what):
    """Single numbers of twelve.json."""
    data = read(TWELVE)
    seldom = data["seldom"]
    return {"kernel": " / ".join(num(r["kernel"]) for r in data["seeds"]), "slots": str(data["splits"]["slots"]),
            "reads": num(100 * data["splits"]["reads up to size"][5]), "near": str(data["splits"]["slots up to size"][5]),
            "all": " / ".join(num(r["all"]) for r in data["colors"].values()),
            "interference": " / ".join(num(r["interference"]) for r in data["colors"].values()),
            "amplitudes": " / ".join(num(0.25 * r["evaluated"] / before) for r, before in zip(seldom["runs"], seldom["before"])),
            "masses": " / ".join(num(r["wall"]) for r in data["masses"]),
            "found": " / ".join(num(1e-6 * r["evaluated"]) for r in data["masses"]),
            "walls": " / ".join(num(r["wall"]) for r in seldom["runs"]),
            "draw": num(seldom["draw"] + seldom["schedule"]), "currents": num(seldom["currents"])}[what]


def block_cycles(when, *steps):
    """Million cycles of a block for an event of twelve gluons, all of these steps together."""
    r = read("bench/results/2026-11-20-h200/twelve.json")[when]
    return num(1e-6 * sum(r["cycles"][step] for step in steps) / r["events"])


def twelve_pull():
    """How many of their errors those runs are below the long one, on average."""
    r = read("bench/results/2026-11-20-h200/twelve.json")
    pulls = [(r["long"]["sigma_pb"] - sigma) / error for sigma, error in r["sigma"].values()]
    return num(sum(pulls) / len(pulls))


def twelve_walls():
    """Seconds to 1 % at twelve gluons, by seeds."""
    return " / ".join(num(s) for s in read("bench/results/2026-11-20-h200/twelve.json")["walls"].values())


HELICITIES = "bench/results/2026-11-19-epyc/helicities.json"


def kept_means(when):
    """w/e of points that a sieve kept, by helicities: with one factor for all but pairs before, and with the power after."""
    means = {n: row for n, row in read(TWELVE)["means"].items() if n.isdigit()} if when == "before" else read(HELICITIES)["means"]
    return table([str(k) for k in range(2, 8)], [[n] + [num(row[str(k)]) if str(k) in row else "" for k in range(2, 8)]
                                                 for n, row in means.items()], "n_out")


def values_needed(when):
    """Exact values for 1 % at twelve gluons, by runs of the same seconds."""
    runs = [run[when] for run in read(HELICITIES)["runs"]]
    return " / ".join(num(1e-6 * r["evaluated"] * (100. * r["error_pb"] / r["sigma_pb"]) ** 2) for r in runs)


def colored_draws():
    """Draws of colors with quark lines on a CPU core and on the H200, before and after, over those of as many gluons."""
    core, device = [read(f"bench/results/{where}/coherent-quarks.json")["results"] for where in ("2026-11-19-xeon", "2026-11-20-h200")]

    def cells(rows, process):
        gluons = {r["legs"]: r["after"] for r in rows if r["gluons"]}
        r = next(r for r in rows if r["process"] == process)
        return [num(r["before"]["me"]), num(r["after"]["me"]), num(r["after"]["me"] / gluons[r["legs"]]["me"]),
                num(r["after"]["event"] / gluons[r["legs"]]["event"])]
    lines = [[r["process"]] + cells(core, r["process"]) + cells(device, r["process"]) for r in core]
    return table(["Xeon before, ns", "after, ns", "over gluons", "event over gluons", "H200 before, ns", "after, ns", "over gluons",
                  "event over gluons"], lines, "process")


def draws_kernel():
    """What was counted and tried for draws of colors with quark lines on the H200."""
    return read("bench/results/2026-11-19-h200/coherent-quarks.json")["kernel"]


def device_quarks():
    """Full sums of processes with quarks on the H200, and the record before."""
    def cell(x):
        return num(x) if x else ""
    data = read("bench/results/2026-11-16-h200/quarks-parts-cuda.json")
    rows = [[r["process"], cell(r["before"]), cell(r["ns"]), cell(r["gflops"] and r["gflops"] * 1e-3)]
            for r in data["results"] if r["process"] != two_lines()["process"]]
    return table(["before, ns", "now, ns", "TFLOP/s"], rows, "process")


def two_lines():
    """Two lines and four gluons on the H200, before the second line was a letter and after."""
    return read("bench/results/2026-11-18-h200/lines.json")["results"][0]


def line_times(when):
    """Nanoseconds of them: amplitudes, color sum, all."""
    t = two_lines()[when]
    return f"{num(t['amplitudes'] + t.get('prepare', 0.))} / {num(t['color_sum'])} / {num(sum(t.get(k, 0.) for k in ('prepare', 'amplitudes', 'color_sum')))}"


def line_threads():
    """Nanoseconds of the amplitudes with other numbers of threads in a block."""
    return " / ".join(num(r["amplitudes"]) for r in read("bench/results/2026-11-18-h200/lines.json")["threads_of_a_block"])


def device_gigabytes():
    """What p p > 6j took of a device's memory, before and now."""
    mb = read("bench/results/2026-11-16-h200/estimates.json")["device_megabytes"]
    return " / ".join(num(1e-3 * mb[k]) for k in ("p p > 6j at 89a76cf", "p p > 6j at 47d9632", "p p > 6j, at most"))


def device_gigabytes_now():
    """What p p > 6j takes of a device's memory."""
    return device_gigabytes().split(" / ")[-1]


def thread_memory():
    """Megabytes that an evaluator takes for one thread of a CPU."""
    return curves([("colors and helicities summed", "cpu-memory/memory/full"),
                   ("colors summed, one helicity configuration", "cpu-memory/memory/co-sum"),
                   ("coherent colors", "cpu-memory/memory/coherent")], 4, 12, "MB")


def madevent(process, set_up):
    """Cross sections of two protons against other programs: protons.json and madevent.csv of bench/validation."""
    runs = {(r["process"], r["set_up"]): r for r in read("bench/validation/protons.json")["runs"]}
    ours, rows = runs[process, set_up]["groups"], []

    def other(r, who, sigma, error):
        if not r[f"{who}_pb"]:
            return ["", ""]
        value, its = float(r[f"{who}_pb"]), float(r[f"{who}_error_pb"])
        return [with_power(value, its), f"{(sigma - value) / math.hypot(error, its):+.1f}"]
    for r in records("madevent"):
        if (r["process"], r["set_up"]) != (process, set_up):
            continue
        sigma, error = (ours[r["group"]][key] for key in ("sigma_pb", "error_pb"))
        rows.append([r["group"].replace("_", " > "), with_power(sigma, error)] + other(r, "madevent", sigma, error) + other(r, "own", sigma, error))
    return table(["BlockGen, pb", "MadEvent, pb", "deviation", "formulas, pb", "deviation"], rows, "partons")


def madevent_made():
    """Which program made them, and how long each run took."""
    r = read("bench/validation/protons.json")
    times = " / ".join(num(run["seconds"]) for run in r["runs"])
    return f"{r['date']}, {r['version']}, {r['hardware']}; the four runs took {times} s"


def seeds(n_out):
    """Seconds from shell to shell of all seeds that were run for gluons on the H200."""
    runs = [r for r in read(ESTIMATES["cuda"])["runs"] if r["name"].startswith(f"gluons {n_out} cuda")]
    return " / ".join(num(r["wall_seconds"]) for r in runs)


def written_quarks():
    """Full sums of processes with quarks on a CPU core, before their programs were written out as code and after."""
    data = read("bench/results/2026-11-16-xeon/quarks-written.json")
    rows = [[r["process"], num(r["before"] * 1e-3, 3), num(r["after"] * 1e-3, 3), num(r["after"] / r["before"])]
            for r in data["results"]]
    return table(["before, us", "after, us", "after over before"], rows, "process")


def stops(what):
    """Runs that were told to stop: how many, the slowest seconds, and how many took longer than they should."""
    data = read("bench/results/2026-11-16-h200/stops.json")
    return {"runs": str(data["runs"]), "late": str(data["late"]), "limit": num(data["limit_seconds"], 1),
            "generate": num(read("bench/results/2026-11-16-h200/stops-generate.json")["slowest_seconds"], 2),
            "slowest": num(max(r["seconds"] for r in data["rows"] if r["command"].startswith("integrate")), 2)}[what]


def soak():
    """What happened to runs that were killed, ran out of disk and went on, from soak.json (tests/soak.py --record)."""
    r = read("bench/validation/soak.json")
    rows = [["rounds, of them failed", f"{r['rounds']}, {len(r['failures'])}"], ["starts of the program", r["starts"]]]
    rows += [[name, number] for name, number in r["counts"].items()]
    return table(["number"], rows, "what") + f"\n\n{r['date']}, {r['seconds'] / 60:.0f} min, seed {r['seed']}, {r['version']}, {r['hardware']}."


# ---- writing --------------------------------------------------------------------------------------------------------------------

def filled(text, where):
    """The text with every marked place filled, and what was wrong with the expressions."""
    wrong = []

    def replace(match):
        try:
            value = str(eval(" ".join(match[1].split()), globals()))
        except Exception as error:  # an expression that is wrong must name its place
            wrong.append(f"{where}: {match[1]}: {type(error).__name__}: {error}")
            return match[0]
        return f"<!--= {match[1]} -->" + (f"\n{value}\n" if "\n" in value else value) + "<!--/-->"
    return MARK.sub(replace, text), wrong


def differences(before, after, where):
    """One line for each place: its expression, and what stands there and should stand there from the first letter that differs."""
    for a, b in zip(MARK.finditer(before), MARK.finditer(after)):
        if a[2] != b[2]:
            same = len(os.path.commonprefix([a[2], b[2]]))
            says, should = (" ".join(text[max(0, same - 20):same + 40].split()) for text in (a[2], b[2]))
            yield f"{where}: {a[1]}: it says '.. {says} ..', the files say '.. {should} ..'"


def main():
    check = "--check" in sys.argv[1:]
    wrong = []
    for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        where = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after, errors = filled(before, where)
        wrong += errors
        if check:
            wrong += differences(before, after, where)
        elif after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
            print(where)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
