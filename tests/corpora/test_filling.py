"""Translation files: gaps are filled and marked, the rest stays byte for byte."""

import difflib
import gzip
import random

import pytest
from corpora.corpus_samples import TMX, VTT, XLIFF_1, XLIFF_2

from anadrome.corpora import scan_pairs
from anadrome.corpora.localization import fill_file
from anadrome.corpora.xliff import scan_xliff
from anadrome.text.errors import CorpusError

PO = """\
# Translators: someone
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && "
"n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"

#: a.c:1
msgid   "Done by hand"
msgstr  "Fait "
"à la main"

#: a.c:2
#, c-format
msgid "Open %s"
msgstr ""

msgctxt "menu"
msgid "&Open"
msgstr ""

#| msgid "older"
msgid "two\\n"
"lines\\n"
msgstr ""
""

#, fuzzy
msgid "unsure"
msgstr "peut-être"

msgid "one file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] "%d fichiers"
msgstr[2] ""

#~ msgid "gone"
#~ msgstr ""
"""


def upper(texts):
    """A translator that leaves masks alone."""
    return [text.upper() for text in texts]


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def changed(before, after):
    """The lines that were taken out and put in."""
    lines = difflib.ndiff(before.splitlines(True), after.splitlines(True))
    return [line.rstrip("\n") for line in lines if line[0] in "+-"]


def check_second_run(path, **options):
    """A second run changes nothing, not even the time of the file."""
    before, time = path.read_bytes(), path.stat().st_mtime_ns
    report = fill_file(path, lambda texts: pytest.fail("nothing to do"), **options)
    assert report.filled == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, time)


def test_catalogue(write):
    path = write("a.po", PO)
    report = fill_file(path, upper)
    assert (report.filled, report.kept, report.notes) == (5, 3, ())
    assert changed(PO, path.read_text()) == [
        "- #, c-format",
        "+ #, fuzzy, c-format",
        '- msgstr ""',
        '+ msgstr "OPEN %s"',
        "+ #, fuzzy",
        '- msgstr ""',
        '+ msgstr "&OPEN"',
        "+ #, fuzzy",
        '- ""',
        '+ "TWO\\n"',
        '+ "LINES\\n"',
        "+ #, fuzzy",
        '- msgstr[0] ""',
        # 21 takes this form too, so the number must be there.
        '+ msgstr[0] "%d FILES"',
        '- msgstr[2] ""',
        '+ msgstr[2] "%d FILES"',
    ]
    check_second_run(path)


def test_singular_form_of_one_alone_has_the_singular(write):
    text = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n != 1;\\n"\n\n'
    text += 'msgid "one file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    path = write("a.po", text)
    assert fill_file(path, upper).filled == 2
    assert 'msgstr[0] "ONE FILE"\nmsgstr[1] "%d FILES"\n' in path.read_text()


def test_catalogue_is_read_by_others(write):
    polib = pytest.importorskip("polib")
    path = write("a.po", PO)
    fill_file(path, upper)
    entries = {entry.msgid: entry for entry in polib.pofile(str(path))}
    assert entries["Open %s"].msgstr == "OPEN %s"
    assert entries["Open %s"].flags == ["fuzzy", "c-format"]
    assert entries["two\nlines\n"].fuzzy
    assert not entries["Done by hand"].fuzzy
    assert entries["one file"].msgstr_plural[1] == "%d fichiers"


def test_line_ends_encoding_and_packing_of_a_catalogue_stay(write, tmp_path):
    text = PO.replace("UTF-8", "ISO-8859-1").replace("\n", "\r\n")
    path = write("a.po", text.encode("iso-8859-1"))
    report = fill_file(path, lambda texts: [t.replace("Open", "œ") for t in texts])
    assert [note.reason for note in report.notes] == [
        "the file cannot hold these characters"
    ] * 2
    content = path.read_bytes().decode("iso-8859-1")
    assert content.count("\n") == content.count("\r\n")
    assert "à la main" in content
    packed = write("b.po.gz", gzip.compress(PO.encode()))
    assert fill_file(packed, upper).filled == 5
    assert b"OPEN %s" in gzip.decompress(packed.read_bytes())


def test_what_cannot_be_translated_stays_empty_with_its_line(write):
    path = write("a.po", PO)
    report = fill_file(path, lambda texts: ["<unk>"] * len(texts))
    assert report.filled == 0
    assert [note.line for note in report.notes] == [15, 18, 23, 32, 32]
    assert path.read_text() == PO
    assert 'a.po", line 15: ' in str(report)
    assert "0 filled in to review, 3 left as they were, 5 left empty" in str(report)


