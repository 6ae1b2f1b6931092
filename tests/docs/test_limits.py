"""docs/limits.md says what the code does: each number in it is a constant."""

from __future__ import annotations

import re

from advisor import safe_yaml
from advisor.agent.remembered import journal_file, profile
from advisor.children.supervise import Limits
from advisor.datasets import refusals
from advisor.datasets.arrays import roles, stored, targets
from advisor.datasets.delimited import pieces
from advisor.datasets.media import entries, images
from advisor.datasets.readers import arrays, json_lines, parquet, pictures, sounds, texts
from advisor.knowledge import loader
from advisor.models import configuration, huggingface, safetensors_header
from advisor.models.tracing import asking
from advisor.report.plan import json_plan
from advisor.session import applying
from advisor.training.kept import opening, request
from advisor.training.ladder import backbones
from advisor.web import gate
from benchmarks import limits
from tests.docs.walk import DOCS

PAGE = (DOCS / "limits.md").read_text(encoding="utf-8")


def size(count: int) -> str:
    """Bytes as the page writes them."""
    return f"{count // 2**30} GiB" if count >= 2**30 else f"{count // 2**20} MiB"


DECLARED = {
    "text table, bytes read to their end": size(pieces.READ_WHOLE),
    "text table, bytes whose rows are counted": size(pieces.COUNTED_UP_TO),
    "one row of a text table, one line of JSON, the texts of a row of Parquet": size(pieces.LONGEST_LINE),
    "columns of a table of any format": f"{refusals.MOST_COLUMNS:,}",
    "JSON that is one list": f"{size(json_lines.LARGEST_LIST)}, {json_lines.MOST_VALUES:,} values",
    "JSON lines in UTF-16": size(json_lines.LARGEST_WIDE),
    "JSON, objects times names": f"{json_lines.MOST_CELLS:,}",
    "Parquet, cells that are looked at": f"{parquet.MOST_CELLS:,}",
    "Parquet, bytes of texts that are looked at": size(parquet.MOST_TEXT),
    "NPY and NPZ, rows whose values are looked at": f"{arrays.MOST_SAMPLED:,}",
    "NPY and NPZ, targets that are looked at": f"{targets.MOST_TARGETS:,}",
    "NPY, bytes read to their end": size(stored.LARGEST_WHOLE),
    "NPZ, bytes of one array that are unpacked": size(targets.FIRST_ROWS_FROM),
    "NPZ, arrays": f"{stored.MOST_ARRAYS:,}",
    "NPY and NPZ, bytes of one example": size(roles.MOST_AN_EXAMPLE),
    "text, bytes of one file": size(texts.MOST_READ),
    "text, files of a folder that are read": f"{texts.LOOKED_INTO:,}",
    "entries of a folder and of those in it": f"{entries.MOST_ENTRIES:,}",
    "folders within folders": f"{entries.DEEPEST}",
    "pictures that are decoded": f"{pictures.DECODED:,}",
    "pixels of a picture": f"{images.MOST_PIXELS:,}",
    "sounds whose headers are read": f"{sounds.OPENED:,}",
    "answers, a file of a rule pack, a device": f"{safe_yaml.MAX_BYTES:,} bytes",
    "files of a rule pack": f"{loader.MAX_FILES}",
    "all rule packs of a command": f"{loader.MAX_BYTES:,} bytes",
    "a plan": f"{json_plan.MAX_BYTES:,} bytes",
    "a machine's profile": f"{profile.MOST_BYTES:,} bytes",
    "a config.json of a network; the header of a file of weights": f"{safetensors_header.MOST_BYTES:,} bytes",
    "layers that a config.json says": f"{configuration.MOST_LAYERS:,}",
    "a network of your own that is built to be counted": (
        f"{asking.SECONDS:.0f} s, {100 * Limits().memory_share:.0f} % of the free memory"
    ),
    "a file of a saved model, and all that it unpacks to": (
        f"{opening.MOST_BYTES:,} bytes, {opening.MOST_TIMES} times its size from {opening.FREELY:,} bytes on"
    ),
    "the structure of a saved model (`schema.json`, `data.pkl`)": f"{opening.MOST_STRUCTURE_BYTES:,} bytes",
    "problems of one refusal that a process tells": f"{request.MOST_PROBLEMS}",
    "time of `apply`": (
        f"{applying.BEGINNING_SECONDS:.0f} s, {applying.ROW_SECONDS:g} s for each row that is left "
        f"({applying.SEEN_ROW_SECONDS:g} s through a published network)"
    ),
    "connections of `serve`": f"{gate.MOST_CONNECTIONS}, fewer where few files may be open",
    "silence of a connection of `serve`": f"{gate.SILENT_SECONDS:g} seconds",
    "a journal of a stopped run": f"{journal_file._LONGEST:,} bytes",
    "a file of weights of torchvision that a trial takes features with": f"{backbones.MOST_BYTES:,} bytes",
}


def test_every_limit_of_the_page_is_a_constant_of_the_code() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", PAGE.partition("## Time")[0], re.MULTILINE)
    told = {name: most for name, most in rows if name not in ("input", "---")}
    assert told == DECLARED


def test_a_configuration_is_as_large_as_a_header() -> None:
    assert huggingface._MOST_BYTES == safetensors_header.MOST_BYTES


def test_sentences_of_the_page_that_hold_numbers_do_too() -> None:
    assert f"pieces from {pieces.PLACES} places" in PAGE
    assert f"rows from {parquet.PLACES} places" in PAGE
    assert (
        f"{stored.MOST_LOOKED_UP:,} targets are looked up; in Fortran's order {stored.MOST_LOOKED_UP:,} numbers" in PAGE
    )
    assert f"of {stored._FEWEST_ROWS} rows at least" in PAGE
    assert f"of each file {size(texts.LONGEST)}" in PAGE
    assert f"below {limits.MOST_MEMORY / 1e9:.0f} GB of memory" in PAGE
    assert stored.MOST_COLUMN_ORDER == targets.FIRST_ROWS_FROM


def test_every_case_of_the_benchmark_stands_with_its_time_in_the_page() -> None:
    told = re.findall(r"^\| ([^|]+) \| (\d+) s \| ([^|]+) \|$", PAGE, re.MULTILINE)
    ends = {0: "a result", 2: "a refusal with its remedy"}
    assert told == [(case.name, f"{case.seconds:.0f}", ends[case.status]) for case in limits.CASES]
