"""Formats times faults: one error with the file, and the line where there is one."""

import gzip
import random

import pytest
from corpora.corpus_samples import CONLLU, PO, SUFFIXES, TEXTS, TMX, XLIFF_1, XLIFF_2

from anadrome.corpora import FORMATS, scan_corpus
from anadrome.text.errors import CorpusError

NAMES = [*TEXTS, "mo"]
XML = ("tmx", "xliff")


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """The bytes of a right file of each format."""
    path = tmp_path_factory.mktemp("right") / "a.mo"
    FORMATS["mo"].write([("a", "b"), ("c", "é")], path)
    return {name: text.encode() for name, text in TEXTS.items()} | {
        "mo": path.read_bytes()
    }


def refuse(path, name):
    """The one error that reading the file gives, in one line with its place."""
    with pytest.raises(CorpusError) as caught:
        list(scan_corpus(path, name))
    error = caught.value
    assert error.path == str(path)
    assert str(error).startswith(f'File "{path}"')
    assert "\n" not in error.message
    return error


def middle(content, fault):
    """The content with a fault put after its last letter but a few."""
    at = len(content) * 2 // 3
    while not content[at : at + 1].isalpha() or not content[at - 1 : at].isalpha():
        at -= 1
    return content[:at] + fault + content[at:]


ANYWHERE = {
    "empty": lambda content: b"",
    "blank": lambda content: b" \n\n \r\n",
    "only a byte order mark": lambda content: b"\xef\xbb\xbf",
    "binary": lambda content: bytes(random.Random(1).randbytes(4000)),
    "zeros": lambda content: bytes(4000),
    "picture": lambda content: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0",
    "half of a gzip file": lambda content: gzip.compress(content * 9)[:-12],
    "changed gzip file": lambda content: (
        gzip.compress(content)[:-8] + b"\1\2\3\4" + gzip.compress(content)[-4:]
    ),
    "gzip of nothing": lambda content: gzip.compress(b""),
}


@pytest.mark.parametrize("fault", ANYWHERE)
@pytest.mark.parametrize("name", NAMES)
def test_no_such_content(name, fault, samples, tmp_path):
    path = tmp_path / "wrong"
    path.write_bytes(ANYWHERE[fault](samples[name]))
    refuse(path, name)


