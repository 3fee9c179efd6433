"""Every format is read as it was written, packed or not, and converted."""

import gzip

import pytest
from corpora.corpus_samples import CONLLU, PO, SUFFIXES, TEXTS, XLIFF_2

from anadrome.corpora import (
    FORMATS,
    Tree,
    convert,
    find_format,
    read_conll,
    read_conllu,
    read_parallel,
    read_trees,
    scan_corpus,
    scan_pairs,
    scan_texts,
    write_trees,
)
from anadrome.corpora.gettext import read_mo, read_po
from anadrome.corpora.subtitles import Cue
from anadrome.text.errors import CorpusError, UnknownFormat

READ = {
    "text": [(1, "One line."), (2, "Another: é.")],
    "tsv": [(1, ("a cat", "un chat")), (2, ("a dog", "un chien"))],
    "csv": [
        (2, {"source": "a, b", "target": 'un "mot"'}),
        (3, {"source": "two\nlines", "target": "deux"}),
    ],
    "jsonl": [
        (1, {"source": "a", "target": "un", "n": 1}),
        (2, {"source": "b", "target": "é"}),
    ],
    "tmx": [(7, ("A tree.", "Un arbre."))],
    "po": [
        (9, ("Open %s", "Ouvrir %s")),
        (12, ("Open", "Ouvrir")),
        (20, ("%d file", "%d fichier")),
        (20, ("%d files", "%d fichiers")),
    ],
    "xliff": [(5, ("A green tree", "Un arbre vert"))],
    "srt": [
        (2, Cue(1000, 2500, "Hello,\nworld.", "1", "", (2, 4))),
        (7, Cue(60000, 3602000, "Bye.", "2", "", (7, 8))),
    ],
    "vtt": [
        (6, Cue(1000, 2500, "<i>Hello</i>,\nworld.", "intro", "align:start", (6, 8))),
        (10, Cue(60000, 3602000, "Bye.", "", "", (10, 11))),
    ],
}


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.mark.parametrize("name", READ)
def test_records_and_lines(name, write):
    path = write("sample" + SUFFIXES[name], TEXTS[name])
    assert list(scan_corpus(path)) == READ[name]
    assert list(scan_corpus(write("sample.dat", TEXTS[name]), name)) == READ[name]


