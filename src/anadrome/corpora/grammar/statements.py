"""Plain statements: actions, descriptions, feelings, possessions."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import (
    add_adverbial,
    draw_action,
    draw_grooming,
    draw_relative,
    is_ambiguous,
    place_phrase,
)
from anadrome.corpora.grammar.adverbials import FREQUENCIES, draw_span, draw_time
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Sentence,
    say,
    say_english,
    say_french,
    say_infinitive,
)
from anadrome.corpora.grammar.numbers import english_number, french_number
from anadrome.corpora.grammar.phrases import (
    DISJUNCTIVE,
    INDIRECT,
    Dice,
    Template,
    draw_person,
    find_nouns,
    noun_phrase,
    other_pronouns,
)
from anadrome.corpora.grammar.verbs import BE, HAVE, WANT, make_verb
from anadrome.corpora.grammar.words import word_list, word_set

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
        tenses = word_list("past past fut going prog")
    else:
        noun = dice.pick(find_nouns(("fruit", "vegetable", "food", "drink")))
        amounts = ("a lot of", "too many" if noun.kind == "count" else "too much")
        amount = dice.pick(amounts)
        if noun.kind == "plural":
            amount = "a lot of"
        tenses = word_list("pres past")
    tense = dice.pick(tenses)
    if "drink" in noun.classes:
        verbs = [_DRINK, _DRINK, _BUY]
    elif (
        "pair" in noun.classes
        or noun.en in ("oil", "flour", "sugar", "salt", "rice")
        or "kilo" in amount
    ):
        verbs = [_BUY]
    else:
        verbs = [_EAT, _EAT, _BUY]
    if "litre" in amount or "bottle" in amount:
        verbs = [_BUY]
    if "cup" in amount or "glass" in amount:
        verbs = [_DRINK]
    verb = dice.pick(verbs)
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
        units = _YEARS
    elif roll < 65:
        plan = draw_action(dice, subject, "since", family="hobby")
        units = _YEARS
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
        units = _HOURS
    english, french = draw_span(dice, units)
    plan.en_rest.append(f"for {english}")
    plan.fr_rest += ["depuis", *french.split(" ")]
    return say(plan)


_HOURS: tuple[int, ...] = (4,)
_YEARS: tuple[int, ...] = (2, 3)


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
    amount_en, amount_fr = english_number(number), [french_number(number)]
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
    said = set(" ".join(plan.en_rest).split(" "))
    if plan.verb.en.base in ("cry", "live", "smile") or said & {"with", "bed"}:
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
    (quantity, 3),
    (since, 2),
    (just, 2),
    (pronoun_place, 3),
    (manner, 3),
    (dative_pair, 2),
    (animal_life, 3),
    (company, 3),
)
