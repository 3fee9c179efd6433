"""Commands and requests, and sentences addressed to somebody by name."""

from __future__ import annotations

from anadrome.corpora.grammar import names
from anadrome.corpora.grammar.actions import (
    add_adverbial,
    direct_clitic,
    draw_action,
    is_ambiguous,
    takes_de,
)
from anadrome.corpora.grammar.adjectives import predicates
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Sentence,
    say,
    say_imperative,
)
from anadrome.corpora.grammar.nouns import noun
from anadrome.corpora.grammar.phrases import (
    INDIRECT,
    MADAM,
    TU_MAN,
    TU_WOMAN,
    WE,
    YOU,
    Dice,
    Template,
    draw_object,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.questions import ask
from anadrome.corpora.grammar.verbs import (
    BE,
    DATIVE,
    HAVE_FEELING,
    WANT,
    Verb,
    make_verb,
)

_ORDERS: tuple[tuple[Verb, tuple[str, ...]], ...] = tuple(
    (make_verb(english, french), tuple(classes.split(" ")))
    for english, french, classes in (
        ("open", "ouvrir", "opening container drawer parcel"),
        ("close", "fermer", "opening container drawer"),
        ("clean", "nettoyer", "indoor car"),
        ("wash", "laver", "plate glass cup shirt car"),
        ("eat", "manger", "fruit soup meat cheese"),
        ("drink", "boire", "milk water tea orange_juice"),
        ("read", "lire", "book letter article message poem"),
        ("take", "prendre", "umbrella key bag coat map"),
        ("buy", "acheter", "bread milk cheese apple tomato flower"),
        ("prepare", "préparer", "breakfast lunch dinner"),
        ("look at", "regarder", "painting photo map star"),
        ("listen to", "écouter", "song doctor teacher"),
        ("wait for", "attendre", "bus train doctor"),
        ("follow", "suivre", "policeman nurse road"),
        ("cut", "couper", "bread cake onion carrot"),
        ("forget", "oublier", "key umbrella passport ticket"),
        ("touch", "toucher", "painting statue vase"),
        ("break", "casser", "glass vase plate"),
        ("lose", "perdre", "key ticket passport"),
        ("cross", "traverser", "street bridge square"),
    )
)
_NEVER_ORDERED = frozenset(["forget", "touch", "break", "lose"])
_NEVER_FORBIDDEN = frozenset(["prepare", "wash", "clean"])
_GESTURES = tuple(
    (make_verb(english, french), rest_en, rest_fr)
    for english, french, rest_en, rest_fr in (
        ("go home", "rentrer", "", "à la maison"),
        ("stay", "rester", "here", "ici"),
        ("come", "venir", "with us", "avec nous"),
        ("come", "venir", "with me", "avec moi"),
        ("wait", "attendre", "in front of the door", "devant la porte"),
        ("turn", "tourner", "left", "à gauche"),
        ("turn", "tourner", "right", "à droite"),
        ("speak", "parler", "more slowly", "plus lentement"),
        ("sit down", "s'asseoir", "on this chair", "sur cette chaise"),
        ("get up", "se lever", "", ""),
        ("hurry", "se dépêcher", "", ""),
        ("stop", "s'arrêter", "", ""),
        ("rest", "se reposer", "", ""),
        ("work", "travailler", "quickly", "vite"),
        ("come in", "entrer", "", ""),
        ("go to bed", "se coucher", "", ""),
        ("wash", "se laver", "your hands", "les mains"),
        ("be", "être", "patient", "patient"),
        ("be", "être", "careful", "prudent"),
        ("be", "être", "polite", "poli"),
    )
)
_FORBIDDEN = tuple(
    (make_verb(english, french), rest_en, rest_fr)
    for english, french, rest_en, rest_fr in (
        ("smoke", "fumer", "in the house", "dans la maison"),
        ("run", "courir", "in the street", "dans la rue"),
        ("shout", "crier", "", ""),
        ("stop", "s'arrêter", "here", "ici"),
        ("get angry", "se fâcher", "", ""),
        ("hurry", "se dépêcher", "", ""),
        ("be", "être", "late", "en retard"),
        ("cry", "pleurer", "", ""),
        ("laugh", "rire", "", ""),
        ("go", "aller", "to the beach", "à la plage"),
        ("swim", "nager", "in this lake", "dans ce lac"),
        ("sit down", "s'asseoir", "here", "ici"),
    )
)


def draw_command(dice: Dice, subject: Phrase) -> Plan:
    """Something that one tells the subject to do, or not to do."""
    roll = dice.between(0, 99)
    negation = ""
    if roll < 40:
        verb, classes = dice.pick(_ORDERS)
        base = verb.en.base
        if base in _NEVER_ORDERED or (
            dice.chance(0.2) and base not in _NEVER_FORBIDDEN
        ):
            negation = "not"
        wanted = tuple(name.replace("_", " ") for name in classes)
        if negation:
            thing = dice.pick(find_nouns(wanted))
            phrase = noun_phrase(thing, dice.pick(("the", "the", "this")))
        else:
            phrase = draw_object(dice, wanted, subject, adjectives=0.15, negated=True)
        plan = Plan(subject, verb, "inf", negation)
        negated = takes_de(negation)
        plan.en_rest.append(phrase.english(negated))
        plan.fr_rest += phrase.french(negated)
        return plan
    if roll < 60:
        # give me the key
        verb = dice.pick(DATIVE)
        if verb.en.base == "promise":
            verb = DATIVE[0]
        pronoun = dice.pick(("me", "us", "him", "her", "them"))
        if subject is WE and pronoun in ("me", "us"):
            pronoun = "them"
        negation = "not" if dice.chance(0.2) else ""
        negated = takes_de(negation)
        phrase = draw_object(dice, verb.objects, subject, adjectives=0.1, negated=True)
        plan = Plan(subject, verb, "inf", negation)
        plan.clitics = Clitics((INDIRECT[pronoun],))
        if verb.en.base in ("explain", "return"):
            plan.en_rest += [phrase.english(negated), f"to {pronoun}"]
        else:
            plan.en_rest += [pronoun, phrase.english(negated)]
        plan.fr_rest += phrase.french(negated)
        return plan
    if roll < 70:
        # help me, do not wait for them
        verb = dice.pick(_TO_PEOPLE)
        pronoun = dice.pick(("me", "us", "him", "her", "them"))
        if subject is WE:
            pronoun = dice.pick(("him", "her", "them"))
        negation = "not" if dice.chance(0.3) else ""
        plan = Plan(subject, verb, "inf", negation)
        plan.clitics = direct_clitic(pronoun, subject)
        plan.en_rest.append(pronoun)
        return plan
    if roll < 88:
        verb, english, french = dice.pick(_GESTURES)
    else:
        verb, english, french = dice.pick(_FORBIDDEN)
        negation = "not"
    plan = Plan(subject, verb, "inf", negation)
    if english:
        plan.en_rest.append(english)
    plan.fr_rest += french.split()
    if verb.en.base == "be" and subject.gender == "f":
        plan.fr_rest = [_FEMININE.get(word, word) for word in plan.fr_rest]
    return plan


_FEMININE = {"patient": "patiente", "prudent": "prudente", "poli": "polie"}
_TO_PEOPLE = tuple(
    make_verb(english, french)
    for english, french in (
        ("help", "aider"),
        ("wait for", "attendre"),
        ("listen to", "écouter"),
        ("look at", "regarder"),
        ("follow", "suivre"),
        ("call", "appeler"),
        ("invite", "inviter"),
        ("wake", "réveiller"),
    )
)


def command(dice: Dice) -> Sentence:
    """Open the window, please."""
    if dice.chance(0.2):
        return suggestion(dice)
    english, french = say_imperative(draw_command(dice, YOU))
    if dice.chance(0.4):
        english += [",", "please"]
        french += [",", "s'il", "vous", "plaît"]
    return english, french, "."


_OUTINGS = (
    (make_verb("go", "aller"), "to the beach", "à la plage"),
    (make_verb("go", "aller"), "to the cinema", "au cinéma"),
    (make_verb("go", "aller"), "to the restaurant", "au restaurant"),
    (make_verb("go", "aller"), "to the museum", "au musée"),
    (make_verb("go", "aller"), "to the park", "au parc"),
    (make_verb("go", "aller"), "to the market", "au marché"),
    (make_verb("go", "aller"), "to the theatre", "au théâtre"),
    (make_verb("take", "prendre"), "the train", "le train"),
    (make_verb("take", "prendre"), "a taxi", "un taxi"),
    (make_verb("eat", "manger"), "a cake", "un gâteau"),
    (make_verb("eat", "manger"), "at the restaurant", "au restaurant"),
    (make_verb("play", "jouer"), "cards", "aux cartes"),
    (make_verb("play", "jouer"), "chess", "aux échecs"),
    (make_verb("wait", "attendre"), "here", "ici"),
    (make_verb("watch", "regarder"), "a film", "un film"),
    (make_verb("visit", "visiter"), "the castle", "le château"),
    (make_verb("rest", "se reposer"), "", ""),
    (make_verb("hurry", "se dépêcher"), "", ""),
    (make_verb("go home", "rentrer"), "", "à la maison"),
    (make_verb("begin", "commencer"), "", ""),
    (make_verb("dance", "danser"), "together", "ensemble"),
    (make_verb("sing", "chanter"), "a song", "une chanson"),
    (make_verb("buy", "acheter"), "some bread", "du pain"),
    (make_verb("go for a walk", "se promener"), "", ""),
)


def suggestion(dice: Dice) -> Sentence:
    """Let us go to the beach: allons à la plage."""
    verb, english, french = dice.pick(_OUTINGS)
    plan = Plan(WE, verb, "inf")
    if english:
        plan.en_rest.append(english)
    if french:
        plan.fr_rest += french.split(" ")
    if dice.chance(0.3) and verb.en.base not in ("begin", "hurry"):
        add_adverbial(
            plan,
            dice.pick(
                (
                    ("tomorrow", "demain"),
                    ("this evening", "ce soir"),
                    ("this afternoon", "cet après-midi"),
                    ("together", "ensemble"),
                )
            ),
        )
        if plan.en_rest.count("together") > 1:
            return suggestion(dice)
    said_en, said_fr = say_imperative(plan)
    return said_en, said_fr, "."


_FAMILY = (("mum", "maman", "f"), ("dad", "papa", "m"))


def draw_address(dice: Dice) -> tuple[str, str, Phrase]:
    """Who is spoken to: in English, in French, and the "you" that it asks for."""
    roll = dice.between(0, 99)
    if roll < 75:
        woman = dice.chance(0.5)
        name = dice.pick(names.WOMEN if woman else names.MEN)
        return name, name, TU_WOMAN if woman else TU_MAN
    if roll < 88:
        english, french, gender = dice.pick(_FAMILY)
        return english, french, TU_WOMAN if gender == "f" else TU_MAN
    if dice.chance(0.5):
        return "sir", "monsieur", YOU
    return "madam", "madame", MADAM


_PERSON_ADJECTIVES = tuple(
    a for a in predicates(noun("man")) if a.en not in ("poor", "famous", "rich")
)


def address(dice: Dice) -> Sentence:
    """Marie, do you want some bread? Paul, close the door."""
    english, french, you = draw_address(dice)
    roll = dice.between(0, 99)
    if roll < 30:
        said_en, said_fr = say_imperative(draw_command(dice, you))
        end = "."
    elif roll < 62:
        said_en, said_fr, end = _asked(dice, you)
    elif roll < 80:
        said_en, said_fr, end = _told(dice, you)
    else:
        # Paul, I have seen your brother; Marie, I am waiting for you
        person = draw_person(dice, pronouns=0.6)
        while person.en in ("you",) or "your" in person.en or english in person.en:
            person = draw_person(dice, pronouns=0.6)
        verb = dice.pick(_TO_YOU)
        tense = dice.pick(("pres",) if verb.state else ("prog", "past", "fut", "going"))
        clitic = "te" if you.owner == "thy" else "vous"
        plan = Plan(person, verb, tense)
        plan.clitics = Clitics((clitic,), True, you.gender, False)
        plan.en_rest.append("you")
        said_en, said_fr, end = say(plan)
    return [english, ",", *said_en], [french, ",", *said_fr], end


_TO_YOU = tuple(
    make_verb(english, french, marks=marks)
    for english, french, marks in (
        ("look for", "chercher", ""),
        ("wait for", "attendre", ""),
        ("listen to", "écouter", ""),
        ("look at", "regarder", ""),
        ("call", "appeler", ""),
        ("love", "aimer", "s"),
        ("know", "connaître", "s"),
        ("understand", "comprendre", "s"),
        ("help", "aider", ""),
        ("invite", "inviter", ""),
        ("thank", "remercier", "s"),
    )
)


def _asked(dice: Dice, you: Phrase) -> Sentence:
    roll = dice.between(0, 99)
    if roll < 25:
        plan = Plan(you, BE, dice.pick(("pres", "past")))
        adjective = dice.pick(_PERSON_ADJECTIVES)
        add_adverbial(plan, (adjective.en, adjective.forms.agree(you.gender, False)))
        return ask(plan)
    if roll < 40:
        plan = Plan(you, HAVE_FEELING, "pres")
        add_adverbial(
            plan,
            dice.pick(
                (
                    ("hungry", "faim"),
                    ("thirsty", "soif"),
                    ("cold", "froid"),
                    ("afraid", "peur"),
                )
            ),
        )
        return ask(plan)
    if roll < 60:
        phrase = draw_object(dice, ("food", "drink", "fruit"), you)
        plan = Plan(you, WANT, "pres")
        plan.en_rest.append(phrase.en)
        plan.fr_rest += phrase.fr
        return ask(plan)
    tense = dice.pick(("past", "past", "perf", "fut", "prog", "going"))
    return ask(draw_action(dice, you, tense, places=False))


def _told(dice: Dice, you: Phrase) -> Sentence:
    roll = dice.between(0, 99)
    if roll < 30:
        negation = "not" if dice.chance(0.25) else ""
        plan = Plan(you, BE, dice.pick(("pres", "past")), negation)
        adjective = dice.pick(_PERSON_ADJECTIVES)
        if adjective.gradable and dice.chance(0.4):
            add_adverbial(plan, ("very", "très"))
        add_adverbial(plan, (adjective.en, adjective.forms.agree(you.gender, False)))
        return say(plan)
    tense = dice.pick(("past", "past", "perf", "fut", "going"))
    negation = "not" if dice.chance(0.2) else ""
    plan = draw_action(dice, you, tense, negation, places=False)
    if is_ambiguous(plan):
        return _told(dice, you)
    return say(plan)


COMMANDS: tuple[tuple[Template, int], ...] = ((command, 6), (address, 8))
