"""No placeholder is lost, doubled or put where it breaks the message."""

import random
from collections import Counter

import pytest

from anadrome.corpora.localization import (
    Code,
    Template,
    make_template,
    translate_templates,
)


def upper(texts):
    """A translator that leaves masks alone."""
    return [text.upper() for text in texts]


def translated(text, translate=upper, **options):
    [outcome] = translate_templates([make_template(text, **options)], translate)
    return None if outcome.template is None else str(outcome.template)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Open %s now", ["%s"]),
        (
            "%(name)s has %d of %1$d, %-5.2f%%",
            ["%(name)s", "%d", "%1$d", "%-5.2f", "%%"],
        ),
        ("{name} {0} {} {x!r:>10}", ["{name}", "{0}", "{}", "{x!r:>10}"]),
        ("${x} $(y) %{z} {{w}} %PATH%", ["${x}", "$(y)", "%{z}", "{{w}}", "%PATH%"]),
        ('a <b class="x">bold</b><br/>', ['<b class="x">', "</b>", "<br/>"]),
        ("caf&eacute; &#233; &#xE9;", ["&eacute;", "&#233;", "&#xE9;"]),
        ("one\ntwo\\n", ["\n", "\\n"]),
        ("see https://a.org/x?y=1.", ["https://a.org/x?y=1"]),
        ("50% of it, 10 % do", []),
        ("a < b and c > d, AT&T", []),
    ],
)
def test_codes_are_found(text, codes):
    template = make_template(text)
    assert [code.text for code in template.codes] == codes
    assert str(template) == text


def test_space_is_a_flag_where_the_file_says_so():
    assert not make_template("10 % down").codes
    assert make_template("10 % down", flags=["c-format"]).codes == (Code("% d"),)
    assert not make_template("10 % down", flags=["no-c-format"]).codes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("open %s now", "OPEN %s NOW"),
        (" open\n", " OPEN\n"),
        ("one\n\n  two %d\n", "ONE\n\n  TWO %d\n"),
        ("<b>hello</b>", "<b>HELLO</b>"),
        ("<p>a <b>big</b> {x}</p>", "<p>A <b>BIG</b> {x}</p>"),
        ("%d%%", "%d%%"),
        ("—", "—"),
    ],
)
def test_codes_come_back(text, expected):
    assert translated(text) == expected


def test_sentence_is_translated_whole_with_its_outer_tags_set_aside():
    seen = []

    def note(texts):
        seen.extend(texts)
        return texts

    translated("<b>Open %s now</b>\n", note)
    assert seen == ["Open ⟦0⟧ now"]


def test_masks_may_move_and_get_spaces():
    assert translated("{a} of {b}", lambda texts: ["⟦ 1 ⟧ hat ⟦0⟧"]) == "{b} hat {a}"


@pytest.mark.parametrize(
    "answer",
    ["no mask", "⟦0⟧ and ⟦0⟧", "⟦0⟧ ⟦1⟧", "⟦7⟧", "⟦0", "x %s ⟦0⟧", "⟦0⟧ 5 %"],
)
def test_pieces_are_translated_when_a_mask_does_not_come_back(answer):
    def careless(texts):
        return [answer if "⟦" in text else text.upper() for text in texts]

    assert translated("open %s now", careless) == "OPEN %s NOW"


@pytest.mark.parametrize("answer", ["", "  ", "x <unk> y", "%d", "⟦0⟧", "a {x} b"])
def test_nothing_is_better_than_something_broken(answer):
    [outcome] = translate_templates(
        [make_template("open %s now")], lambda texts: [answer] * len(texts)
    )
    assert outcome.template is None
    assert outcome.reason


def test_placeholders_without_numbers_keep_their_order():
    def swap(texts):
        return ["⟦1⟧ dans ⟦0⟧" if "⟦" in text else "dans" for text in texts]

    assert translated("%s in %d", swap) == "%s dans %d"
    assert translated("{} in {:d}", swap) == "{} dans {:d}"
    assert translated("%1$s in %2$d", swap) == "%2$d dans %1$s"
    assert translated("%s in %s", swap) == "%s dans %s"


def test_tags_stay_nested():
    def cross(texts):
        return ["⟦1⟧ x ⟦0⟧ y" if "⟦" in text else text.upper() for text in texts]

    assert translated("a <b>c</b>", cross) == "A <b>C</b>"


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("&File", "Datei", "&Datei"),
        ("&File", "Das Formular", "Das &Formular"),
        ("E&xit", "Exit", "E&xit"),
        ("_Open %s", "Ouvrir ⟦0⟧", "_Ouvrir %s"),
        ("&File...", "文件...", "文件(&F)..."),
        ("AT&T", "AT&T", "AT&T"),
        ("snake_case", "snake_case", "snake_case"),
        ("Tom & Ann", "Tom & Anna", "Tom & Anna"),
        ("__init__ here", "__init__ ici", "__init__ ici"),
    ],
)
def test_access_keys(text, answer, expected):
    assert translated(text, lambda texts: [answer] * len(texts)) == expected


def test_access_key_is_not_doubled():
    assert translated("&File", lambda texts: ["A & B"]) is None


def test_messages_of_icu_are_left_to_people():
    assert translated("{n, plural, one {# file} other {# files}}") is None


def test_same_text_is_asked_for_once_and_the_count_is_checked():
    calls = []

    def count(texts):
        calls.append(list(texts))
        return list(texts)

    translate_templates([make_template("a"), make_template("a")], count)
    assert calls == [["a"]]
    with pytest.raises(ValueError, match="0 translations of 1"):
        translate_templates([make_template("a")], lambda texts: [])


def test_whatever_a_translator_answers_the_codes_are_whole():
    """Answers at random: lost, doubled, swapped masks, stray signs, other words."""
    rng = random.Random(5)
    pieces = [
        *(
            "open",
            " ",
            "the file",
            "%s",
            "%(n)d",
            "{name}",
            "{}",
            "<b>",
            "</b>",
            "<br>",
        ),
        *("\n", "&amp;", "&File", "100 %", "é", "_x", ".", "%1$d", "${v}"),
    ]

    def answer(texts):
        made = []
        for text in texts:
            words = text.split()
            rng.shuffle(words)
            if rng.random() < 0.5:
                words = words[: rng.randint(0, len(words))]
            if rng.random() < 0.4:
                extra = ("%s", "{", "<b>", "⟦0⟧", "&", "<unk>", "mot")
                words.append(rng.choice(extra))
            made.append(" ".join(words))
        return made

    kept = 0
    for _ in range(3000):
        text = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 9)))
        template = make_template(text)
        [outcome] = translate_templates([template], answer)
        if outcome.template is None:
            continue
        kept += 1
        made = outcome.template
        assert Counter(made.codes) == Counter(template.codes)
        again = make_template(str(made))
        assert Counter(again.codes) - Counter(template.codes) == Counter()
        ordered = [c.text for c in template.codes if c.is_positional]
        assert [c.text for c in made.codes if c.is_positional] == ordered
        for spaces in (str.lstrip, str.rstrip):
            assert len(spaces(str(made))) - len(str(made)) == (
                len(spaces(text)) - len(text)
            )
    assert kept > 500


def test_template_shows_its_language():
    template = Template(("a ", Code("%s"), " b"))
    assert template.language == "a \ufffc b"
