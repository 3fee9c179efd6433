"""Things people do: plans of clauses, drawn at random but sensible."""

from __future__ import annotations

from functools import lru_cache

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.adverbials import PLACES
from anadrome.corpora.grammar.clauses import Clitics, Phrase, Plan, Words
from anadrome.corpora.grammar.conjugation import IL
from anadrome.corpora.grammar.euphony import contract
from anadrome.corpora.grammar.nouns import Noun
from anadrome.corpora.grammar.phrases import (
    DIRECT,
    INDIRECT,
    KIN,
    UNOWNED,
    Dice,
    draw_object,
    draw_owner,
    find_nouns,
    name_phrase,
    noun_phrase,
    other_pronouns,
)
from anadrome.corpora.grammar.verbs import (
    DATIVE,
    INTRANSITIVE,
    REFLEXIVE,
    TRANSITIVE,
    Verb,
    make_verb,
)
from anadrome.corpora.grammar.verbs import INDIRECT as INDIRECT_VERBS

GO = make_verb("go", "aller")
RETURN = make_verb("return", "retourner")
ARRIVE = make_verb("arrive", "arriver")
COME_BACK = make_verb("come back", "revenir")
LIVE = make_verb("live", "habiter", marks="s")
STAY = make_verb("stay", "rester")
GO_HOME = make_verb("go home", "rentrer")
GO_OUT = make_verb("go out", "sortir")
LEAVE = make_verb("leave", "partir")
PLAY = make_verb("play", "jouer")
SPEAK = make_verb("speak", "parler", marks="x")
LEARN = make_verb("learn", "apprendre")
WASH = make_verb("wash", "se laver")
BRUSH = make_verb("brush", "se brosser")
VISIT = make_verb("visit", "visiter", marks="o")

_CHORES = (
    (make_verb("do", "faire"), "the washing-up", "la vaisselle"),
    (make_verb("do", "faire"), "the housework", "le ménage"),
    (make_verb("do", "faire"), "the shopping", "les courses"),
    (make_verb("make", "faire"), "the bed", "le lit"),
    (make_verb("ride", "faire"), "a bike", "du vélo"),
    (make_verb("go", "faire"), "skiing", "du ski"),
    (make_verb("watch", "regarder"), "television", "la télévision"),
    (make_verb("listen to", "écouter"), "music", "de la musique"),
    (make_verb("set", "mettre"), "the table", "la table"),
    (make_verb("switch off", "éteindre"), "the light", "la lumière"),
    (make_verb("switch on", "allumer"), "the light", "la lumière"),
    (make_verb("tidy", "ranger"), "the bedroom", "la chambre"),
    (make_verb("water", "arroser"), "the flowers", "les fleurs"),
    (make_verb("take", "prendre"), "the bus", "le bus"),
    (make_verb("take", "prendre"), "the train", "le train"),
    (make_verb("take", "prendre"), "a shower", "une douche"),
    (make_verb("take", "prendre"), "photos", "des photos"),
    (make_verb("tell", "dire", marks="x"), "the truth", "la vérité"),
)
_TRANSPORT = (
    ("by train", "en train"),
    ("by car", "en voiture"),
    ("by bus", "en bus"),
    ("by plane", "en avion"),
    ("by bike", "à vélo"),
    ("on foot", "à pied"),
    ("by boat", "en bateau"),
)
_NEAR = frozenset(["by train", "by car", "by bus", "by bike", "on foot"])
_FAR = frozenset(["by train", "by plane", "by boat", "by car"])


def _fits(verb: Verb, tense: str) -> bool:
    if verb.state:
        return tense in ("pres", "past", "used")
    if verb.accident and tense in ("inf", "fut", "going"):
        return False
    if tense in ("pres", "used"):
        return verb.habit
    if tense in ("prog", "pprog", "since"):
        return not verb.still
    return True


@lru_cache(maxsize=64)
def verbs_for(family: str, tense: str) -> tuple[Verb, ...]:
    """The verbs of a family that make sense in a tense."""
    table = {
        "transitive": TRANSITIVE,
        "indirect": INDIRECT_VERBS,
        "intransitive": INTRANSITIVE,
        "reflexive": REFLEXIVE,
        "dative": DATIVE,
    }[family]
    return tuple(v for v in table if _fits(v, tense))