def test_wrong_plural_forms(write):
    path = write("a.po", PO.replace("n%10==1 &&", "import os &&"))
    with pytest.raises(CorpusError, match="plural forms cannot be read"):
        fill_file(path, upper)


def test_other_file_is_written_and_the_first_left(write, tmp_path):
    path, out = write("a.po", PO), tmp_path / "b.po"
    fill_file(path, upper, out=out)
    assert path.read_text() == PO
    assert "OPEN %s" in out.read_text()


def test_xliff_1(write):
    text = XLIFF_1.replace(
        "Tom &amp; Ann</source>", "Tom &amp;&#10; <g id='1'>Ann</g><x id='3'/></source>"
    ).replace(
        "    </body>",
        '      <trans-unit id="3" translate="no"><source>X</source></trans-unit>\n'
        '      <trans-unit id="4">\n        <source>Go %s</source>\n'
        '        <target state="new" xml:lang="fr"/>\n      </trans-unit>\n    </body>',
    )
    path = write("a.xlf", text)
    report = fill_file(path, upper)
    assert (report.filled, report.kept) == (2, 1)
    before = "Tom &amp;&#10; <g id='1'>Ann</g><x id='3'/></source>"
    assert path.read_text() == text.replace(
        before,
        before + '<target state="needs-review-translation">TOM &amp; '
        "<g id='1'>ANN</g><x id='3'/></target>",
    ).replace(
        '<target state="new" xml:lang="fr"/>',
        '<target state="needs-review-translation" xml:lang="fr">GO %s</target>',
    )
    check_second_run(path)
    assert len(list(scan_pairs(path))) == 1
    assert len(list(scan_xliff(path, unfinished=True))) == 3


def test_xliff_2(write):
    path = write("a.xlf", XLIFF_2)
    assert fill_file(path, upper).filled == 1
    assert path.read_text() == XLIFF_2.replace(
        '<segment><source>A <pc id="1">fine</pc> day.</source>',
        '<segment state="translated"><source>A <pc id="1">fine</pc> day.</source>'
        '<target>A <pc id="1">FINE</pc> DAY.</target>',
    )
    check_second_run(path)


def test_xliff_in_other_clothes(write):
    """Prefixes, another encoding, a byte order mark, indentation."""
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\r\n'
        '<x:xliff version="1.2" xmlns:x="urn:oasis:names:tc:xliff:document:1.2">\r\n'
        "<x:file><x:body><x:trans-unit id='1'>\r\n"
        "    <x:source>\u00e9t\u00e9 sale</x:source>\r\n"
        "</x:trans-unit></x:body></x:file></x:xliff>"
    )
    path = write("a.xlf", text.encode("iso-8859-1"))
    fill_file(path, lambda texts: ["l'\u0153uf < \u00e9t\u00e9"])
    made = path.read_bytes().decode("iso-8859-1")
    assert made == text.replace(
        "</x:source>",
        "</x:source>\r\n    <x:target"
        ' state="needs-review-translation">l\'&#339;uf &lt; \u00e9t\u00e9</x:target>',
    )
    marked = write("b.xlf", b"\xef\xbb\xbf" + XLIFF_1.encode())
    fill_file(marked, upper)
    assert marked.read_bytes().startswith(b"\xef\xbb\xbf<?xml")
    wide = XLIFF_1.replace("UTF-8", "UTF-16").encode("utf-16")
    fill_file(write("c.xlf", wide), upper)
    assert len(list(scan_xliff(path.parent / "c.xlf", unfinished=True))) == 2


def test_xliff_is_read_by_others(write):
    etree = pytest.importorskip("lxml.etree")
    path = write("a.xlf", XLIFF_1)
    fill_file(path, upper)
    tree = etree.parse(str(path))
    targets = tree.findall(".//{*}target")
    assert [target.get("state") for target in targets] == [
        None,
        "needs-review-translation",
    ]
    assert targets[1].text == "TOM & ANN"


def test_inline_elements_fall_back_to_pieces(write):
    path = write("a.xlf", XLIFF_2)
    fill_file(path, lambda texts: [t.upper() for t in texts if "⟦" not in t] or ["?"])
    assert '<target>A <pc id="1">FINE</pc> DAY.</target>' in path.read_text()


def test_memory(write):
    path = write("a.tmx", TMX)
    report = fill_file(path, upper)
    assert (report.filled, report.kept) == (1, 1)
    assert path.read_text() == TMX.replace(
        "<seg>Not yet.</seg></tuv>",
        '<seg>Not yet.</seg></tuv><tuv xml:lang="fr"><prop type="x-state">'
        "needs-review-translation</prop><seg>NOT YET.</seg></tuv>",
    )
    check_second_run(path)
    assert [pair for _, pair in scan_pairs(path)][1] == ("Not yet.", "NOT YET.")
    report = fill_file(path, upper, target="de")
    assert (report.filled, report.kept) == (2, 0)
    assert '<seg>A <bpt i="1">&lt;b></bpt>TREE<ept i="1"/>.</seg>' in path.read_text()
    alone = '<tmx><header srclang="en"/><body/></tmx>'
    with pytest.raises(CorpusError, match="into which language"):
        fill_file(write("b.tmx", alone), upper)


