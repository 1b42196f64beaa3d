"""|M|^2 at given points: against the reference values, and how arrays go in and out."""
import threading

import numpy as np
import pytest
from conftest import gluons, quarks

import blockgen


@pytest.mark.parametrize("n_out", [2, 3, 4, 5])
def test_gluons_have_their_reference_values(n_out):
    points, values = gluons(n_out)
    assert len(values) > 3
    np.testing.assert_allclose(blockgen.matrix_elements(f"g g > {n_out} g", points), values, rtol=1e-11)


@pytest.mark.parametrize("process", sorted(quarks()))
def test_quarks_have_their_reference_values(process):
    points, values, helicities = quarks()[process]
    np.testing.assert_allclose(blockgen.matrix_elements(process, np.array(points)), values, rtol=1e-9)
    for word, value in list(helicities.items())[:2]:
        found = blockgen.matrix_elements(process, np.array(points[:1]), helicity=word)
        np.testing.assert_allclose(found, [value], rtol=1e-9)


def test_an_evaluator_tells_what_it_is():
    evaluator = blockgen.Evaluator("u g > u g g", threads=1, backend="cpu")
    assert (evaluator.backend, evaluator.threads, evaluator.options["color"]) == ("cpu", 1, "summed")
    assert evaluator.hardware and evaluator.memory["batch"] > 0
    assert "u g > u g g" in repr(evaluator)


def test_arrays_of_every_layout_give_the_same(points):
    evaluator = blockgen.Evaluator("g g > 3 g")
    expected = evaluator(points)
    assert expected.shape == (len(points),) and expected.dtype == np.float64
    wide = np.zeros((len(points), 5, 8))
    wide[:, :, ::2] = points
    for other in (wide[:, :, ::2], np.asfortranarray(points), points.tolist(), points.astype(">f8")):
        np.testing.assert_array_equal(evaluator(other), expected)
    frozen = points.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(evaluator(frozen), expected)
    np.testing.assert_array_equal(evaluator(points[::-1])[::-1], expected)
    assert evaluator(points[:0]).shape == (0,)
    assert evaluator.stability["points"] > 0


def test_results_go_where_they_are_wanted(points):
    expected = blockgen.matrix_elements("g g > 3 g", points)
    out = np.empty(len(points))
    assert blockgen.matrix_elements("g g > 3 g", points, out=out) is out
    np.testing.assert_array_equal(out, expected)
    spaced = np.zeros(2 * len(points))
    assert blockgen.Evaluator("g g > 3 g")(points, out=spaced[::2]).base is spaced
    np.testing.assert_array_equal(spaced[::2], expected)
    with pytest.raises(ValueError, match="out has the shape"):
        blockgen.matrix_elements("g g > 3 g", points, out=np.empty(len(points) + 1))


def test_sampled_colors_depend_on_the_number_of_a_point(points):
    evaluator = blockgen.Evaluator("g g > 3 g", algorithm="cd-mc", samples=50, seed=7)
    values, errors = evaluator.with_uncertainty(points)
    assert np.all(errors > 0)
    np.testing.assert_array_equal(evaluator(points[2:], first_event=2), values[2:])
    assert not np.array_equal(evaluator(points, first_event=100), values)
    exact, none = blockgen.Evaluator("g g > 3 g").with_uncertainty(points)
    assert np.all(none == 0) and np.all(np.abs(values - exact) < 8 * errors)


def test_points_that_are_not_physical_are_named(points):
    wrong = points.copy()
    wrong[3, 2, 0] *= 1.1
    with pytest.raises(ValueError, match="^point 3: .*massless"):
        blockgen.matrix_elements("g g > 3 g", wrong)
    blockgen.matrix_elements("g g > 3 g", wrong, check=False)
    wrong[1, 0, 0] = np.nan
    with pytest.raises(ValueError, match="^point 1: "):
        blockgen.matrix_elements("g g > 3 g", wrong)


