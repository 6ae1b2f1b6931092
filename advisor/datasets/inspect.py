"""What data are, found out from a file or a folder without reading all of a large one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from advisor.datasets.dataset import Format, Inspection
from advisor.datasets.formats import not_opened, recognise, unreadable
from advisor.errors import shorten


def inspect(path: Path, target: str | None = None) -> Inspection:
    """Everything that can be said of the data at a path; with a target, also what is to be learnt.

    Raises:
        InputError: they cannot be read, are nothing that is known, or the target cannot be learnt; it says why and what
            to do.
    """
    format_ = recognise(path)
    try:
        found = _inspected(path, format_, target)
    except OSError as error:
        raise not_opened(path, error) from None
    except (PolarsError, PanicException) as error:
        reason = shorten(str(error).partition("\n")[0], 120)
        raise unreadable(path, f"it is damaged or not what it seems ({reason})", "Write the file once more.") from None
    return replace(found, facts={**found.facts, "data.fingerprint": found.fingerprint})


def _inspected(path: Path, format_: Format, target: str | None) -> Inspection:
    """Each format by its own module, loaded only then: pictures and graphs need libraries that tables do not."""
    if target is not None and format_ in (Format.IMAGES, Format.SOUNDS, Format.TEXT):
        what = f"there are no columns in it that {shorten(target)!r} could name"
        raise unreadable(path, what, "Leave --target out: the folders name the classes.")
    match format_:
        case Format.NPY | Format.NPZ:
            from advisor.datasets.arrays import inspect_array

            return inspect_array(path, target)
        case Format.IMAGES:
            from advisor.datasets.pictures import inspect_pictures

            return inspect_pictures(path)
        case Format.SOUNDS:
            from advisor.datasets.sounds import inspect_sounds

            return inspect_sounds(path)
        case Format.TEXT:
            from advisor.datasets.texts import inspect_text

            return inspect_text(path)
        case _:
            from advisor.datasets.tables import inspect_table

            return inspect_table(path, format_, target)
