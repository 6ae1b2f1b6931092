"""The size of a picture as people write it."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d{1,6}) ?[x×*] ?(\d{1,6})(?: ?[x×*] ?(\d{1,4}))?(?: ?(?:px|pixels?))?( gr[ea]y)?")
_WIDTH = re.compile(r"(\d{1,6}) ?(?:px|pixels?|wide|px wide|pixels wide)( gr[ea]y)?")
PHONE_PHOTO = 4000 * 3000 * 3
"""The values of a picture as telephones take it."""


def values_of_picture(text: str) -> str:
    """The values of a picture of this size; nothing where the text is none. One that is only so wide counts as square."""
    if text in ("phone", "phone photo", "phone photos", "photo", "photos"):
        return str(PHONE_PHOTO)
    if found := _SIZE.fullmatch(text):
        width, height, colours, grey = found.groups()
        return str(int(width) * int(height) * (int(colours) if colours else 1 if grey else 3))
    if found := _WIDTH.fullmatch(text):
        return str(int(found[1]) ** 2 * (1 if found[2] else 3))
    return ""
