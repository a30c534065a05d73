"""What a line of the zoo is, and the ways to write one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import networks
import torch


@dataclasses.dataclass(frozen=True)
class Row:
    """How a network and its inputs are made, and which of its results are compared."""

    make: Callable[[], torch.nn.Module]
    inputs: Callable[[], dict]
    fields: tuple[str, ...]
    dtypes: tuple[str, ...] = ("float32", "bfloat16")  # that eager knows for all of its operations

    def example(self) -> tuple[torch.nn.Module, dict]:
        """(the network in float32, as a function of keywords to a tuple of tensors; its arguments)."""
        model, inputs = networks.seeded(lambda: Fields(self.make(), self.fields)), self.inputs()
        with torch.no_grad():
            model(**inputs)  # transformers installs hooks in the first call, which Dynamo cannot trace
        return model, inputs


class Fields(torch.nn.Module):
    """A network of which some fields of the result are wanted."""

    def __init__(self, model, fields):
        super().__init__()
        self.model, self.fields = model, fields

    def forward(self, **arguments):
        result = self.model(**arguments)
        return tuple(getattr(result, field) for field in self.fields)


def transformers(
    kind, inputs, fields="last_hidden_state", model="Model", part=lambda model: model, dtypes=Row.dtypes, **config
):
    """A `kind` of transformers with a `model` head, or the `part` of it that a function gives."""

    def make():
        import transformers as library

        return part(getattr(library, kind + model)(getattr(library, f"{kind}Config")(**config)))

    return Row(make, inputs, tuple(fields.split()), dtypes)


def diffusers(kind, inputs, **config):
    def make():
        import diffusers as library

        return getattr(library, kind)(**config)

    return Row(make, inputs, ("sample",))


def normal(*shape):
    return networks.image(*shape)


def tokens(length=9, batch=2):
    """[batch, length] of a vocabulary of 100, of which the first three are special."""
    return networks.tokens(97, batch, length) + 3


def text(length=9, **more):
    return lambda: {"input_ids": tokens(length), **more}


def image(size, batch=1):
    return lambda: {"pixel_values": normal(batch, 3, size, size)}
