"""Sentences with relative clauses: qui, que, où, dont."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import add_adverbial, draw_action, is_ambiguous
from anadrome.corpora.grammar.adjectives import predicates
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Sentence,
    Words,
    clause,
)
from anadrome.corpora.grammar.english import indefinite
from anadrome.corpora.grammar.facts import draw_spot
from anadrome.corpora.grammar.nouns import Noun, noun
from anadrome.corpora.grammar.phrases import (
    PEOPLE,
    PRONOUNS,
    ROLES,
    Dice,
    Template,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.verbs import BE, NEED, Verb, make_verb


def describe(dice: Dice, phrase: Phrase, thing: Noun, beside: str) -> Plan:
    """The thing is as one of its adjectives says, in a tense that goes with another."""
    adjective = dice.pick(predicates(thing))
    tense = dice.pick(("pres", "past")) if beside in ("past", "used") else "pres"
    plan = Plan(phrase, BE, tense)
    if adjective.gradable and dice.chance(0.3):
        add_adverbial(plan, ("very", "très"))
    word = adjective.forms.agree(phrase.gender, phrase.plural)
    add_adverbial(plan, (adjective.en, word))
    return plan


def _who_phrase(dice: Dice) -> tuple[Phrase, Noun]:
    thing = dice.pick(PEOPLE + ROLES)
    plural = dice.chance(0.25)
    return noun_phrase(thing, "the", plural=plural), thing


def extend(phrase: Phrase, english: Words, french: Words) -> Phrase:
    """The phrase with a relative clause after it."""
    return Phrase(
        " ".join([phrase.en, *english]),
        [*phrase.fr, *french],
        phrase.person,
        phrase.gender,
        phrase.plural,
        owner=phrase.owner,
        human=phrase.human,
    )


def relative_subject(dice: Dice) -> Sentence:
    """The man who is singing is my uncle; I know a woman who speaks Chinese."""
    phrase, thing = _who_phrase(dice)
    tense = dice.pick(("prog", "past", "pres", "fut"))
    family = dice.pick(("transitive", "intransitive", "motion", "hobby", "chore"))
    relative = Phrase(
        "who",
        ["qui"],
        phrase.person,
        phrase.gender,
        phrase.plural,
        owner=phrase.owner,
        human=True,
    )
    plan = draw_action(dice, relative, tense, family=family)
    if len(plan.fr_rest) > 6:
        return relative_subject(dice)
    inner_en, inner_fr = clause(plan)
    if dice.chance(0.45):
        person = draw_person(dice, pronouns=0.8)
        determiner = "some" if phrase.plural else "a"
        known = noun_phrase(thing, determiner, plural=phrase.plural)
        verb = dice.pick((_KNOW, _SEE, _MEET))
        outer = Plan(person, verb, "pres" if verb is _KNOW else "past")
        if verb is _MEET or verb is _SEE:
            if tense != "prog":
                outer = Plan(person, _KNOW, "pres")
            else:
                plan.tense = "pprog"
                inner_en, inner_fr = clause(plan)
        outer.en_rest += [known.en, *inner_en]
        outer.fr_rest += [*known.fr, *inner_fr]
        return *clause(outer), "."
    subject = extend(phrase, inner_en, inner_fr)
    english, french = clause(_say_of(dice, subject, thing))
    return english, french, "."


def _say_of(dice: Dice, subject: Phrase, thing: Noun) -> Plan:
    """Something about a person: a quality or a nationality."""
    plan = Plan(subject, BE, "pres")
    adjective = dice.pick(predicates(thing))
    word = adjective.forms.agree(subject.gender, subject.plural)
    add_adverbial(plan, (adjective.en, word))
    return plan


_KNOW = make_verb("know", "connaître", marks="s")
_SEE = make_verb("see", "voir")
_MEET = make_verb("meet", "rencontrer")

_RELATED: tuple[tuple[Verb, tuple[str, ...]], ...] = tuple(
    (make_verb(english, french, marks=marks), tuple(classes.split(" ")))
    for english, french, marks, classes in (
        (
            "buy",
            "acheter",
            "",
            "fruit vegetable clothes pair car bike lamp furniture book",
        ),
        ("read", "lire", "", "book novel letter newspaper article magazine"),
        ("write", "écrire", "", "letter poem novel article"),
        ("choose", "choisir", "x", "clothes ring film book cake"),
        ("find", "trouver", "xa", "small pet ring"),
        ("lose", "perdre", "xa", "small ring"),
        ("prepare", "préparer", "", "soup cake salad omelette tart"),
        ("open", "ouvrir", "", "door window box drawer bag"),
        ("see", "voir", "x", "film show house painting castle"),
        ("receive", "recevoir", "xa", "letter present message postcard"),
        ("sell", "vendre", "", "car house painting bike boat"),
        ("wear", "porter", "", "clothes pair"),
        ("repair", "réparer", "", "car bike radio clock computer"),
        ("sing", "chanter", "", "song"),
        ("invite", "inviter", "x", "people"),
        ("meet", "rencontrer", "xa", "role people"),
        ("look for", "chercher", "", "small"),
        ("visit", "visiter", "x", "sight"),
    )
)


def draw_related(dice: Dice) -> tuple[Phrase, Noun, str]:
    """Something with a clause about it, and its tense: les pommes que j'ai achetées."""
    verb, classes = dice.pick(_RELATED)
    thing = dice.pick(find_nouns(classes))
    plural = thing.kind == "count" and dice.chance(0.35)
    if "pair" in thing.classes:
        plural = True
    phrase = noun_phrase(thing, "the", plural=plural)
    person = draw_person(dice, pronouns=0.6)
    tense = dice.pick(("past", "past", "fut", "prog"))
    if verb.accident or (verb.still and tense == "prog"):
        tense = "past"
    if verb.en.base == "wear":
        tense = "prog"
    plan = Plan(person, verb, tense)
    if is_ambiguous(plan):
        plan.tense = "prog"
    plan.clitics = Clitics((), True, phrase.gender, phrase.plural)
    english, french = clause(plan)
    return extend(phrase, ["that", *english], ["que", *french]), thing, plan.tense