def test_table(write):
    text = "a cat\tun chat\r\n%d dogs\r\nbye \t\t7\r\n\r\n"
    path = write("a.tsv", text)
    report = fill_file(path, upper)
    assert (report.filled, report.kept) == (2, 1)
    assert path.read_bytes().decode() == (
        "a cat\tun chat\r\n%d dogs\t%d DOGS\tneeds-review\r\n"
        "bye \tBYE \t7\tneeds-review\r\n\r\n"
    )
    check_second_run(path)
    path = write("b.tsv", "1\ta cat\n")
    fill_file(path, upper, columns=(1, 2), mark=False)
    assert path.read_text() == "1\ta cat\tA CAT\n"


SRT = """\
1
00:00:01,000 --> 00:00:02,500
Hello, dear <i>old
world</i>.

2
00:00:03,000 --> 00:00:04,000
- Who?
- Me.

3
00:00:05,000 --> 00:00:06,000
Bye."""


def test_subtitles(write, tmp_path):
    path, out = write("a.srt", SRT), tmp_path / "b.srt"
    report = fill_file(path, upper, out=out)
    assert (report.filled, report.kept) == (3, 0)
    assert path.read_text() == SRT
    assert out.read_text() == (
        SRT.replace("Hello, dear <i>old\nworld</i>.", "HELLO, DEAR\n<i>OLD WORLD</i>.")
        .replace("- Who?\n- Me.", "- WHO?\n- ME.")
        .replace("Bye.", "BYE.\n")
    )
    # People go over it; what they leave out is filled, the rest is theirs.
    edited = out.read_text().replace("- WHO?\n- ME.", "- Qui ?").replace("BYE.\n", "")
    out.write_text(edited)
    report = fill_file(path, upper, out=out)
    assert (report.filled, report.kept) == (1, 2)
    assert out.read_text() == edited + "BYE.\n"
    with pytest.raises(CorpusError, match="file of their own"):
        fill_file(path, upper)
    out.write_text(SRT.replace("05,000", "05,500"))
    with pytest.raises(CorpusError, match="other times than line 12") as e:
        fill_file(path, upper, out=out)
    assert (e.value.path, e.value.line) == (str(out), 12)


def test_web_subtitles(write, tmp_path):
    path, out = write("a.vtt", VTT), tmp_path / "b.vtt"
    fill_file(path, upper, out=out)
    assert out.read_text() == VTT.replace(
        "intro\n", "NOTE needs-review\n\nintro\n"
    ).replace("<i>Hello</i>,\nworld.", "<i>HELLO</i>,\nWORLD.").replace(
        "00:01:00.000", "NOTE needs-review\n\n00:01:00.000"
    ).replace("Bye.", "BYE.")
    report = fill_file(path, lambda texts: ["x -- y"] * len(texts), out=out)
    assert report.filled == 0


def test_formats_without_translations(write):
    with pytest.raises(CorpusError, match="not a format of translation files"):
        fill_file(write("a.conll", "a\tO\n"), upper)


TABLE = "a cat\tun chat\n%d dogs\nbye\t\n"
DAMAGED = [("po", PO), ("xlf", XLIFF_1), ("xlf", XLIFF_2), ("tmx", TMX), ("tsv", TABLE)]


@pytest.mark.parametrize(("name", "text"), DAMAGED)
def test_damaged_files_are_refused_or_filled_once(name, text, tmp_path):
    """Whatever happens to the bytes: an error with its place, or a file that stands."""
    rng = random.Random(name)
    path = tmp_path / f"a.{name}"
    filled, untouched = 0, []
    for _ in range(100):
        content = bytearray(text.encode())
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(content) - 10)
            kind = rng.randrange(3)
            if kind == 0:
                content[at] = rng.choice(b'<>"\\/&\t\n%{}=#\xff')
            elif kind == 1:
                del content[at : at + rng.randint(1, 9)]
            else:
                content[at:at] = content[at : at + rng.randint(1, 40)]
        path.write_bytes(content)
        try:
            first = fill_file(path, upper)
        except CorpusError:
            untouched.append(path.read_bytes() == content)
            continue
        filled += first.filled
        again = fill_file(path, upper)
        assert again.filled == 0
        assert again.kept == first.kept + first.filled
    assert all(untouched)
    assert filled > 3
