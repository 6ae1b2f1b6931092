"""`advisor models list` and `show`: published networks, counted."""

from __future__ import annotations

from advisor.cli.commands.models.options import ModelsList, ModelsShow
from advisor.cli.console import look, warn, write, write_json
from advisor.cli.delivering import deliver, deliver_json
from advisor.cli.options import PlainFormat
from advisor.models.model import Source
from advisor.models.published import published_models
from advisor.report.models.page import model_json, model_page, models_page
from advisor.report.page import Look
from advisor.session.models import model_of, shapes_of


def list_(options: ModelsList) -> None:
    models = sorted(published_models().values(), key=lambda one: one.field)
    counted = [(one, one.model()) for one in models]
    if options.format_ is PlainFormat.JSON:
        write_json([{**model_json(model, one), "layers": len(model.layers)} for one, model in counted])
    else:
        write(models_page(counted, look()))


def show(options: ModelsShow) -> None:
    model = model_of(options.name, shapes_of(options.input), options.python, complain=warn)
    published = published_models().get(model.name) if model.source is Source.PUBLISHED else None
    if options.format_ is PlainFormat.JSON:
        deliver_json(model_json(model, published), options.output, options.force)
    else:
        shown = look() if options.output is None else Look()
        deliver(model_page(model, shown, published), options.output, options.force)
