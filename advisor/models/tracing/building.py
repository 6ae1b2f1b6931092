"""Networks that exist as code, built with weights that are drawn: in a child process, since the code is somebody else's."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from advisor.models.code import Code, Library

_OURS = Path(__file__).resolve().parents[2]
_STORED = ("Gemma2ForCausalLM", "GptOssForCausalLM", "WavLMModel")
"""Classes of transformers without scaled_dot_product attention."""


class RefusedError(Exception):
    """The network cannot be built; the message says why."""


def told(error: BaseException) -> str:
    """The fault, and the line of the code in which it showed."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "site-packages" not in one.filename]
    place = f", {Path(frames[-1].filename).name} line {frames[-1].lineno}" if frames else ""
    own = bool(frames) and _OURS not in Path(frames[-1].filename).parents
    return f"{_words(error)}{place if own else ''}"


def _words(error: BaseException) -> str:
    """The type and the message of an error, as far as it has one that can be read."""
    with suppress(Exception):  # somebody else's error has a __str__ of its own
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return type(error).__name__


def builder(code: Code) -> tuple[Callable[[], Any], tuple[int, ...]]:
    """A function that makes the network, and the shape of its usual example, empty where there is none. Raises RefusedError.

    Making it raises whatever the code raises, and TypeError where that returns no module.
    """
    match code.library:
        case Library.FILE:
            return _checked(_of_file(Path(code.file), code.network)), ()
        case Library.TIMM:
            build, usual = _of_timm(code.network)
            return _checked(build), usual
        case Library.TRANSFORMERS:
            return _checked(_of_transformers(code)), ()
        case Library.SMP:
            unet = _library(code.library).Unet
            return _checked(lambda: unet(code.network, encoder_weights=None)), ()


def digest_of(file: Path) -> str:
    """Of the contents of a file that was imported, and of what it imported from its folder."""
    folder = file.parent
    paths = {Path(found).resolve() for module in list(sys.modules.values()) if (found := _place(module))}
    neighbours = sorted(path for path in paths if folder in path.parents and "site-packages" not in path.parts)
    whole = hashlib.sha256()
    for path in dict.fromkeys([file.resolve(), *neighbours]):
        if path.is_file():
            whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def _place(module: Any) -> str | None:
    place = getattr(module, "__file__", None)
    return place if isinstance(place, str) else None


def _checked(build: Callable[[], Any]) -> Callable[[], Any]:
    from torch import nn

    def made() -> nn.Module:
        found = build()
        if not isinstance(found, nn.Module):
            raise TypeError(f"it returns a {type(found).__name__}, and no torch.nn.Module")
        return found

    return made


def _of_file(file: Path, factory: str) -> Callable[[], Any]:
    """The function, class or network of this name in the file, whose neighbours it may import."""
    sys.path.append(str(file.parent))  # behind all that is installed
    called = f"_named_{file.stem}"  # so that it hides nothing, whatever the file is called
    spec = importlib.util.spec_from_file_location(called, file)
    if spec is None or spec.loader is None:
        raise RefusedError("it is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[called] = module
    spec.loader.exec_module(module)
    made: Any = module
    for name in factory.split("."):
        if not hasattr(made, name):
            known = [one for one, value in vars(made).items() if callable(value) and not one.startswith("_")]
            raise RefusedError(f"it has no {factory}; it has {', '.join(known[:10]) or 'no functions'}")
        made = getattr(made, name)
    return made if (callable(made) and not hasattr(made, "forward")) or inspect.isclass(made) else lambda: made


def _of_timm(name: str) -> tuple[Callable[[], Any], tuple[int, ...]]:
    """The network of this name, and the shape of its usual example."""
    timm = _library("timm")
    plain = name.partition(".")[0]
    if not timm.is_model(plain):
        near = difflib.get_close_matches(plain[:100], timm.list_models(), n=3)
        raise RefusedError(f"timm has no model {name}" + (f": did you mean {' or '.join(near)}?" if near else ""))
    usual = timm.get_pretrained_cfg(name, allow_unregistered=True)
    return lambda: timm.create_model(name), tuple(usual.input_size if usual is not None else (3, 224, 224))


def _of_transformers(code: Code) -> Callable[[], Any]:
    """A class that takes its arguments by their names: here it is given them by their places."""
    transformers = _library("transformers")
    for name in (code.network, code.configuration):
        if not hasattr(transformers, name):
            raise RefusedError(f"transformers {transformers.__version__} has no {name}: pip install -U transformers")
    names = [argument.name for argument in code.arguments]

    def build() -> Any:
        import torch

        configuration = getattr(transformers, code.configuration)(**code.sizes)
        configuration._attn_implementation = "eager" if code.network in _STORED else "sdpa"
        module = getattr(transformers, code.network)(configuration)
        if code.network == "T5ForConditionalGeneration" and not code.sizes["tie_word_embeddings"]:
            # transformers 5 ties it whatever the configuration says, until weights of its own are loaded
            module.lm_head.weight = type(module.lm_head.weight)(
                torch.empty_like(module.lm_head.weight).normal_(std=0.02)
            )
        return _by_place(module, names)

    return build


def _by_place(module: Any, names: list[str]) -> Any:
    from torch import nn

    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = module

        def forward(self, *given: Any) -> Any:
            return self.network(**dict(zip(names, given, strict=True)))

    return Named()


def _library(name: str) -> Any:
    try:
        with without_operators():
            if importlib.util.find_spec("torchvision") is not None:
                importlib.import_module("torchvision")  # before parts of the library that are imported later ask for it
            return importlib.import_module(name)
    except ImportError as error:
        raise RefusedError(f"{name} cannot be imported ({error}): pip install {name}") from error


@contextmanager
def without_operators() -> Iterator[None]:
    """Libraries of models import torchvision, whose compiled operators may be those of another torch: none is needed."""
    import torch

    register = torch.library.register_fake

    def patient(operator: Any, *given: Any, **named: Any) -> Any:
        if str(operator).startswith("torchvision::"):
            return lambda function: function
        return register(operator, *given, **named)

    torch.library.register_fake = patient
    try:
        yield
    finally:
        torch.library.register_fake = register
