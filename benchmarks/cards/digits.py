"""Write the digits that scikit-learn ships as two folders of pictures: to learn from, and to predict for.

1,797 pictures of 8 x 8 grey values (UCI, Optical Recognition of Handwritten Digits); every fourth is held out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    digits = load_digits()
    for number, (grey, digit) in enumerate(zip(digits.images, digits.target, strict=True)):
        among = folder / ("new-digits" if number % 4 == 0 else "digits") / str(digit)
        among.mkdir(parents=True, exist_ok=True)
        Image.fromarray((grey * 255 / 16).astype(np.uint8)).save(among / f"{number:04}.png")


if __name__ == "__main__":
    main()
