"""What longer sentences cost a translator with attention, and one without.

    python benchmarks/translator_lengths.py --out runs/lengths --steps 5000

Both models are trained alike on the built-in corpus, whose training sentences have at
most 17 words, and are about equally large. They are tried on held-out sentences of the
same lengths and on sentences of 18 to 40 words (chapter 6 of van Merriënboer's thesis;
figure 2 of Bahdanau et al., 2015). A second run with the same folder goes on from the
first.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from anadrome.cli.demo import CONFIG, PAIRS
from anadrome.corpora.grammar import splits
from anadrome.evaluate import bleu
from anadrome.models import ATTENTION, ENCODER_DECODER, EncoderDecoderConfig
from anadrome.nn import count_parameters
from anadrome.train.translation import train_translator


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--only", choices=["attention", "encoder-decoder"])
    given = parser.parse_args()
    corpus = splits(train=PAIRS)
    # The demonstration is too short to overfit; this is not.
    attention = dataclasses.replace(CONFIG.model, dropout=0.1)
    models = {
        ATTENTION: attention,
        # more units, so that it has as many weights
        ENCODER_DECODER: EncoderDecoderConfig(
            attention.embedding,
            attention.hidden * 11 // 8,
            attention.maxout,
            attention.dropout,
            attention.smoothing,
        ),
    }
    lost = {}
    for architecture, model in models.items():
        if given.only not in (None, architecture.name):
            continue
        config = dataclasses.replace(
            CONFIG,
            architecture=architecture,
            model=model,
            training=dataclasses.replace(
                CONFIG.training, steps=given.steps, validate_every=500
            ),
        )
        trained = train_translator(
            corpus.train, given.out / architecture.name, config, valid=corpus.valid
        )
        if trained.outcome.interrupted:
            raise SystemExit(130)
        translator = trained.translator
        print(f"{architecture.name}: {count_parameters(translator.params):,} weights")
        scores = []
        for name, part in (("held out", corpus.test), ("longer", corpus.test_long)):
            said = translator.translate_best(part.source, beam=given.beam)
            found = bleu(said, list(part.target))
            scores.append(found.score)
            print(f"  {name}: {found}\n    {found.detail}", flush=True)
        lost[architecture.name] = scores[0] - scores[1]
        print(f"  lost: {lost[architecture.name]:.2f}")
    if len(lost) == 2:
        ratio = lost[ATTENTION.name] / lost[ENCODER_DECODER.name]
        print(f"attention loses {ratio:.2f} of what the fixed vector loses")


if __name__ == "__main__":
    main()
