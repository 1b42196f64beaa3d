"""Tree-level scattering of gluons and massless quarks with full color.

Matrix elements, cross sections of partons and protons, and unweighted events:

    blockgen.matrix_elements("g g > 3 g", momenta)
    blockgen.integrate("p p > 3j", sqrts=13600, pt_min=30)
    for batch in blockgen.generate("p p > 3j", events=10000): ...

Keyword arguments beyond those of a function's own are the options of the library, with underscores for dashes; their
list stands in the docstring of each function. Momenta are (E, px, py, pz) in GeV, incoming partons first.
"""
from blockgen import _core as _core
from blockgen.evaluator import Evaluator, matrix_elements
from blockgen.events import Events, event_dtype, generate
from blockgen.integration import ClassResult, Histogram, Result, integrate
from blockgen.machine import devices, info
from blockgen.process import ProcessClass, processes

version: str = _core.version
__version__: str = version

__all__ = ["ClassResult", "Evaluator", "Events", "Histogram", "ProcessClass", "Result", "devices", "event_dtype", "generate", "info",
           "integrate", "matrix_elements", "processes", "version"]
