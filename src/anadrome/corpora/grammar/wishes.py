"""What people want, can and must do."""

from __future__ import annotations

from anadrome.corpora.grammar.actions import draw_action
from anadrome.corpora.grammar.clauses import (
    Phrase,
    Plan,
    Sentence,
    Words,
    say,
    say_infinitive,
)
from anadrome.corpora.grammar.phrases import (
    STRANGER,
    Dice,
    Template,
    draw_object,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.verbs import DATIVE, Verb, make_verb
from anadrome.corpora.grammar.words import word_set

_MODALS = (
    ("want to", make_verb("want", "vouloir", marks="s"), ""),
    ("have to", make_verb("have", "devoir", marks="s"), ""),
    ("like to", make_verb("like", "aimer", marks="s"), ""),
    ("hope to", make_verb("hope", "espérer", marks="s"), ""),
    ("prefer to", make_verb("prefer", "préférer", marks="s"), ""),
    ("know how to", make_verb("know how", "savoir", marks="s"), ""),
    ("try to", make_verb("try", "essayer"), "de"),
    ("begin to", make_verb("begin", "commencer"), "à"),
    ("continue to", make_verb("continue", "continuer"), "à"),
    ("decide to", make_verb("decide", "décider", marks="x"), "de"),
    ("refuse to", make_verb("refuse", "refuser", marks="x"), "de"),
    ("forget to", make_verb("forget", "oublier", marks="x"), "de"),
    ("learn to", make_verb("learn", "apprendre"), "à"),
    ("promise to", make_verb("promise", "promettre", marks="x"), "de"),
)
CAN = make_verb("can", "pouvoir", marks="s")
MUST = make_verb("must", "devoir", marks="s")
_SKILLS = ("hobby", "intransitive")


def modal(dice: Dice) -> Sentence:
    """Paul wants to read this book; you must not open the door."""
    subject = draw_person(dice)
    if dice.chance(0.4):
        english, french = say_auxiliary(dice, subject)
        return english, french, "."
    name, verb, preposition = dice.pick(_MODALS)
    family = dice.pick(_SKILLS) if name in ("know how to", "learn to") else ""
    inner = draw_action(dice, subject, "inf", family=family, places=False)
    if not allows_infinitive(name, inner.verb):
        return modal(dice)
    if verb.state:
        tense = dice.pick(("pres", "pres", "past"))
        if name in ("like to", "hope to", "prefer to", "know how to"):
            tense = "pres"
    else:
        tense = dice.pick(("past", "past", "fut", "prog"))
        if verb.still and tense == "prog":
            tense = "past"
    negation = "not" if dice.chance(0.2) and name not in _POSITIVE else ""
    if negation and _has_open_article(inner):
        negation = ""
    if name in ("decide to", "promise to") and dice.chance(0.25):
        inner = draw_action(
            dice, subject, "inf", "not", family="transitive", places=False
        )
    english, french = say_infinitive(inner)
    if inner.negation:
        english = ["not", "to", *english[1:]]
    else:
        english = ["to", *english]
    plan = Plan(subject, verb, tense, negation)
    plan.en_rest += english
    plan.fr_rest += [preposition, *french] if preposition else french
    return say(plan)


_POSITIVE = frozenset(
    ["decide to", "refuse to", "hope to", "prefer to", "try to", "begin to",
     "promise to", "continue to", "learn to"]
)  # fmt: skip
_SUDDEN = word_set("find lose break receive meet fall recognise accept steal")
_MOMENTS = word_set(
    """stop wake leave sit arrive go return come stay hurry visit choose"""
)
_LEARNT = word_set("swim drive cook dance sing play draw paint speak fish ride")
_UNLEARNT = word_set("sleep walk cry laugh smile wait travel smoke shout")


def allows_infinitive(name: str, verb: Verb) -> bool:
    """Whether one can want, try … to do this."""
    base = verb.en.base
    if (
        base in _SUDDEN
        or base in ("be", "arrive", "come")
        or (base == "get" and verb.particle == "angry")
    ):
        return name == "have to" and base == "accept"
    if name in ("know how to", "learn to"):
        return base not in _UNLEARNT and base not in ("learn", "speak", "study")
    if name in ("begin to", "continue to"):
        return not verb.still and base not in _MOMENTS and verb not in DATIVE
    if name in ("like to", "prefer to"):
        return verb.habit and base not in ("cry", "lose", "hurry", "stop", "leave")
    return True


def say_auxiliary(dice: Dice, subject: Phrase) -> tuple[Words, Words]:
    """Somebody can or must do something, or must not."""
    can = dice.chance(0.55)
    negated = dice.chance(0.25)
    while True:
        inner = draw_action(dice, subject, "inf", places=False, pronouns=not negated)
        # What one has learnt to do is "savoir", not "pouvoir".
        skill = can and inner.verb.en.base in _LEARNT
        if allows_infinitive("want to", inner.verb) and not skill:
            break
    bare_en, bare_fr = say_infinitive(inner)
    verb = CAN if can else MUST
    word = ("cannot" if can else "must not") if negated else ("can" if can else "must")
    english = [subject.en, word, *bare_en]
    finite = verb.fr.present[subject.person]
    if negated and _has_open_article(inner):
        # cannot eat a cake: the article after "ne peut pas" is best avoided
        return say_auxiliary(dice, subject)
    if negated:
        french = [*subject.fr, "ne", finite, "pas", *bare_fr]
    else:
        french = [*subject.fr, finite, *bare_fr]
    return english, french


def _has_open_article(plan: Plan) -> bool:
    return any(word in ("un", "une", "des", "du", "de") for word in plan.fr_rest)


def wish(dice: Dice) -> Sentence:
    """She would like some coffee; he would like to sleep."""
    subject = draw_person(dice, pronouns=0.7)
    if dice.chance(0.5):
        phrase = draw_object(dice, _WANTED, STRANGER, adjectives=0.2)
        if phrase.fr_negated is None:
            noun = dice.pick(find_nouns(("food", "drink")))
            phrase = noun_phrase(noun, "some", plural=noun.kind == "count")
        english, french = [phrase.en], phrase.fr
    else:
        inner = draw_action(dice, subject, "inf", places=False)
        if not allows_infinitive("want to", inner.verb):
            return wish(dice)
        english, french = say_infinitive(inner)
        english = ["to", *english]
    plan = Plan(subject, _WOULD_LIKE, "cond")
    plan.en_rest += english
    plan.fr_rest += french
    return say(plan)


_WOULD_LIKE = make_verb("like", "vouloir", marks="s")
_WANTED = ("food", "drink", "dish", "fruit", "drink", "ticket", "map")


WISHES: tuple[tuple[Template, int], ...] = ((modal, 8), (wish, 3))
