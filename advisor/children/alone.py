"""A program that runs a module of this package in somebody's own Python, where the package need not be installed.

`python alone.py MODULE ARGUMENTS`: nothing beside this package is made importable, so the module and all that it imports must
do with what that Python has. For every Python of version 3, so that an older one says what it lacks.
"""

import runpy
import sys
import types
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036  somebody's own Python may be any
    sys.exit("Python 3.11 or newer is needed to run a network")


def main() -> None:
    here = Path(__file__).resolve()
    sys.path[:] = [folder for folder in sys.path if folder != str(here.parent)]  # its neighbours would hide others
    package = types.ModuleType("advisor")
    package.__path__ = [str(here.parents[1])]
    sys.modules["advisor"] = package
    module = sys.argv.pop(1)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
