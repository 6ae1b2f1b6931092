"""The versions of this program and of the installed torch."""

from functools import cache

__version__ = "0.1.0"


@cache  # 4 ms
def torch_version() -> str:
    """The version of the installed torch without importing it, empty when there is none."""
    from importlib.metadata import PackageNotFoundError, version  # 10 ms, and not every command asks

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""