@pytest.mark.parametrize("name", TEXTS)
def test_gzip_byte_order_mark_and_carriage_returns_make_no_difference(name, write):
    plain = TEXTS[name].encode()
    expected = list(scan_corpus(write("a" + SUFFIXES[name], plain)))
    assert len(expected) >= 1
    packed = write("b" + SUFFIXES[name] + ".gz", gzip.compress(plain))
    assert list(scan_corpus(packed)) == expected
    assert list(scan_corpus(write("hidden.dat", gzip.compress(plain)), name)) == (
        expected
    )
    for content in (b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n")):
        assert list(scan_corpus(write("c" + SUFFIXES[name], content))) == expected


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_written_is_read_back(name, write, tmp_path):
    records = [r for _, r in scan_corpus(write("a" + SUFFIXES[name], TEXTS[name]))]
    if name == "jsonl":
        records = records[1:]
    out = tmp_path / ("b" + SUFFIXES[name] + ".gz")
    FORMATS[name].write(iter(records), out)
    assert out.read_bytes()[:2] == b"\x1f\x8b"
    again = [record for _, record in scan_corpus(out)]
    if name in ("srt", "vtt"):  # the lines may be others
        times = [(c.start, c.end, c.text, c.settings) for c in records]
        assert [(c.start, c.end, c.text, c.settings) for c in again] == times
    else:
        assert again == records


def test_treebank_comes_back_byte_for_byte(write, tmp_path):
    path = write("a.conllu", CONLLU)
    [sentence] = read_conllu(path)
    assert sentence.forms == ("Do", "n't", "go", ".")
    assert sentence.tags == ("AUX", "PART", "VERB", "PUNCT")
    assert sentence.heads == (3, 3, 0, 3)
    assert [node.id for node in sentence.multiword] == ["1-2"]
    assert [node.form for node in sentence.empty] == ["there"]
    assert sentence.text == "Don't go."
    convert((path,), (tmp_path / "b.conllu",))
    assert (tmp_path / "b.conllu").read_text() == CONLLU


def test_tagged_sentences(write):
    path = write("a.conll", "-DOCSTART- -X- O\n\nEU NNP B-org\nsaid VBD O\n\n\nNo DT O")
    first, second = read_conll(path)
    assert (first.tokens, first.tags) == (("EU", "said"), ("B-org", "O"))
    assert len(second) == 1
    assert read_conll(path, tag=1)[0].tags == ("NNP", "VBD")


def test_trees(write):
    path = write("a.trees", "(3 (2 It)\n  (4 works))(1 (2 8\u00a01/2) (1 .))\n")
    first, second = read_trees(path)
    assert str(first) == "(3 (2 It) (4 works))"
    assert second.words == ("8\u00a01/2", ".")
    assert [node.label for node in first.nodes()] == ["2", "4", "3"]
    assert first.is_binary
    assert first == Tree("3", (Tree("2", (), "It"), Tree("4", (), "works")))
    assert first != second
    [penn] = read_trees(write("b.mrg", "( (S (NP (D the) (N cat)) (V sat)))\n"))
    assert penn.label == ""
    assert penn.children[0].words == ("the", "cat", "sat")


def test_tree_may_be_very_deep(tmp_path):
    tree = Tree("1", (), "a")
    for _ in range(20_000):
        tree = Tree("2", (tree, Tree("0", (), "b")))
    write_trees([tree], tmp_path / "deep.trees")
    [again] = read_trees(tmp_path / "deep.trees")
    assert again == tree
    assert hash(again) == hash(tree)
    assert len(again.words) == 20_001


def test_xliff_2(write):
    path = write("a.xlf", XLIFF_2)
    assert list(scan_pairs(path)) == [(6, ("Hello.", "Bonjour."))]


def test_unreviewed_translations_are_read_when_asked_for(write):
    path = write("a.po", PO)
    assert "Close" not in [source for _, (source, _) in scan_corpus(path)]
    found = dict(pair for _, pair in scan_corpus(path, unfinished=True))
    assert found["Close"] == "Fermé"


def test_catalogue_has_its_lines_and_header(write):
    catalogue = read_po(write("a.po", PO))
    assert catalogue.header("plural-forms") == "nplurals=2; plural=(n > 1);"
    assert "".join(catalogue.lines) == PO
    assert [m.obsolete for m in catalogue.messages] == [False] * 5 + [True]
    opened = catalogue.messages[1]
    assert opened.flags == ("c-format",)
    assert opened.spans == [(9, 9)]
    assert catalogue.messages[4].plural == "%d files"


def test_catalogue_in_another_encoding(write):
    text = PO.replace("UTF-8", "ISO-8859-15")
    found = dict(p for _, p in scan_corpus(write("a.po", text), unfinished=True))
    assert found["Close"] == "FermÃ©".encode("iso-8859-1").decode("iso-8859-15")


def test_compiled_catalogue_is_the_one_that_others_read(tmp_path):
    polib = pytest.importorskip("polib")
    po = polib.POFile()
    po.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    po.append(polib.POEntry(msgid="a\nb", msgstr="é"))
    po.append(
        polib.POEntry(
            msgctxt="c", msgid="n", msgid_plural="ns", msgstr_plural={0: "x", 1: "y"}
        )
    )
    po.save_as_mofile(str(tmp_path / "a.mo"))
    messages = [m for m in read_mo(tmp_path / "a.mo") if not m.is_header]
    assert {(m.context, m.id, m.plural, tuple(m.strings)) for m in messages} == {
        (None, "a\nb", None, ("é",)),
        ("c", "n", "ns", ("x", "y")),
    }
    pairs = [pair for _, pair in scan_pairs(tmp_path / "a.mo")]
    assert ("ns", "y") in pairs
    FORMATS["mo"].write([("q", "r"), ("q", "s")], tmp_path / "b.mo")
    again = polib.mofile(str(tmp_path / "b.mo"))
    assert {(e.msgctxt, e.msgid, e.msgstr) for e in again} == {
        (None, "q", "r"),
        ("2", "q", "s"),
    }
    FORMATS["po"].write([('"q"\t\\n', "r\ns\n")], tmp_path / "b.po")
    [entry] = polib.pofile(str(tmp_path / "b.po"))
    assert (entry.msgid, entry.msgstr) == ('"q"\t\\n', "r\ns\n")


def test_languages_of_a_memory(write):
    path = write("a.tmx", TEXTS["tmx"])
    pairs = scan_pairs(path, languages=("fr", "en"))
    assert [pair for _, pair in pairs] == [("Un arbre.", "A tree.")]
    with pytest.raises(CorpusError, match=r"both languages \(en and de\)"):
        list(scan_pairs(path, languages=("en", "de")))


def test_memory_in_utf_16(write):
    path = write("a.tmx", TEXTS["tmx"].replace("UTF-8", "UTF-16").encode("utf-16"))
    assert list(scan_pairs(path)) == READ["tmx"]


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl", "tmx", "po", "mo", "xliff"])
def test_pairs_go_from_format_to_format(name, write, tmp_path):
    pairs = [('a <b> & "c"', "é\u00a0: 'd'"), ("two", "deux"), ("two", "deux bis")]
    first = write("a.en", "".join(s + "\n" for s, _ in pairs))
    second = write("a.fr", "".join(t + "\n" for _, t in pairs))
    path = tmp_path / "all.dat"
    languages = ("en", "fr")
    count = convert((first, second), (path,), write_as=name, languages=languages)
    assert count == 3
    assert sorted(p for _, p in scan_pairs(path, name)) == sorted(
        (s, " ".join(t.split()) if name in ("tsv", "tmx", "xliff") else t)
        for s, t in pairs
    )
    sides = (tmp_path / "b.en", tmp_path / "b.fr")
    assert convert((path,), sides, read_as=name) == 3
    assert set(read_parallel(*sides).source) == {'a <b> & "c"', "two"}


def test_everything_can_be_read_as_text(write):
    texts = {
        name: [t for _, t in scan_texts(write("a" + SUFFIXES[name], TEXTS[name]))]
        for name in TEXTS
    }
    assert texts["trees"] == ["It works .", "No ."]
    assert texts["conllu"] == ["Don't go."]
    assert texts["conll"] == ["John runs", "Hi"]
    assert texts["srt"] == ["Hello, world.", "Bye."]
    assert texts["csv"] == ["a, b", "two\nlines"]
    assert texts["tsv"] == ["a cat", "a dog"]


def test_treebank_becomes_tagged_sentences_and_subtitles_change_their_clothes(
    write, tmp_path
):
    convert((write("a.conllu", CONLLU),), (tmp_path / "a.conll",))
    assert read_conll(tmp_path / "a.conll")[0].tags[2] == "VERB"
    convert((write("a.vtt", TEXTS["vtt"]),), (tmp_path / "a.srt",))
    assert "00:00:01,000 --> 00:00:02,500" in (tmp_path / "a.srt").read_text()
    with pytest.raises(UnknownFormat, match="holds trees, which srt does not give"):
        convert((tmp_path / "a.srt",), (tmp_path / "a.trees",))
    assert not (tmp_path / "a.trees").exists()


def test_format_comes_from_the_name():
    assert find_format("x.TMX").name == "tmx"
    assert find_format("x.po.gz").name == "po"
    assert find_format("x.en", "text").name == "text"
    with pytest.raises(UnknownFormat, match="does not say its format"):
        find_format("x.en")
    with pytest.raises(UnknownFormat, match="did you mean xliff"):
        find_format("x", "xlif")


def test_columns_are_named(write):
    path = write("a.csv", TEXTS["csv"])
    with pytest.raises(CorpusError, match="did you mean 'target'") as e:
        list(scan_pairs(path, columns=("source", "traget")))
    assert (e.value.path, e.value.line) == (str(path), 2)
    path = write("a.jsonl", '{"source": "a", "target": 3}\n')
    with pytest.raises(CorpusError, match="holds int, not text"):
        list(scan_pairs(path))


def test_failed_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("old\n")
    with pytest.raises(CorpusError, match="tab") as e:
        FORMATS["tsv"].write([("a", "b"), ("c\t", "d")], path)
    assert e.value.line == 2
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]
