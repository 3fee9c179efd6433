"""Sentences of several clauses: relatives, conjunctions, conditions."""

from __future__ import annotations

from anadrome.text.grammar import names
from anadrome.text.grammar.actions import (
    add_adverbial,
    draw_action,
    is_ambiguous,
)
from anadrome.text.grammar.adjectives import predicates
from anadrome.text.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Words,
    say_english,
    say_french,
    say_infinitive,
)
from anadrome.text.grammar.conjugation import IL, ILS
from anadrome.text.grammar.english import indefinite
from anadrome.text.grammar.facts import draw_spot, draw_weather
from anadrome.text.grammar.nouns import Noun, noun
from anadrome.text.grammar.phrases import (
    PEOPLE,
    PRONOUNS,
    ROLES,
    WE,
    YOU,
    Dice,
    I,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.text.grammar.statements import (
    HAVE_FEELING,
    NEED,
    Sentence,
    Template,
)
from anadrome.text.grammar.verbs import BE, HAVE, Verb, make_verb
from anadrome.text.grammar.words import word_set

Clause = tuple[Words, Words]


def clause(plan: Plan) -> Clause:
    """The plan in both languages."""
    return say_english(plan), say_french(plan)


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
    relative = Phrase("who", ["qui"], phrase.person, phrase.gender, phrase.plural,
                      owner=phrase.owner, human=True)  # fmt: skip
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
    (make_verb("live", "habiter", marks="s"), ("house", "flat", "village", "farm", "castle")),
    (make_verb("work", "travailler"), ("bank", "school", "hospital", "factory", "hotel",
                                       "restaurant", "pharmacy", "library")),
    (make_verb("have lunch", "déjeuner"), ("restaurant", "hotel")),
    (make_verb("sleep", "dormir"), ("bedroom", "hotel", "house")),
    (make_verb("study", "étudier"), ("university", "library", "school")),
    (make_verb("play", "jouer"), ("garden", "park", "stadium")),
)  # fmt: skip


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


_SPOUSES = (("husband", "mari", "f"), ("wife", "femme", "m"))


def relative_genitive(dice: Dice) -> Sentence:
    """The film that they are talking about is boring; the woman whose son is ill."""
    roll = dice.between(0, 99)
    if roll < 35:
        thing = dice.pick(find_nouns(("film", "book", "match", "show", "novel", "plan",
                                      "problem", "house", "restaurant")))  # fmt: skip
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
    relative = dice.pick(find_nouns(("brother", "sister", "son", "daughter", "father",
                                     "mother", "dog", "car")))  # fmt: skip
    if relative.en in ("son", "daughter") and person in ("boy", "girl"):
        return relative_genitive(dice)
    held = noun_phrase(relative, "the")
    if relative.human and dice.chance(0.5):
        english, masculine, feminine = dice.pick(names.PROFESSIONS)
        what_en = f"is {indefinite(english)} {english}"
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


def mood(dice: Dice, subject: Phrase, tense: str) -> Clause:
    """How somebody feels: a reason for what they do."""
    if dice.chance(0.35):
        plan = Plan(subject, HAVE_FEELING, tense)
        add_adverbial(plan, dice.pick(_FEELINGS))
        return clause(plan)
    adjective = dice.pick(_MOODS)
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
_MOODS = tuple(
    a
    for a in predicates(noun("man"))
    if a.en in ("tired", "sick", "sad", "happy", "nervous", "worried", "busy",
                "disappointed", "jealous")
)  # fmt: skip


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
    return Phrase(english, [french], IL, person.gender, False, True, person.owner,
                  human=True)  # fmt: skip


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
_REASONS = {a.en: a for a in _MOODS}
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
    thing = dice.pick(find_nouns(("film", "book", "house", "dress", "soup", "museum",
                                  "exercise", "story", "car", "question", "letter")))  # fmt: skip
    phrase = noun_phrase(thing, "this")
    return clause(describe(dice, phrase, thing, "pres"))


