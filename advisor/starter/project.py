"""All files of a project: its code, and the README that says why it is as it is."""

from __future__ import annotations

from pathlib import Path

from advisor.errors import input_error
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.starter.planning import blueprint_of
from advisor.starter.readme import readme_text
from advisor.starter.rendering import files_of

READ = (
    "delimited text",
    "JSON lines",
    "Parquet",
    "NPY",
    "NPZ",
    "edge list",
    "text",
    "folder of images",
    "folder of sounds",
)
"""Formats, as an inspection names them, that projects have code for; they would take any other for CSV."""


def refuse_format(found: str, data: str) -> None:
    """Raise InputError for data in a format that no project can read.

    Args:
        found: the format of the data, as an inspection names it.
        data: their path.
    """
    if found not in READ:
        raise input_error(
            "A project cannot read these data", f"generated projects have no code for the format {found}", where=data,
            remedy="Save the table as CSV or Parquet and name that file, or leave --data out.",
        )  # fmt: skip


def project_files(
    plan: Plan, knowledge: Knowledge, data: Path | None = None, target: str | None = None
) -> dict[str, str]:
    """The content of every file by its name. A pure function but for the templates that it reads.

    Args:
        data: where the user's data lie; the README's commands then name it.
        target: the column to predict.

    Raises InputError where the plan has no type of network.
    """
    blueprint = blueprint_of(plan, data, target)
    files = files_of(blueprint)
    return {**files, "README.md": readme_text(plan, knowledge, blueprint, files)}
