"""Commands that turn images, sounds and films of other formats into those that are read here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from advisor.wording import shell_path


@dataclass(frozen=True, slots=True)
class Conversion:
    """A kind of files that is not read here, and how one becomes a file that is."""

    what: str
    """In the plural."""
    program: str
    run: str
    """For the shell; the file is "$1", and the result lies beside it."""
    endings: str
    """Of names, in small letters."""


_CONVERSIONS = (
    Conversion("images", "ImageMagick 7", 'magick "$1" "${1%.*}.png"',
        ".heic .heif .jxl .tga .pcx .ico .psd .svg .exr .hdr .dds .eps .wmf .xcf .qoi"),
    Conversion("raw photos", "darktable", 'darktable-cli "$1" "${1%.*}.png"', ".cr2 .cr3 .nef .arw .dng .raf .rw2 .orf"),
    Conversion("sounds", "FFmpeg", 'ffmpeg -i "$1" -c:a pcm_s16le "${1%.*}.wav"',
        ".mp3 .flac .ogg .oga .opus .m4a .aac .wma .aif .aiff .aifc .au .snd .amr .caf .ape .wv .w64 .rf64 .spx"),
    Conversion("films", "FFmpeg", 'ffmpeg -i "$1" -vf fps=1 "${1%.*}-%05d.png"',
        ".mp4 .mov .avi .mkv .webm .m4v .wmv .flv .mpg .mpeg .3gp"),
    Conversion("scans (DICOM)", "DCMTK", 'dcmj2pnm --write-png "$1" "$1.png"', ".dcm .dicom"),
)  # fmt: skip
_BY_ENDING = {ending: one for one in _CONVERSIONS for ending in one.endings.split()}


def how_to_convert(folder: Path, suffix: str) -> str | None:
    """The command that converts the files of a folder with this ending; None where no conversion is known."""
    known = _BY_ENDING.get(suffix)
    if known is None:
        return None
    find = f"find {shell_path(str(folder))} -iname '*{suffix}' -exec sh -c {shlex.quote(known.run)} sh {{}} ';'"
    return f"Convert these {known.what} with {known.program}: {find}"
