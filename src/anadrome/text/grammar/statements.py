"""Plain statements: actions, descriptions, feelings, possessions."""

from __future__ import annotations

from collections.abc import Callable

from anadrome.text.grammar import names
from anadrome.text.grammar.actions import (
    add_adverbial,
    draw_action,
    draw_grooming,
    draw_relative,
    is_ambiguous,
    place_phrase,
    takes_de,
)
from anadrome.text.grammar.adjectives import Adjective, predicates
from anadrome.text.grammar.adverbials import FREQUENCIES, draw_span, draw_time
from anadrome.text.grammar.agreement import adjective_forms
from anadrome.text.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Words,
    say_english,
    say_french,
    say_infinitive,
)
from anadrome.text.grammar.conjugation import IL, JE, NOUS
from anadrome.text.grammar.english import indefinite
from anadrome.text.grammar.euphony import contract
from anadrome.text.grammar.nouns import Noun
from anadrome.text.grammar.phrases import (
    DISJUNCTIVE,
    INDIRECT,
    KIN,
    PEOPLE,
    PRONOUNS,
    Dice,
    draw_object,
    draw_person,
    draw_phrase,
    find_nouns,
    noun_phrase,
    other_pronouns,
    owner_word,
)
from anadrome.text.grammar.verbs import BE, DATIVE, HAVE, Verb, make_verb
from anadrome.text.grammar.words import word_set

Sentence = tuple[Words, Words, str]
Template = Callable[[Dice], Sentence]

HAVE_FEELING = make_verb("be", "avoir", marks="s")
NEED = make_verb("need", "avoir", marks="s")
WANT = make_verb("want", "vouloir", marks="s")
LIKE = make_verb("like", "aimer", marks="s")

_TENSES = (
    ("pres",) * 24
    + ("prog",) * 14
    + ("past",) * 26
    + ("perf",) * 5
    + ("fut",) * 15
    + ("going",) * 9
    + ("used",) * 7
)
_NEGATIONS = {
    "pres": ("not", "not", "never", "no longer"),
    "prog": ("not",),
    "past": ("not",),
    "perf": ("not", "never", "never"),
    "fut": ("not", "not", "never", "no longer"),
    "going": ("not",),
}


def say(plan: Plan) -> Sentence:
    """The plan as a statement."""
    return say_english(plan), say_french(plan), "."


def draw_tense(dice: Dice) -> tuple[str, str]:
    """A tense and a negation, usually none."""
    tense = dice.pick(_TENSES)
    negation = ""
    if tense in _NEGATIONS and dice.chance(0.22):
        negation = dice.pick(_NEGATIONS[tense])
    return tense, negation


def draw_statement(
    dice: Dice, subject: Phrase | None = None, *, times: bool = True
) -> Plan:
    """A plan of an ordinary action with its adverbials."""
    tense, negation = draw_tense(dice)
    subject = subject or draw_person(dice)
    plan = draw_action(dice, subject, tense, negation)
    if plan.verb.state:
        return plan
    if tense == "pres" and not negation and plan.verb.habit and dice.chance(0.3):
        plan.en_adverb, plan.fr_adverb = dice.pick(FREQUENCIES)
    elif tense == "perf" and not negation and dice.chance(0.5):
        plan.en_adverb, plan.fr_adverb = "already", "déjà"
    elif times and tense != "perf" and negation not in ("never", "no longer"):
        if dice.chance(0.4) and (tense != "pres" or plan.verb.habit):
            add_adverbial(plan, draw_fitting_time(dice, plan))
    return plan


def draw_fitting_time(dice: Dice, plan: Plan) -> tuple[str, str]:
    """When the plan happens; nobody has dinner every morning."""
    daily = "hour" in plan.verb.adjuncts or plan.verb.en.base == "have"
    if daily and plan.tense in ("pres", "used"):
        day_en, day_fr = dice.pick(names.DAYS)
        return dice.pick(
            (("every day", "tous les jours"), (f"on {day_en}s", f"le {day_fr}"))
        )
    return draw_time(dice, plan.tense)