def when_clause(dice: Dice) -> Sentence:
    """When Paul arrived, we were having dinner; when I was young, I used to sing."""
    roll = dice.between(0, 99)
    if roll < 35:
        subject = draw_person(dice, pronouns=0.2)
        event = Plan(subject, dice.pick(_COMINGS), "past")
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
        event = Plan(subject, dice.pick(_COMINGS), "pres")
        then = Plan(subject, event.verb, "fut")
        other = dice.pick(_SPEAKERS)
        result = draw_action(dice, other, "fut", places=False)
        first = say_english(event), say_french(then)
        return _join(dice, "when", "quand", first, clause(result))
    if roll < 80:
        person = dice.pick(PRONOUNS)
        english, french = dice.pick((("young", "jeune"), ("a child", "enfant"),
                                     ("a student", "étudiant"), ("small", "petit")))  # fmt: skip
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
_COMINGS = (
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
        return _join(dice, "if", "si", (english.split(" "), french.split(" ")),
                     clause(result))  # fmt: skip
    if roll < 65:
        subject = draw_person(dice, pronouns=0.6)
        condition = dice.pick((
            Plan(subject, HAVE, "pres", en_rest=["time"], fr_rest=["le", "temps"]),
            Plan(subject, HAVE_FEELING, "pres", en_rest=["hungry"], fr_rest=["faim"]),
            Plan(subject, BE, "pres", en_rest=["tired"],
                 fr_rest=[_TIRED.agree(subject.gender, subject.plural)]),
            Plan(subject, BE, "pres", en_rest=["ready"],
                 fr_rest=[_READY.agree(subject.gender, subject.plural)]),
        ))  # fmt: skip
        again = same_person(subject)
        word = condition.en_rest[0]
        if word == "hungry":
            result = Plan(again, _EAT, "fut")
            phrase = noun_phrase(dice.pick(find_nouns(("dish", "fruit"))), "a")
            result.en_rest.append(phrase.en)
            result.fr_rest += phrase.fr
        elif word == "tired":
            result = draw_action(dice, again, "fut", "not",
                                 family=dice.pick(("chore", "motion", "hobby")))  # fmt: skip
        elif word == "ready":
            result = draw_action(dice, again, "fut", family="motion")
        else:
            result = draw_action(dice, again, "fut", places=False, pronouns=False)
        return _join_forward("if", "si", clause(condition), clause(result))
    person = dice.pick(PRONOUNS)
    condition = Plan(person, HAVE, "past")
    add_adverbial(condition, dice.pick((
        ("the time", "le temps"), ("money", "de l' argent"), ("a car", "une voiture"),
        ("a garden", "un jardin"), ("a lot of money", "beaucoup de argent"),
    )))  # fmt: skip
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
        thing = dice.pick(find_nouns(("house", "flat", "car", "boat", "motorbike", "jewel",
                                      "castle", "horse", "farm", "computer")))  # fmt: skip
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
        adjective = dice.pick(tuple(a for a in _MOODS if a.en in ("tired", "sick", "busy",
                                                                  "sad", "nervous")))  # fmt: skip
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
        verb = dice.pick(_COMINGS[:1] + _COMINGS[2:3] + _COMINGS[4:])
        plan = Plan(subject, verb, "past")
        english, french = dice.pick(_WITHOUT)
        plan.en_rest.append(f"without {english}")
        plan.fr_rest += ["sans", *french.split(" ")]
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
        meal = dice.pick((("dinner", "le dîner"), ("lunch", "le déjeuner"),
                          ("breakfast", "le petit déjeuner"), ("the film", "le film"),
                          ("the meeting", "la réunion"), ("the match", "le match")))  # fmt: skip
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

COMPOUNDS: tuple[tuple[Template, int], ...] = (
    (relative_subject, 4),
    (relative_object, 5),
    (relative_place, 3),
    (relative_genitive, 4),
    (because, 5),
    (that_clause, 6),
    (when_clause, 5),
    (if_clause, 5),
    (chain, 4),
    (contrast, 5),
    (purpose, 4),
    (timed, 3),
)
