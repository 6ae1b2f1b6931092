"""Print the oldest version of each package that pyproject.toml admits, a line each, as `make audit` reads them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def oldest_versions(groups: tuple[str, ...] = ("serve", "forecast", "boosting")) -> dict[str, str]:
    """Versions by the names of packages; of what has no lower bound nothing."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for group in groups for line in extras[group])]
    found = (re.match(r"([\w-]+)(?:\[.*\])?>=([\w.]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match is not None}


if __name__ == "__main__":
    for name, version in oldest_versions().items():
        print(f"{name}=={version}")