def action(dice: Dice) -> Sentence:
    """Somebody does something."""
    subject = draw_person(dice)
    if dice.chance(0.12):
        # Yesterday, Paul …
        tense = dice.pick(("past", "past", "fut", "going"))
        english, french = draw_time(dice, tense)
        plan = draw_action(dice, subject, tense)
        if not plan.verb.state:
            return (
                [english, ",", *say_english(plan)],
                [*french.split(" "), ",", *say_french(plan)],
                ".",
            )
    return say(draw_statement(dice, subject))


def grooming(dice: Dice) -> Sentence:
    """She washes her hands."""
    tense, negation = draw_tense(dice)
    return say(draw_grooming(dice, draw_person(dice), tense, negation))


_NOTHING = {
    "eat": "manger",
    "drink": "boire",
    "buy": "acheter",
    "say": "dire",
    "read": "lire",
    "see": "voir",
    "understand": "comprendre",
    "hear": "entendre",
    "forget": "oublier",
    "do": "faire",
}
_NOBODY = {
    "see": "voir",
    "invite": "inviter",
    "know": "connaître",
    "help": "aider",
    "meet": "rencontrer",
    "hear": "entendre",
    "look for": "chercher",
    "wait for": "attendre",
}
_NOTHING_VERBS = tuple(make_verb(e, f, marks="x") for e, f in _NOTHING.items())
_NOBODY_VERBS = tuple(
    make_verb(e, f, marks="s" if e == "know" else "x") for e, f in _NOBODY.items()
)


def nothing(dice: Dice) -> Sentence:
    """He does not eat anything; he does not know anyone."""
    person = dice.chance(0.45)
    verb = dice.pick(_NOBODY_VERBS if person else _NOTHING_VERBS)
    tenses = (
        ("pres", "past") if verb.state else ("pres", "past", "past", "fut", "going")
    )
    tense = dice.pick(tenses)
    plan = Plan(draw_person(dice), verb, tense, "nobody" if person else "nothing")
    plan.en_rest.append("anyone" if person else "anything")
    if tense in _CLOSE_TIMES and not verb.state and dice.chance(0.5):
        add_adverbial(plan, dice.pick(_CLOSE_TIMES[tense]))
    return say(plan)


_CLOSE_TIMES = {
    "past": (("yesterday", "hier"), ("this morning", "ce matin"),
             ("yesterday evening", "hier soir")),
    "fut": (("tomorrow", "demain"), ("this evening", "ce soir")),
}  # fmt: skip
_NOBODY_SUBJECT = Phrase("nobody", ["personne"], human=False)
_NOTHING_SUBJECT = Phrase("nothing", ["rien"])


def nobody(dice: Dice) -> Sentence:
    """Nobody is singing; nothing is easy."""
    if dice.chance(0.15):
        plan = Plan(_NOTHING_SUBJECT, BE, dice.pick(("pres", "past")), "subject")
        adjective = dice.pick(
            (("easy", "facile"), ("simple", "simple"), ("impossible", "impossible"),
             ("free", "gratuit"), ("perfect", "parfait"), ("ready", "prêt"))
        )  # fmt: skip
        add_adverbial(plan, adjective)
        return say(plan)
    tense = dice.pick(("pres", "prog", "past", "past", "fut"))
    family = dice.pick(
        ("transitive", "transitive", "intransitive", "motion", "reflexive")
    )
    plan = draw_action(
        dice, _NOBODY_SUBJECT, tense, "subject", family=family, pronouns=True
    )
    if plan.verb.en.base in ("explain", "hate", "shave"):
        return nobody(dice)
    return say(plan)