def add_adverbial(plan: Plan, adverbial: tuple[str, str]) -> None:
    """Put an adverbial at the end of the clause."""
    plan.en_rest.append(adverbial[0])
    plan.fr_rest += adverbial[1].split(" ")


def _maybe_place(dice: Dice, plan: Plan, verb: Verb, probability: float = 0.3) -> None:
    if verb.adjuncts and dice.chance(probability):
        add_adverbial(plan, dice.pick(PLACES[dice.pick(verb.adjuncts)]))


_FAMILIES = (
    ("transitive",) * 44
    + ("intransitive",) * 12
    + ("reflexive",) * 10
    + ("indirect",) * 7
    + ("dative",) * 10
    + ("motion",) * 9
    + ("hobby",) * 4
    + ("chore",) * 4
)


def draw_action(
    dice: Dice,
    subject: Phrase,
    tense: str,
    negation: str = "",
    *,
    places: bool = True,
    pronouns: bool = True,
    family: str = "",
) -> Plan:
    """A plan of what a person does; "inf" is the tense of infinitives and commands."""
    family = family or dice.pick(_FAMILIES)
    plan = Plan(subject, PLAY, tense, negation)
    _fill(dice, plan, family, places, pronouns)
    if is_ambiguous(plan):
        return draw_action(
            dice,
            subject,
            tense,
            negation,
            places=places,
            pronouns=pronouns,
            family=family,
        )
    return plan


def is_ambiguous(plan: Plan) -> bool:
    """Whether English does not tell the present from the past: they read, I cut."""
    verb = plan.verb
    if plan.tense not in ("pres", "past") or verb.en.past != verb.en.base:
        return False
    if plan.tense == "past" and plan.subject.person == IL:
        return False
    return plan.tense == "past" or plan.subject.person != IL


def _fill(dice: Dice, plan: Plan, family: str, places: bool, pronouns: bool) -> None:
    """Choose the verb of a plan and its complements."""
    tense, negation = plan.tense, plan.negation
    place = 0.3 if places else 0.0
    if family == "transitive":
        _plan_transitive(dice, plan, pronouns)
        _maybe_place(dice, plan, plan.verb, place)
    elif family in ("intransitive", "reflexive"):
        plan.verb = dice.pick(verbs_for(family, tense))
        while plan.verb.en.base == "shave" and plan.subject.gender == "f":
            plan.verb = dice.pick(verbs_for(family, tense))
        _maybe_place(dice, plan, plan.verb, 2 * place)
    elif family == "indirect":
        _plan_indirect(dice, plan, pronouns)
    elif family == "dative":
        plan_dative(dice, plan, pronouns)
    elif family == "motion":
        _plan_motion(dice, plan)
    elif family == "hobby":
        _plan_hobby(dice, plan)
    else:
        plan.verb, english, french = dice.pick(_CHORES)
        add_adverbial(plan, (english, _negated_article(french, negation)))


def _negated_article(french: str, negation: str) -> str:
    """The object of a chore: no partitive or indefinite article after a negation."""
    if not takes_de(negation):
        return french
    article, _, rest = french.partition(" ")
    if article in ("une", "un", "des", "du"):
        return f"de {rest}"
    if french.startswith("de la "):
        return f"de {french[6:]}"
    return french


def takes_de(negation: str) -> bool:
    """Whether the object loses its article after this negation."""
    return negation in ("not", "never", "no longer", "subject")


def is_human(verb: Verb) -> bool:
    """Whether the verb is done to people."""
    return any(n.human for n in find_nouns(verb.objects))


def _plan_transitive(dice: Dice, plan: Plan, pronouns: bool) -> None:
    verb = plan.verb = dice.pick(verbs_for("transitive", plan.tense))
    if pronouns and verb.pronoun and dice.chance(0.22):
        if is_human(verb):
            pronoun = dice.pick(other_pronouns(plan.subject))
        else:
            pronoun = "them"
        plan.clitics = direct_clitic(pronoun, plan.subject)
        plan.en_rest.append(pronoun)
        return
    negated = takes_de(plan.negation)
    if verb.definite:
        thing = dice.pick(find_nouns(verb.objects))
        phrase = definite_object(dice, thing, plan.subject)
    else:
        phrase = draw_object(
            dice,
            verb.objects,
            plan.subject,
            generic=verb.generic,
            others=verb.others,
            negated=negated,
        )
    plan.en_rest.append(phrase.english(negated))
    plan.fr_rest += phrase.french(negated)
    if phrase.human or verb.state or not dice.chance(0.06):
        return
    if verb.en.base in ("buy", "choose", "prepare", "draw", "write", "pick"):
        for_whom = draw_relative(dice, plan.subject)
        plan.en_rest.append(f"for {for_whom.en}")
        plan.fr_rest += ["pour", *for_whom.fr]


