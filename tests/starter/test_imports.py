from __future__ import annotations

from advisor.starter.source import without_unused_imports


def test_names_that_are_never_used_are_not_imported() -> None:
    source = "import math\nimport re\n\nfrom torch import Tensor, nn\n\nimport settings\n\n\nkept: nn.Module = re, settings\n"
    expected = "import re\n\nfrom torch import nn\n\nimport settings\n\n\nkept: nn.Module = re, settings\n"
    assert without_unused_imports(source) == expected


def test_a_group_of_imports_goes_with_its_empty_line() -> None:
    source = '"""What it is."""\n\nimport math\nimport re\n\nfrom torch import nn\n\nimport settings\n\n\nnn()\n'
    assert without_unused_imports(source) == '"""What it is."""\n\nfrom torch import nn\n\n\nnn()\n'
