"""A statistical translator of Multi30k, measured stage by stage.

    python experiments/smt/multi30k.py DATA WORK [fr|de] [--tuning mert]

DATA has train, val and test_2016_flickr in English and the other language. Punctuation
is normalised, words are cut by sacremoses and written in small letters, as for the
figures of Moses. Everything goes to the folder WORK; times are of the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from sacrebleu import corpus_bleu
from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

from anadrome.corpora import read_parallel
from anadrome.smt import Config, System, Tuning, train_system
from anadrome.smt.system import PhraseOptions, TextOptions, is_system

SETS = ("train", "val", "test_2016_flickr")


def prepare(data: Path, work: Path, language: str) -> None:
    """Write the tokenised corpus."""
    normalise, tokenise = MosesPunctNormalizer(language), MosesTokenizer(language)
    for name in SETS:
        out = work / f"{name}.{language}"
        if out.exists():
            continue
        lines = (data / f"{name}.{language}").read_text("utf-8").splitlines()
        cut = (
            tokenise.tokenize(
                normalise.normalize(x.strip()), return_str=True, escape=False
            )
            for x in lines
        )
        out.write_text("".join(x.lower() + "\n" for x in cut), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("language", nargs="?", default="fr")
    parser.add_argument("--tuning", default="mira", choices=["mert", "mira"])
    parser.add_argument("--smoothing", default="kneser-ney")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    work, language = options.work, options.language
    work.mkdir(parents=True, exist_ok=True)
    for side in ("en", language):
        prepare(options.data, work, side)
    train, valid, test = (
        read_parallel(work / f"{name}.en", work / f"{name}.{language}") for name in SETS
    )
    folder = work / f"{language}-{options.tuning}-{options.smoothing}-{options.seed}"
    config = Config(
        text=TextOptions(tokenized=True),
        phrases=PhraseOptions(smoothing=options.smoothing),
        tuning=Tuning(method=options.tuning, seed=options.seed),
    )
    report: dict[str, object] = {"resumed": is_system(folder)}
    stages = []
    before = time.process_time()
    for stage in train_system(folder, train, config, valid=valid):
        seconds = time.process_time() - before
        before = time.process_time()
        stages.append({"stage": stage.name, "seconds": seconds, "note": stage.note})
        print(f"{stage.name:<8} {seconds:7.1f} s  {stage.note}", flush=True)
    report["stages"] = stages
    system = System.load(folder)
    before = time.process_time()
    said = [system.translate(line)[0].text for line in test.source]
    speed = len(said) / (time.process_time() - before)
    tokens = corpus_bleu(said, [list(test.target)], tokenize="none", force=True)
    report |= {"sentences_per_second": speed, "bleu_of_tokens": tokens.score}
    join = MosesDetokenizer(language)
    texts = [join.detokenize(line.split()) for line in said]
    lines = (options.data / f"{SETS[2]}.{language}").read_text("utf-8").splitlines()
    plain = corpus_bleu(texts, [[line.strip().lower() for line in lines]])
    report["bleu_detokenised"] = plain.score
    print(json.dumps({k: v for k, v in report.items() if k != "stages"}, indent=1))
    (folder.with_suffix(".json")).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
