"""Are initial weights of about 0.1 a good start for a deep network, as the survey says?

python benchmarks/trials/initialisation.py [--widths 64,200,1024] [--seeds N] [--epochs N] [--optimizers adam,sgd_momentum]
                                       [--layers N] [--rates R,R] [--threads N]

Ten hidden layers of ReLU learn scikit-learn's digits from five starts: He, Glorot, and normal with the deviations 0.1 (the
survey's), 0.01 and 0.5. Each start takes the best of three learning rates (or of --rates) by the validation examples, so that
none loses by a rate that suits another. Each seed divides the digits anew. The differences of the accuracies on the test
examples are judged in pairs, by Student's interval made wider for divisions that share examples (Nadeau and Bengio 2003). Ends
with 1 where He is anywhere beaten by the survey's weights.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys

import torch
from initial_trial import (
    GLOROT,
    HE,
    LARGER,
    SURVEY,
    Effort,
    Ruling,
    StartScores,
    initial_weights_trial,
    judged,
)

RATES = {"adam": (1e-4, 1e-3, 1e-2), "sgd_momentum": (0.001, 0.01, 0.1)}


def main() -> int:
    options = read_options()
    torch.set_num_threads(options.threads)
    beaten = False
    for optimizer in options.optimizers.split(","):
        for width in map(int, options.widths.split(",")):
            effort = Effort(optimizer, options.rates or RATES[optimizer], epochs=options.epochs)
            found = initial_weights_trial(width, options.layers, seeds=range(options.seeds), effort=effort)
            print(f"\n{options.layers} layers of {width}, {optimizer}, {options.epochs} epochs, {options.seeds} seeds")
            print_table(found, width, options.layers)
            for rival in (LARGER, HE, GLOROT):
                ruling = judged(found, SURVEY, rival)
                print(f"  {ruling}")
                beaten |= rival == HE and ruling.ruling is Ruling.BETTER
    return int(beaten)


def print_table(found: tuple[StartScores, ...], width: int, layers: int) -> None:
    print(
        f"  {'start':<20}{'rate':>8}{'signal':>10}{'by theory':>11}{'gradient':>10}{'accuracy':>17}{'epochs to 90 %':>16}"
    )
    for scores in found:
        mean = statistics.fmean(scores.accuracies)
        spread = statistics.stdev(scores.accuracies) if len(scores.accuracies) > 1 else 0.0
        print(
            f"  {scores.start!s:<20}{scores.learning_rate:>8.4g}{scores.signal:>10.2g}"
            f"{expected_signal(scores, width, layers):>11.2g}{scores.gradient:>10.2g}"
            f"{f'{mean:.3f} +- {spread:.3f}':>17}{epochs_to_learn(scores):>16}"
        )


def expected_signal(scores: StartScores, width: int, layers: int) -> float:
    """How much the layers multiply a signal: sqrt(inputs * variance / 2) each, the first of which has 64 inputs.

    The first layer's inputs are no rectified signal but numbers around zero; the square of theirs is not halved before.
    """
    growth = 1.0
    for inputs in (64, *[width] * (layers - 1)):
        match scores.start.name:
            case "he":
                variance = 2 / inputs
            case "glorot":
                variance = 2 / (inputs + width)
            case _:
                variance = (scores.start.deviation or 0.0) ** 2
        growth *= math.sqrt(inputs * variance / 2)
    return growth


def epochs_to_learn(scores: StartScores) -> str:
    reached = [epochs for epochs in scores.epochs_to_learn if epochs is not None]
    if not reached:
        return "never"
    share = "" if len(reached) == len(scores.epochs_to_learn) else f" ({len(reached)} of {len(scores.epochs_to_learn)})"
    return f"{statistics.median(reached):g}{share}"


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", default="64,200,1024")
    parser.add_argument("--layers", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--optimizers", default="adam,sgd_momentum")
    parser.add_argument(
        "--rates", type=lambda text: tuple(map(float, text.split(","))), help="instead of three for each optimiser"
    )
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
