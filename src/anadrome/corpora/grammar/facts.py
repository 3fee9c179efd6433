"""Facts: where things are, what they cost, what time it is, which is bigger."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import add_adverbial
from anadrome.corpora.grammar.adverbials import draw_clock, draw_date
from anadrome.corpora.grammar.clauses import Phrase, Plan, Sentence, Words, say
from anadrome.corpora.grammar.conjugation import IL
from anadrome.corpora.grammar.euphony import contract
from anadrome.corpora.grammar.nouns import Noun, noun
from anadrome.corpora.grammar.phrases import (
    Dice,
    Template,
    draw_name,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.verbs import BE, make_verb

_PREPOSITIONS = (
    ("on", "sur", ("table", "chair", "bed", "shelf", "sofa", "armchair")),
    ("under", "sous", ("table", "chair", "bed", "sofa", "armchair")),
    ("in", "dans", ("drawer", "bag", "suitcase", "box", "basket", "wardrobe", "car")),
    ("behind", "derrière", ("door", "sofa", "wardrobe", "armchair", "mirror")),
    ("next to", "à côté de", ("door", "bed", "lamp", "window", "radio", "computer")),
    ("near", "près de", ("door", "window", "bed", "lamp")),
)
_TOWN = (
    ("in front of", "devant"),
    ("behind", "derrière"),
    ("near", "près de"),
    ("next to", "à côté de"),
    ("opposite", "en face de"),
    ("far from", "loin de"),
)


def after_preposition(preposition: str, phrase: Words) -> Words:
    """The French phrase after a preposition of one or several words."""
    words = preposition.split(" ")
    return [*words[:-1], *contract(words[-1], phrase)]


def location(dice: Dice) -> Sentence:
    """The key is in the drawer; the bank is opposite the station."""
    if dice.chance(0.3):
        one, two = dice.two(find_nouns(("place",)))
        english, french = dice.pick(_TOWN)
        subject, ground = noun_phrase(one, "the"), noun_phrase(two, "the")
        plan = Plan(subject, BE, "pres", "not" if dice.chance(0.15) else "")
        plan.en_rest.append(f"{english} {ground.en}")
        plan.fr_rest += after_preposition(french, ground.fr)
        return say(plan)
    thing = dice.pick(find_nouns(_LAID))
    plural = dice.chance(0.25)
    determiner = dice.pick(("the", "my", "your", "his", "her", "our", "the"))
    subject = noun_phrase(thing, determiner, plural=plural)
    place_en, place_fr = draw_spot(dice, thing)
    tense = dice.pick(("pres", "pres", "past"))
    plan = Plan(subject, BE, tense, "not" if dice.chance(0.15) else "")
    plan.en_rest.append(place_en)
    plan.fr_rest += place_fr
    return say(plan)


def draw_spot(dice: Dice, thing: Noun | None = None) -> tuple[str, Words]:
    """A spot in the house: under the bed."""
    while True:
        english, french, grounds = dice.pick(_PREPOSITIONS)
        ground = dice.pick(grounds)
        if thing is None or ground not in thing.classes:
            if not (thing and "container" in thing.classes and ground in _BOXES):
                break
    phrase = noun_phrase(noun(ground), "the")
    return f"{english} {phrase.en}", after_preposition(french, phrase.fr)


_LAID = ("small", "crockery", "gift", "newspaper", "letter", "container", "magazine")
_BOXES = ("drawer", "bag", "suitcase", "box", "basket")


def existence(dice: Dice) -> Sentence:
    """There is a cat under the table; there are thirty-one pupils in the classroom."""
    english, french, number, phrase = draw_existence(dice)
    past = dice.chance(0.25)
    roll = dice.between(0, 99)
    verb = "avait" if past else "a"
    be = ("were" if past else "are") if number > 1 else ("was" if past else "is")
    if roll < 15:
        negated = phrase.fr_negated or phrase.fr
        bare = phrase.en.removeprefix("a ").removeprefix("an ").removeprefix("some ")
        if number <= 1 or phrase.en.startswith("some "):
            return (
                ["there", be, "no", bare, english],
                ["il", "ne", "y", verb, "pas", *negated, *french],
                ".",
            )
    if roll < 40:
        asked = ["y", verb, "-il" if past else "-t-il", *phrase.fr, *french]
        return [be, "there", phrase.en.replace("some ", "any "), english], asked, "?"
    return (
        ["there", be, phrase.en, english],
        ["il", "y", verb, *phrase.fr, *french],
        ".",
    )


def draw_existence(dice: Dice) -> tuple[str, Words, int, Phrase]:
    """Something somewhere: the English and the French place, how many, and what."""
    roll = dice.between(0, 99)
    if roll < 25:
        thing = dice.pick(find_nouns(("pupil", "student", "child")))
        number = dice.between(8, 40)
        phrase = noun_phrase(thing, "number", plural=True, number=number)
        place = ("in the classroom", ["dans", "la", "salle", "de", "classe"])
        return place[0], place[1], number, phrase
    if roll < 40:
        number = dice.between(40, 999)
        phrase = noun_phrase(_PAGE, "number", plural=True, number=number)
        book = noun_phrase(
            noun(dice.pick(("book", "novel", "dictionary", "magazine", "report"))),
            "this",
        )
        return f"in {book.en}", ["dans", *book.fr], number, phrase
    if roll < 60:
        thing = dice.pick(find_nouns(("dog", "cat", "mouse", "small", "gift")))
        english, french = draw_spot(dice, thing)
    elif roll < 80:
        thing = dice.pick(
            find_nouns(
                (
                    "bank",
                    "hotel",
                    "pharmacy",
                    "church",
                    "bakery",
                    "museum",
                    "school",
                    "supermarket",
                    "restaurant",
                    "library",
                    "hospital",
                )
            )
        )
        english, french = dice.pick(
            (
                ("in this street", ["dans", "cette", "rue"]),
                ("in the village", ["dans", "le", "village"]),
                ("near the station", ["près", "de", "la", "gare"]),
                ("near the church", ["près", "de", "l'", "église"]),
            )
        )
        if "church" in english and thing.en == "church":
            english, french = "in this street", ["dans", "cette", "rue"]
        return english, french, 1, noun_phrase(thing, "a")
    else:
        thing = dice.pick(
            find_nouns(
                (
                    "milk",
                    "butter",
                    "cheese",
                    "water",
                    "beer",
                    "jam",
                    "ham",
                    "ice cream",
                    "orange juice",
                    "meat",
                )
            )
        )
        fridge = ["dans", "le", "réfrigérateur"]
        return "in the fridge", fridge, 1, noun_phrase(thing, "some")
    if dice.chance(0.5):
        return english, french, 1, noun_phrase(thing, "a")
    if dice.chance(0.4):
        return english, french, 3, noun_phrase(thing, "some", plural=True)
    number = dice.between(2, 6)
    phrase = noun_phrase(thing, "number", plural=True, number=number)
    return english, french, number, phrase


_PAGE = Noun("page", "pages", "page", "pages", "f", "count", False, frozenset())
_EURO = Noun("euro", "euros", "euro", "euros", "m", "count", False, frozenset())
COST = make_verb("cost", "coûter", marks="s")


def price(dice: Dice) -> Sentence:
    """This dress costs eighty euros."""
    things = (
        "clothes",
        "jewel",
        "bike",
        "furniture",
        "book",
        "ticket",
        "camera",
        "phone",
        "lamp",
        "computer",
        "painting",
        "umbrella",
        "doll",
    )
    thing = dice.pick(find_nouns(things))
    plural = "pair" in thing.classes or dice.chance(0.15)
    subject = noun_phrase(thing, dice.pick(("this", "the", "the")), plural=plural)
    number = dice.between(2, 999) if dice.chance(0.4) else dice.between(2, 99)
    amount = noun_phrase(_EURO, "number", plural=True, number=number)
    tense = dice.pick(("pres", "pres", "fut"))
    plan = Plan(subject, COST, tense, "not" if dice.chance(0.1) else "")
    plan.en_rest.append(amount.en)
    plan.fr_rest += amount.fr
    return say(plan)


def clock(dice: Dice) -> Sentence:
    """It is half past seven; the train leaves at noon."""
    english, french = draw_clock(dice)
    words = french.split(" ")
    roll = dice.between(0, 99)
    if roll < 30:
        return ["it is", english], ["il", "est", *words], "."
    if roll < 65:
        subject_en, subject_fr, verbs = dice.pick(_SCHEDULED)
        verb_en, verb_fr, tense = dice.pick(verbs)
        plan = Plan(
            Phrase(subject_en, subject_fr.split(" ")), make_verb(verb_en, verb_fr)
        )
        plan.tense = tense
        if plan.verb.etre and plan.subject.fr[0] in ("la", "cette"):
            plan.subject.gender = "f"
    else:
        person = draw_person(dice)
        verb_en, verb_fr = dice.pick(_ROUTINES)
        plan = Plan(
            person, make_verb(verb_en, verb_fr), dice.pick(("pres", "past", "fut"))
        )
    plan.en_rest.append(f"at {english}")
    plan.fr_rest += ["à", *words]
    return say(plan)


_MOVES = (
    ("leave", "partir", "pres"),
    ("leave", "partir", "past"),
    ("leave", "partir", "fut"),
    ("arrive", "arriver", "pres"),
    ("arrive", "arriver", "past"),
    ("arrive", "arriver", "fut"),
)
_BEGINS = (
    ("begin", "commencer", "pres"),
    ("begin", "commencer", "past"),
    ("end", "finir", "pres"),
    ("end", "finir", "fut"),
)
_OPENS = (
    ("open", "ouvrir", "pres"),
    ("close", "fermer", "pres"),
    ("open", "ouvrir", "fut"),
    ("close", "fermer", "fut"),
)
_SCHEDULED = (
    ("the train", "le train", _MOVES),
    ("the plane", "l' avion", _MOVES),
    ("the bus", "le bus", _MOVES),
    ("this boat", "ce bateau", _MOVES),
    ("the film", "le film", _BEGINS),
    ("the match", "le match", _BEGINS),
    ("the meeting", "la réunion", _BEGINS),
    ("the lesson", "la leçon", _BEGINS),
    ("the concert", "le concert", _BEGINS),
    ("the bank", "la banque", _OPENS),
    ("the bakery", "la boulangerie", _OPENS),
    ("the museum", "le musée", _OPENS),
    ("the library", "la bibliothèque", _OPENS),
)
_ROUTINES = (
    ("get up", "se lever"),
    ("wake up", "se réveiller"),
    ("go to bed", "se coucher"),
    ("have dinner", "dîner"),
    ("have lunch", "déjeuner"),
    ("leave", "partir"),
    ("arrive", "arriver"),
    ("go out", "sortir"),
)


def date(dice: Dice) -> Sentence:
    """Today is the third of May; my birthday is on the first of June."""
    roll = dice.between(0, 99)
    english, french = draw_date(dice)
    words = french.split(" ")
    if roll < 25:
        return (
            ["today is", english],
            ["aujourd'hui", ",", "nous", "sommes", *words],
            ".",
        )
    if roll < 35:
        day = dice.pick(names.DAYS)
        return (
            ["today is", day[0]],
            ["aujourd'hui", ",", "nous", "sommes", day[1]],
            ".",
        )
    if roll < 55:
        owner = dice.pick(("my", "your", "his", "her"))
        phrase = noun_phrase(noun("birthday"), owner)
        if dice.chance(0.4):
            name = draw_name(dice)
            phrase = Phrase(
                f"{name.en} 's birthday", ["l'", "anniversaire", "de", *name.fr]
            )
        return [phrase.en, "is on", english], [*phrase.fr, "est", *words], "."
    if roll < 75:
        thing = dice.pick(
            find_nouns(("wedding", "meeting", "party", "concert", "exam"))
        )
        phrase = noun_phrase(thing, "the")
        past = dice.chance(0.4)
        verb = "took place" if past else "will take place"
        taken = ["a", "eu", "lieu"] if past else ["aura", "lieu"]
        if dice.chance(0.4):
            day = dice.pick(names.DAYS)
            end_en, end_fr = (
                (f"last {day[0]}", f"{day[1]} dernier")
                if past
                else (f"next {day[0]}", f"{day[1]} prochain")
            )
        else:
            end_en, end_fr = f"on {english}", french
        return [phrase.en, verb, end_en], [*phrase.fr, *taken, *end_fr.split(" ")], "."
    person = draw_person(dice)
    plan = Plan(person, dice.pick(_EVENTS), dice.pick(("past", "past", "fut")))
    if plan.verb.en.base == "be":
        plan.tense = "past"
        month = dice.pick(names.MONTHS)
        where = dice.pick(names.CITIES)
        if dice.chance(0.5):
            add_adverbial(plan, (f"in {month[0]}", f"en {month[1]}"))
        else:
            add_adverbial(plan, (f"in {where[0]}", f"à {where[1]}"))
        return say(plan)
    add_adverbial(plan, (f"on {english}", french))
    return say(plan)


_EVENTS = (
    make_verb("leave", "partir"),
    make_verb("arrive", "arriver"),
    make_verb("get married", "se marier"),
    make_verb("be born", "naître"),
    make_verb("come back", "revenir"),
)


def weather(dice: Dice) -> Sentence:
    """It is raining in London; it was cold yesterday."""
    tense = dice.pick(("pres", "pres", "past", "fut", "often"))
    words_en, words_fr = draw_weather(dice, tense)
    if dice.chance(0.35):
        when = {
            "pres": (("today", "aujourd'hui"), ("this morning", "ce matin")),
            "past": (("yesterday", "hier"), ("last night", "la nuit dernière")),
            "fut": (("tomorrow", "demain"), ("this evening", "ce soir")),
            "often": names.SEASONS,
        }[tense]
        time_en, time_fr = dice.pick(when)
        words_en.append(time_en)
        words_fr += time_fr.split(" ")
    elif dice.chance(0.6):
        if dice.chance(0.5):
            city = dice.pick(names.CITIES)
            words_en.append(f"in {city[0]}")
            words_fr += ["à", *city[1].split(" ")]
        else:
            country = dice.pick(names.COUNTRIES)
            words_en.append(f"in {country.en}")
            words_fr += country.into
    return words_en, words_fr, "."


def draw_weather(dice: Dice, tense: str) -> tuple[Words, Words]:
    """The weather, now (pres), then (past), to come (fut) or often."""
    roll = dice.between(0, 99)
    if roll < 45:
        falling, verb = dice.pick((("rain", _PLEUVOIR), ("snow", _NEIGER)))
        said_en, said_fr = {
            "pres": (["it is", falling + "ing"], verb.fr.present[IL]),
            "past": (["it was", falling + "ing"], verb.fr.imperfect[IL]),
            "fut": (["it will", falling], verb.fr.future[IL]),
            "often": (["it often", falling + "s"], verb.fr.present[IL]),
        }[tense]
        words = ["il", said_fr]
        if tense == "often":
            words.append("souvent")
        return said_en, words
    be = {"pres": "is", "past": "was", "fut": "will be", "often": "is often"}[tense]
    if roll < 80:
        english, french = dice.pick(
            (("cold", "froid"), ("hot", "chaud"), ("mild", "doux"), ("cool", "frais"))
        )
        makes = {"pres": "fait", "past": "faisait", "fut": "fera", "often": "fait"}[
            tense
        ]
        often = ["souvent"] if tense == "often" else []
        return ["it", be, english], ["il", makes, *often, french]
    english, french = dice.pick(
        (("windy", "vent"), ("foggy", "brouillard"), ("sunny", "soleil"))
    )
    has = {"pres": "a", "past": "avait", "fut": "aura", "often": "a"}[tense]
    often = ["souvent"] if tense == "often" else []
    return ["it", be, english], ["il", "y", has, *often, "du", french]


_PLEUVOIR = make_verb("rain", "pleuvoir")
_NEIGER = make_verb("snow", "neiger")


FACTS: tuple[tuple[Template, int], ...] = (
    (location, 4),
    (existence, 4),
    (price, 3),
    (clock, 4),
    (date, 4),
    (weather, 3),
)
