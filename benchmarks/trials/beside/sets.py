"""The sets of data: what is predicted, from which columns, and how a fifth is held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy
import pandas

from . import sources
from .sources import dmba, islp, rdataset


@dataclass(frozen=True)
class Data:
    """One set of data; without a target it is pictures in a folder for each class."""

    target: str = ""
    rows: Callable[[], pandas.DataFrame] | None = None
    pictures: Callable[[], tuple[numpy.ndarray, list[str]]] | None = None
    drop: tuple[str, ...] = ()
    most_frequent: int | None = None
    """Only the rows of so many of the most frequent classes."""
    codes: bool = False
    """Classes are written as numbers."""
    latest: str | None = None
    """The latest fifth by this column of dates, instead of any."""
    dates: tuple[str, ...] = ()
    """Other columns of dates."""
    group: str | None = None
    text: str | None = None
    seasons: tuple[int, ...] = ()
    """Of a series, in the order of time; its horizon is one step."""
    waves: tuple[float, int] | None = None
    """Steps of its season, which need not be whole, and how many parts of it a dynamic harmonic ARIMA is given."""
    origins: int = 100
    """Steps of it that are forecast, evenly over those held out."""
    audited: tuple[str, ...] = ()
    """Metrics of the audit."""


TWELVE: Mapping[str, Data] = {
    "lending_club": Data("Class", rdataset("modeldata", "lending_club")),
    "hpc_data": Data("class", rdataset("modeldata", "hpc_data")),
    "Chicago": Data("ridership", rdataset("modeldata", "Chicago"), latest="date"),
    "hotel_rates": Data("avg_price_per_room", rdataset("modeldata", "hotel_rates"), latest="arrival_date"),
    "fine_foods": Data("score", rdataset("modeldata", "training_data"), text="review"),
    "trump_tweets": Data(
        "source", rdataset("dslabs", "trump_tweets"), drop=("id_str", "created_at"), most_frequent=2, text="text"
    ),
    "taylor": Data("demand", sources.taylor, latest="time", seasons=(48, 336)),
    "gasoline": Data("value", sources.gasoline, latest="time", seasons=(52,)),
    "letters": Data(pictures=sources.drawn_letters),
    "ames": Data("Sale_Price", rdataset("modeldata", "ames")),
    "storms": Data("status", rdataset("dplyr", "storms"), group="name"),
    "Kershaw": Data("PitchType", rdataset("Stat2Data", "Kershaw"), latest="Time"),
}
"""Those of docs/studies/trials-beside-others.md."""

RANKED = ("balanced_accuracy", "roc_auc")
AUDIT: Mapping[str, Data] = {
    "universities": Data("Graduation rate", dmba("Universities"), audited=("r2",)),
    # Casual and registered riders add up to what is predicted.
    "bikes": Data("bikers", islp("Bikeshare"), drop=("casual", "registered"), audited=("r2",)),
    # When it landed and how long it flew are known only afterwards.
    "flights": Data("arr_delay", sources.flights, drop=("arr_time", "air_time"), dates=("time_hour",), audited=("r2",)),
    "taxi": Data(
        "Car_Cancellation",
        dmba("Taxi-cancellation-case"),
        drop=("row#",),
        codes=True,
        dates=("from_date", "to_date", "booking_created"),
        audited=RANKED,
    ),
    "caravan": Data("Purchase", islp("Caravan"), audited=RANKED),
    # Each of the four tells the severity by itself, or all but.
    "accidents": Data(
        "MAX_SEV_IR",
        dmba("accidentsFull"),
        drop=("INJURY_CRASH", "NO_INJ_I", "PRPTYDMG_CRASH", "FATALITIES"),
        codes=True,
        audited=RANKED,
    ),
    "texts": Data("newsgroup", sources.messages, text="text", audited=("accuracy",)),
    "digits": Data(pictures=sources.written_digits, audited=("accuracy",)),
    "amtrak": Data("Ridership", dmba("Amtrak"), seasons=(12,), audited=("rmse",)),
    "co2": Data("co2", sources.co2, seasons=(52,), waves=(365.25 / 7, 4), origins=457, audited=("rmse",)),
}
"""Those of an earlier audit, as far as they can be told from its table: by name, rows, classes and metric."""

LATER: Mapping[str, Data] = {
    "vote": Data("vote", rdataset("carData", "Chile")),
    "poverty": Data("poverty", rdataset("carData", "WVS")),
    # The time at the mat, which `net` is without the wait at the start.
    "race": Data("net", rdataset("mosaicData", "TenMileRace"), drop=("time",)),
    # How long somebody was followed and what they died of are known only afterwards.
    "blood": Data("death", rdataset("survival", "flchain"), drop=("futime", "chapter"), codes=True),
    "cafes": Data("value", sources.cafes, latest="time", seasons=(12,)),
}
"""Chosen after the first runs on the twelve had changed what trials do, and before any run on these."""

SETS: Mapping[str, Mapping[str, Data]] = {"twelve": TWELVE, "audit": AUDIT, "later": LATER}
DATA: Mapping[str, Data] = {**TWELVE, **AUDIT, **LATER}


def frame_of(data: Data) -> pandas.DataFrame:
    """The rows of one set of data; those of a series with its gaps."""
    assert data.rows is not None
    found = data.rows()
    found = found.drop(columns=[column for column in data.drop if column in found])
    if data.most_frequent:
        kept = found[data.target].value_counts().index[: data.most_frequent]
        found = found[found[data.target].isin(kept)]
    return (found if data.seasons else found.dropna(subset=[data.target])).reset_index(drop=True)
