"""Facts: where things are, what they cost, what time it is, which is bigger."""

from __future__ import annotations

from anadrome.text.grammar import names
from anadrome.text.grammar.actions import add_adverbial
from anadrome.text.grammar.adjectives import Adjective, attributes, predicates
from anadrome.text.grammar.adverbials import (
    draw_clock,
    draw_date,
)
from anadrome.text.grammar.agreement import adjective_forms, definite_article
from anadrome.text.grammar.clauses import Phrase, Plan, Words
from anadrome.text.grammar.conjugation import IL
from anadrome.text.grammar.euphony import contract
from anadrome.text.grammar.nouns import Noun, noun
from anadrome.text.grammar.numbers import english_number, french_number
from anadrome.text.grammar.phrases import (
    Dice,
    draw_name,
    draw_person,
    find_nouns,
    name_phrase,
    noun_phrase,
)
from anadrome.text.grammar.statements import Sentence, Template, say
from anadrome.text.grammar.verbs import BE, make_verb

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
            find_nouns(("bank", "hotel", "pharmacy", "church", "bakery", "museum",
                        "school", "supermarket", "restaurant", "library", "hospital"))
        )  # fmt: skip
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
        thing = dice.pick(find_nouns(("milk", "butter", "cheese", "water", "beer", "jam",
                                      "ham", "ice cream", "orange juice", "meat")))  # fmt: skip
        place = ["dans", "le", "réfrigérateur"]
        return "in the fridge", place, 1, noun_phrase(thing, "some")
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
    things = ("clothes", "jewel", "bike", "furniture", "book", "ticket", "camera",
              "phone", "lamp", "computer", "painting", "umbrella", "doll")  # fmt: skip
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
        english, french = dice.pick((("rain", _PLEUVOIR), ("snow", _NEIGER)))
        said_en, said_fr = {
            "pres": (["it is", english + "ing"], french.fr.present[IL]),
            "past": (["it was", english + "ing"], french.fr.imperfect[IL]),
            "fut": (["it will", english], french.fr.future[IL]),
            "often": (["it often", english + "s"], french.fr.present[IL]),
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
        verb = {"pres": "fait", "past": "faisait", "fut": "fera", "often": "fait"}[
            tense
        ]
        often = ["souvent"] if tense == "often" else []
        return ["it", be, english], ["il", verb, *often, french]
    english, french = dice.pick(
        (("windy", "vent"), ("foggy", "brouillard"), ("sunny", "soleil"))
    )
    verb = {"pres": "a", "past": "avait", "fut": "aura", "often": "a"}[tense]
    often = ["souvent"] if tense == "often" else []
    return ["it", be, english], ["il", "y", verb, *often, "du", french]


_PLEUVOIR = make_verb("rain", "pleuvoir")
_NEIGER = make_verb("snow", "neiger")


_COMPARED = ("more", "more", "less", "as")


def compare_phrases(
    dice: Dice, one: Phrase, two: Phrase, adjective: Adjective
) -> Sentence:
    """A comparison of two phrases."""
    kind = dice.pick(_COMPARED)
    if kind == "less" and not adjective.comparative.startswith("more "):
        kind = "as"
    word = adjective.forms.agree(one.gender, one.plural)
    if kind == "more":
        english, french = [adjective.comparative], ["plus", word]
        if adjective.en == "good":
            better = adjective_forms("meilleur").agree(one.gender, one.plural)
            french = [better]
    elif kind == "less":
        english, french = [f"less {adjective.en}"], ["moins", word]
    else:
        english, french = [f"as {adjective.en}"], ["aussi", word]
    plan = Plan(one, BE, dice.pick(("pres", "pres", "pres", "past")))
    plan.en_rest += [*english, "as" if kind == "as" else "than", two.en]
    plan.fr_rest += [*french, "que", *two.fr]
    return say(plan)


_MAN = noun("man")
_PEOPLE_COMPARED = tuple(
    a
    for a in predicates(_MAN)
    if a.gradable and a.en not in ("worried", "surprised", "elegant")
)


def comparison(dice: Dice) -> Sentence:
    """Paul is taller than his brother; this wine is better than this beer."""
    if dice.chance(0.6):
        one = draw_person(dice, pronouns=0.3)
        two = draw_person(dice, pronouns=0.0)
        while one.en == two.en or two.en in one.en or one.en in two.en:
            two = draw_person(dice, pronouns=0.0)
        return compare_phrases(dice, one, two, dice.pick(_PEOPLE_COMPARED))
    classes = dice.pick(
        ("vehicle", "clothes", "readable", "watchable", "place", "container", "room",
         "furniture", "fruit", "wild", "task")
    )  # fmt: skip
    first, second = dice.two(find_nouns((classes,)))
    shared = [
        a
        for a in predicates(first)
        if a.gradable and any(a.en == b.en for b in predicates(second))
    ]
    if first.classes & {"fruit", "readable", "watchable"}:
        shared += [a for a in attributes(first) if a.en == "good"]
    if not shared:
        return comparison(dice)
    if classes == "wild":
        shared = [a for a in shared if a.en in ("dangerous", "intelligent", "fast")]
        if not shared:
            return comparison(dice)
        one = noun_phrase(first, "general", plural=True)
        two = noun_phrase(second, "general", plural=True)
    else:
        which = dice.pick(("the", "this"))
        one, two = noun_phrase(first, which), noun_phrase(second, which)
    sentence = compare_phrases(dice, one, two, dice.pick(shared))
    if any("less good" in w or "as good" in w for w in sentence[0]):
        return comparison(dice)
    return sentence


_SCOPES = {
    "place": (
        ("in the city", ["de", "la", "ville"]),
        ("in the region", ["de", "la", "région"]),
    ),
    "home": (
        ("in the village", ["du", "village"]),
        ("in the city", ["de", "la", "ville"]),
    ),
    "human": (
        ("in the class", ["de", "la", "classe"]),
        ("in the village", ["du", "village"]),
    ),
    "clothes": (("in the shop", ["du", "magasin"]),),
    "furniture": (("in the house", ["de", "la", "maison"]),),
    "vehicle": (
        ("in the street", ["de", "la", "rue"]),
        ("in the world", ["du", "monde"]),
    ),
    "wild": (("in the zoo", ["du", "zoo"]), ("in the world", ["du", "monde"])),
    "watchable": (
        ("of the year", ["de", "l'", "année"]),
        ("in the world", ["du", "monde"]),
    ),
    "readable": (
        ("in the world", ["du", "monde"]),
        ("of the year", ["de", "l'", "année"]),
    ),
}


def superlative(dice: Dice) -> Sentence:
    """This is the most beautiful museum in the city."""
    scope = dice.pick(tuple(_SCOPES))
    if scope == "human":
        thing = dice.pick(
            find_nouns(("boy", "girl", "pupil", "student", "man", "woman"))
        )
    else:
        thing = dice.pick(find_nouns((scope,)))
    where_en, where_fr = dice.pick(_SCOPES[scope])
    if thing.human:
        village = thing.en in ("man", "woman")
        where_en, where_fr = _SCOPES["human"][village]
    options = [
        a for a in attributes(thing) if a.gradable and a.en not in ("new", "short")
    ]
    if not options:
        return superlative(dice)
    adjective = dice.pick(options)
    word = adjective.forms.agree(thing.gender, False, thing.fr)
    head = thing.fr.split(" ")
    article = "la" if thing.gender == "f" else "le"
    if adjective.en in ("good", "bad"):
        stem = "meilleur" if adjective.en == "good" else "pire"
        french = [article, adjective_forms(stem).agree(thing.gender, False), *head]
    elif adjective.before:
        french = [article, "plus", word, *head]
    else:
        first = definite_article(thing.gender, False, head[0])
        plain = adjective.forms.agree(thing.gender, False)
        french = [first, *head, article, "plus", plain]
    english = f"the {adjective.superlative} {thing.en}"
    if thing.human and dice.chance(0.7):
        gender = thing.gender
        people = names.MEN if gender == "m" else names.WOMEN
        subject = name_phrase(dice.pick(people), gender)
        plan = Plan(subject, BE, dice.pick(("pres", "pres", "past")))
        plan.en_rest += [english, where_en]
        plan.fr_rest += [*french, *where_fr]
        return say(plan)
    if dice.chance(0.15):
        return (
            ["this was", english, where_en],
            ["ce", "était", *french, *where_fr],
            ".",
        )
    return ["this is", english, where_en], ["ce", "est", *french, *where_fr], "."


_GENITIVE = ("car", "bike", "house", "flat", "dog", "cat", "phone", "bag", "coat", "hat",
             "dress", "shirt", "bedroom", "garden", "computer", "suitcase")  # fmt: skip


def genitive_phrase(dice: Dice, thing: Noun) -> Phrase:
    """My brother's car: la voiture de mon frère."""
    owner = draw_person(dice, pronouns=0.0)
    while owner.plural:
        owner = draw_person(dice, pronouns=0.0)
    if thing.en in ("dress",) and owner.gender == "m":
        owner = name_phrase(dice.pick(names.WOMEN), "f")
    held = noun_phrase(thing, "the")
    return Phrase(
        f"{owner.en} 's {thing.en}",
        [*held.fr, *contract("de", owner.fr)],
        IL,
        thing.gender,
        False,
        owner="its",
    )


def genitive(dice: Dice) -> Sentence:
    """My brother's car is red."""
    thing = dice.pick(find_nouns(_GENITIVE))
    phrase = genitive_phrase(dice, thing)
    options = predicates(thing)
    if dice.chance(0.3):
        person = draw_person(dice, pronouns=0.8)
        while not person.pronoun:
            person = draw_person(dice, pronouns=0.8)
        if thing.en in ("house", "flat", "garden", "bedroom"):
            verb = _SEE
        else:
            verb = dice.pick((_LOOK_FOR, _SEE, _FIND))
        plan = Plan(person, verb, dice.pick(("past", "past", "going")))
        plan.en_rest.append(phrase.en)
        plan.fr_rest += phrase.fr
        return say(plan)
    adjective = dice.pick(options)
    plan = Plan(phrase, BE, dice.pick(("pres", "pres", "past")))
    add_adverbial(plan, (adjective.en, adjective.forms.agree(phrase.gender, False)))
    return say(plan)


_LOOK_FOR = make_verb("look for", "chercher")
_SEE = make_verb("see", "voir")
_FIND = make_verb("find", "trouver")


_IMPERSONAL = {
    ("easy", "facile"): "langue hôtel problème voiture question",
    ("difficult", "difficile"): "langue hôtel problème voiture question dormir vérité",
    ("important", "important"): "langue dormir lire légumes autres vérité eau ensemble",
    ("impossible", "impossible"): "dormir hôtel problème question voiture salle porte",
    ("dangerous", "dangereux"): "rivière rue vite porte salle jouer",
    ("necessary", "nécessaire"): "question voiture ici tôt ensemble problème",
    ("forbidden", "interdit"): "fumer rivière rue photos salle jouer porte",
    ("possible", "possible"): "hôtel photos dormir maison ici rivière jouer",
}
_DEEDS = {
    "fumer": ("to smoke here", "fumer ici"),
    "langue": ("to learn a language", "apprendre une langue"),
    "dormir": ("to sleep well", "bien dormir"),
    "rivière": ("to swim in this river", "nager dans cette rivière"),
    "hôtel": ("to find a hotel", "trouver un hôtel"),
    "rue": ("to cross this street", "traverser cette rue"),
    "lire": ("to read every day", "lire tous les jours"),
    "légumes": ("to eat vegetables", "manger des légumes"),
    "porte": ("to open this door", "ouvrir cette porte"),
    "vite": ("to drive quickly", "conduire vite"),
    "photos": ("to take photos", "prendre des photos"),
    "autres": ("to help others", "aider les autres"),
    "vérité": ("to tell the truth", "dire la vérité"),
    "question": ("to answer this question", "répondre à cette question"),
    "problème": ("to understand this problem", "comprendre ce problème"),
    "ici": ("to wait here", "attendre ici"),
    "tôt": ("to leave early", "partir tôt"),
    "eau": ("to drink water", "boire de l' eau"),
    "salle": ("to enter this room", "entrer dans cette salle"),
    "voiture": ("to repair this car", "réparer cette voiture"),
    "maison": ("to buy a house", "acheter une maison"),
    "jouer": ("to play here", "jouer ici"),
    "ensemble": ("to work together", "travailler ensemble"),
}


def impersonal(dice: Dice) -> Sentence:
    """It is forbidden to smoke here."""
    english, french = dice.pick(tuple(_IMPERSONAL))
    deeds = _IMPERSONAL[english, french].split(" ")
    deed_en, deed_fr = _DEEDS[dice.pick(deeds)]
    past = dice.chance(0.2)
    negated = dice.chance(0.2)
    verb = "était" if past else "est"
    be = "was" if past else "is"
    words = ["il", "ne", verb, "pas"] if negated else ["il", verb]
    said = ["it", be, "not", english] if negated else ["it", be, english]
    return [*said, deed_en], [*words, french, "de", *deed_fr.split(" ")], "."


def arithmetic(dice: Dice) -> Sentence:
    """Six and seven make thirteen."""
    one, two = dice.between(1, 99), dice.between(1, 99)
    english = [english_number(one), "and", english_number(two), "make"]
    french = [french_number(one), "et", french_number(two), "font"]
    total = one + two
    return (
        [*english, english_number(total)],
        [*" ".join(french).split(" "), *french_number(total).split(" ")],
        ".",
    )


FACTS: tuple[tuple[Template, int], ...] = (
    (location, 4),
    (existence, 4),
    (price, 3),
    (clock, 4),
    (date, 4),
    (weather, 3),
    (comparison, 4),
    (superlative, 3),
    (genitive, 3),
    (impersonal, 2),
    (arithmetic, 1),
)
