"""`advisor models list` and `show`: published networks, counted."""

from __future__ import annotations

from pathlib import Path

from advisor.cli.commands.options import ModelsList, ModelsShow
from advisor.cli.console import look, write, write_json
from advisor.cli.delivering import deliver, deliver_json
from advisor.cli.options import PlainFormat
from advisor.errors import did_you_mean, input_error
from advisor.models.huggingface import network_of
from advisor.models.model import Model
from advisor.models.published import PublishedModel, published_models
from advisor.report.models.page import model_json, model_page, models_page
from advisor.report.page import Look


def list_(options: ModelsList) -> None:
    models = sorted(published_models().values(), key=lambda one: one.field)
    counted = [(one, one.model()) for one in models]
    if options.format_ is PlainFormat.JSON:
        write_json([{**model_json(model, one), "layers": len(model.layers)} for one, model in counted])
    else:
        write(models_page(counted, look()))


def show(options: ModelsShow) -> None:
    published, model = _named(options.name)
    if options.format_ is PlainFormat.JSON:
        deliver_json(model_json(model, published), options.output, options.force)
    else:
        shown = look() if options.output is None else Look()
        deliver(model_page(model, shown, published), options.output, options.force)


def _named(name: str) -> tuple[PublishedModel | None, Model]:
    """A published model, or that of a configuration. Raises InputError."""
    if name.endswith(".json"):
        return None, network_of(Path(name))
    models = published_models()
    found = models.get(name.strip().casefold())
    if found is None:
        remedy = (
            did_you_mean(name, models) or "`advisor models list` names them; config.json of Hugging Face is read too."
        )
        raise input_error("There is no such model", "no published model has this name", where=name, remedy=remedy)
    return found, found.model()