@pytest.mark.parametrize("fault", [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\0"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "mo"])
def test_bytes_that_are_not_text(name, fault, samples, tmp_path):
    path = tmp_path / "wrong"
    content = middle(samples[name], fault)
    path.write_bytes(content)
    line = content[: content.index(fault)].count(b"\n") + 1
    # What spans several lines may be located at its first one.
    found = refuse(path, name).line
    assert found is not None
    assert line - (2 if name == "csv" else 0) <= found <= line


@pytest.mark.parametrize("name", [n for n in NAMES if n not in (*XML, "mo")])
def test_utf_16(name, samples, tmp_path):
    path = tmp_path / "wrong"
    path.write_bytes(samples[name].decode().encode("utf-16"))
    refuse(path, name)


@pytest.mark.parametrize("name", NAMES)
def test_no_file(name, tmp_path):
    assert "no such file" in refuse(tmp_path / "nowhere", name).message
    assert "a folder" in refuse(tmp_path, name).message


def conllu(number, line):
    lines = CONLLU.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


def word(number, *, id=None, head=None):
    """A treebank whose line `number` has another number or head."""
    cells = CONLLU.split("\n")[number - 1].split("\t")
    cells[0] = id or cells[0]
    cells[6] = head or cells[6]
    return conllu(number, "\t".join(cells))


BOMB = """<?xml version="1.0"?>
<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<tmx version="1.4"><header srclang="en"/><body><tu>&b;</tu></body></tmx>
"""
OUTSIDE = BOMB.replace('"aaaaaaaaaa"', 'SYSTEM "file:///etc/hostname"')
DEEP = "<tmx><body><tu>" + "<a>" * 5000 + "</a>" * 5000 + "</tu></body></tmx>"

# (format, fault, content, line or None, words of the message)
FAULTS = [
    ("tsv", "one column", "a\tb\nc d\n", 2, "1 column"),
    ("csv", "a cell too many", "a,b\n1,2\n1,2,3\n", 3, "3 cell"),
    ("csv", "a cell too few", "a,b\n1\n", 2, "1 cell"),
    ("csv", "open quote", 'a,b\n1,2\n1,"2\n3,4\n', 3, "not CSV"),
    ("csv", "text after a quote", 'a,b\n"1"x,2\n', 2, "not CSV"),
    ("csv", "a name twice", "a,a\n1,2\n", 1, "two columns"),
    ("csv", "no name", "a,\n1,2\n", 1, "no name"),
    ("csv", "header alone", "a,b\n", None, "no row"),
    ("csv", "endless cell", "a\n" + "x" * 200_000 + "\n", 2, "field limit"),
    ("jsonl", "cut short", '{"a": "b"}\n{"a": "b\n', 2, "not JSON"),
    ("jsonl", "two objects", '{"a": 1} {"a": 2}\n', 1, "not JSON"),
    ("jsonl", "a list", "[1, 2]\n", 1, "not an object"),
    ("jsonl", "a name twice", '{"a": 1, "a": 2}\n', 1, "twice"),
    ("jsonl", "too deep", "[" * 100_000 + "\n", 1, "JSON"),
    ("jsonl", "endless number", '{"a": ' + "9" * 5000 + "}\n", 1, "JSON"),
    ("jsonl", "a whole array", '[\n{"a": 1}\n]\n', 1, "not JSON"),
    ("conll", "one column", "John\n", 1, "1 column"),
    ("conll", "columns change", "John\tO\nruns\tV\tO\n", 2, "3 column"),
    ("conll", "no tag", "John\tO\nruns\t\n", 2, "tag is empty"),
    ("conll", "no token", "\tO\n", 1, "token is empty"),
    ("conll", "documents only", "-DOCSTART- O\n\n", None, "no sentence"),
    ("conllu", "nine columns", conllu(5, "2\t" + "\t_" * 7), 5, "9 column"),
    ("conllu", "spaces for tabs", conllu(4, "1 Do do AUX"), 4, "1 column"),
    ("conllu", "empty cell", conllu(4, "1" + "\t" * 9), 4, "is empty"),
    ("conllu", "number left out", word(5, id="3"), 5, "word 3 after word 1"),
    ("conllu", "not a number", word(5, id="x"), 5, "'x' is not the number"),
    ("conllu", "endless number", word(5, id="9" * 5000), 5, "not the number"),
    ("conllu", "other digits", word(5, id="²"), 5, "not the number"),
    ("conllu", "head outside", word(5, head="9"), 5, "the head '9'"),
    ("conllu", "head no number", word(5, head="x"), 5, "the head 'x'"),
    ("conllu", "own head", word(5, head="2"), 5, "own head"),
    ("conllu", "range late", word(3, id="2-3"), 3, "before its words"),
    ("conllu", "range backwards", word(3, id="1-0"), 3, "not the number"),
    ("conllu", "range too long", word(3, id="1-9"), 3, "before its words"),
    ("conllu", "empty node elsewhere", word(7, id="1.1"), 7, "out of order"),
    ("conllu", "empty node skipped", word(7, id="3.2"), 7, "out of order"),
    ("conllu", "comment inside", conllu(5, "# x"), 5, "comment inside"),
    ("conllu", "comments only", "# a\n\n", 1, "without a sentence"),
    ("trees", "open", "(1 (2 a) (3 b))\n(1 (2 a) (3 b)\n", 2, "1 bracket"),
    ("trees", "open, then more", "(1 (2 a)\n(1 (2 a) (3 b))\n", 1, "1 bracket"),
    ("trees", "one too many", "(1 (2 a)))\n", 1, "bracket too many"),
    ("trees", "no tree", "just words\n", 1, "text outside"),
    ("trees", "text after", "(1 a) b\n", 1, "text outside"),
    ("trees", "nothing inside", "(1 (2 a) ())\n", 1, "neither word"),
    ("trees", "no word", "(1 (2 a) (3))\n", 1, "neither word"),
    ("trees", "two words", "(1 a b)\n", 1, "does not belong"),
    ("trees", "word after child", "(1 (2 a) b)\n", 1, "does not belong"),
    ("trees", "child after word", "(1 a (2 b))\n", 1, "both the word"),
    ("tmx", "no XML", "hello\n", 1, "not whole XML"),
    ("tmx", "cut short", TMX[:-30], 11, "not whole XML"),
    ("tmx", "wrong end", TMX.replace("</body>", "</boy>"), 12, "mismatched"),
    ("tmx", "another root", "<html><body/></html>", 1, "not TMX"),
    ("tmx", "no language", TMX.replace(' xml:lang="fr"', ""), 9, "language"),
    ("tmx", "no segment", TMX.replace("<seg>Un arbre.</seg>", ""), 9, "no <seg>"),
    ("tmx", "no unit", "<tmx><body/></tmx>", None, "both languages"),
    ("tmx", "entities", BOMB, 2, "declares the entity"),
    ("tmx", "outside entity", OUTSIDE, 2, "declares the entity"),
    ("tmx", "unknown entity", TMX.replace("Not yet", "&eacute;"), 11, "entity"),
    ("tmx", "control character", TMX.replace("Not", "N\x01ot"), 11, "XML"),
    ("tmx", "too deep", DEEP, 1, "deep"),
    ("tmx", "encoding unknown", TMX.replace("UTF-8", "UTF-99"), 1, "encoding"),
    ("tmx", "encoding of many bytes", TMX.replace("UTF-8", "big5"), 1, "encoding"),
    ("tmx", "two roots", TMX + "<tmx/>\n", 14, "junk"),
    ("xliff", "cut short", XLIFF_1[:300], 7, "not whole XML"),
    ("xliff", "another root", TMX, 3, "not XLIFF"),
    ("xliff", "no source", XLIFF_1.replace("source>", "sauce>"), 5, "no <source>"),
    ("xliff", "no source in 2.0", XLIFF_2.replace("source>", "s>"), 6, "no <source>"),
    ("xliff", "nothing translated", XLIFF_1.replace("target>", "t>"), None, "2 unit"),
    ("xliff", "entities", BOMB.replace("tmx", "xliff"), 2, "entity"),
    ("po", "open string", PO.replace('"Ouvrir"', '"Ouvrir'), 14, "not closed"),
    ("po", "no quotes", PO.replace('"Ouvrir"', "Ouvrir"), 14, "not closed"),
    ("po", "text after", PO.replace('"Ouvrir"', '"Ouvrir" x'), 14, "not closed"),
    (
        "po",
        "unknown keyword",
        PO.replace('msgid "Close"', 'msg "Close"'),
        17,
        "keyword",
    ),
    ("po", "no translation", 'msgid "a"\n\nmsgid "b"\n', 3, "second msgid"),
    ("po", "cut short", 'msgid "a"\nmsgstr "b"\n\nmsgid "c"\n', 4, "no msgstr"),
    ("po", "no message", 'msgstr "b"\n', 1, "without msgid"),
    ("po", "string alone", '"b"\n', 1, "without a keyword"),
    ("po", "message twice", 'msgid "a"\nmsgstr ""\n' * 2, 3, "line 1 occurs again"),
    ("po", "plural without forms", PO.replace("msgstr[0]", "msgstr"), 20, "msgstr"),
    ("po", "forms out of order", PO.replace("msgstr[1]", "msgstr[2]"), 20, "msgstr"),
    ("po", "unknown escape", PO.replace('"Ouvrir"', '"\\q"'), 14, "escape"),
    ("po", "encoding unknown", PO.replace("UTF-8", "UTF-99"), None, "UTF-99"),
    ("po", "header alone", PO[: PO.index("#: main")], None, "no message is"),
    ("srt", "no times", "1\nHello\n", 1, "no times"),
    ("srt", "bad times", "1\n00:00:01 --> 00:00:02\nHello\n", 2, "cannot be read"),
    ("srt", "no such time", "1\n00:99:01,0 --> 00:99:02,0\nHi\n", 2, "not a time"),
    ("srt", "backwards", "1\n00:00:02,0 --> 00:00:01,0\nHi\n", 2, "before the start"),
    ("srt", "no number", "x\n00:00:01,0 --> 00:00:02,0\nHi\n", 1, "not the number"),
    (
        "srt",
        "no blank line",
        "1\n00:00:01,0 --> 00:00:02,0\nHi\n2\n00:00:03,0 --> 00:00:04,0\nHo\n",
        5,
        "times inside",
    ),
    ("vtt", "no first line", TEXTS["srt"], 1, "WEBVTT"),
    ("vtt", "first line glued", "WEBVTTX\n\n", 1, "WEBVTT"),
    ("vtt", "no times", "WEBVTT\n\nHello\n", 3, "no times"),
    ("vtt", "nothing", "WEBVTT\n\nNOTE x\n", None, "no subtitle"),
]


@pytest.mark.parametrize(
    ("name", "content", "line", "words"),
    [(name, content, line, words) for name, _, content, line, words in FAULTS],
    ids=[f"{name}: {fault}" for name, fault, *_ in FAULTS],
)
def test_faults_of_a_format(name, content, line, words, tmp_path):
    path = tmp_path / ("wrong" + SUFFIXES[name])
    path.write_bytes(content.encode())
    error = refuse(path, None)
    assert words in error.message
    assert error.line == line


def test_compiled_catalogue_cut_anywhere(samples, tmp_path):
    path = tmp_path / "a.mo"
    whole = samples["mo"]
    for end in range(1, len(whole) - 1, 3):
        path.write_bytes(whole[:end])
        assert refuse(path, "mo").message


@pytest.mark.parametrize("name", NAMES)
def test_any_damage_gives_records_or_a_located_error(name, samples, tmp_path):
    """Bytes are changed, left out and doubled at random; nothing else may happen."""
    rng = random.Random(name)
    path = tmp_path / "a.dat"
    refused = []
    for _ in range(120):
        content = bytearray(samples[name])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(content))
            kind = rng.randrange(4)
            if kind == 0:
                content[at] = rng.randrange(256)
            elif kind == 1:
                content[at] = rng.choice(b'()<>"\\/&\t\n-.#,=0')
            elif kind == 2:
                del content[at : at + rng.randint(1, 9)]
            else:
                content[at:at] = content[at : at + rng.randint(1, 40)]
            content = content or bytearray(b"x")
        path.write_bytes(content)
        try:
            list(scan_corpus(path, name))
        except CorpusError as error:
            refused.append(error.path)
    assert set(refused) <= {str(path)}
    assert name == "text" or len(refused) > 5
