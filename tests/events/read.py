#!/usr/bin/env python3
"""What readers that are not ours find in a file of events, as JSON; run by the Python of readers.sh.

    read.py pylhe FILE        LHEF or HDF5
    read.py pythia FILE       LHEF, showered and hadronized
    read.py h5py FILE
    read.py numpy FILE        .npy or .csv
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
            "ids": [p.id for p in first.particles], "statuses": [p.status for p in first.particles]}


def read_pythia(path):
    import pythia8mc
    pythia = pythia8mc.Pythia("", False)
    for setting in ("Beams:frameType = 4", f"Beams:LHEF = {path}", "Next:numberCount = 0", "Next:numberShowInfo = 0",
                    "Next:numberShowProcess = 0", "Next:numberShowEvent = 0", "Next:numberShowLHA = 0",
                    "Init:showChangedSettings = off", "Init:showChangedParticleData = off",
                    "Init:showMultipartonInteractions = off", "Random:setSeed = on", "Random:seed = 1"):
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


if __name__ == "__main__":
    # what readers print is not the answer, whichever language they print in
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with contextlib.redirect_stdout(sys.stderr):
        found = {"pylhe": read_pylhe, "pythia": read_pythia, "h5py": read_h5py, "numpy": read_numpy}[sys.argv[1]](sys.argv[2])
    json.dump(found, answer)
