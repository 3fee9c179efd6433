"""What people and things are, have and feel."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import add_adverbial, takes_de
from anadrome.corpora.grammar.adjectives import Adjective, predicates
from anadrome.corpora.grammar.adverbials import FREQUENCIES
from anadrome.corpora.grammar.agreement import adjective_forms
from anadrome.corpora.grammar.clauses import Phrase, Plan, Sentence, say
from anadrome.corpora.grammar.conjugation import IL, JE, NOUS
from anadrome.corpora.grammar.english import indefinite
from anadrome.corpora.grammar.euphony import contract
from anadrome.corpora.grammar.nouns import Noun
from anadrome.corpora.grammar.phrases import (
    DISJUNCTIVE,
    KIN,
    PEOPLE,
    PRONOUNS,
    STRANGER,
    Dice,
    Template,
    draw_person,
    draw_phrase,
    find_nouns,
    noun_phrase,
    other_pronouns,
    owner_word,
)
from anadrome.corpora.grammar.verbs import BE, HAVE, HAVE_FEELING, NEED, WANT, make_verb
from anadrome.corpora.grammar.words import word_set

_DEGREES = (
    ("very", "très"),
    ("too", "trop"),
    ("quite", "assez"),
    ("really", "vraiment"),
)
_STATES = ("pres", "pres", "pres", "past", "fut")
_EXCESSIVE = word_set(
    """big small long difficult expensive heavy old hot cold tired shy lazy serious
    curious nervous young fat dark complicated proud jealous poor easy strong"""
)


def draw_description(dice: Dice, noun: Noun | None = None) -> tuple[Phrase, Adjective]:
    """Something and an adjective that can be said of it."""
    while True:
        roll = dice.between(0, 99)
        if noun is None:
            if roll < 45:
                person = draw_person(dice, pronouns=0.5)
                adjective = dice.pick(predicates(_SOMEBODY))
                if adjective.en != "married" or person.human:
                    return person, adjective
            candidates = find_nouns(_DESCRIBED)
            chosen = dice.pick(candidates)
        else:
            chosen = noun
        options = predicates(chosen)
        if options:
            break
    plural = chosen.kind == "count" and dice.chance(0.25)
    if "pair" in chosen.classes:
        plural = True
    determiner = dice.pick(("the", "the", "this", "my", "your", "his", "her", "our"))
    if "kin" in chosen.classes:
        determiner = dice.pick(("my", "your", "his", "her", "our"))
    elif chosen.human or chosen.classes & _PUBLIC:
        determiner = dice.pick(("the", "the", "this"))
    if determiner == "this" and chosen.kind == "mass" and chosen.en in ("salt", "time"):
        determiner = "the"
    return noun_phrase(chosen, determiner, plural=plural), dice.pick(options)


_SOMEBODY = next(n for n in PEOPLE if n.en == "man")
_PUBLIC = word_set("wild place sight nature crossed transport built")
_DESCRIBED = (
    "animal", "fruit", "vegetable", "dish", "clothes", "pair", "vehicle", "readable",
    "watchable", "audible", "tale", "container", "furniture", "machine", "room", "home",
    "place", "sight", "plant", "task", "opening", "closed", "transport", "art", "soup",
    "coffee", "tea", "milk", "crossed", "drink",
)  # fmt: skip


def description(dice: Dice) -> Sentence:
    """The soup is hot."""
    subject, adjective = draw_description(dice)
    tense = dice.pick(_STATES)
    if tense == "fut" and adjective.en not in _PASSING:
        tense = "pres"
    negation = ""
    if dice.chance(0.2):
        negation = dice.pick(("not", "not", "never", "no longer"))
        if negation != "not" and (tense == "fut" or not subject.human):
            negation = "not"
        if adjective.en in _LASTING:
            negation = "not"
    plan = Plan(subject, BE, tense, negation)
    word = adjective.forms.agree(subject.gender, subject.plural)
    if adjective.gradable and dice.chance(0.35):
        degree = dice.pick(_DEGREES)
        if degree[0] == "too" and adjective.en not in _EXCESSIVE:
            degree = _DEGREES[0]
        plan.en_rest.append(degree[0])
        plan.fr_rest.append(degree[1])
    plan.en_rest.append(adjective.en)
    plan.fr_rest.append(word)
    if negation == "" and adjective.en in _PASSING and dice.chance(0.3):
        when = dice.pick(
            {
                "pres": (("today", "aujourd'hui"), ("this morning", "ce matin")),
                "past": (("yesterday", "hier"), ("this morning", "ce matin")),
                "fut": (("tomorrow", "demain"),),
            }[tense]
        )
        add_adverbial(plan, when)
    return say(plan)


_PASSING = word_set(
    """tired sick happy sad nervous worried busy absent ready disappointed"""
)
_LASTING = word_set(
    """tall old young intelligent small long short famous rich wide honest modern"""
)


def profession(dice: Dice) -> Sentence:
    """She is a lawyer: no article in French, and the feminine."""
    subject = draw_person(dice, pronouns=0.5)
    while subject.plural and not subject.pronoun:
        subject = draw_person(dice, pronouns=0.5)
    if subject.en in ("you",) or "the" in subject.en or "this" in subject.en:
        subject = dice.pick((PRONOUNS[0], PRONOUNS[2], PRONOUNS[3]))
    english, masculine, feminine = dice.pick(names.PROFESSIONS)
    french = feminine if subject.gender == "f" else masculine
    tense = dice.pick(("pres", "pres", "past"))
    negation = "not" if dice.chance(0.15) else ""
    if subject.plural:
        plural_en = english[:-1] + "ies" if english.endswith("ry") else english + "s"
        rest_en, rest_fr = plural_en, french + "s"
    else:
        rest_en, rest_fr = f"{indefinite(english)} {english}", french
    if dice.chance(0.2) and not negation:
        # wants to become a doctor
        plan = Plan(subject, WANT, "pres")
        plan.en_rest += ["to become", rest_en]
        plan.fr_rest += ["devenir", rest_fr]
        return say(plan)
    plan = Plan(subject, BE, tense, negation)
    add_adverbial(plan, (rest_en, rest_fr))
    return say(plan)


def nationality(dice: Dice) -> Sentence:
    """Her husband is Italian."""
    english, french = dice.pick(names.NATIONALITIES)
    subject = draw_person(dice, pronouns=0.35)
    plan = Plan(subject, BE, "pres", "not" if dice.chance(0.2) else "")
    word = adjective_forms(french).agree(subject.gender, subject.plural)
    add_adverbial(plan, (english, word))
    return say(plan)


_FEELINGS = (
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("hot", "chaud"),
    ("sleepy", "sommeil"),
    ("afraid", "peur"),
)


def feeling(dice: Dice) -> Sentence:
    """He is hungry: avoir faim; she is twenty years old."""
    subject = draw_person(dice, pronouns=0.5)
    roll = dice.between(0, 99)
    if roll < 30 and not subject.plural:
        age = draw_age(dice, subject)
        noun = noun_phrase(_YEAR, "number", plural=True, number=age)
        tense = dice.pick(("pres", "pres", "fut"))
        plan = Plan(subject, HAVE_FEELING, tense)
        plan.en_rest.append(f"{noun.en} old")
        plan.fr_rest += noun.fr
        return say(plan)
    if roll < 45:
        word = dice.pick((("right", "raison"), ("wrong", "tort")))
        negation = "not" if dice.chance(0.2) else ""
        plan = Plan(subject, HAVE_FEELING, dice.pick(("pres", "past")), negation)
        if not negation and dice.chance(0.3):
            plan.en_adverb, plan.fr_adverb = dice.pick(FREQUENCIES[1:2])
        add_adverbial(plan, word)
        return say(plan)
    english, french = dice.pick(_FEELINGS)
    negation = dice.pick(("not", "no longer")) if dice.chance(0.25) else ""
    plan = Plan(subject, HAVE_FEELING, dice.pick(("pres", "pres", "past")), negation)
    if dice.chance(0.3) and not negation:
        plan.en_rest.append("very")
        plan.fr_rest.append("très")
    add_adverbial(plan, (english, french))
    return say(plan)


def draw_age(dice: Dice, subject: Phrase) -> int:
    """An age in keeping with what the person is called."""
    words = subject.en
    if "grand" in words:
        return dice.between(60, 99)
    if words.endswith(_CHILDISH):
        return dice.between(2, 17)
    if subject.pronoun or words[0].isupper() or "friend" in words:
        return dice.between(2, 99)
    return dice.between(20, 79)


_CHILDISH = ("boy", "girl", "child", "pupil", "son", "daughter", "nephew", "niece")
_YEAR = Noun("year", "years", "an", "ans", "m", "count", False, frozenset())


def need(dice: Dice) -> Sentence:
    """I need a pen; she is afraid of snakes."""
    subject = draw_person(dice, pronouns=0.5)
    tense = dice.pick(("pres", "pres", "past"))
    negation = "not" if dice.chance(0.2) else ""
    if dice.chance(0.35):
        noun = dice.pick(find_nouns(("wild", "dog", "horse")))
        phrase = noun_phrase(noun, "general", plural=True)
        plan = Plan(subject, HAVE_FEELING, tense, negation)
        plan.en_rest.append(f"afraid of {phrase.en}")
        plan.fr_rest += ["peur", *contract("de", phrase.fr)]
        return say(plan)
    plan = Plan(subject, NEED, tense, negation)
    roll = dice.between(0, 9)
    if roll < 3:
        pronoun = dice.pick(other_pronouns(subject))
        plan.en_rest.append(pronoun)
        plan.fr_rest += ["besoin", "de", DISJUNCTIVE[pronoun]]
    elif roll < 6:
        noun = dice.pick(_SUPPLIES)
        plan.en_rest.append(noun.en)
        plan.fr_rest += ["besoin", "de", *noun.fr.split(" ")]
    else:
        noun = dice.pick(
            find_nouns(("small", "chair", "ladder", "knife", "car", "bike"))
        )
        phrase = noun_phrase(noun, dice.pick(("a", "a", "this", subject.owner)))
        plan.en_rest.append(phrase.en)
        plan.fr_rest += ["besoin", *contract("de", phrase.fr)]
    return say(plan)


_SUPPLIES = tuple(
    n
    for n in find_nouns(("money", "time", "courage", "patience", "food", "drink"))
    if n.kind == "mass"
)


def possession(dice: Dice) -> Sentence:
    """They have two dogs; my brother does not have a car."""
    subject = draw_person(dice)
    tense = dice.pick(("pres", "pres", "past", "fut"))
    roll = dice.between(0, 99)
    negation = dice.pick(("not", "not", "no longer")) if dice.chance(0.25) else ""
    plan = Plan(subject, HAVE, tense, negation)
    if roll < 30:
        noun = dice.pick(find_nouns(_CHILDREN))
        number = dice.between(1, 3)
        if number == 1 or negation:
            phrase = noun_phrase(noun, "a")
        else:
            phrase = noun_phrase(noun, "number", plural=True, number=number)
        if tense == "fut":
            plan.tense = "pres"
    else:
        noun = dice.pick(find_nouns(_OWNED))
        if noun.kind == "mass":
            phrase = noun_phrase(
                noun, dice.pick(("bare", "a lot of", "enough", "too much"))
            )
        else:
            phrase = draw_phrase(dice, noun, STRANGER, adjectives=0.5)
            if not phrase.fr_negated:
                phrase = noun_phrase(noun, "a")
    if negation and (phrase.fr_negated is None or plan.tense == "fut"):
        plan.negation = "not"
    negated = takes_de(plan.negation)
    plan.en_rest.append(phrase.english(negated))
    plan.fr_rest += phrase.french(negated)
    return say(plan)


_CHILDREN = ("brother", "sister", "son", "daughter", "uncle", "aunt", "cousin", "child")
_OWNED = (
    "dog", "cat", "rabbit", "hamster", "horse", "car", "bike", "motorbike", "boat",
    "house", "flat", "garden", "umbrella", "phone", "computer", "camera", "watch",
    "idea", "dream", "problem", "question", "plan", "money", "work", "hat", "coat",
    "suitcase", "ticket", "dictionary", "armchair", "carpet",
)  # fmt: skip


def missing(dice: Dice) -> Sentence:
    """I miss you: in French it is you who are lacking to me."""
    subject = dice.pick(PRONOUNS)
    verb = _MANQUER
    third = subject.person == IL
    said = "misses" if third else "miss"
    pronoun = {"I": "me", "you": "vous", "we": "nous", "they": "leur"}.get(
        subject.en, "lui"
    )
    roll = dice.between(0, 99)
    if roll < 35:
        lacking = dice.pick(
            tuple(p for p in PRONOUNS if p.person != subject.person and p.en != "I"
                  and not (subject.person in (JE, NOUS) and p.person == NOUS))
        )  # fmt: skip
        shown = {"you": "you", "he": "him", "she": "her", "we": "us", "they": "them"}
        english, french = shown[lacking.en], lacking.fr
        person = lacking.person
        if subject.person == IL and lacking.person == IL:
            return missing(dice)
    elif roll < 65:
        english, city = dice.pick(names.CITIES)
        french, person = city.split(" "), IL
    else:
        relative = noun_phrase(dice.pick(KIN), subject.owner)
        english, french, person = relative.en, relative.fr, relative.person
    return (
        [subject.en, said, english],
        [*french, pronoun, verb.fr.present[person]],
        ".",
    )


_MANQUER = make_verb("miss", "manquer", marks="s")


def pain(dice: Dice) -> Sentence:
    """My back hurts: j'ai mal au dos."""
    part = dice.pick(find_nouns(("body",)))
    plural = part.en in ("foot", "leg", "ear", "knee", "arm") and dice.chance(0.3)
    phrase = noun_phrase(part, "the", plural=plural)
    name = part.en_plural if plural else part.en
    subject = draw_person(dice, pronouns=0.6)
    while subject.plural:
        subject = draw_person(dice, pronouns=0.6)
    owner = owner_word(subject.owner) if subject.pronoun else f"{subject.en} 's"
    past = dice.chance(0.25)
    verb = "hurt" if plural or past else "hurts"
    when = ("yesterday", "hier") if past else None
    form = HAVE.fr.imperfect if past else HAVE.fr.present
    french = [*subject.fr, form[subject.person], "mal", *contract("à", phrase.fr)]
    english = [owner, name, verb]
    if when:
        english.append(when[0])
        french.append(when[1])
    return english, french, "."


QUALITIES: tuple[tuple[Template, int], ...] = (
    (description, 9),
    (profession, 3),
    (nationality, 2),
    (feeling, 4),
    (need, 3),
    (possession, 4),
    (missing, 1),
    (pain, 2),
)
