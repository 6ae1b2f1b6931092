"""What is known about the winner, in every form: short first, whole on demand, drawn with words beside each figure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.report.found.insight import (
    brief_lines,
    calibration_sentence,
    curve_sentence,
    importance_sentence,
    not_known,
    residuals_sentence,
    slice_sentence,
    told,
    words_sentence,
)
from advisor.report.found.trying import trying_markdown, trying_page
from advisor.report.found.trying_brief import trying_brief
from advisor.report.html.trying import trying_html
from advisor.report.page import Look, cells
from advisor.training.ladder.insight import (
    Calibration,
    ColumnImportance,
    Confused,
    Confusion,
    CurvePoint,
    Dependence,
    DependencePoint,
    Fit,
    Importance,
    Insight,
    LargeError,
    LearningCurve,
    MoreData,
    NotKnown,
    Reliability,
    Residuals,
    SizeBin,
    Slice,
    Slices,
    Words,
    WordsOf,
)
from advisor.training.ladder.outcome import Metric, TrialResults

from .test_trying import ACCURACY, OUTCOME

AGE, CITY = ColumnImportance("age", 0.202, 0.16, 0.244), ColumnImportance("city", 0.066, 0.03, 0.1)
NOISE = ColumnImportance("noise", 0.01, -0.008, 0.028)
IMPORTANCE = Importance("accuracy", (AGE, CITY, NOISE), 800, 5)
LIMA = Slice("city", "Lima", 152, 0.5, 0.37, 0.63, 0.2)
CURVE = LearningCurve(
    (CurvePoint(800, 0.70, 0.66, 0.74, 1), CurvePoint(1600, 0.72, 0.68, 0.76, 3), CurvePoint(3200, 0.75, 0.71, 0.78, 1)),
    0.029, 0.006, 0.051, MoreData.HELPS,
)  # fmt: skip
BINS = (Reliability(0.1, 0.05, 0.02, 0.12, 80), Reliability(0.9, 0.88, 0.7, 0.9, 80))
FITS = Calibration("yes", 0.019, 0.037, 0.052, Fit.FITS, BINS)
INSIGHT = Insight(
    of="ffn 64",
    confusion=Confusion(
        30, 100, (Confused("yes", "no", 20, 60), Confused("no", "yes", 10, 40)), ("no", "yes"), ((30, 10), (20, 40))
    ),
    calibration=FITS,
    slices=Slices((LIMA,), 25, 800),
    importance=IMPORTANCE,
    learning_curve=CURVE,
    dependence=(
        Dependence("age", "yes", (DependencePoint("21", 21.0, 0.23), DependencePoint("76", 76.0, 0.84))),
        Dependence("city", "yes", (DependencePoint("Rome", None, 0.76), DependencePoint("Lima", None, 0.49))),
    ),
)
KNOWN = replace(OUTCOME, insight=INSIGHT)
METRES = Metric("rmse", "RMSE", 0.1, greater_is_better=False, task="regress", in_units=True)
OFF = Residuals(
    {"p05": -8892.6, "p25": -3962.0, "p50": -945.0, "p75": 2038.0, "p95": 8751.7},
    (LargeError(192, 81342.0, 56461.0),),
    (SizeBin(14160.0, 2381.0, 2110.0, 2652.0, 160), SizeBin(39203.0, 6588.0, 5779.0, 7398.0, 160)),
    0.36, 0.3, 0.42, 800, grows=True,
)  # fmt: skip
NUMBERS = replace(
    OUTCOME,
    metric=METRES,
    insight=Insight("ffn 64", residuals=OFF, slices=Slices((replace(LIMA, error=5863.0, elsewhere=3658.0),), 20, 800)),
)


def named(name: str) -> Insight:
    """The same with this name for every column and class."""
    said = tuple(replace(one, column=name, of=name) for one in INSIGHT.dependence)
    return replace(
        INSIGHT,
        importance=replace(IMPORTANCE, columns=(replace(AGE, column=name),)),
        words=Words(by_class=(WordsOf(name, (name,), (name,)),)),
        slices=Slices((replace(LIMA, column=name, values=name),), 25, 800),
        confusion=Confusion(1, 2, (Confused(name, name, 1, 2),), (name, name), ((1, 0), (1, 0))),
        calibration=replace(FITS, of=name),
        dependence=said,
        not_known=(NotKnown("residuals", name),),
    )


def test_sentences_read_as_people_say_them() -> None:
    assert (
        importance_sentence(IMPORTANCE, ACCURACY)
        == "Most important: age (shuffled, accuracy is 0.202 worse) and city (0.066)."
    )
    assert slice_sentence(Slices((LIMA,), 25, 800), ACCURACY) == (
        "It errs most where city is Lima: 50 % wrong of 152 examples, elsewhere 20 %."
    )
    assert curve_sentence(CURVE, ACCURACY) == (
        "More data would probably help: twice as many examples, from 1,600 to 3,200, made accuracy 0.029 better "
        "(95 % interval 0.006 to 0.051)."
    )
    assert calibration_sentence(FITS) == (
        "Its probabilities can be taken as they are (0.02 off on average; chance alone gives up to 0.05)."
    )
    assert residuals_sentence(OFF) == (
        "Nine in ten errors (truth less prediction) lie between -8,893 and 8,752; they grow with the size of what is predicted."
    )
    assert residuals_sentence(replace(OFF, average=3120.4, of_the_mean=7480.0)).startswith(
        "On average it is off by 3,120, and always answering with the mean by 7,480. Nine in ten errors "
    )


def test_words_are_told_for_and_against() -> None:
    both = WordsOf("yes", ("good", "fine", "great", "nice"), ("bad", "not good"))
    assert words_sentence(Words(by_class=(both,)), ACCURACY) == (
        "Words that speak most for yes: 'good', 'fine' and 'great'; against it: 'bad' and 'not good'."
    )
    number = replace(both, of="", lowering=())
    assert words_sentence(Words(by_class=(number,)), METRES) == (
        "Words that raise the prediction most: 'good', 'fine' and 'great'."
    )
    several = Words(by_class=(WordsOf("sport", ("goal",), ()), WordsOf("trade", ("money", "share"), ())))
    assert words_sentence(several, ACCURACY) == (
        "Words that speak most for sport 'goal'; for trade 'money' and 'share'."
    )
    good, noise = ColumnImportance("good", 0.1, 0.05, 0.15), ColumnImportance("the", 0.0, -0.01, 0.01)
    without = Importance("accuracy", (good, noise), 800, 1)
    assert words_sentence(Words("note", without=without), ACCURACY) == (
        "Of the 2 most frequent words of note these matter most: 'good' (without it, accuracy is 0.100 worse)."
    )
    nothing = replace(without, columns=(noise,))
    assert words_sentence(Words(without=nothing), ACCURACY) == (
        "No single one of the 1 most frequent words is needed beyond noise."
    )
    outcome = replace(OUTCOME, insight=Insight("linear", words=Words(by_class=(both,))))
    assert words_sentence(Words(by_class=(both,)), ACCURACY) in brief_lines(outcome)
    html = trying_html(outcome)
    assert "The words that matter" in html
    assert "good, fine, great, nice" in html
    assert outcome.to_json()["insight"]["words"]["by_class"][0]["lowering"] == ["bad", "not good"]


def test_noise_is_called_nothing() -> None:
    nothing = importance_sentence(replace(IMPORTANCE, columns=(NOISE,)), ACCURACY)
    assert "noise" not in nothing.replace("beyond noise", "")
    assert nothing.startswith("No single column is needed beyond noise")
    assert slice_sentence(Slices((), 25, 800), ACCURACY).startswith("It errs nowhere clearly more")
    unclear = curve_sentence(replace(CURVE, gain=-0.004, low=-0.02, high=0.012, verdict=MoreData.UNCLEAR), ACCURACY)
    assert unclear.startswith("Whether more data would help is not clear")
    assert "0.004 worse (95 % interval -0.012 to 0.020)" in unclear


def test_bold_probabilities_are_called_so() -> None:
    said = calibration_sentence(replace(FITS, error=0.2, fit=Fit.TOO_SURE))
    assert said.startswith("Its probabilities are not to be taken as they are")
    assert "too sure of themselves" in said


def test_of_several_classes_the_confused_ones_are_told_first_unless_probabilities_are_off() -> None:
    three = replace(INSIGHT.confusion, classes=("no", "yes", "maybe"))  # type: ignore[type-var]
    known = replace(INSIGHT, confusion=three)
    assert brief_lines(replace(KNOWN, insight=known))[-1] == (
        "Of 100 held-out examples it told 30 wrong; most often it took yes for no (20 of 60)."
    )
    bold = replace(known, calibration=replace(FITS, error=0.2, fit=Fit.TOO_SURE))
    assert "not to be taken as they are" in brief_lines(replace(KNOWN, insight=bold))[-1]


def test_what_is_not_known_says_why() -> None:
    known = replace(INSIGHT, learning_curve=None, not_known=(NotKnown("learning_curve", "There was no time for it."),))
    assert not_known(known) == ["Would more data help: not known. There was no time for it."]
    for shown in (trying_page(replace(KNOWN, insight=known), Look(80)), trying_html(replace(KNOWN, insight=known))):
        assert "Would more data help: not known. There was no time for it." in " ".join(shown.split())


def test_the_first_screen_has_a_sentence_on_each_as_long_as_it_has_room() -> None:
    lines = brief_lines(KNOWN)
    assert [line.split(":")[0].split(" (")[0] for line in lines] == [
        "Most important", "It errs most where city is Lima", "More data would probably help",
        "Its probabilities can be taken as they are",
    ]  # fmt: skip
    said = " ".join(trying_brief(KNOWN, Look(80)).split())
    assert "about ffn 64" in said
    assert lines[0] in said
    assert not brief_lines(OUTCOME)
    assert "about ffn 64" not in trying_brief(OUTCOME, Look(80))
    assert any("Nine in ten errors" in line for line in brief_lines(NUMBERS))


@pytest.mark.parametrize("outcome", [KNOWN, NUMBERS])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_whole_page_fits_and_has_every_piece(outcome: TrialResults, width: int) -> None:
    page = trying_page(outcome, Look(width))
    assert all(cells(line) <= width for line in page.splitlines() if "advisor " not in line)
    said = " ".join(page.split())
    assert all(" ".join(one.sentence.split()) in said for one in told(outcome))


@pytest.mark.parametrize("outcome", [KNOWN, NUMBERS])
def test_the_report_draws_what_can_be_drawn_with_words_and_a_table_beside_it(outcome: TrialResults) -> None:
    html = trying_html(outcome)
    pieces = (
        ["importance", "slices", "calibration", "learning-curve", "dependence"] if outcome is KNOWN else ["residuals"]
    )
    for piece in pieces:
        assert f'<title id="insight-{piece}-' in html
        assert f'<desc id="insight-{piece}-' in html
    for one in told(outcome):
        for shown in one.tables:
            assert all(cell in html for cell in shown.head)
            assert all(cell in html for row in shown.rows for cell in row)


def test_the_classes_that_are_taken_for_each_other_stand_in_a_table() -> None:
    report = trying_markdown(KNOWN)
    assert "| yes | 20 | 40 |" in report
    many = replace(INSIGHT, confusion=replace(INSIGHT.confusion, classes=(), matrix=()))  # type: ignore[type-var]
    assert "| yes | no | 20 | 60 |" in trying_markdown(replace(KNOWN, insight=many)), (
        "of very many classes the pairs alone"
    )


def test_names_of_columns_and_classes_take_over_neither_terminal_nor_report() -> None:
    outcome = replace(KNOWN, insight=named("x\x1b[2J|<b>[red]\u202e"))
    for shown in (
        trying_page(outcome, Look(80)),
        trying_markdown(outcome),
        trying_html(outcome),
        trying_brief(outcome, Look(80)),
    ):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "<b>" not in trying_markdown(outcome)
    assert "<b>[red]" not in trying_html(outcome)


def test_json_has_all_of_it() -> None:
    document = KNOWN.to_json()
    assert document["schema"] == "advisor/trial/1"
    assert document["insight"]["importance"]["columns"][0] == {
        "column": "age",
        "loss": 0.202,
        "low": 0.16,
        "high": 0.244,
    }
    assert document["insight"]["learning_curve"]["verdict"] == "helps"
    assert OUTCOME.to_json()["insight"] is None