def only(dice: Dice) -> Sentence:
    """He only eats vegetables."""
    verb_en, verb_fr, classes = dice.pick(
        (
            ("eat", "manger", ("food", "fruit")),
            ("drink", "boire", ("drink",)),
            ("buy", "acheter", ("fruit", "vegetable", "food")),
            ("read", "lire", ("novel", "newspaper", "magazine")),
            ("sell", "vendre", ("fruit", "vegetable", "car", "furniture")),
        )
    )
    tense = dice.pick(("pres", "pres", "past", "fut"))
    noun = dice.pick(find_nouns(classes))
    phrase = noun_phrase(noun, "bare", plural=noun.kind == "count")
    plan = Plan(draw_person(dice), make_verb(verb_en, verb_fr), tense, "only")
    if is_ambiguous(plan):
        plan.tense = "fut"
    plan.en_rest.append(phrase.en)
    plan.fr_rest += phrase.fr
    return say(plan)


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
            phrase = draw_phrase(dice, noun, _STRANGER, adjectives=0.5)
            if not phrase.fr_negated:
                phrase = noun_phrase(noun, "a")
    if negation and (phrase.fr_negated is None or plan.tense == "fut"):
        plan.negation = "not"
    negated = takes_de(plan.negation)
    plan.en_rest.append(phrase.english(negated))
    plan.fr_rest += phrase.french(negated)
    return say(plan)


_STRANGER = Phrase("it", ["il"], owner="its")
_CHILDREN = ("brother", "sister", "son", "daughter", "uncle", "aunt", "cousin", "child")
_OWNED = (
    "dog", "cat", "rabbit", "hamster", "horse", "car", "bike", "motorbike", "boat",
    "house", "flat", "garden", "umbrella", "phone", "computer", "camera", "watch",
    "idea", "dream", "problem", "question", "plan", "money", "work", "hat", "coat",
    "suitcase", "ticket", "dictionary", "armchair", "carpet",
)  # fmt: skip


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
        if allows_infinitive("want to", inner.verb):
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
        phrase = draw_object(dice, _WANTED, _STRANGER, adjectives=0.2)
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


_QUANTITIES = {
    "a kilo of": ("apple", "pear", "cherry", "tomato", "carrot", "potato", "sugar",
                  "flour", "rice", "onion", "peach", "strawberry"),
    "a glass of": ("water", "milk", "wine", "lemonade", "orange juice", "apple juice"),
    "a cup of": ("coffee", "tea"),
    "a bottle of": ("water", "milk", "wine", "oil", "lemonade", "beer"),
    "a piece of": ("bread", "cheese", "chocolate", "meat"),
    "a slice of": ("ham", "bread"),
    "a litre of": ("milk", "oil", "water"),
    "a pair of": ("shoe", "glove", "sock", "boot"),
}  # fmt: skip


def quantity(dice: Dice) -> Sentence:
    """She bought a kilo of apples; they drink too much coffee."""
    subject = draw_person(dice)
    if dice.chance(0.55):
        amount = dice.pick(tuple(_QUANTITIES))
        noun = dice.pick(find_nouns((dice.pick(_QUANTITIES[amount]),)))
        tenses = ("past", "past", "fut", "going", "prog")
    else:
        noun = dice.pick(find_nouns(("fruit", "vegetable", "food", "drink")))
        amounts = ("a lot of", "too many" if noun.kind == "count" else "too much")
        amount = dice.pick(amounts)
        if noun.kind == "plural":
            amount = "a lot of"
        tenses = ("pres", "past")
    tense = dice.pick(tenses)
    if "drink" in noun.classes:
        verbs = ((_DRINK, 2), (_BUY, 1))
    elif (
        "pair" in noun.classes
        or noun.en in ("oil", "flour", "sugar", "salt", "rice")
        or "kilo" in amount
    ):
        verbs = ((_BUY, 1),)
    else:
        verbs = ((_EAT, 2), (_BUY, 1))
    if "litre" in amount or "bottle" in amount:
        verbs = ((_BUY, 1),)
    if "cup" in amount or "glass" in amount:
        verbs = ((_DRINK, 1),)
    verb = dice.pick([v for v, weight in verbs for _ in range(weight)])
    phrase = noun_phrase(noun, amount, plural=noun.kind == "count")
    plan = Plan(subject, verb, tense)
    plan.en_rest.append(phrase.en)
    plan.fr_rest += phrase.fr
    if dice.chance(0.3):
        add_adverbial(plan, draw_time(dice, tense))
    return say(plan)


