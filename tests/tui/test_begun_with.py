"""A wizard that is started with answers, data or a model has them, on a real terminal; who knows nothing gets a usual plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.facts.fact_base import Source
from advisor.tui.screens.interview.interview import InterviewScreen
from tests.tui.pilots import WIDE, piloted, running, screen_text, settled
from tests.tui.terminal import CTRL_Q, Terminal


@pytest.mark.parametrize(
    ("told", "seen"),
    [
        (("--set", "data.modality=image", "--set", "task.kind=segment"), ("Begun with 2 answers.", "U-Net")),
        (("--answers", "mine.yaml"), ("Begun with 2 answers.", "transformer")),
        (("mine.yaml",), ("Begun with 2 answers.", "transformer")),
        (("--data", "table.csv", "--target", "kind", "--set", "data.outliers=no"), ("gradient-boosted trees",)),
        (("--model", "resnet50", "--set", "task.kind=classify"), ("ResNet-50",)),
    ],
)
def test_what_the_command_names_is_in_the_first_plan(
    tmp_path: Path, told: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    (tmp_path / "mine.yaml").write_text("data.modality: text\ntask.kind: classify\n", encoding="utf-8")
    rows = "".join(f"{n * 37 % 100 / 7:.3f},{n % 11},{'a' if n * 37 % 100 > 50 else 'b'}\n" for n in range(300))
    (tmp_path / "table.csv").write_text(f"size,age,kind\n{rows}", encoding="utf-8")
    terminal = Terminal(tmp_path, "wizard", *told, "--machine", "none")
    for text in ("Question", *seen):  # messages lie over the rest for a while
        terminal.sees(text)
    terminal.press(CTRL_Q)
    assert terminal.ends() == 0


@piloted
async def test_who_knows_nothing_is_offered_a_usual_plan_after_three_questions() -> None:
    async with running(InterviewScreen(), size=WIDE) as run:
        for _ in range(3):
            await run.press("f3")
        await settled(run.pilot, outlook=True)
        assert "A good plan is ready." in screen_text(run.app)
        plan = run.app.standing.plan if run.app.standing is not None else None
        assert plan is not None
        assert plan.value("network.type") is not None
        taken = [plan.facts[name] for name in ("data.modality", "task.kind")]
        assert all(known.source is Source.ASSUMED for known in taken)
