"""Folders: names, links, pipes, depths, splits and mixtures that no one arranges on purpose."""

from __future__ import annotations

import os

from hypothesis import strategies as st

from ..case import Case, Format, Link, Pipe
from . import values
from .made import Entry, Made, cases, valid
from .pictures import valid_picture
from .sounds import Wave

_PICTURES = tuple(valid_picture("PNG", mode, (8, 8), 0, seed) for mode in ("L", "RGB") for seed in range(6))
_SOUND = Wave(bytes(range(256)) * 12).packed()
_TEXT = b"the cat sat on the mat"
_TABLE = b"a,b,y\n1,2,0\n3,4,1\n"
_KINDS: dict[bytes, tuple[bytes, ...]] = {
    b".png": _PICTURES, b".PNG": _PICTURES, b".jpg": _PICTURES, b".wav": (_SOUND,),
    b".txt": (_TEXT, b"", b"\0\0", b"   ", b"two words"), b".csv": (_TABLE,),
    b"": (b"none", b""), b".dat": (b"\x80\x04N.",), b".npy": (b"\x93NUMPY",), b".parquet": (b"PAR1PAR1",),
    b".gz": (b"\x1f\x8b",), b".": (b"",), b".json": (b"{}",),
}  # fmt: skip
_NAMES = (
    b"cat", b"dog", b"train", b"val", b"test", b"Train", b"TEST", b"masks", b"images", b"labels", b"data", b"0", b"1",
    b"10", b"2", b"-rf", b"--help", b"..x", b" ", b"a b",
    b"new\nline", b"tab\t", b"\xff\xfe", b"\xe4", "ä".encode(), "a\u0308".encode(), "👩‍👩‍👧‍👦".encode(),
    "\u202egnp.".encode(), "İ".encode(), "²".encode(), "٣".encode(), b"\x1b[31m", b"'", b'"', b"$(id)", b"*",
    b"[a]", b"{0}", b"%s", b"n" * 200, b".hidden", b"__pycache__", b"x.png", b"a\\b", b"con", b"\xed\xa0\x80", b"nan",
    b"inf", b"1e5", b"-1",
)  # fmt: skip

_names = st.sampled_from(_NAMES)
_folders = st.lists(_names, max_size=4).map(b"/".join)


@st.composite
def _entries(draw: st.DrawFn) -> tuple[bytes, Entry]:
    suffix = draw(st.sampled_from(tuple(_KINDS)))
    name = draw(_folders) + b"/" + draw(_names) + suffix
    what = draw(st.integers(0, 11))
    if what == 0:
        to = draw(
            st.sampled_from(
                (
                    b".",
                    b"..",
                    b"../..",
                    b"nothing",
                    b"/dev/null",
                    b"/dev/zero",
                    b"cat",
                    b"x",
                    name.rpartition(b"/")[2],
                    b"\xff",
                )
            )
        )
        return name, Link(os.fsdecode(to))
    if what == 1:
        return name, draw(st.sampled_from((Pipe(), b"")))
    return name.lstrip(b"/"), draw(st.sampled_from(_KINDS[suffix]))


@st.composite
def folders(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """A folder of classes in the usual form, to which odd entries are added; in a tenth of cases none."""
    kind = 0 if plain else draw(st.integers(0, 9))
    suffix = b".png" if plain else draw(st.sampled_from((b".png", b".png", b".png", b".wav", b".txt")))
    split = draw(
        st.sampled_from(
            (
                (b"",),
                (b"",),
                (b"train/", b"test/"),
                (b"train/", b"val/", b"test/"),
                (b"data/",),
                (b"images/", b"masks/"),
            )
        )
    )
    labels = draw(
        st.sampled_from(
            (
                (b"cat", b"dog"),
                (b"cat", b"dog"),
                (b"0", b"1", b"10"),
                (b"cat",),
                (b"",),
                (b"\xff", b"\xe4"),
                (b"nan", b"inf", b"-1"),
                ("²".encode(), "٣".encode(), b"1"),
            )
        )
    )
    count = draw(st.sampled_from((1, 2, 3, 5, 12)))
    files: list[tuple[bytes, Entry]] = []
    for part in split:
        for label in labels:
            for number in range(count):
                content = _KINDS[suffix][number % len(_KINDS[suffix])]
                files.append((part + label + (b"/" if label else b"") + b"%d" % number + suffix, content))
    if kind == 0:
        paired = split[-1] == b"masks/"  # images beside masks, or two classes: that depends on what the images hold
        return Made("data", tuple(files), rows=len(files) if plain and not paired else None)
    files += draw(st.lists(_entries(), min_size=1, max_size=6))
    if kind == 1:
        files = files[-4:]
    if kind == 2:
        files.append((b"metadata.csv", _TABLE))
    name = draw(
        st.one_of(
            st.just("data"),
            st.sampled_from(("-data", "da ta", "da\nta", "däta", "data.png", "train", "%s", "$(id)", "[x]")),
        )
    )
    return Made(name, tuple(files), draw(st.sampled_from(((), (), ("cat",), (values.NAMES[2],)))))


def _valid() -> list[Case]:
    return valid(
        [Made("data", tuple((b"%s/%d.txt" % (label, number), _TEXT) for label in (b"a", b"b") for number in range(3)))]
    )


DATA = {"folders": folders}
FORMATS = [Format("folders", _valid, lambda: cases(folders()))]
