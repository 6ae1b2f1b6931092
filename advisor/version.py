"""The versions of this program and of the installed torch."""

import re
from functools import cache
from pathlib import Path

__version__ = "0.1.0"


@cache  # 4 ms
def torch_version() -> str:
    """The version of the installed torch without importing it, as it tells it itself; empty when there is none.

    That of the package may lack the name of the build (`+cu130`), so the file is read from which torch has it.
    """
    from importlib.metadata import PackageNotFoundError, distribution  # 10 ms, and not every command asks

    try:
        torch = distribution("torch")
        told = Path(str(torch.locate_file("torch/version.py"))).read_text(encoding="utf-8")
    except PackageNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError):
        return torch.version
    found = re.search(r"^__version__ = ['\"]([^'\"]+)['\"]", told, re.MULTILINE)
    return torch.version if found is None else found[1]
