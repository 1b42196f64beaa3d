#!/usr/bin/env python3
"""What readers that are not ours find in a file of events, as JSON; run by the Python of readers.sh.

    read.py pylhe FILE        LHEF or HDF5
    read.py pythia FILE       LHEF, showered and hadronized
    read.py h5py FILE
    read.py numpy FILE        .npy or .csv
    read.py hepmc FILE        LHEF
    read.py jets FILE         LHEF, clustered by fastjet: the numbers of jets
    read.py merging FILE SETTING...   LHEF, showered with settings of Pythia
    read.py compare A B       two .npy of one process, weights in pb: chi^2 of distributions

Where a reader is not installed the answer is {"missing": NAME}.
"""
import contextlib
import json
import os
import sys


def balanced(particles):
    """Every tag once as a color that goes out or an anticolor that comes in, once the other way round."""
    ends = {}
    for p in particles:
        sign = -1 if p.status < 0 else 1
        for tag, way in ((int(p.color1), sign), (int(p.color2), -sign)):
            if tag:
                ends.setdefault(tag, []).append(way)
    return all(sorted(ways) == [-1, 1] for ways in ends.values())


def chirality(particles):
    """Quark lines conserve it: what goes out, less what comes in, is zero where helicities are definite."""
    return sum((-1 if p.status < 0 else 1) * int(p.spin) for p in particles if p.id != 21)


def read_pylhe(path):
    import pylhe
    file = pylhe.LHEFile.fromfile(path)
    events = list(file.events)
    momentum = mass = 0.
    for event in events:
        for c in ("e", "px", "py", "pz"):
            total = sum(getattr(p, c) * (-1 if p.status < 0 else 1) for p in event.particles)
            momentum = max(momentum, abs(total) / event.particles[0].e)
        for p in event.particles:
            mass = max(mass, abs(p.e**2 - p.px**2 - p.py**2 - p.pz**2) / p.e**2)
    first = events[0]
    return {"events": len(events), "momentum": momentum, "mass": mass,
            "colors": all(balanced(event.particles) for event in events),
            "strategy": file.init.initInfo.weightingStrategy, "beams": [file.init.initInfo.beamA, file.init.initInfo.energyA],
            "pdf": file.init.initInfo.PDFsetA, "sigma": [p.xSection for p in file.init.procInfo],
            "error": [p.error for p in file.init.procInfo], "weights": first.weights, "weight": first.eventinfo.weight,
            "mean": sum(event.eventinfo.weight for event in events) / len(events), "scale": first.eventinfo.scale,
            "ids": [p.id for p in first.particles], "statuses": [p.status for p in first.particles],
            "spins": sorted({p.spin for event in events for p in event.particles}),
            "conserved": all(chirality(event.particles) == 0 for event in events)}


def read_pythia(path, *more):
    import pythia8mc
    pythia = pythia8mc.Pythia("", False)
    for setting in ("Beams:frameType = 4", f"Beams:LHEF = {path}", "Next:numberCount = 0", "Next:numberShowInfo = 0",
                    "Next:numberShowProcess = 0", "Next:numberShowEvent = 0", "Next:numberShowLHA = 0",
                    "Init:showChangedSettings = off", "Init:showChangedParticleData = off",
                    "Init:showMultipartonInteractions = off", "Random:setSeed = on", "Random:seed = 1", *more):
        assert pythia.readString(setting), setting
    result = {"started": pythia.init(), "accepted": 0, "failed": 0, "final": 0, "weights": 0., "names": []}
    while result["started"] and result["failed"] < 100:
        if not pythia.next():
            if pythia.infoPython().atEndOfFile():
                break
            result["failed"] += 1
            continue
        info = pythia.infoPython()
        result["accepted"] += 1
        result["weights"] += info.weight()
        result["names"] = [info.weightNameByIndex(k) for k in range(info.numberOfWeights())]
        result["final"] += sum(1 for k in range(pythia.event.size()) if pythia.event[k].isFinal())
    info = pythia.infoPython()
    return {**result, "sigma_pb": info.sigmaGen() * 1e9, "error_pb": info.sigmaErr() * 1e9, "strategy": info.lhaStrategy()}


def read_h5py(path):
    import h5py
    with h5py.File(path) as file:
        return {"shapes": {name: list(file[name].shape) for name in file}, "types": {name: str(file[name].dtype) for name in file},
                "attributes": {name: list(file[name].attrs) for name in file}, "version": file["version"][:].tolist(),
                "columns": list(file["events"].attrs["events"]), "starts": file["events"][:, 2].tolist(),
                "nominal": file["events"][:, 9].tolist(), "trials": file["events"][:, 3].tolist(),
                "processes": file["procInfo"][:].tolist(), "numbers": file["blockgen_numbers"][:].tolist(),
                "tried": float(file.attrs["trials"]), "sum": file["particles"][:].sum(axis=0).tolist(),
                "fixed": h5py.check_string_dtype(file["events"].attrs.get_id("events").dtype).length}