def test_threads_may_share_an_evaluator(points):
    evaluator = blockgen.Evaluator("g g > 3 g", threads=1)
    many = np.tile(points, (200, 1, 1))
    expected = evaluator(many)
    found = [None] * 4

    def work(k):
        found[k] = [evaluator(many) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in found:
        for value in values:
            np.testing.assert_array_equal(value, expected)


# ---- other libraries, on the host -------------------------------------------------------------------------------------


def test_tensors_of_torch_come_back_as_tensors(points):
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(points.copy())
    values = blockgen.matrix_elements("g g > 3 g", tensor)
    assert isinstance(values, torch.Tensor) and values.dtype == torch.float64
    np.testing.assert_array_equal(np.from_dlpack(values), blockgen.matrix_elements("g g > 3 g", points))
    out = torch.empty(len(points), dtype=torch.float64)
    assert blockgen.matrix_elements("g g > 3 g", tensor, out=out) is out
    assert torch.equal(out, values)
    turned = blockgen.matrix_elements("g g > 3 g", tensor.transpose(1, 2).contiguous().transpose(1, 2))
    assert torch.equal(turned, values)


class Exporter:
    """An array that can nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        self.asked = True
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_anything_with_dlpack_is_read(points):
    exporter = Exporter(points)
    np.testing.assert_array_equal(blockgen.matrix_elements("g g > 3 g", exporter), blockgen.matrix_elements("g g > 3 g", points))
    assert exporter.asked


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 6, 4), (3, 5, 3), (5, 4), (3, 20), (1, 3, 5, 4)])
def test_a_wrong_shape_is_named(shape):
    with pytest.raises(ValueError, match=r"must be \(events, 5, 4\)"):
        blockgen.matrix_elements("g g > 3 g", np.zeros(shape))


class OnDevice:
    """An array that says it is on a CUDA device: nothing of it is read where there is none."""

    def __dlpack_device__(self):
        return (2, 0)


def test_arrays_of_a_device_need_a_device():
    evaluator = blockgen.Evaluator("g g > 3 g", backend="cpu")
    with pytest.raises(ValueError, match="runs on backend 'cpu'"):
        evaluator(OnDevice())
    with pytest.raises(ValueError, match="on the host"):
        evaluator.with_uncertainty(OnDevice())
    if not any(backend["name"] == "cuda" and backend["usable"] for backend in blockgen.devices()):
        with pytest.raises((ValueError, RuntimeError), match="(?i)cuda"):
            blockgen.matrix_elements("g g > 3 g", OnDevice())


def test_streams_are_for_devices(points):
    with pytest.raises(ValueError, match="stream is for momenta on a device"):
        blockgen.matrix_elements("g g > 3 g", points, stream=0)


@pytest.mark.parametrize("arguments, kind, message", [
    (("g g > x g",), ValueError, "unknown parton"),
    (("u g > d g",), ValueError, "flavor|conserve"),
    (("p p > 2j",), ValueError, "subprocess|class|channels|p and j"),
    ((4,), TypeError, "must be text"),
])
def test_wrong_processes_are_named(arguments, kind, message):
    with pytest.raises(kind, match=message):
        blockgen.Evaluator(*arguments)


@pytest.mark.parametrize("options, kind, message", [
    ({"color": "red"}, ValueError, "color is 'red'; it must be"),
    ({"samples": 0}, ValueError, "samples is '0'; it must be .* from 1"),
    ({"colour": "summed"}, TypeError, "did you mean 'color'"),
    ({"pt_min": 20}, TypeError, "integrate"),
    ({"color": "leading", "recursion": "dressed"}, ValueError, "dressed"),
    ({"backend": "cuda", "threads": 2}, (ValueError, RuntimeError), "."),
    ({"seed": [1]}, TypeError, "number or text"),
])
def test_wrong_options_are_named(options, kind, message):
    with pytest.raises(kind, match=message):
        blockgen.Evaluator("g g > 3 g", **options)


def test_what_does_not_fit_into_memory_is_a_memory_error():
    options = {"color": "sampled", "recursion": "dressed", "helicity": "sampled", "kernel": "paper", "backend": "cpu"}
    memory = blockgen.Evaluator("g g > 12 g", threads=1, **options).memory
    with open("/proc/meminfo") as file:
        available = next(1024 * int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    if 4096 * memory["per_event"] * memory["batch"] < 1.1 * available:
        pytest.skip("this machine is too large for it")
    with pytest.raises(MemoryError, match="n_out = 12.*4096 threads"):
        blockgen.Evaluator("g g > 12 g", threads=4096, **options)