_EAT = make_verb("eat", "manger")
_DRINK = make_verb("drink", "boire")
_BUY = make_verb("buy", "acheter")


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


def since(dice: Dice) -> Sentence:
    """We have been living in Paris for three years."""
    subject = draw_person(dice)
    roll = dice.between(0, 99)
    if roll < 35:
        english, towards, _ = place_phrase(dice)
        while not english[0].isupper():
            english, towards, _ = place_phrase(dice)
        plan = Plan(subject, make_verb("live", "habiter"), "since")
        plan.en_rest.append(f"in {english}")
        plan.fr_rest += towards
        units = (2, 3)
    elif roll < 65:
        plan = draw_action(dice, subject, "since", family="hobby")
        units = (2, 3)
    else:
        plan = Plan(
            subject,
            dice.pick(
                (
                    make_verb("wait", "attendre"),
                    make_verb("sleep", "dormir"),
                    make_verb("work", "travailler"),
                )
            ),
            "since",
        )
        units = (4,)
    english, french = draw_span(dice, units)
    plan.en_rest.append(f"for {english}")
    plan.fr_rest += ["depuis", *french.split(" ")]
    return say(plan)


def just(dice: Dice) -> Sentence:
    """Marie has just left: elle vient de partir."""
    subject = draw_person(dice)
    plan = draw_action(dice, subject, "perf", places=False)
    if plan.verb.state or plan.verb.en.base in _LENGTHY:
        return just(dice)
    plan.en_adverb = "just"
    english = say_english(plan)
    _, french = say_infinitive(plan)
    return english, [*subject.fr, _VENIR.fr.present[subject.person], "de", *french], "."


_LENGTHY = word_set("stay travel hurry smile wait follow listen look play")
_VENIR = make_verb("come", "venir")


def pronoun_place(dice: Dice) -> Sentence:
    """He goes there every day; I am thinking about it; she bought three of them."""
    subject = draw_person(dice, pronouns=0.6)
    roll = dice.between(0, 99)
    if roll < 30:
        verb = dice.pick((_GO_THERE, _GO_THERE, _RETURN_THERE))
        tense = dice.pick(("pres", "past", "fut", "going"))
        negation = "not" if dice.chance(0.2) else ""
        plan = Plan(subject, verb, tense, negation, clitics=Clitics(("y",)))
        if dice.chance(0.6):
            add_adverbial(plan, draw_time(dice, tense))
        return say(plan)
    if roll < 45:
        plan = Plan(subject, _THINK, "pres", clitics=Clitics(("y",)))
        plan.en_adverb, plan.fr_adverb = dice.pick(FREQUENCIES)
        plan.en_rest.append("about it")
        return say(plan)
    if roll < 60:
        tense = dice.pick(("past", "fut", "perf"))
        negation = "not" if dice.chance(0.3) else ""
        plan = Plan(subject, _TALK, tense, negation, clitics=Clitics(("en",)))
        plan.en_rest.append("about it")
        return say(plan)
    number = dice.between(2, 20)
    from_number = noun_phrase(_YEAR, "number", plural=True, number=number)
    amount_en = from_number.en.rsplit(" ", 1)[0]
    amount_fr = from_number.fr[:-1]
    if dice.chance(0.25):
        amount_en, amount_fr = "several", ["plusieurs"]
    verb = dice.pick((_BUY, _EAT, make_verb("sell", "vendre"), HAVE, WANT))
    tense = "pres" if verb.state else dice.pick(("past", "fut", "going"))
    plan = Plan(subject, verb, tense, clitics=Clitics(("en",)))
    plan.en_rest.append(f"{amount_en} of them")
    plan.fr_rest += amount_fr
    return say(plan)


