"""All files of a project: its code, and the README that says why it is as it is."""

from __future__ import annotations

from pathlib import Path

from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.starter.planning import blueprint_of
from advisor.starter.readme import readme_text
from advisor.starter.rendering import files_of


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
