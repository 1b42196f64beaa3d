"""Events: batches, files, and that both are the same."""
import gc
import threading
import xml.etree.ElementTree

import numpy as np
import pytest

import blockgen


def test_events_are_physical():
    with blockgen.generate("p p > 3j", 3000, points=30000, quark_lines=1, threads=1) as events:
        assert np.isnan(events.sigma)
        rows = events.array()
    assert len(rows) == 3000 and rows.dtype == blockgen.event_dtype(3)
    momentum = rows["momentum"]
    energy = momentum[:, :2, 0].sum(axis=1)
    np.testing.assert_allclose(momentum[:, :2].sum(axis=1), momentum[:, 2:].sum(axis=1), atol=1e-9 * energy.max())
    squares = momentum[..., 0] ** 2 - (momentum[..., 1:] ** 2).sum(axis=-1)
    assert np.all(np.abs(squares) < 1e-9 * energy[:, None] ** 2)
    assert np.all(np.hypot(momentum[:, 2:, 1], momentum[:, 2:, 2]) > 20)
    assert np.all((0 < rows["x"]) & (rows["x"] < 1)) and np.all(rows["legs"] == 5)
    np.testing.assert_allclose(momentum[:, 0, 0], rows["x"][:, 0] * 7000)
    # every tag of color ends somewhere
    for row in rows[:50]:
        tags, counts = np.unique(row["color"][row["color"] > 0], return_counts=True)
        assert len(tags) and np.all(counts == 2)
    # quarks and antiquarks cancel, incoming against outgoing
    flavor = np.where(np.abs(rows["pdg"]) < 6, rows["pdg"], 0)
    for quark in range(1, 6):
        net = np.sign(flavor) * (np.abs(flavor) == quark)
        assert np.array_equal(net[:, :2].sum(axis=1), net[:, 2:].sum(axis=1))
    # weights
    assert rows["weight"].mean() == pytest.approx(events.sigma, rel=0.02)
    assert np.unique(rows["weight"]).size < 0.1 * len(rows)
    summary = events.summary
    assert summary["events"] == 3000 and summary["trials"] > 3000 and 0 < summary["efficiency"] < 1
    assert summary["sigma"] == events.sigma and events.error > 0


def test_batches_come_one_after_the_other():
    whole = blockgen.generate("g g > 2 g", 20000, points=20000).array()
    events = blockgen.generate("g g > 2 g", 20000, points=20000)
    batches = list(events)
    assert len(batches) > 1 and events.made == 20000
    np.testing.assert_array_equal(np.concatenate(batches), whole)
    with pytest.raises(StopIteration):
        next(events)
    assert len(np.unique(whole["number"])) == 20000


def test_weighted_events():
    events = blockgen.generate("g g > 2 g", 2000, points=20000, weighted=True)
    weight = events.array()["weight"]
    assert np.unique(weight).size > 1000
    assert weight.mean() == pytest.approx(events.sigma, rel=0.2)


def test_stopping_early_ends_the_threads():
    before = threading.active_count()
    with blockgen.generate("g g > 2 g", 10**9, points=20000) as events:
        assert len(next(events)) > 0
    assert list(events) == []
    for batch in blockgen.generate("g g > 2 g", 10**9, points=20000):
        break
    del batch
    gc.collect()
    assert threading.active_count() == before


@pytest.mark.parametrize("options, kind, message", [
    ({"events": 0}, ValueError, "events is 0"),
    ({"events": 1.5}, ValueError, "whole number"),
    ({"overweight": 0.7}, ValueError, "overweight is 0.7; it must be 0 to 0.5"),
    ({"shower_scale": "hard"}, ValueError, "shower_scale is 'hard'"),
    ({"checkpoint": "x"}, TypeError, "not of generate"),
    ({"pt_min": -1}, ValueError, "pt-min is '-1'"),
    ({"replace": True}, ValueError, "output="),
    ({"output": "events.txt"}, ValueError, "events.txt"),
])
def test_wrong_options_are_named(options, kind, message):
    with pytest.raises(kind, match=message):
        made = blockgen.generate("g g > 2 g", **options)
        list(made)


# ---- files -----------------------------------------------------------------------------------------------------------------


def test_files_have_the_same_events(tmp_path):
    question = {"events": 500, "seed": 3, "pt_min": 30, "quark_lines": 1, "rescue": False}
    path = tmp_path / "run.npy"
    report = blockgen.generate("p p > 2j", output=path, **question)
    events = blockgen.generate("p p > 2j", **question)
    np.testing.assert_array_equal(np.load(path), events.array())
    assert report["events"] == 500 and report["sigma_pb"] == events.sigma and report["format"] == "npy"
    with pytest.raises(ValueError, match="run.npy"):
        blockgen.generate("p p > 2j", output=path, **question)
    blockgen.generate("p p > 2j", output=path, replace=True, **question)
    varied = dict(question, variations="scale")
    blockgen.generate("p p > 2j", output=path, replace=True, **varied)
    events = blockgen.generate("p p > 2j", **varied)
    np.testing.assert_array_equal(np.load(path), events.array())
    assert len(events.variations) > 5
    points = {"events": 200, "points": 20000}
    blockgen.generate("g g > 3 g", output=tmp_path / "other.npy", **points)
    np.testing.assert_array_equal(np.load(tmp_path / "other.npy"), blockgen.generate("g g > 3 g", **points).array())


def test_files_for_showers(tmp_path):
    path = tmp_path / "run.lhe"
    report = blockgen.generate("g g > 2 g", events=100, points=20000, output=str(path))
    root = xml.etree.ElementTree.parse(path).getroot()
    assert len(root.findall("event")) == 100 and report["file"] == str(path)
