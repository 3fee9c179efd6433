"""Comparisons, owners, and general truths."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import add_adverbial
from anadrome.corpora.grammar.adjectives import Adjective, attributes, predicates
from anadrome.corpora.grammar.agreement import adjective_forms, definite_article
from anadrome.corpora.grammar.clauses import Phrase, Plan, Sentence, say
from anadrome.corpora.grammar.conjugation import IL
from anadrome.corpora.grammar.euphony import contract
from anadrome.corpora.grammar.nouns import Noun, noun
from anadrome.corpora.grammar.numbers import english_number, french_number
from anadrome.corpora.grammar.phrases import (
    Dice,
    Template,
    draw_person,
    find_nouns,
    name_phrase,
    noun_phrase,
)
from anadrome.corpora.grammar.verbs import BE, make_verb

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
        (
            "vehicle",
            "clothes",
            "readable",
            "watchable",
            "place",
            "container",
            "room",
            "furniture",
            "fruit",
            "wild",
            "task",
        )
    )
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
    if adjective.en == "old" and where_en == "of the year":
        return superlative(dice)
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


_GENITIVE = (
    "car",
    "bike",
    "house",
    "flat",
    "dog",
    "cat",
    "phone",
    "bag",
    "coat",
    "hat",
    "dress",
    "shirt",
    "bedroom",
    "garden",
    "computer",
    "suitcase",
)


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


COMPARISONS: tuple[tuple[Template, int], ...] = (
    (comparison, 4),
    (superlative, 3),
    (genitive, 3),
    (impersonal, 2),
    (arithmetic, 1),
)
