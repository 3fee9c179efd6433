"""Table 4.1: a phrase-based system, with an encoder–decoder, with a CSLM as well.

    python experiments/smt/table41.py DATA WORK [fr|de]

Everything goes to the folder WORK, and the same command goes on where it was: the
baseline, an encoder–decoder trained on its phrases (frequencies ignored), a CSLM of the
target side, then three tuning runs of each system and their translations of the test
set. The table has the mean of the runs; differences are tested by a bootstrap over
sentences that draws all runs of both systems alike (Clark et al., 2011).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from multi30k import SETS, prepare
from sacrebleu import corpus_bleu

from anadrome.corpora import read_parallel, write_parallel
from anadrome.smt import (
    Config,
    Decoder,
    NeuralLm,
    PhraseTable,
    Searching,
    System,
    Tuning,
    add_phrase_scores,
    add_unknown_counts,
    filter_table,
    train_system,
    tune,
)
from anadrome.smt.bleu_counts import bleu_of, count_matches
from anadrome.smt.neural import phrase_pairs, translator_scorer
from anadrome.smt.sentences import WordNumbers
from anadrome.smt.system import TextOptions
from anadrome.tasks import find_task
from anadrome.tasks.translate import translator_of
from anadrome.train.run import load_trained

SYSTEMS = ("Baseline", "RNN", "CSLM + RNN", "CSLM + RNN + WP")
ORDER = 5  # of the CSLM; the thesis has 7, of 418 million words


def command(*words: object) -> None:
    """Run a command of the toolkit; training goes on where it was."""
    print("anadrome", *words, flush=True)
    subprocess.run([sys.executable, "-m", "anadrome", *map(str, words)], check=True)


def train_networks(work: Path, language: str, system: System, options) -> None:
    """Train the encoder–decoder on phrases and the CSLM on the target text."""
    sides = work / f"phrases.{language}.source", work / f"phrases.{language}.target"
    if not sides[1].exists():
        write_parallel(phrase_pairs(system.decoder.table), *sides)
    command(
        *("train", "translate", *sides, "--out", work / f"rnn.{language}"),
        *("--model", "encoder-decoder", "--merges", 0, "--embedding", 100),
        *("--hidden", 256, "--output", "low-rank", "--batch-tokens", 2048),
        *("--smoothing", 0, "--steps", options.rnn_steps, "--backend", "native"),
        *("--max-words", 15000),
    )
    # A search knows no sentence before; so every line follows ends of lines only.
    text = work / f"cslm.{language}.txt"
    if not text.exists():
        lines = (work / f"train.{language}").read_text("utf-8").splitlines()
        text.write_text("".join("\n" * (ORDER - 2) + x + "\n" for x in lines), "utf-8")
    command(
        *("train", "lm", text, "--out", work / f"cslm.{language}", "--model", "cslm"),
        *("--order", ORDER, "--embedding", 64, "--first", 256, "--second", 128),
        *("--scale", 0.05, "--dropout", 0.2, "--steps", options.cslm_steps),
        *("--batch-tokens", 1024, "--backend", "native"),
    )


def make_table(work: Path, language: str, system: System, sentences) -> PhraseTable:
    """The phrases of some sentences, with the scores of the networks."""
    path = work / f"table41.{language}.bin"
    if path.exists():
        return PhraseTable.load(path)
    table = filter_table(system.decoder.table, sentences, 50)
    print(f"{len(table):,} phrase pairs to score", flush=True)
    trained = load_trained(find_task("translate"), work / f"rnn.{language}")
    scorer = translator_scorer(translator_of(trained))

    def tick(done: int) -> None:
        print(f"  {done:,} scored", flush=True)

    table = add_phrase_scores(table, scorer, tick=tick)
    network = load_network(work, language)
    table = add_unknown_counts(table, network.vocabulary)
    table.save(path)
    return PhraseTable.load(path)


def load_network(work: Path, language: str) -> NeuralLm:
    """The CSLM."""
    return NeuralLm(load_trained(find_task("lm"), work / f"cslm.{language}"))


def make_decoder(name: str, table: PhraseTable, system: System, network) -> Decoder:
    """The decoder of a row: the weights of the baseline, and small new ones."""
    width = {"Baseline": 4, "RNN": 5, "CSLM + RNN": 5}.get(name, 6)
    table = table.with_scores(table.scores[:, :width], table.names[:width])
    old = system.decoder
    searching = Searching(stack=50)
    uses = network if name.startswith("CSLM") else None
    decoder = Decoder(table, old.lm, searching=searching, network=uses)
    named = old.features.named(old.weights)
    named["TranslationModel0"] = [*named["TranslationModel0"], 0.02, 0.0][:width]
    if uses is not None:
        named["CSLM0"] = [0.03]
    decoder.weights = decoder.features.weights(named)
    return decoder


def run(decoder: Decoder, seed: int, path: Path, valid, test, options) -> None:
    """Tune, translate the test set, and write both down."""
    begin = time.process_time()
    best = 0.0
    tuning = Tuning(method="mira", seed=seed, iterations=options.iterations)
    for step in tune(decoder, *valid, tuning):
        best = max(best, step.decoded)
        print(f"  iteration {step.iteration}: {100 * step.decoded:.2f}", flush=True)
    said = [made.text if made else "" for made in decoder.translate_all(test)]
    report = {
        "valid": 100 * best,
        "weights": decoder.features.named(decoder.weights),
        "seconds": time.process_time() - begin,
        "said": said,
    }
    path.write_text(json.dumps(report, ensure_ascii=False) + "\n", "utf-8")


def statistics(said: list[str], references: list[list[str]]) -> np.ndarray:
    """What BLEU is made of (N, 9)."""
    rows = []
    for text, reference in zip(said, references):
        words = WordNumbers()
        numbers = np.array([words.add(w) for w in text.split()], np.int64)
        wanted = np.array([words.add(w) for w in reference], np.int64)
        rows.append(count_matches(numbers, np.array([0, len(numbers)]), wanted)[0])
    return np.array(rows)


def compare(first: np.ndarray, second: np.ndarray, draws: int = 2000) -> float:
    """The share of draws in which the mean BLEU of the second runs is not higher."""
    rng = np.random.default_rng(0)
    worse = 0
    for _ in range(draws):
        some = rng.integers(0, first.shape[1], first.shape[1])
        a, b = (bleu_of(x[:, some].sum(axis=1)).mean() for x in (first, second))
        worse += b <= a
    return worse / draws


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("language", nargs="?", default="fr")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--rnn-steps", type=int, default=12000)
    parser.add_argument("--cslm-steps", type=int, default=8000)
    parser.add_argument("--sentences", type=int, help="of each set, for a trial")
    options = parser.parse_args()
    work, language = options.work, options.language
    work.mkdir(parents=True, exist_ok=True)
    for side in ("en", language):
        prepare(options.data, work, side)
    train, valid, test = (
        read_parallel(work / f"{name}.en", work / f"{name}.{language}") for name in SETS
    )
    folder = work / f"baseline.{language}"
    config = Config(text=TextOptions(tokenized=True))
    for stage in train_system(folder, train, config, valid=valid):
        print(f"{stage.name:<8} {stage.seconds:7.1f} s  {stage.note}", flush=True)
    system = System.load(folder)
    train_networks(work, language, system, options)
    some = slice(options.sentences)
    sides = [
        [[line.split() for line in side[some]] for side in (c.source, c.target)]
        for c in (valid, test)
    ]
    sources, references = sides[1]
    table = make_table(work, language, system, [*sides[0][0], *sources])
    network = load_network(work, language)
    found: dict[str, list[dict]] = {}
    for seed in range(1, options.runs + 1):
        for name in SYSTEMS:
            slug = name.lower().replace(" + ", "-")
            path = work / f"table41.{language}.{slug}.{seed}.json"
            if not path.exists():
                print(f"{name}, run {seed}", flush=True)
                decoder = make_decoder(name, table, system, network)
                run(decoder, seed, path, sides[0], sources, options)
            found.setdefault(name, []).append(json.loads(path.read_text("utf-8")))
    plain = [" ".join(words) for words in references]
    rows = {}
    counts = {}
    for name, runs in found.items():
        scores = [
            corpus_bleu(r["said"], [plain], tokenize="none", force=True).score
            for r in runs
        ]
        counts[name] = np.array([statistics(r["said"], references) for r in runs])
        rows[name] = {
            "valid": float(np.mean([r["valid"] for r in runs])),
            "test": float(np.mean(scores)),
            "deviation": float(np.std(scores)),
            "runs": scores,
            "seconds": [r["seconds"] for r in runs],
        }
    before = "Baseline"
    print(f"{'':<18}{'valid':>8}{'test':>8}   p against the baseline, the row before")
    for name in SYSTEMS:
        row = rows[name]
        if name != "Baseline":
            row["p_baseline"] = compare(counts["Baseline"], counts[name])
            row["p_before"] = compare(counts[before], counts[name])
        tested = " ".join(
            f"{row[k]:.4f}" for k in ("p_baseline", "p_before") if k in row
        )
        print(f"{name:<18}{row['valid']:>8.2f}{row['test']:>8.2f}   {tested}")
        before = name
    report = work / f"table41.{language}.json"
    report.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
