# The extension is an inside of the package; types are told where the package is used.
from typing import Any

def __getattr__(name: str) -> Any: ...