def read_numpy(path):
    import numpy
    if path.endswith(".csv"):
        table = numpy.genfromtxt(path, delimiter=",", names=True)
        return {"events": len(table), "numbers": table["number"].tolist(), "columns": list(table.dtype.names),
                "balance": float(abs(table["e_1"] + table["e_2"] - table["e_3"] - table["e_4"] - table["e_5"]).max())}
    table = numpy.load(path)
    momenta = table["momentum"]
    return {"events": len(table), "numbers": table["number"].tolist(), "columns": list(table.dtype.names),
            "balance": float(abs(momenta[:, :2].sum(axis=1) - momenta[:, 2:].sum(axis=1)).max())}


def read_hepmc(path):
    import pyhepmc
    count, momentum, weights, incoming = 0, 0., 0., set()
    with pyhepmc.open(path) as file:
        for event in file:
            count += 1
            weights += event.weights[0]
            beams = [p for p in event.particles if p.status == 4]
            final = [p for p in event.particles if p.status == 1]
            incoming.add((len(beams), len(final)))
            for c in ("e", "px", "py", "pz"):
                total = sum(getattr(p.momentum, c) for p in final) - sum(getattr(p.momentum, c) for p in beams)
                momentum = max(momentum, abs(total) / beams[0].momentum.e)
    return {"events": count, "momentum": momentum, "mean": weights / count, "partons": sorted(incoming)}


def read_jets(path):
    import fastjet
    import pylhe
    jets = fastjet.JetDefinition(fastjet.antikt_algorithm, 0.4)
    numbers, softest = [], float("inf")
    for event in pylhe.LHEFile.fromfile(path).events:
        partons = [fastjet.PseudoJet(p.px, p.py, p.pz, p.e) for p in event.particles if p.status == 1]
        found = fastjet.ClusterSequence(partons, jets).inclusive_jets(1.)
        numbers.append(len(found))
        softest = min([softest] + [jet.pt() for jet in found])
    return {"jets": numbers, "softest": softest}


def observables(table):
    """Of every event: pT of the hardest and the softest, rapidity of the hardest, least DeltaR, x1."""
    import numpy
    p = table["momentum"][:, 2:]
    pt, phi = numpy.hypot(p[..., 1], p[..., 2]), numpy.arctan2(p[..., 2], p[..., 1])
    y = numpy.arctanh(p[..., 3] / p[..., 0])
    order = numpy.argsort(-pt, axis=1)
    hardest = numpy.take_along_axis(y, order[:, :1], axis=1)[:, 0]
    distance = numpy.full(len(table), numpy.inf)
    for i in range(p.shape[1]):
        for j in range(i):
            dphi = numpy.abs(phi[:, i] - phi[:, j])
            dphi = numpy.minimum(dphi, 2 * numpy.pi - dphi)
            distance = numpy.minimum(distance, numpy.hypot(y[:, i] - y[:, j], dphi))
    return {"pt1": numpy.log(pt.max(axis=1)), "ptn": numpy.log(pt.min(axis=1)), "y1": hardest, "dr": distance, "x1": numpy.log(table["x"][:, 0])}


def read_compare(first, second):
    import numpy
    tables = [numpy.load(path) for path in (first, second)]
    seen, bins, result = [observables(t) for t in tables], 20, {}
    for name in seen[0]:
        edges = numpy.quantile(seen[0][name], numpy.linspace(0, 1, bins + 1))
        edges[0], edges[-1] = -numpy.inf, numpy.inf
        sums, variances = [], []
        for table, values in zip(tables, (s[name] for s in seen)):
            w = table["weight"] / len(table)
            sums.append(numpy.histogram(values, edges, weights=w)[0])
            variances.append(numpy.histogram(values, edges, weights=w**2)[0])
        result[name] = float(((sums[0] - sums[1])**2 / (variances[0] + variances[1])).sum())
    mean = [float(t["weight"].mean()) for t in tables]
    error = [float(t["weight"].std() / len(t)**0.5) for t in tables]
    return {"events": [len(t) for t in tables], "chi2": result, "bins": bins, "mean": mean, "error": error}


if __name__ == "__main__":
    # what readers print is not the answer, whichever language they print in
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with contextlib.redirect_stdout(sys.stderr):
        readers = {"pylhe": read_pylhe, "pythia": read_pythia, "h5py": read_h5py, "numpy": read_numpy, "hepmc": read_hepmc,
                   "jets": read_jets, "merging": read_pythia, "compare": read_compare}
        try:
            found = readers[sys.argv[1]](*sys.argv[2:])
        except ModuleNotFoundError as error:
            found = {"missing": error.name}
    json.dump(found, answer)
