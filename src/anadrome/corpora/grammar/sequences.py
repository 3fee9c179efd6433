"""Two things done: one after the other, for the other, or instead."""

from __future__ import annotations

from anadrome.corpora.grammar.actions import add_adverbial, draw_action
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Plan,
    Sentence,
    clause,
    say_infinitive,
)
from anadrome.corpora.grammar.conjunctions import COMINGS, MOODS, refer
from anadrome.corpora.grammar.phrases import (
    Dice,
    Template,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.verbs import BE, Verb, make_verb
from anadrome.corpora.grammar.words import word_set

_CHAINS: tuple[tuple[Verb, Verb, tuple[str, ...]], ...] = tuple(
    (
        make_verb(first_en, first_fr),
        make_verb(second_en, second_fr),
        tuple(classes.split(" ")),
    )
    for first_en, first_fr, second_en, second_fr, classes in (
        ("buy", "acheter", "eat", "manger", "fruit sandwich cake pancake tart biscuit"),
        ("buy", "acheter", "read", "lire", "book newspaper novel magazine"),
        ("write", "écrire", "send", "envoyer", "letter message postcard"),
        ("find", "trouver", "open", "ouvrir", "box suitcase bag"),
        ("wash", "laver", "cut", "couper", "tomato carrot apple pear"),
        ("prepare", "préparer", "eat", "manger", "salad omelette soup cake"),
        ("choose", "choisir", "buy", "acheter", "clothes ring lamp armchair"),
        ("take", "prendre", "close", "fermer", "suitcase bag box"),
        ("repair", "réparer", "sell", "vendre", "vehicle"),
        ("receive", "recevoir", "read", "lire", "letter message"),
        ("see", "voir", "photograph", "photographier", "wild castle"),
        ("pick", "cueillir", "eat", "manger", "apple cherry strawberry peach pear"),
        ("meet", "rencontrer", "invite", "inviter", "role"),
    )
)


def chain(dice: Dice) -> Sentence:
    """Marie bought an apple and ate it: et l'a mangée."""
    first, second, classes = dice.pick(_CHAINS)
    thing = dice.pick(find_nouns(classes))
    plural = thing.kind == "count" and dice.chance(0.3)
    tense = dice.pick(("past", "past", "past", "fut"))
    if first.en.base in ("lose", "see", "receive", "find", "meet"):
        tense = "past"
    subject = draw_person(dice)
    determiner = "the" if first.en.base in ("lose", "repair") else "a"
    if thing.kind == "mass":
        determiner = "the"
    if plural:
        determiner = "some" if determiner == "a" else determiner
    phrase = noun_phrase(thing, determiner, plural=plural)
    plan = Plan(subject, first, tense)
    plan.en_rest.append(phrase.en)
    plan.fr_rest += phrase.fr
    if thing.human:
        pronoun = "them" if plural else "her" if thing.gender == "f" else "him"
    else:
        pronoun = "them" if plural else "it"
    word = "les" if plural else "la" if thing.gender == "f" else "le"
    then = Plan(subject, second, tense)
    then.clitics = Clitics((word,), True, thing.gender, plural)
    then.en_rest.append(pronoun)
    first_en, first_fr = clause(plan)
    then_en, then_fr = clause(then)
    auxiliary = 2 if tense == "fut" else 1
    skipped = len(subject.fr)
    return (
        [*first_en, "and", *then_en[auxiliary:]],
        [*first_fr, "et", *then_fr[skipped:]],
        ".",
    )


def contrast(dice: Dice) -> Sentence:
    """Paul likes coffee, but his sister prefers tea; he sings and dances."""
    roll = dice.between(0, 99)
    if roll < 40:
        one, two = draw_person(dice), draw_person(dice)
        while one.en == two.en or one.en in two.en or two.en in one.en:
            two = draw_person(dice)
        classes = dice.pick((("fruit",), ("vegetable",), ("drink",), ("food",)))
        first, second = dice.two(find_nouns(classes))
        likes = [
            noun_phrase(n, "general", plural=n.kind != "mass") for n in (first, second)
        ]
        liking = Plan(one, _LIKE, "pres", dice.pick(("", "", "not")))
        liking.en_rest.append(likes[0].en)
        liking.fr_rest += likes[0].fr
        verb = dice.pick((_PREFER, _HATE))
        if liking.negation:
            verb = _LIKE
        other = Plan(two, verb, "pres")
        other.en_rest.append(likes[1].en)
        other.fr_rest += likes[1].fr
        left, right = clause(liking), clause(other)
        return [*left[0], ", but", *right[0]], [*left[1], ",", "mais", *right[1]], "."
    if roll < 60:
        subject = draw_person(dice, pronouns=0.4)
        tense = dice.pick(("pres", "past", "fut"))
        first_plan = draw_action(
            dice, subject, tense, family="intransitive", places=False
        )
        second_plan = draw_action(
            dice, subject, tense, family="intransitive", places=False
        )
        if first_plan.verb.en.base == second_plan.verb.en.base:
            return contrast(dice)
        left, right = clause(first_plan), clause(second_plan)
        skip = 2 if tense == "fut" else 1
        rest = right[1][len(subject.fr) :]
        if tense == "past":
            # il a chanté et dansé
            rest = rest[1:]
        return [*left[0], "and", *right[0][skip:]], [*left[1], "et", *rest], "."
    one, two = draw_person(dice), draw_person(dice)
    while one.en == two.en or one.en in two.en or two.en in one.en:
        two = draw_person(dice)
    two = refer(one, two)
    tense = dice.pick(("past", "past", "fut", "prog"))
    families = ("hobby", "chore", "intransitive", "motion", "reflexive")
    first_plan = draw_action(dice, one, tense, family=dice.pick(families))
    second_plan = draw_action(dice, two, tense, family=dice.pick(families))
    if first_plan.verb is second_plan.verb:
        return contrast(dice)
    joint = dice.pick((("and", "et"), ("but", "mais")))
    left, right = clause(first_plan), clause(second_plan)
    return (
        [*left[0], ",", joint[0], *right[0]],
        [*left[1], ",", joint[1], *right[1]],
        ".",
    )


_LIKE = make_verb("like", "aimer", marks="s")
_PREFER = make_verb("prefer", "préférer", marks="s")
_HATE = make_verb("hate", "détester", marks="s")


def purpose(dice: Dice) -> Sentence:
    """He is too tired to work; she went out without closing the door."""
    roll = dice.between(0, 99)
    subject = draw_person(dice)
    if roll < 40:
        adjective = dice.pick(
            tuple(
                a for a in MOODS if a.en in ("tired", "sick", "busy", "sad", "nervous")
            )
        )
        plan = Plan(subject, BE, dice.pick(("pres", "past")))
        word = adjective.forms.agree(subject.gender, subject.plural)
        family = dice.pick(("intransitive", "motion", "hobby", "chore"))
        inner = draw_action(dice, subject, "inf", family=family, places=False)
        while inner.verb.en.base in _RESTFUL or inner.verb.accident:
            inner = draw_action(dice, subject, "inf", family=family, places=False)
        english, french = say_infinitive(inner)
        plan.en_rest += ["too", adjective.en, "to", *english]
        plan.fr_rest += ["trop", word, "pour", *french]
        return *clause(plan), "."
    if roll < 70:
        verb = dice.pick(COMINGS[:1] + COMINGS[2:3] + COMINGS[4:])
        plan = Plan(subject, verb, "past")
        without_en, without_fr = dice.pick(_WITHOUT)
        plan.en_rest.append(f"without {without_en}")
        plan.fr_rest += ["sans", *without_fr.split(" ")]
        return *clause(plan), "."
    inner = draw_action(dice, subject, "inf", family="transitive", places=False)
    while inner.verb.en.base not in _AIMS:
        family = dice.pick(("transitive", "transitive", "hobby", "motion"))
        inner = draw_action(dice, subject, "inf", family=family, places=False)
    english, french = say_infinitive(inner)
    verb = dice.pick((_GO_OUT, _GET_UP, _COME))
    tense = dice.pick(("past", "fut", "going"))
    plan = Plan(subject, verb, tense)
    if verb is _GET_UP:
        add_adverbial(plan, ("early", "tôt"))
    plan.en_rest += ["in order to", *english]
    plan.fr_rest += ["pour", *french]
    return *clause(plan), "."


_AIMS = word_set(
    """buy visit meet photograph pick feed look play help watch see learn"""
)
_GO_OUT = make_verb("go out", "sortir")
_GET_UP = make_verb("get up", "se lever")
_COME = make_verb("come", "venir")
_RESTFUL = word_set("sleep wait stay smile live arrive come laugh")
_WITHOUT = (
    ("closing the door", "fermer la porte"),
    ("saying anything", "rien dire"),
    ("eating", "manger"),
    ("waiting", "attendre"),
    ("answering", "répondre"),
    ("speaking to them", "leur parler"),
    ("taking the keys", "prendre les clés"),
    ("looking at us", "nous regarder"),
    ("paying", "payer"),
    ("smiling", "sourire"),
)


def timed(dice: Dice) -> Sentence:
    """They will play cards after dinner; he sings before going to bed."""
    subject = draw_person(dice)
    tense = dice.pick(("past", "fut", "pres"))
    family = dice.pick(("transitive", "hobby", "chore", "intransitive"))
    plan = draw_action(dice, subject, tense, family=family, places=False)
    if plan.verb.state or plan.verb.accident or not plan.verb.habit:
        return timed(dice)
    if family == "transitive" and plan.verb.en.base not in _DAILY:
        return timed(dice)
    roll = dice.between(0, 9)
    if roll < 5:
        meal = dice.pick(
            (
                ("dinner", "le dîner"),
                ("lunch", "le déjeuner"),
                ("breakfast", "le petit déjeuner"),
                ("the film", "le film"),
                ("the meeting", "la réunion"),
                ("the match", "le match"),
            )
        )
        word = dice.pick((("before", "avant"), ("after", "après")))
        add_adverbial(plan, (f"{word[0]} {meal[0]}", f"{word[1]} {meal[1]}"))
    else:
        english, french = dice.pick(_BEFORE)
        plan.en_rest.append(f"before {english}")
        reflexive = ["me", "te", "se", "nous", "vous", "se"][subject.person]
        words = [reflexive if w == "se" else w for w in french.split(" ")]
        plan.fr_rest += ["avant", "de", *words]
    return *clause(plan), "."


_DAILY = word_set("read drink eat listen watch write call feed wash clean")
_BEFORE = (
    ("going to bed", "se coucher"),
    ("going out", "sortir"),
    ("eating", "manger"),
    ("leaving", "partir"),
    ("going home", "rentrer"),
)


SEQUENCES: tuple[tuple[Template, int], ...] = (
    (chain, 4),
    (contrast, 5),
    (purpose, 4),
    (timed, 3),
)
