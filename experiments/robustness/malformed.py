"""Malformed inputs through the real commands: formats times faults.

    python experiments/robustness/malformed.py [--only PART …] [--log FILE]

Small right files and models are made in a temporary folder; each case then replaces one
of them by a faulty one and runs a command in a process of its own. It must end with
status 1 or 2 and say so in one line that names the file, without a traceback; whatever
it would have written to must be as before.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from anadrome.corpora import FORMATS, write_parallel
from anadrome.corpora.grammar import splits

UNPRIVILEGED = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    if os.name == "posix" and os.geteuid() == 0
    else ()
)
"""Lets root, too, be refused what permissions refuse."""

Fault = Callable[[bytes], bytes]

TAGS = "the\tD\ncat\tN\nsleeps\tV\n\na\tD\ndog\tN\nruns\tV\n\n"
CONLLU = (
    "# text = the cat sleeps\n"
    "1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
)
TMX = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    '<header srclang="en"/>\n<body>\n<tu>\n'
    '<tuv xml:lang="en"><seg>She is here.</seg></tuv>\n'
    '<tuv xml:lang="fr"><seg>Elle est ici.</seg></tuv>\n</tu>\n</body>\n</tmx>\n'
)
XLIFF = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
    '<file source-language="en" target-language="fr" datatype="plaintext" '
    'original="a">\n<body>\n<trans-unit id="1"><source>She is here.</source>'
    "</trans-unit>\n</body>\n</file>\n</xliff>\n"
)
PO = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    'msgid "She is here."\nmsgstr ""\n\nmsgid "He sleeps."\nmsgstr "Il dort."\n'
)
SRT = "1\n00:00:01,000 --> 00:00:02,000\nShe is here.\n\n"
ARPA = (
    "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1.0\t<unk>\n-99\t<s>\t-0.3\n"
    "-0.5\t</s>\n-0.6\tcat\t-0.2\n\n\\2-grams:\n-0.2\t<s> cat\n-0.3\tcat </s>\n\n"
    "\\end\\\n"
)
VECTORS = "the 0.1 0.2 0.3\ncat 0.3 0.1 -0.4\ndog 0.2 0.2 -0.3\n"
TOML = "hidden = 8\nembedding = 6\nsteps = 2\n"

SMALL = (
    *("--embedding=6", "--hidden=8", "--backend=python", "--steps=2"),
    *("--validate-every=2", "--checkpoint-every=2"),
)


def middle(content: bytes) -> int:
    """A place in the middle of a word."""
    at = len(content) * 2 // 3
    while not (content[at : at + 1].isalpha() and content[at - 1 : at].isalpha()):
        at -= 1
    return at


def insert(fault: bytes) -> Fault:
    """The content with bytes put into the middle of a word."""

    def change(content: bytes) -> bytes:
        at = middle(content)
        return content[:at] + fault + content[at:]

    return change


GENERAL: dict[str, Fault] = {
    "empty": lambda content: b"",
    "blank": lambda content: b" \n\n \n",
    "invalid UTF-8": insert(b"\xff\xfe"),
    "a surrogate in UTF-8": insert(b"\xed\xa0\x80"),
    "a NUL": insert(b"\0"),
    "binary rubbish": lambda content: random.Random(1).randbytes(4000),
    "UTF-16": lambda content: content.decode().encode("utf-16"),
    "half a gzip file": lambda content: gzip.compress(content * 9)[:-12],
}


def swap(old: str, new: str) -> Fault:
    """The content with other words in it."""

    def change(content: bytes) -> bytes:
        assert old.encode() in content, old
        return content.replace(old.encode(), new.encode(), 1)

    return change


@dataclass(frozen=True)
class Use:
    """A command that reads a file of a format, and the faults that it can have.

    In the words of the command FILE is the faulty file, OUT a new path, and other
    capitals are right files.
    """

    name: str
    suffix: str
    content: bytes
    words: str
    more: dict[str, Fault]
    without: tuple[str, ...] = ()  # general faults that are none here

    def faults(self) -> dict[str, Fault]:
        """All that can be wrong with the content."""
        chosen = {k: f for k, f in GENERAL.items() if k not in self.without}
        return chosen | self.more


def uses(text: bytes, mo: bytes, dictionary: bytes, toml: bytes) -> list[Use]:
    """What is tried. Texts are source sides of right corpora."""
    lines = text.decode().split("\n")
    fewer = "\n".join(lines[:-3]).encode() + b"\n"
    pairs = "\n".join(f"{line}\t{line}" for line in lines[:20]).encode() + b"\n"
    labelled = "\n".join(f"x{k % 2}\t{line}" for k, line in enumerate(lines[:20]))
    trees = b"(3 (2 It) (4 (4 works) (2 .)))\n(1 (2 It) (0 fails))\n"
    train = "train translate {} --out OUT --merges=20"
    brackets: dict[str, Fault] = {
        "cut": lambda content: content[:-4],
        "a bracket too many": lambda content: content + b"(1 (2 a)))\n",
        "words outside": lambda content: content + b"just words\n",
        "no word": swap("(0 fails)", "(0)"),
        "deep": lambda content: b"(1 " * 9000 + b"a" + b")" * 9000 + b"\n",
    }
    xml: dict[str, Fault] = {
        "cut": lambda content: content[:-25],
        "unclosed": swap("</body>", ""),
        "another root": lambda content: b"<html><body/></html>",
        "a control character": insert(b"\1"),
        "an unknown encoding": swap("UTF-8", "UTF-99"),
        "an entity": swap("She is", "&eacute; is"),
    }
    short: dict[str, Fault] = {"fewer lines": lambda content: fewer}
    return [
        Use("source text", ".en", text, train.format("FILE TRAIN.fr"), short),
        Use("target text", ".fr", text, train.format("TRAIN.en FILE"), short),
        Use(
            *("validation text", ".en", text),
            train.format("TRAIN.en TRAIN.fr --valid FILE TRAIN.fr"),
            short,
        ),
        Use("test text", ".en", text, "evaluate MODEL FILE TRAIN.fr", short),
        Use("scored text", ".en", text, "score MODEL FILE TRAIN.fr", short),
        Use(
            "compared output",
            *(".txt", text, "compare MODEL FILE --test TRAIN.en TRAIN.fr"),
            short,
            ("blank",),
        ),
        Use(
            *("pairs", ".tsv", pairs, "corpus convert FILE --out OUT.en OUT.fr"),
            {
                "one column": lambda content: content + b"alone\n",
                "cut gzip": lambda content: gzip.compress(content)[:40],
            },
        ),
        Use(
            *("TMX", ".tmx", TMX.encode()),
            "corpus convert FILE --out OUT.en OUT.fr --languages en fr",
            xml | {"no language": swap(' xml:lang="fr"', "")},
            ("UTF-16",),
        ),
        Use(
            *("XLIFF", ".xlf", XLIFF.encode(), "translate MODEL --xliff FILE"),
            xml | {"no source": lambda content: content.replace(b"source>", b"s>")},
            ("UTF-16",),
        ),
        Use(
            *("PO", ".po", PO.encode(), "translate MODEL --po FILE"),
            {
                "cut": lambda content: content[:-4],
                "unclosed": swap('"He sleeps."', '"He sleeps.'),
                "a second msgid": swap('msgstr "Il dort."', 'msgid "x"'),
                "an unknown keyword": swap('msgstr "Il dort."', 'msgtxt "Il dort."'),
                "an unknown encoding": swap("UTF-8", "UTF-99"),
            },
        ),
        Use(
            "MO",
            *(".mo", mo, "corpus convert FILE --out OUT.en OUT.fr --languages en fr"),
            {
                "cut": lambda content: content[:-9],
                "the header alone": lambda content: content[:20],
                "another number": lambda content: b"abcd" + content[4:],
            },
            ("invalid UTF-8", "a surrogate in UTF-8", "a NUL", "UTF-16"),
        ),
        Use(
            *("subtitles", ".srt", SRT.encode(), "translate MODEL --subtitles FILE"),
            {
                "no times": swap("00:00:01,000 --> 00:00:02,000\n", ""),
                "backwards": swap("00:00:02", "00:00:00"),
            },
        ),
        Use(
            *("CoNLL", ".conll", TAGS.encode(), "train tag FILE --out OUT"),
            {
                "one column": swap("cat\tN", "cat"),
                "columns change": swap("cat\tN", "cat\tN\tO"),
                "no tag": swap("cat\tN", "cat\t"),
            },
        ),
        Use(
            *("CoNLL-U", ".conllu", CONLLU.encode(), "train tag FILE --out OUT"),
            {
                "nine columns": swap("det\t_\t_", "det\t_"),
                "a word left out": swap("2\tcat", "4\tcat"),
                "a head outside": swap("NOUN\t_\t_\t3", "NOUN\t_\t_\t8"),
                "spaces": lambda content: content.replace(b"\t", b" "),
            },
        ),
        Use(
            *("classes", ".tsv", labelled.encode(), "train classify FILE --out OUT"),
            {
                "one column": lambda content: content + b"\nalone\n",
                "no label": lambda content: content + b"\n\ttext\n",
            },
        ),
        Use(
            *("CSV", ".csv", b"label,text\nx,some text\ny,other text\n"),
            "train classify FILE --out OUT",
            {
                "a cell too many": lambda content: content + b"x,y,z\n",
                "an open quote": lambda content: content + b'x,"y\n',
                "other columns": swap("label,text", "colour,size"),
                "the header alone": lambda content: b"label,text\n",
            },
        ),
        Use(
            *("JSONL", ".jsonl", b'{"label": "x", "text": "some"}\n' * 3),
            "train classify FILE --out OUT",
            {
                "cut": lambda content: content[:-5],
                "a list": lambda content: content + b"[1]\n",
                "no label": lambda content: content + b'{"text": "a"}\n',
                "a number for text": lambda c: c + b'{"label": "x", "text": 3}\n',
            },
        ),
        Use("trees", ".txt", trees, "train trees FILE --out OUT", brackets),
        Use("running text", ".txt", text, "train lm FILE --out OUT", {}),
        Use(
            *("ARPA", ".arpa", ARPA.encode(), "lm score FILE TRAIN.en"),
            {
                "cut": lambda content: content[: len(content) // 2],
                "no end": swap("\\end\\\n", ""),
                "fewer than promised": swap("ngram 1=4", "ngram 1=9"),
                "no number": swap("-0.6\tcat", "much\tcat"),
                "a positive logarithm": swap("-0.6\tcat", "0.6\tcat"),
            },
        ),
        Use(
            *("vectors", ".txt", VECTORS.encode(), "vectors similar FILE cat"),
            {
                "a number less": swap(" -0.4", ""),
                "no number": swap("-0.4", "much"),
                "no finite number": swap("-0.4", "nan"),
                "a word twice": swap("dog", "cat"),
                "cut": lambda content: content[:-12],
            },
            WORDS,
        ),
        Use(
            *("first vectors", ".txt", VECTORS.encode()),
            "train tag TAGS.conll --vectors FILE --out OUT --embedding=3",
            {"a number less": swap(" -0.4", ""), "no number": swap("-0.4", "much")},
            WORDS,
        ),
        Use(
            *("dictionary of tokens", ".json", dictionary),
            "dictionary apply FILE TRAIN.en",
            {
                "cut": lambda content: content[: len(content) // 2],
                "another format": lambda content: b'{"format": "something"}\n',
                "a list": lambda content: b"[1, 2]\n",
            },
            ("a surrogate in UTF-8", "a NUL"),
        ),
        Use(
            *("dictionary of words", ".tsv", b"cat\tchat\ndog\tchien\n"),
            "translate MODEL --replace-unknown --dictionary FILE < TRAIN.en",
            {"one column": swap("\tchien", "")},
        ),
        Use(
            *("options", ".toml", TOML.encode()),
            train.format("TRAIN.en TRAIN.fr --config FILE"),
            {
                "not TOML": lambda content: content + b"hidden 8\n",
                "an unknown option": lambda content: content + b"hiden = 8\n",
                "a text for a number": swap("hidden = 8", 'hidden = "many"'),
                "a negative size": swap("hidden = 8", "hidden = -8"),
                "twice": lambda content: content + b"steps = 3\n",
            },
            ("empty", "blank"),
        ),
        Use(
            *("a model's options", "/run.toml", toml, "translate FILE < TRAIN.en"),
            {
                "cut": lambda content: content[: len(content) // 2],
                "another model": swap('name = "attention"', 'name = "x"'),
            },
        ),
    ]


WORDS = ("invalid UTF-8", "a surrogate in UTF-8", "a NUL")
"""word2vec cuts long words inside of letters, so these are allowed in its files."""


class Workshop:
    """A folder with right files, models and what is tried on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        corpus = splits(train=40, valid=4, test=4, test_long=1)
        write_parallel(corpus.train, folder / "train.en", folder / "train.fr")
        (folder / "tags.conll").write_text(TAGS)
        self.text = (folder / "train.en").read_bytes()
        FORMATS["mo"].write([("a", "b"), ("c", "é")], folder / "a.mo")
        train = "train translate TRAIN.en TRAIN.fr --out MODEL --merges=20"
        for words in (
            " ".join((train, *SMALL)),
            "dictionary learn TRAIN.en --out DICT.json --size 64",
        ):
            done = self.run(words, folder, folder)
            if done.returncode:
                raise SystemExit(f"{words}\n{done.stderr}")

    def run(
        self, words: str, file: Path, out: Path, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a file, with words before it."""
        words, _, source = words.partition(" < ")
        places = {
            "FILE": file,
            "OUT": out,
            "TRAIN": self.folder / "train",
            "TAGS": self.folder / "tags",
            "MODEL": self.folder / "model",
            "DICT": self.folder / "dict",
        }

        def fill(word: str) -> str:
            for name, path in places.items():
                word = word.replace(name, str(path))
            return word

        with open(fill(source) if source else os.devnull) as given:
            return subprocess.run(
                [*before, sys.executable, "-m", "anadrome", *map(fill, words.split())],
                stdin=given,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=300,
            )


def spoil(use: Use, fault: str, workshop: Workshop, folder: Path) -> Path:
    """Make the faulty file; what the command is given."""
    given = folder / "wrong"
    if use.suffix.startswith("/"):
        shutil.copytree(workshop.folder / "model", given)
        path = given / use.suffix[1:]
    else:
        path = given = folder / f"wrong{use.suffix}"
    if fault == "missing":
        path.unlink(missing_ok=True)
    elif fault == "a folder":
        path.unlink(missing_ok=True)
        path.mkdir()
    else:
        path.write_bytes(
            use.content
            if fault == "no permission"
            else use.faults()[fault](use.content)
        )
    if fault == "no permission":
        path.chmod(0)
    return given


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with contextlib.suppress(OSError):
            found[str(path)] = path.read_bytes() if path.is_file() else b""
    return found


def judge(
    use: Use, fault: str, workshop: Workshop
) -> tuple[str, subprocess.CompletedProcess[str]]:
    """What is wrong with the answer to a fault, nothing if all is well."""
    with tempfile.TemporaryDirectory(dir=workshop.folder) as name:
        given = spoil(use, fault, workshop, Path(name))
        (Path(name) / "out.en").write_text("years of work\n")
        (Path(name) / "out.fr").write_text("des années de travail\n")
        before = snapshot(Path(name))
        done = workshop.run(use.words, given, Path(name) / "out", UNPRIVILEGED)
        after = snapshot(Path(name))
    lines = done.stderr.splitlines()
    said = [line for line in lines if line.startswith("anadrome: ")]
    wrong = []
    if done.returncode not in (1, 2):
        wrong.append(f"status {done.returncode}")
    if "Traceback" in done.stderr or "Error:" in done.stderr:
        wrong.append("traceback")
    if len(said) != 1 or any(not _belongs(line) for line in lines):
        wrong.append(f"{len(said)} of {len(lines)} lines are of an error")
    if given.name not in done.stderr:
        wrong.append("the file is not named")
    if before != after:
        wrong.append("something was written")
    return "; ".join(wrong), done


def _belongs(line: str) -> bool:
    """Whether a line is the error, a way out, or what training says of its data."""
    return line.startswith(("anadrome: ", "help: ", "  ", "note: "))


def cases(chosen: list[Use]) -> Iterator[tuple[Use, str]]:
    """Every use with every fault."""
    for use in chosen:
        for fault in (*use.faults(), "missing", "a folder", "no permission"):
            yield use, fault


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", help="parts of names of cases")
    parser.add_argument("--log", type=Path, help="what was said, a case on each line")
    given = parser.parse_args()
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        workshop = Workshop(Path(name))
        chosen = uses(
            workshop.text,
            (workshop.folder / "a.mo").read_bytes(),
            (workshop.folder / "dict.json").read_bytes(),
            (workshop.folder / "model" / "run.toml").read_bytes(),
        )
        log = given.log.open("w") if given.log else None
        for use, fault in cases(chosen):
            label = f"{use.name}: {fault}"
            if given.only and not any(part in label for part in given.only):
                continue
            count += 1
            wrong, done = judge(use, fault, workshop)
            said = done.stderr.strip().replace(f"{workshop.folder}/", "")
            if log:
                log.write(f"{label} [{done.returncode}] {said!r}\n")
                log.flush()
            if wrong:
                failures.append(label)
                print(f"{label}: {wrong}\n{said[-1500:]}\n", flush=True)
    print(f"{count} malformed inputs, {len(failures)} answered wrongly")
    raise SystemExit(bool(failures))


if __name__ == "__main__":
    main()