def direct_clitic(pronoun: str, subject: Phrase) -> Clitics:
    """The French pronoun of a direct object; "you" is te beside a tu."""
    if pronoun == "you" and subject.owner == "thy":
        return Clitics(("te",), True, subject.gender, False)
    return DIRECT[pronoun]


def draw_relative(dice: Dice, subject: Phrase, *, others: bool = False) -> Phrase:
    """Somebody who receives or accompanies: a relative or a first name."""
    if dice.chance(0.3):
        if dice.chance(0.5):
            name = name_phrase(dice.pick(names.MEN), "m")
        else:
            name = name_phrase(dice.pick(names.WOMEN), "f")
        if name.en not in subject.en:
            return name
    noun = dice.pick(KIN)
    phrase = noun_phrase(noun, draw_owner(dice, noun, subject, others=others))
    if noun.en in subject.en:
        return draw_relative(dice, subject, others=others)
    return phrase


def _plan_indirect(dice: Dice, plan: Plan, pronouns: bool) -> None:
    verb = plan.verb = dice.pick(verbs_for("indirect", plan.tense))
    if pronouns and verb.pronoun and dice.chance(0.3):
        pronoun = dice.pick(other_pronouns(plan.subject))
        plan.clitics = Clitics((INDIRECT[pronoun],))
        plan.en_rest.append(pronoun)
        return
    noun = dice.pick(find_nouns(verb.objects))
    phrase = definite_object(dice, noun, plan.subject, others=verb.others)
    plan.en_rest.append(phrase.en)
    plan.fr_rest += contract(verb.preposition, phrase.fr)


def definite_object(
    dice: Dice, noun: Noun, subject: Phrase, *, others: bool = False
) -> Phrase:
    """A phrase without an indefinite article, which can follow any preposition."""
    if "kin" in noun.classes:
        return noun_phrase(noun, draw_owner(dice, noun, subject, others=others))
    if noun.human or noun.kind == "mass":
        return noun_phrase(noun, "the")
    roll = dice.between(0, 9)
    if roll < 4 or "exam" in noun.classes:
        return noun_phrase(noun, "the")
    if roll < 6:
        return noun_phrase(noun, "this")
    if roll < 8 and subject.human and not noun.classes & UNOWNED:
        return noun_phrase(noun, subject.owner)
    plural = "wedding" not in noun.classes and not noun.classes & {
        "home",
        "sight",
        "place",
    }
    return noun_phrase(noun, "the", plural=plural)


def plan_dative(dice: Dice, plan: Plan, pronouns: bool) -> None:
    """Fill a plan with giving something to somebody."""
    verb = plan.verb = dice.pick(verbs_for("dative", plan.tense))
    subject, negated = plan.subject, takes_de(plan.negation)
    phrase = draw_object(dice, verb.objects, subject, negated=negated, adjectives=0.15)
    english, french = phrase.english(negated), phrase.french(negated)
    if pronouns and dice.chance(0.55):
        pronoun = dice.pick(other_pronouns(subject))
        plan.clitics = Clitics((INDIRECT[pronoun],))
        if verb.en.base in ("explain", "return"):
            plan.en_rest += [english, f"to {pronoun}"]
        else:
            plan.en_rest += [pronoun, english]
        plan.fr_rest += french
        return
    receiver = draw_relative(dice, subject)
    if dice.chance(0.3):
        noun = dice.pick(find_nouns(("role", "people")))
        receiver = noun_phrase(noun, "the", plural=noun.en == "child")
    plan.en_rest += [english, f"to {receiver.en}"]
    plan.fr_rest += [*french, *contract("à", receiver.fr)]


def place_phrase(dice: Dice) -> tuple[str, Words, Words]:
    """A place: with "to" in English, and in French towards it and back from it."""
    roll = dice.between(0, 99)
    if roll < 25:
        country = dice.pick(names.COUNTRIES)
        return country.en, country.into, country.out
    if roll < 50:
        english, french = dice.pick(names.CITIES)
        words = french.split(" ")
        return english, ["à", *words], ["de", *words]
    noun = dice.pick(find_nouns(("place",)))
    phrase = noun_phrase(noun, "the")
    english = noun.en if noun.en == "school" else phrase.en
    return english, contract("à", phrase.fr), contract("de", phrase.fr)


