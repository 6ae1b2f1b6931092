"""The size of a picture as people write it."""

from __future__ import annotations

import math
import re

_SIZE = re.compile(r"(\d{1,6}) ?[x×*] ?(\d{1,6})(?: ?[x×*] ?(\d{1,4}))?(?: ?(?:px|pixels?))?( gr[ea]y)?")
_WIDTH = re.compile(r"(\d{1,6}) ?(?:px|pixels?|wide|px wide|pixels wide)( gr[ea]y)?")
_PHONE_PHOTO = "4000 x 3000"


def values_of_picture(text: str) -> str:
    """The values of a picture of this size; nothing where the text is none. One that is only so wide counts as square.

    In colours it is never a square number, which stands for grey: 4000 x 3000 are the values of 3464 x 3464.
    """
    if text in ("phone", "phone photo", "phone photos", "photo", "photos"):
        text = _PHONE_PHOTO
    if found := _SIZE.fullmatch(text):
        width, height, colours, grey = found.groups()
        each, pixels = int(colours) if colours else 1 if grey else 3, int(width) * int(height)
        if each == 3 and math.isqrt(each * pixels) ** 2 == each * pixels:
            pixels = math.isqrt(pixels) ** 2
        return str(each * pixels)
    if found := _WIDTH.fullmatch(text):
        return str(int(found[1]) ** 2 * (1 if found[2] else 3))
    return ""