_GO_THERE = make_verb("go there", "aller")
_RETURN_THERE = make_verb("return there", "retourner")
_THINK = make_verb("think", "penser")
_TALK = make_verb("talk", "parler")

_MANNERS = (
    ("well", "bien", True),
    ("badly", "mal", True),
    ("slowly", "lentement", False),
    ("quickly", "vite", False),
    ("a lot", "beaucoup", True),
    ("too much", "trop", True),
)
_MANNER_VERBS = {
    "work": ("travailler", "well slowly quickly a_lot too_much"),
    "drive": ("conduire", "well badly slowly quickly"),
    "sing": ("chanter", "well badly a_lot"),
    "swim": ("nager", "well slowly quickly a_lot"),
    "walk": ("marcher", "slowly quickly a_lot"),
    "cook": ("cuisiner", "well badly a_lot"),
    "sleep": ("dormir", "well badly a_lot too_much"),
    "dance": ("danser", "well badly a_lot"),
    "eat": ("manger", "well badly slowly quickly a_lot too_much"),
    "write": ("écrire", "well badly slowly quickly"),
    "speak": ("parler", "slowly quickly too_much a_lot"),
    "smoke": ("fumer", "too_much a_lot"),
    "travel": ("voyager", "a_lot"),
    "cry": ("pleurer", "a_lot"),
    "read": ("lire", "a_lot slowly well"),
}


def manner(dice: Dice) -> Sentence:
    """Marie drives slowly; he has worked a lot."""
    base = dice.pick(tuple(_MANNER_VERBS))
    french, allowed = _MANNER_VERBS[base]
    chosen = dice.pick(allowed.split(" ")).replace("_", " ")
    english, adverb, short = next(m for m in _MANNERS if m[0] == chosen)
    tense = dice.pick(("pres", "pres", "past", "fut"))
    negation = "not" if tense != "fut" and dice.chance(0.15) else ""
    if negation and english in ("badly", "a lot"):
        negation = ""
    plan = Plan(draw_person(dice), make_verb(base, french), tense, negation)
    if is_ambiguous(plan):
        return manner(dice)
    degree_en, degree_fr = "", ""
    if english in ("well", "badly", "slowly", "quickly") and dice.chance(0.25):
        degree_en, degree_fr = dice.pick((("very ", "très "), ("too ", "trop ")))
        if english == "badly" and degree_en == "too ":
            degree_en, degree_fr = "very ", "très "
        if english == "well" and degree_en == "too ":
            degree_en, degree_fr = "very ", "très "
    plan.en_rest.append(degree_en + english)
    full = degree_fr + adverb
    if short:
        plan.fr_adverb = full
    else:
        plan.fr_rest += full.split(" ")
    return say(plan)


def dative_pair(dice: Dice) -> Sentence:
    """He gives them to me: two pronouns in French, in their order."""
    subject = draw_person(dice)
    pronoun = dice.pick(other_pronouns(subject))
    verb = dice.pick(_GIVING)
    tense, negation = draw_tense(dice)
    if tense == "used":
        tense = "past"
    indirect = INDIRECT[pronoun]
    words = ("les", indirect) if indirect in ("lui", "leur") else (indirect, "les")
    plan = Plan(subject, verb, tense, negation)
    plan.clitics = Clitics(words, True, "m", True)
    plan.en_rest += ["them", f"to {pronoun}"]
    return say(plan)


_GIVING = tuple(
    make_verb(english, french)
    for english, french in (
        ("give", "donner"),
        ("show", "montrer"),
        ("lend", "prêter"),
        ("send", "envoyer"),
        ("sell", "vendre"),
        ("bring", "apporter"),
        ("explain", "expliquer"),
    )
)