def _plan_motion(dice: Dice, plan: Plan) -> None:
    english, towards, back = place_phrase(dice)
    far = english[0].isupper() or (english.startswith("the ") and english[4].isupper())
    tense = plan.tense
    roll = dice.between(0, 99)
    if roll < 45:
        plan.verb = GO
        plan.en_rest.append(f"to {english}")
        plan.fr_rest += towards
        if dice.chance(0.25):
            ways = _FAR if far else _NEAR
            way = dice.pick([w for w in _TRANSPORT if w[0] in ways])
            add_adverbial(plan, way)
    elif roll < 55:
        plan.verb = RETURN
        plan.en_rest.append(f"to {english}")
        plan.fr_rest += towards
    elif roll < 63 and tense not in ("prog", "pprog"):
        plan.verb = COME_BACK
        plan.en_rest.append(f"from {english}")
        plan.fr_rest += back
    elif roll < 71 and tense not in ("prog", "pprog"):
        plan.verb = ARRIVE
        plan.en_rest.append(f"in {english}" if far else f"at {english}")
        plan.fr_rest += towards
    elif roll < 78 and tense in ("pres", "used", "since"):
        plan.verb = LIVE
        name = dice.pick(names.CITIES) if dice.chance(0.5) else None
        if name:
            plan.en_rest.append(f"in {name[0]}")
            plan.fr_rest += ["à", *name[1].split(" ")]
        else:
            country = dice.pick(names.COUNTRIES)
            plan.en_rest.append(f"in {country.en}")
            plan.fr_rest += country.into
    elif roll < 86:
        plan.verb = STAY
        add_adverbial(
            plan,
            dice.pick(
                (
                    ("at home", "à la maison"),
                    ("at the hotel", "à l' hôtel"),
                    ("in bed", "au lit"),
                    ("here", "ici"),
                )
            ),
        )
    elif roll < 93:
        plan.verb = dice.pick((GO_HOME, GO_OUT, LEAVE))
        if plan.verb is GO_HOME:
            plan.fr_rest += ["à", "la", "maison"]
    else:
        plan.verb = VISIT if tense not in ("pres", "used") else GO
        if plan.verb is VISIT:
            if dice.chance(0.5):
                country = dice.pick(names.COUNTRIES)
                plan.en_rest.append(country.en)
                plan.fr_rest += country.named
            else:
                city = dice.pick(names.CITIES)
                add_adverbial(plan, city)
        else:
            plan.en_rest.append(f"to {english}")
            plan.fr_rest += towards


def _plan_hobby(dice: Dice, plan: Plan) -> None:
    roll = dice.between(0, 99)
    if roll < 40:
        plan.verb = PLAY
        add_adverbial(plan, dice.pick(names.GAMES))
        if dice.chance(0.3):
            friend = draw_relative(dice, plan.subject)
            plan.en_rest.append(f"with {friend.en}")
            plan.fr_rest += ["avec", *friend.fr]
    elif roll < 70:
        plan.verb = PLAY
        add_adverbial(plan, dice.pick(names.INSTRUMENTS))
    elif roll < 85 and plan.tense in ("pres", "used", "inf"):
        plan.verb = SPEAK
        english, french = dice.pick(names.LANGUAGES)
        add_adverbial(plan, (english, french))
    else:
        plan.verb = LEARN
        english, french = dice.pick(names.LANGUAGES)
        article = "l'" if french[0] in "aeé" else "le"
        add_adverbial(plan, (english, f"{article} {french}"))


def draw_grooming(dice: Dice, subject: Phrase, tense: str, negation: str = "") -> Plan:
    """Washing one's hands: in French with a reflexive and the article."""
    verb = dice.pick((WASH, BRUSH))
    plan = Plan(subject, verb, tense, negation, agrees=False)
    if verb is WASH:
        part = dice.pick((("hands", "les mains"), ("hair", "les cheveux")))
    else:
        part = ("teeth", "les dents")
    owner = "your" if subject.owner == "thy" else subject.owner
    add_adverbial(plan, (f"{owner} {part[0]}", part[1]))
    return plan