def relative_object(dice: Dice) -> Sentence:
    """The apples that I bought are delicious."""
    subject, thing, tense = draw_related(dice)
    if thing.classes & {"small"} and dice.chance(0.4):
        spot_en, spot_fr = draw_spot(dice, thing)
        plan = Plan(subject, BE, "pres")
        plan.en_rest.append(spot_en)
        plan.fr_rest += spot_fr
        return *clause(plan), "."
    if not predicates(thing):
        return relative_object(dice)
    return *clause(describe(dice, subject, thing, tense)), "."


_WHERE_VERBS = (
    (
        make_verb("live", "habiter", marks="s"),
        ("house", "flat", "village", "farm", "castle"),
    ),
    (
        make_verb("work", "travailler"),
        (
            "bank",
            "school",
            "hospital",
            "factory",
            "hotel",
            "restaurant",
            "pharmacy",
            "library",
        ),
    ),
    (make_verb("have lunch", "déjeuner"), ("restaurant", "hotel")),
    (make_verb("sleep", "dormir"), ("bedroom", "hotel", "house")),
    (make_verb("study", "étudier"), ("university", "library", "school")),
    (make_verb("play", "jouer"), ("garden", "park", "stadium")),
)


def relative_place(dice: Dice) -> Sentence:
    """The village where we live is small."""
    verb, places = dice.pick(_WHERE_VERBS)
    thing = dice.pick(find_nouns(tuple(p for p in places)))
    phrase = noun_phrase(thing, "the")
    tense = dice.pick(
        ("pres", "pres", "used") if verb.state else ("pres", "past", "used")
    )
    english, french = clause(Plan(draw_person(dice), verb, tense))
    subject = extend(phrase, ["where", *english], ["où", *french])
    if not predicates(thing):
        return relative_place(dice)
    return *clause(describe(dice, subject, thing, tense)), "."


def relative_genitive(dice: Dice) -> Sentence:
    """The film that they are talking about is boring; the woman whose son is ill."""
    roll = dice.between(0, 99)
    if roll < 35:
        thing = dice.pick(
            find_nouns(
                (
                    "film",
                    "book",
                    "match",
                    "show",
                    "novel",
                    "plan",
                    "problem",
                    "house",
                    "restaurant",
                )
            )
        )
        phrase = noun_phrase(thing, "the")
        plan = Plan(draw_person(dice), _TALK, dice.pick(("prog", "past", "past")))
        english, french = clause(plan)
        subject = extend(phrase, ["that", *english, "about"], ["dont", *french])
        if not predicates(thing):
            return relative_genitive(dice)
        return *clause(describe(dice, subject, thing, plan.tense)), "."
    if roll < 65:
        thing = dice.pick(find_nouns(("small",)))
        phrase = noun_phrase(thing, "the", plural=dice.chance(0.2))
        plan = Plan(draw_person(dice), NEED, "pres")
        english, french = clause(plan)
        subject = extend(phrase, ["that", *english], ["dont", *french, "besoin"])
        spot_en, spot_fr = draw_spot(dice, thing)
        outer = Plan(subject, BE, "pres")
        outer.en_rest.append(spot_en)
        outer.fr_rest += spot_fr
        return *clause(outer), "."
    person = dice.pick(("man", "woman", "neighbour", "boy", "girl", "teacher", "lady"))
    holder = noun_phrase(noun(person), "the")
    relative = dice.pick(
        find_nouns(
            ("brother", "sister", "son", "daughter", "father", "mother", "dog", "car")
        )
    )
    if relative.en in ("son", "daughter") and person in ("boy", "girl"):
        return relative_genitive(dice)
    held = noun_phrase(relative, "the")
    if relative.human and dice.chance(0.5):
        job, masculine, feminine = dice.pick(names.PROFESSIONS)
        what_en = f"is {indefinite(job)} {job}"
        what_fr = ["est", feminine if relative.gender == "f" else masculine]
    else:
        adjective = dice.pick(predicates(relative))
        what_en = f"is {adjective.en}"
        what_fr = ["est", adjective.forms.agree(relative.gender, False)]
    subject = extend(
        holder, ["whose", relative.en, what_en], ["dont", *held.fr, *what_fr]
    )
    if dice.chance(0.5):
        plan = Plan(dice.pick(PRONOUNS), _KNOW, "pres")
        plan.en_rest.append(subject.en)
        plan.fr_rest += subject.fr
        return *clause(plan), "."
    return *clause(Plan(subject, _LIVE, "pres", en_rest=["here"], fr_rest=["ici"])), "."


_TALK = make_verb("talk", "parler")
_LIVE = make_verb("live", "habiter", marks="s")


RELATIVES: tuple[tuple[Template, int], ...] = (
    (relative_subject, 4),
    (relative_object, 5),
    (relative_place, 3),
    (relative_genitive, 4),
)
