"""Ctrl-C, and that Python goes on while something is computed. Each of the scripts would take hours if it were not stopped."""
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import gluons

import blockgen

HEAD = """
import numpy as np, signal, sys, threading, time
import blockgen
def say():
    print("started", flush=True)
signal.signal(signal.SIGINT, signal.default_int_handler)  # ctest may have it ignored
"""
SCRIPTS = {
    "integrate": """
        def told(now):
            say()
        blockgen.integrate("g g > 5 g", precision=1e-9, progress=told)
        """,
    "integrate, slow points": """
        threading.Timer(1, say).start()
        blockgen.integrate("g g > 10 g", precision=1e-9, color="summed", helicity="summed")
        """,
    "evaluate": """
        points = np.loadtxt(sys.argv[1]).reshape(-1, 7, 4)
        evaluator = blockgen.Evaluator("g g > 5 g", kernel="paper")
        many = np.tile(points, (300000, 1, 1))
        threading.Timer(0.5, say).start()
        evaluator(many, check=False)
        """,
    "generate": """
        say_once = []
        for batch in blockgen.generate("g g > 4 g", 10**12):
            if not say_once:
                say_once.append(say())
        """,
    "generate, while integrating": """
        threading.Timer(0.5, say).start()
        list(blockgen.generate("g g > 5 g", 10**12, precision=1e-9))
        """,
}


def interrupt(script, *arguments):
    """Runs a script, sends Ctrl-C once it says that it has started, and returns what it wrote to standard error."""
    with subprocess.Popen([sys.executable, "-c", HEAD + textwrap.dedent(script), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout.readline() == "started\n"
            run.send_signal(signal.SIGINT)
            _, error = run.communicate(timeout=120)
        except BaseException:
            run.kill()
            raise
    return error


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_control_c_raises_keyboard_interrupt(name, tmp_path):
    np.savetxt(tmp_path / "points", gluons(5)[0].reshape(-1, 28))
    error = interrupt(SCRIPTS[name], tmp_path / "points")
    assert error.rstrip().splitlines()[-1].startswith("KeyboardInterrupt"), error


def test_handlers_of_signals_run_while_it_computes():
    error = interrupt("""
        class Mine(Exception):
            pass
        def handler(number, frame):
            raise Mine("my own")
        signal.signal(signal.SIGINT, handler)
        def told(now):
            say()
        blockgen.integrate("g g > 5 g", precision=1e-9, progress=told)
        """)
    assert "Mine: my own" in error.splitlines()[-1]


def test_an_interrupted_integration_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "state"
    interrupt("""
        def told(now):
            if now["points"]:
                say()
        blockgen.integrate("g g > 4 g", points=10**12, progress=told, checkpoint=sys.argv[1])
        """, path)
    result = blockgen.integrate("g g > 4 g", points=10**12, resume=path, progress=lambda now: True)
    assert result.points > 0 and result.interrupted


def test_python_goes_on_while_points_are_evaluated():
    """With the GIL held this thread could not do anything between the two times. On a busy machine it may have to wait for its turn:
    then there are more points."""
    evaluator = blockgen.Evaluator("g g > 5 g", kernel="paper", threads=1)
    points = gluons(5)[0]
    evaluator(points[:1])  # how long a point takes is known now: the next call is made by its own thread

    def moments_inside(repeated):
        times = []
        moments = []

        def work():
            start = time.monotonic()
            evaluator(np.tile(points, (repeated, 1, 1)))
            times.extend((start, time.monotonic()))

        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            moments.append(time.monotonic())
            time.sleep(0.001)
        start, end = times
        margin = 0.1 * (end - start)
        return sum(start + margin < moment < end - margin for moment in moments)

    assert any(moments_inside(repeated) >= 3 for repeated in (40, 400, 4000))
