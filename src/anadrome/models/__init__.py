"""Models, one file each: a configuration, a record of weights, pure functions."""

from anadrome.models.architectures import (
    ARCHITECTURES,
    ATTENTION,
    ENCODER_DECODER,
    Architecture,
)
from anadrome.models.attention import AttentionConfig, AttentionParams
from anadrome.models.encoder_decoder import EncoderDecoderConfig, EncoderDecoderParams

__all__ = [
    "ARCHITECTURES",
    "ATTENTION",
    "ENCODER_DECODER",
    "Architecture",
    "AttentionConfig",
    "AttentionParams",
    "EncoderDecoderConfig",
    "EncoderDecoderParams",
]
