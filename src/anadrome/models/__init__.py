"""Models, one file each: a configuration, a record of weights, pure functions.

In: a batch and a record of weights.
Out: a loss, and what decoding needs: `start` and `step`.
"""

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
