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

from anadrome.cli.demo import PAIRS, RECIPE
from anadrome.corpora.grammar import splits
from anadrome.evaluate import bleu
from anadrome.models import encoder_decoder, find_model
from anadrome.nn import count_parameters
from anadrome.tasks.translate import translator_of
from anadrome.train.run import train


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--only", choices=["attention", "encoder-decoder"])
    given = parser.parse_args()
    corpus = splits(train=PAIRS)
    # The demonstration is too short to overfit; this is not.
    attention = dataclasses.replace(RECIPE.config, dropout=0.1)
    configs = {
        "attention": attention,
        # more units, so that it has as many weights
        "encoder-decoder": encoder_decoder.Config(
            attention.embedding,
            attention.hidden * 11 // 8,
            attention.maxout,
            attention.dropout,
            attention.smoothing,
        ),
    }
    lost = {}
    for model, config in configs.items():
        if given.only not in (None, model):
            continue
        recipe = dataclasses.replace(
            RECIPE,
            model=find_model("translate", model),
            config=config,
            training=dataclasses.replace(
                RECIPE.training, steps=given.steps, validate_every=500
            ),
        )
        done = train(recipe, given.out / model, corpus.train, valid=corpus.valid)
        if done.outcome.interrupted:
            raise SystemExit(130)
        translator = translator_of(done.trained)
        print(f"{model}: {count_parameters(translator.params):,} weights")
        scores = []
        for name, part in (("held out", corpus.test), ("longer", corpus.test_long)):
            said = translator.translate_best(part.source, beam=given.beam)
            found = bleu(said, list(part.target))
            scores.append(found.score)
            print(f"  {name}: {found}\n    {found.detail}", flush=True)
        lost[model] = scores[0] - scores[1]
        print(f"  lost: {lost[model]:.2f}")
    if len(lost) == 2:
        ratio = lost["attention"] / lost["encoder-decoder"]
        print(f"attention loses {ratio:.2f} of what the fixed vector loses")


if __name__ == "__main__":
    main()
