"""Sentences with because, that, when, while and if."""

from __future__ import annotations

from anadrome.corpora.grammar.actions import add_adverbial, draw_action
from anadrome.corpora.grammar.adjectives import predicates
from anadrome.corpora.grammar.clauses import (
    Clause,
    Phrase,
    Plan,
    Sentence,
    clause,
    say_english,
    say_french,
)
from anadrome.corpora.grammar.conjugation import IL, ILS
from anadrome.corpora.grammar.facts import draw_weather
from anadrome.corpora.grammar.nouns import noun
from anadrome.corpora.grammar.phrases import (
    PRONOUNS,
    WE,
    YOU,
    Dice,
    I,
    Template,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.relatives import describe
from anadrome.corpora.grammar.verbs import BE, HAVE, HAVE_FEELING, make_verb


def mood(dice: Dice, subject: Phrase, tense: str) -> Clause:
    """How somebody feels: a reason for what they do."""
    if dice.chance(0.35):
        plan = Plan(subject, HAVE_FEELING, tense)
        add_adverbial(plan, dice.pick(_FEELINGS))
        return clause(plan)
    adjective = dice.pick(MOODS)
    plan = Plan(subject, BE, tense)
    if adjective.gradable and dice.chance(0.25):
        add_adverbial(plan, ("very", "très"))
    word = adjective.forms.agree(subject.gender, subject.plural)
    add_adverbial(plan, (adjective.en, word))
    return clause(plan)


_FEELINGS = (
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("hot", "chaud"),
    ("sleepy", "sommeil"),
    ("afraid", "peur"),
)
MOODS = tuple(
    a
    for a in predicates(noun("man"))
    if a.en
    in (
        "tired",
        "sick",
        "sad",
        "happy",
        "nervous",
        "worried",
        "busy",
        "disappointed",
        "jealous",
    )
)


def same_person(person: Phrase) -> Phrase:
    """The pronoun that refers back to a person."""
    if person.pronoun:
        return person
    if person.person == ILS:
        french = "elles" if person.gender == "f" else "ils"
        return Phrase(
            "they", [french], ILS, person.gender, True, True, "their", human=True
        )
    english, french = ("she", "elle") if person.gender == "f" else ("he", "il")
    return Phrase(
        english, [french], IL, person.gender, False, True, person.owner, human=True
    )


def refer(before: Phrase, person: Phrase) -> Phrase:
    """The person, "they" taken to mean the women who were just mentioned."""
    if person.en == "they" and before.person == ILS and before.gender == "f":
        return same_person(before)
    return person


_BECAUSE = tuple(
    (make_verb(english, french), rest_en, rest_fr, reasons)
    for english, french, rest_en, rest_fr, reasons in (
        ("stay", "rester", "at home", "à la maison", "tired sick sad cold afraid"),
        ("stay", "rester", "in bed", "au lit", "tired sick cold sleepy"),
        ("go", "aller", "to bed early", "", "tired sick sleepy"),
        ("drink", "boire", "some water", "de l' eau", "thirsty hot"),
        ("drink", "boire", "some tea", "du thé", "thirsty cold sick"),
        ("eat", "manger", "a sandwich", "un sandwich", "hungry"),
        ("eat", "manger", "some cake", "du gâteau", "hungry sad"),
        ("cry", "pleurer", "", "", "sad disappointed tired afraid"),
        ("sing", "chanter", "", "", "happy"),
        ("dance", "danser", "", "", "happy"),
        ("close", "fermer", "the window", "la fenêtre", "cold afraid"),
        ("open", "ouvrir", "the window", "la fenêtre", "hot"),
        ("rest", "se reposer", "", "", "tired sick"),
        ("call", "appeler", "the doctor", "le médecin", "sick worried"),
        ("call", "appeler", "a friend", "un ami", "sad worried"),
        ("sleep", "dormir", "", "", "tired sick sleepy"),
        ("wear", "porter", "a coat", "un manteau", "cold"),
        ("go", "aller", "to the restaurant", "au restaurant", "hungry"),
        ("go", "aller", "to the swimming pool", "à la piscine", "hot"),
        ("go", "aller", "to the hospital", "à l' hôpital", "sick"),
        ("work", "travailler", "all day", "toute la journée", "busy worried"),
    )
)
_REASONS = {a.en: a for a in MOODS}
_FELT = dict(_FEELINGS)


def because(dice: Dice) -> Sentence:
    """Marie stayed at home because she was tired."""
    roll = dice.between(0, 99)
    subject = draw_person(dice)
    verb, english, french, reasons = dice.pick(_BECAUSE)
    tense = dice.pick(("past", "past", "prog", "going"))
    if not french and english:
        verb = _GO_TO_BED
        english, french = "early", "tôt"
    if verb.en.base == "wear":
        tense = "prog"
    plan = Plan(subject, verb, tense)
    if english:
        add_adverbial(plan, (english, french))
    if roll < 25:
        # because it was raining
        if verb.en.base not in ("stay", "call", "go", "rest", "sleep"):
            return because(dice)
        then_en, then_fr = draw_weather(dice, "past" if tense == "past" else "pres")
        if "hot" in then_en and verb.en.base != "go":
            return because(dice)
        if english in ("early", "to the hospital", "the doctor", "a friend"):
            return because(dice)
        if verb.en.base == "go" and "hot" not in then_en:
            return because(dice)
    else:
        reason = dice.pick(reasons.split(" "))
        again = same_person(subject)
        when = "past" if tense == "past" else "pres"
        if reason in _FELT:
            cause = Plan(again, HAVE_FEELING, when)
            add_adverbial(cause, (reason, _FELT[reason]))
        else:
            adjective = _REASONS[reason]
            cause = Plan(again, BE, when)
            if adjective.gradable and dice.chance(0.25):
                add_adverbial(cause, ("very", "très"))
            word = adjective.forms.agree(again.gender, again.plural)
            add_adverbial(cause, (reason, word))
        then_en, then_fr = clause(cause)
    first_en, first_fr = clause(plan)
    return [*first_en, "because", *then_en], [*first_fr, "parce", "que", *then_fr], "."


_GO_TO_BED = make_verb("go to bed", "se coucher")


def that_clause(dice: Dice) -> Sentence:
    """I think that your brother is right."""
    roll = dice.between(0, 99)
    person = draw_person(dice, pronouns=0.65)
    if roll < 75:
        english, french, tenses = dice.pick(_THOUGHTS)
        verb = make_verb(english, french, marks="s")
        inner = _content(dice, person, dice.pick(tenses))
        outer_en, outer_fr = clause(Plan(person, verb, "pres"))
    else:
        # sequence of tenses: he said that he was tired, that he would come
        verb = dice.pick((_SAY, _PROMISE))
        again = same_person(person)
        if verb is _SAY and dice.chance(0.6):
            inner = mood(dice, again, "past")
        else:
            plan = draw_action(dice, again, "fut", places=False)
            plan.tense = "cond"
            inner = clause(plan)
        outer_en, outer_fr = clause(Plan(person, verb, "past"))
    return [*outer_en, "that", *inner[0]], [*outer_fr, "que", *inner[1]], "."


_SAY = make_verb("say", "dire")
_PROMISE = make_verb("promise", "promettre")
_THOUGHTS = (
    ("think", "penser", ("state", "past", "fut")),
    ("believe", "croire", ("state", "past", "fut")),
    ("know", "savoir", ("state", "past", "fut", "past")),
    ("say", "dire", ("state", "past", "fut")),
    ("hope", "espérer", ("fut",)),
)


def _content(dice: Dice, speaker: Phrase, kind: str) -> Clause:
    """What is thought or said."""
    if kind != "state":
        subject = refer(speaker, draw_person(dice))
        plan = draw_action(dice, subject, kind, places=False, pronouns=False)
        while plan.verb.state:
            plan = draw_action(dice, subject, kind, places=False, pronouns=False)
        return clause(plan)
    roll = dice.between(0, 9)
    if roll < 4:
        return mood(dice, refer(speaker, draw_person(dice)), "pres")
    if roll < 6:
        plan = Plan(refer(speaker, draw_person(dice)), HAVE_FEELING, "pres")
        add_adverbial(plan, dice.pick((("right", "raison"), ("wrong", "tort"))))
        return clause(plan)
    thing = dice.pick(
        find_nouns(
            (
                "film",
                "book",
                "house",
                "dress",
                "soup",
                "museum",
                "exercise",
                "story",
                "car",
                "question",
                "letter",
            )
        )
    )
    phrase = noun_phrase(thing, "this")
    return clause(describe(dice, phrase, thing, "pres"))


def when_clause(dice: Dice) -> Sentence:
    """When Paul arrived, we were having dinner; when I was young, I used to sing."""
    roll = dice.between(0, 99)
    if roll < 35:
        subject = draw_person(dice, pronouns=0.2)
        event = Plan(subject, dice.pick(COMINGS), "past")
        if subject.pronoun:
            event.subject = draw_person(dice, pronouns=0.0)
        other = dice.pick(_SPEAKERS)
        scene = draw_action(
            dice, other, "pprog", family=dice.pick(("intransitive", "transitive"))
        )
        return _join(dice, "when", "quand", clause(event), clause(scene))
    if roll < 60:
        # future in both French clauses
        subject = draw_person(dice, pronouns=0.0)
        event = Plan(subject, dice.pick(COMINGS), "pres")
        then = Plan(subject, event.verb, "fut")
        other = dice.pick(_SPEAKERS)
        result = draw_action(dice, other, "fut", places=False)
        first = say_english(event), say_french(then)
        return _join(dice, "when", "quand", first, clause(result))
    if roll < 80:
        person = dice.pick(PRONOUNS)
        english, french = dice.pick(
            (
                ("young", "jeune"),
                ("a child", "enfant"),
                ("a student", "étudiant"),
                ("small", "petit"),
            )
        )
        if person.plural:
            english = {"a child": "children", "a student": "students"}.get(
                english, english
            )
        word = french
        if french == "étudiant":
            word = "étudiante" if person.gender == "f" else "étudiant"
        if french == "petit":
            word = "petite" if person.gender == "f" else "petit"
        if person.plural:
            word += "s"
        scene = Plan(person, BE, "past")
        add_adverbial(scene, (english, word))
        family = dice.pick(("hobby", "intransitive", "chore", "motion"))
        habit = draw_action(dice, person, "used", places=False, family=family)
        return _join(dice, "when", "quand", clause(scene), clause(habit))
    one = draw_person(dice, pronouns=0.2)
    two = draw_person(dice, pronouns=0.2)
    while two.en == one.en:
        two = draw_person(dice, pronouns=0.2)
    first_plan = draw_action(dice, one, "pprog", family="intransitive", places=False)
    second_plan = draw_action(dice, two, "pprog", family="chore")
    return _join(dice, "while", "pendant que", clause(first_plan), clause(second_plan))


_SPEAKERS = (I, YOU, WE)
COMINGS = (
    make_verb("arrive", "arriver"),
    make_verb("come back", "revenir"),
    make_verb("leave", "partir"),
    make_verb("wake up", "se réveiller"),
    make_verb("go out", "sortir"),
)


def _join(
    dice: Dice, english: str, french: str, inner: Clause, outer: Clause
) -> Sentence:
    """Two clauses, the subordinate one first with a comma, or last without."""
    words = french.split(" ")
    if dice.chance(0.5):
        return (
            [english, *inner[0], ",", *outer[0]],
            [*words, *inner[1], ",", *outer[1]],
            ".",
        )
    return [*outer[0], english, *inner[0]], [*outer[1], *words, *inner[1]], "."


def if_clause(dice: Dice) -> Sentence:
    """If it rains, we will stay at home; if I had money, I would buy a car."""
    roll = dice.between(0, 99)
    if roll < 35:
        english, french = dice.pick(_IF_WEATHER)
        subject = draw_person(dice)
        family = dice.pick(("motion", "chore", "hobby"))
        result = draw_action(
            dice, subject, "fut", dice.pick(("", "", "not")), family=family
        )
        return _join(
            dice, "if", "si", (english.split(" "), french.split(" ")), clause(result)
        )
    if roll < 65:
        subject = draw_person(dice, pronouns=0.6)
        condition = dice.pick(
            (
                Plan(subject, HAVE, "pres", en_rest=["time"], fr_rest=["le", "temps"]),
                Plan(
                    subject, HAVE_FEELING, "pres", en_rest=["hungry"], fr_rest=["faim"]
                ),
                Plan(
                    subject,
                    BE,
                    "pres",
                    en_rest=["tired"],
                    fr_rest=[_TIRED.agree(subject.gender, subject.plural)],
                ),
                Plan(
                    subject,
                    BE,
                    "pres",
                    en_rest=["ready"],
                    fr_rest=[_READY.agree(subject.gender, subject.plural)],
                ),
            )
        )
        again = same_person(subject)
        word = condition.en_rest[0]
        if word == "hungry":
            result = Plan(again, _EAT, "fut")
            phrase = noun_phrase(dice.pick(find_nouns(("dish", "fruit"))), "a")
            result.en_rest.append(phrase.en)
            result.fr_rest += phrase.fr
        elif word == "tired":
            result = draw_action(
                dice,
                again,
                "fut",
                "not",
                family=dice.pick(("chore", "motion", "hobby")),
            )
        elif word == "ready":
            result = draw_action(dice, again, "fut", family="motion")
        else:
            result = draw_action(dice, again, "fut", places=False, pronouns=False)
        return _join_forward("if", "si", clause(condition), clause(result))
    person = dice.pick(PRONOUNS)
    condition = Plan(person, HAVE, "past")
    add_adverbial(
        condition,
        dice.pick(
            (
                ("the time", "le temps"),
                ("money", "de l' argent"),
                ("a car", "une voiture"),
                ("a garden", "un jardin"),
                ("a lot of money", "beaucoup de argent"),
            )
        ),
    )
    rest = condition.en_rest[0]
    result = draw_action(dice, person, "fut", family="motion")
    while result.verb.en.base not in ("go", "visit") or result.verb.particle:
        result = draw_action(dice, person, "fut", family="motion")
    if rest == "a garden":
        result = Plan(person, _BUY, "fut")
        thing = dice.pick(find_nouns(("dog", "rabbit", "hen", "tree")))
        phrase = noun_phrase(thing, "a")
        result.en_rest.append(phrase.en)
        result.fr_rest += phrase.fr
    elif "money" in rest:
        result = Plan(person, _BUY, "fut")
        thing = dice.pick(
            find_nouns(
                (
                    "house",
                    "flat",
                    "car",
                    "boat",
                    "motorbike",
                    "jewel",
                    "castle",
                    "horse",
                    "farm",
                    "computer",
                )
            )
        )
        phrase = noun_phrase(thing, "a")
        result.en_rest.append(phrase.en)
        result.fr_rest += phrase.fr
    result.tense = "cond"
    return _join(dice, "if", "si", clause(condition), clause(result))


_TIRED = next(a.forms for a in predicates(noun("man")) if a.en == "tired")
_READY = next(a.forms for a in predicates(noun("man")) if a.en == "ready")
_EAT = make_verb("eat", "manger")
_BUY = make_verb("buy", "acheter")
_IF_WEATHER = (
    ("it rains", "il pleut"),
    ("it snows", "il neige"),
    ("it is cold", "il fait froid"),
    ("it is hot", "il fait chaud"),
    ("it is sunny", "il y a du soleil"),
    ("it is windy", "il y a du vent"),
    ("it rains tomorrow", "il pleut demain"),
    ("it snows tomorrow", "il neige demain"),
)


def _join_forward(english: str, french: str, inner: Clause, outer: Clause) -> Sentence:
    """Two clauses, the subordinate one first, because the other refers back to it."""
    return (
        [english, *inner[0], ",", *outer[0]],
        [french, *inner[1], ",", *outer[1]],
        ".",
    )


CONJUNCTIONS: tuple[tuple[Template, int], ...] = (
    (because, 5),
    (that_clause, 6),
    (when_clause, 5),
    (if_clause, 5),
)
