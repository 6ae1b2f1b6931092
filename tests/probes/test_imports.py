from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["runner", "catalogue", "workload", "verdict", "outcome", "child"])
def test_no_torch_is_imported_by(module: str) -> None:
    code = f"import sys, advisor.probes.{module}; print(sorted({{'torch', 'numpy'}} & sys.modules.keys()))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
