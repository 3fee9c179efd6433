"""The kinds of translation models, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from anadrome.models import attention, encoder_decoder
from anadrome.random import Key


@dataclass(frozen=True)
class Architecture:
    """The functions of one kind of model."""

    name: str
    config: type
    make_params: Callable[[Any, Key, int, int], Any]
    loss: Callable[..., Any]
    start: Callable[..., Any]
    step: Callable[..., Any]
    attention_weights: Callable[[Any], np.ndarray] | None = None
    reorder: Callable[[Any, np.ndarray], Any] | None = None  # if it is not every array


def _architecture(name: str, config: type, module: ModuleType) -> Architecture:
    return Architecture(
        name,
        config,
        module.make_params,
        module.loss,
        module.start,
        module.step,
        getattr(module, "attention_weights", None),
        getattr(module, "reorder", None),
    )


ATTENTION = _architecture("attention", attention.AttentionConfig, attention)
ENCODER_DECODER = _architecture(
    "encoder-decoder", encoder_decoder.EncoderDecoderConfig, encoder_decoder
)
ARCHITECTURES = {a.name: a for a in (ATTENTION, ENCODER_DECODER)}