def animal_life(dice: Dice) -> Sentence:
    """The dog is sleeping under the table."""
    kinds, english, french, rest = dice.pick(_LIVES)
    noun = dice.pick(find_nouns(kinds))
    if noun.classes & {"pet"}:
        determiner = dice.pick(("the", "my", "our", "your", "this", "their"))
    else:
        determiner = dice.pick(("the", "the", "this"))
    plural = dice.chance(0.3)
    subject = noun_phrase(noun, determiner, plural=plural)
    tense = dice.pick(("pres", "prog", "past", "pprog"))
    verb = make_verb(english, french)
    plan = Plan(subject, verb, tense)
    if rest:
        add_adverbial(plan, dice.pick(rest))
    return say(plan)


_LIVES = (
    (("pet", "livestock", "bear", "tortoise"), "sleep", "dormir",
     (("under the table", "sous la table"), ("in the garden", "dans le jardin"),
      ("under the tree", "sous l' arbre"), ("near the house", "près de la maison"))),
    (("bird", "owl", "bee", "butterfly"), "fly", "voler",
     (("over the house", "au-dessus de la maison"),
      ("over the lake", "au-dessus du lac"), ("in the sky", "dans le ciel"))),
    (("duck", "frog"), "swim", "nager",
     (("in the lake", "dans le lac"), ("in the river", "dans la rivière"))),
    (("horse", "dog", "fox", "rabbit", "hedgehog"), "run", "courir",
     (("in the forest", "dans la forêt"), ("in the field", "dans le champ"),
      ("behind the house", "derrière la maison"))),
    (("dog", "cat"), "follow", "suivre",
     (("the girl", "la fille"), ("the children", "les enfants"),
      ("my mother", "ma mère"), ("the postman", "le facteur"))),
    (("cat", "dog", "owl", "fox"), "eat", "manger",
     (("a mouse", "une souris"), ("meat", "de la viande"))),
    (("cow", "horse", "lamb", "goat", "donkey"), "eat", "manger",
     (("grass", "de l' herbe"), ("apples", "des pommes"))),
    (("pet", "horse", "cow", "elephant"), "drink", "boire",
     (("water", "de l' eau"),)),
    (("cat",), "hide", "se cacher",
     (("under the bed", "sous le lit"), ("behind the door", "derrière la porte"))),
    (("monkey", "squirrel"), "eat", "manger",
     (("a banana", "une banane"), ("fruit", "des fruits"))),
)  # fmt: skip


def company(dice: Dice) -> Sentence:
    """He plays tennis with us; she left without her sister."""
    subject = draw_person(dice)
    tense = dice.pick(("past", "fut", "going", "prog", "pres"))
    family = dice.pick(("intransitive", "motion", "hobby"))
    plan = draw_action(dice, subject, tense, family=family, places=False)
    if plan.verb.en.base in ("cry", "live", "smile") or "with" in " ".join(
        plan.en_rest
    ):
        return company(dice)
    if dice.chance(0.4):
        pronoun = dice.pick(other_pronouns(subject))
        plan.en_rest.append(f"with {pronoun}")
        plan.fr_rest += ["avec", DISJUNCTIVE[pronoun]]
    else:
        friend = draw_relative(dice, subject)
        word = dice.pick((("with", "avec"), ("without", "sans")))
        plan.en_rest.append(f"{word[0]} {friend.en}")
        plan.fr_rest += [word[1], *friend.fr]
    if dice.chance(0.3) and tense != "pres":
        add_adverbial(plan, draw_time(dice, tense))
    return say(plan)


STATEMENTS: tuple[tuple[Template, int], ...] = (
    (action, 30),
    (grooming, 2),
    (nothing, 3),
    (nobody, 2),
    (only, 2),
    (description, 9),
    (profession, 3),
    (nationality, 2),
    (feeling, 4),
    (need, 3),
    (possession, 4),
    (modal, 8),
    (wish, 3),
    (quantity, 3),
    (missing, 1),
    (pain, 2),
    (since, 2),
    (just, 2),
    (pronoun_place, 3),
    (manner, 3),
    (dative_pair, 2),
    (animal_life, 3),
    (company, 3),
)
