"""How to translate, as a command can be told: the search, and files to be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from anadrome.corpora.files import scan_lines
from anadrome.decode import Diversity, PowerPenalty, Search, Sharpening
from anadrome.options import Bounds, Count, NonNegative, Weight
from anadrome.text.errors import MalformedLine
from anadrome.train.task import Trained

MAX_BEAM = 1000
"""More hypotheses than this are no better, and fill the memory."""

Beam = Annotated[int, Bounds(at_least=1, at_most=MAX_BEAM)]
Temperature = Annotated[float, Bounds(at_least=0.001)]
Portion = Annotated[float, Bounds(above=0, at_most=1)]


@dataclass(frozen=True)
class Predicting:
    """How to translate."""

    beam: Beam = 5  # hypotheses that are kept at a time; 1 is greedy search
    nbest: Count = 1  # translations to write for each line, with number and score
    # write, after a tab, which source token each target token looked at most, as
    # `source-target` numbers from 0 (the format of Pharaoh)
    align: bool = False
    # read no more than so many tokens of a line; longer ones are named
    max_tokens: Count = 250
    length_penalty: Weight = 1.0  # divide log-probabilities by this power of the length
    coverage: Weight = 0.0  # weight of the penalty for source words nobody looked at
    groups: Count = 1  # groups of the beam that avoid each other's words
    diversity: Weight = 0.5  # how strongly the groups avoid each other's words
    no_repeat: NonNegative = 0  # no run of so many tokens comes twice; 0: they may
    sample: bool = False  # draw translations at random instead of searching for them
    temperature: Temperature = (
        1.0  # of the draws: below 1 nearer to the likeliest words
    )
    top_k: Count | None = None  # draw from so many of the likeliest words only
    top_p: Portion = 1.0  # draw from the likeliest words with this much probability
    seed: NonNegative = 0  # decides the draws
    prefix: str | None = None  # every translation begins with these words
    require: str | None = None  # phrases that every translation holds, with | between
    # what stands behind tabs in a line: nothing, phrases that its translation holds, or
    # the words with which it begins
    tabs: Literal["nothing", "phrases", "prefix"] = "nothing"
    # put the source word that the model looked at in the place of an unknown word
    replace_unknown: bool = False
    # a file of source word, tab, target word, to translate unknown words with
    dictionary: str | None = None
    # what runs the model: Python at once, or native code after some seconds, which is
    # faster for thousands of lines
    backend: Literal["native", "python"] = "python"

    @property
    def search(self) -> Search:
        """The search that these options ask for."""
        return Search(
            beam=self.beam,
            n_best=self.nbest,
            penalty=PowerPenalty(self.length_penalty),
            coverage=self.coverage,
            diversity=Diversity(self.groups, self.diversity)
            if self.groups > 1
            else None,
            no_repeat=self.no_repeat,
            sharpening=Sharpening(self.temperature, self.top_k, self.top_p)
            if self.sample
            else None,
            seed=self.seed,
        )

    @property
    def phrases(self) -> list[str]:
        """The phrases that every translation holds."""
        return [p for part in (self.require or "").split("|") if (p := part.strip())]

    def refuse(self, trained: Trained) -> str | None:
        """Why a model cannot translate with these options, or None if it can."""
        phrases = bool(self.phrases) or self.tabs == "phrases"
        if self.nbest > self.beam and not self.sample:
            return (
                f"a beam of {self.beam} cannot give {self.nbest} translations\n"
                "help: use a wider --beam"
            )
        if self.beam % self.groups:
            return (
                f"a beam of {self.beam} cannot be divided into {self.groups} groups\n"
                f"help: use --beam {self.groups * max(2, self.beam // self.groups)}"
            )
        if phrases and self.sample:
            return "phrases are looked for by a beam search\nhelp: leave out --sample"
        if phrases and self.groups > 1:
            return "phrases and diverse groups cannot share a beam"
        if phrases and self.beam == 1:
            return "phrases need a wider beam than 1\nhelp: use --beam 10"
        looks = [
            ("--align", self.align),
            ("--coverage", self.coverage > 0),
            ("--replace-unknown", self.replace_unknown or self.dictionary is not None),
        ]
        for each in (trained, *trained.partners):
            if each.model.find("attention_weights") is None:
                for flag, wanted in looks:
                    if wanted:
                        return (
                            f"the {each.model.name} model has no alignment\n"
                            f"help: leave out {flag}"
                        )
        return None

    def words(self) -> Mapping[str, str] | None:
        """What unknown words become; None if they stay."""
        if self.dictionary is not None:
            return dict(_read_dictionary(Path(self.dictionary)))
        return {} if self.replace_unknown else None

    def cut(self, line: str) -> tuple[str, str, list[str]]:
        """The sentence of a line, how its translation begins, and what it holds."""
        prefix, phrases = self.prefix or "", self.phrases
        if self.tabs == "nothing":
            return line, prefix, phrases
        sentence, *given = line.split("\t")
        given = [text.strip() for text in given if text.strip()]
        if self.tabs == "prefix":
            return sentence, " ".join(given) or prefix, phrases
        return sentence, prefix, phrases + given


@dataclass(frozen=True)
class Files:
    """Translation files whose gaps are filled, instead of lines that are translated."""

    po: str | None = None  # a gettext catalogue whose missing messages are filled in
    xliff: str | None = None  # an XLIFF file whose missing targets are filled in
    tmx: str | None = None  # a translation memory whose missing variants are filled in
    tsv: str | None = None  # a table whose empty translations are filled in
    subtitles: str | None = None  # subtitles (.srt or .vtt) to be translated into --out
    out: str | None = None  # where the filled file goes, if not into its own place
    # leave out the marks that say what is to be reviewed
    unmarked: bool = False
    source_language: str | None = None  # the language of the source in a memory
    target_language: str | None = None  # the language to be filled in in a memory
    source_column: NonNegative = 0  # the column of the source in a table, from 0
    target_column: NonNegative = 1  # the column of the translations in a table, from 0

    @property
    def given(self) -> list[tuple[str, str | None]]:
        """The files to be filled, with their formats where the flag tells."""
        named: Sequence[tuple[str | None, str | None]] = (
            (self.po, "po"),
            (self.xliff, "xliff"),
            (self.tmx, "tmx"),
            (self.tsv, "tsv"),
            (self.subtitles, None),
        )
        return [(path, format) for path, format in named if path is not None]


@dataclass(frozen=True)
class Scoring:
    """How pairs are scored."""

    tokens: bool = False  # write the log-probability of every token behind it
    summary: bool = False  # write only the perplexity of all
    # what runs the model: Python at once, or native code after some seconds
    backend: Literal["native", "python"] = "python"


def _read_dictionary(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in scan_lines(path):
        if not line.strip():
            continue
        source, tab, target = line.partition("\t")
        if not tab or not source.strip() or not target.strip():
            raise MalformedLine(
                "this is not a word, a tab and its translation",
                path=path,
                line=number,
            )
        yield source.strip(), target.strip()
