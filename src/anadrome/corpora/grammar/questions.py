"""Questions: yes or no, and the question words."""

from __future__ import annotations

from anadrome.corpora.grammar.actions import add_adverbial, draw_action, place_phrase
from anadrome.corpora.grammar.adverbials import draw_time
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    Sentence,
    say_english,
    say_french,
    say_infinitive,
)
from anadrome.corpora.grammar.conjugation import IL, JE
from anadrome.corpora.grammar.phrases import (
    YOU,
    Dice,
    I,
    Template,
    draw_object,
    draw_person,
    find_nouns,
    noun_phrase,
)
from anadrome.corpora.grammar.qualities import draw_description
from anadrome.corpora.grammar.verbs import BE, HAVE, HAVE_FEELING, WANT, Verb, make_verb
from anadrome.corpora.grammar.wishes import CAN, allows_infinitive
from anadrome.corpora.grammar.words import word_set

_TENSES = ("pres", "prog", "prog", "past", "past", "perf", "fut", "going")


def asked_person(dice: Dice) -> Phrase:
    """Whom a question is about: mostly "you", never "I"."""
    if dice.chance(0.35):
        return YOU
    person = draw_person(dice, pronouns=0.45)
    return YOU if person.person == JE else person


def ask(plan: Plan, before_en: str = "", before_fr: str = "") -> Sentence:
    """The plan as a question, opened by question words or not."""
    english = say_english(plan, question=True)
    french = say_french(plan, question=True, before=before_fr.split())
    return [before_en, *english] if before_en else english, french, "?"


def yes_or_no(dice: Dice) -> Sentence:
    """Does Paul eat meat? Are you tired?"""
    roll = dice.between(0, 99)
    if roll < 20:
        subject, adjective = draw_description(dice)
        if subject.person == JE:
            subject = YOU
        plan = Plan(subject, BE, dice.pick(("pres", "pres", "past")))
        word = adjective.forms.agree(subject.gender, subject.plural)
        add_adverbial(plan, (adjective.en, word))
        return ask(plan)
    if roll < 30:
        plan = Plan(asked_person(dice), HAVE_FEELING, dice.pick(("pres", "past")))
        add_adverbial(
            plan,
            dice.pick(
                (
                    ("hungry", "faim"),
                    ("thirsty", "soif"),
                    ("cold", "froid"),
                    ("afraid", "peur"),
                    ("hot", "chaud"),
                )
            ),
        )
        return ask(plan)
    subject = asked_person(dice)
    if roll < 42:
        phrase = draw_object(dice, ("food", "drink", "fruit", "dish"), subject)
        if phrase.fr_negated is None:
            noun = dice.pick(find_nouns(("drink",)))
            phrase = noun_phrase(noun, "some")
        plan = Plan(subject, WANT, "pres")
        plan.en_rest.append(phrase.en)
        plan.fr_rest += phrase.fr
        return ask(plan)
    if roll < 55:
        plan = Plan(subject, HAVE, "pres")
        noun = dice.pick(
            find_nouns(
                (
                    "pet",
                    "car",
                    "bike",
                    "child",
                    "brother",
                    "sister",
                    "idea",
                    "question",
                    "ticket",
                    "umbrella",
                    "passport",
                    "pen",
                    "dictionary",
                    "phone",
                    "garden",
                    "key",
                )
            )
        )
        phrase = noun_phrase(noun, "a")
        if noun.human and dice.chance(0.5):
            phrase = noun_phrase(noun, "bare", plural=True)
        plan.en_rest.append(phrase.en)
        plan.fr_rest += phrase.fr
        return ask(plan)
    tense = dice.pick(_TENSES)
    negation = "not" if dice.chance(0.06) and subject.pronoun else ""
    plan = draw_action(dice, subject, tense, negation, places=False)
    if not plan.verb.state and not negation and dice.chance(0.3) and tense != "perf":
        if plan.verb.habit or tense != "pres":
            add_adverbial(plan, draw_time(dice, tense))
    return ask(plan)


def permission(dice: Dice) -> Sentence:
    """Can I open the window? Can you help me?"""
    subject = I if dice.chance(0.4) else asked_person(dice)
    if not subject.pronoun:
        subject = YOU
    family = dice.pick(("transitive", "transitive", "dative", "motion", "chore"))
    inner = draw_action(dice, subject, "inf", places=False, family=family)
    if not allows_infinitive("want to", inner.verb):
        return permission(dice)
    english, french = say_infinitive(inner)
    word = "can" if dice.chance(0.7) else "must"
    verb = CAN if word == "can" else _MUST
    plan = Plan(subject, verb, "pres", fr_rest=french)
    return [word, subject.en, *english], say_french(plan, question=True), "?"


_MUST = make_verb("must", "devoir", marks="s")

_WHERE = (
    make_verb("work", "travailler"),
    make_verb("live", "habiter", marks="s"),
    make_verb("have lunch", "déjeuner"),
    make_verb("sleep", "dormir"),
    make_verb("play", "jouer"),
    make_verb("go", "aller"),
    make_verb("stop", "s'arrêter"),
    make_verb("hide", "se cacher"),
    make_verb("study", "étudier"),
)
_WHEN = (
    make_verb("leave", "partir"),
    make_verb("arrive", "arriver"),
    make_verb("come back", "revenir"),
    make_verb("go home", "rentrer"),
    make_verb("go out", "sortir"),
    make_verb("get up", "se lever"),
    make_verb("go to bed", "se coucher"),
)


def where(dice: Dice) -> Sentence:
    """Where does your sister work? Where are my keys?"""
    if dice.chance(0.35):
        noun = dice.pick(find_nouns(("small", "place", "kin", "pet", "container")))
        owned = bool(noun.classes & {"small", "kin", "pet", "container"})
        plural = ("small" in noun.classes or noun.kind == "plural") and dice.chance(0.4)
        if noun.kind == "plural":
            plural = True
        determiner = dice.pick(("my", "your", "his", "her", "our")) if owned else "the"
        phrase = noun_phrase(noun, determiner, plural=plural)
        many = phrase.plural
        past = dice.chance(0.2)
        be = ("were" if many else "was") if past else ("are" if many else "is")
        form = (BE.fr.imperfect if past else BE.fr.present)[phrase.person]
        return ["where", be, phrase.en], ["où", form, *phrase.fr], "?"
    verb = dice.pick(_WHERE)
    tense = (
        "pres" if verb.state else dice.pick(("pres", "prog", "past", "fut", "going"))
    )
    if verb.en.base == "stop" and tense == "prog":
        tense = "past"
    plan = Plan(asked_person(dice), verb, tense)
    return ask(plan, "where", "où")


def when(dice: Dice) -> Sentence:
    """When will you leave? What time does the train arrive?"""
    verb = dice.pick(_WHEN)
    hour = dice.chance(0.5)
    tense = dice.pick(("pres", "past", "fut") if hour else ("past", "fut", "going"))
    subject = asked_person(dice)
    if verb.en.base in ("leave", "arrive") and dice.chance(0.4):
        noun = dice.pick(find_nouns(("train", "bus", "plane", "boat")))
        subject = noun_phrase(noun, "the")
    plan = Plan(subject, verb, tense)
    if hour:
        return ask(plan, "what time", "à quelle heure")
    return ask(plan, "when", "quand")


def why(dice: Dice) -> Sentence:
    """Why is she crying?"""
    subject = asked_person(dice)
    if dice.chance(0.35):
        _, adjective = draw_description(dice)
        while adjective.en not in _MOODS:
            _, adjective = draw_description(dice)
        plan = Plan(subject, BE, dice.pick(("pres", "pres", "past")))
        word = adjective.forms.agree(subject.gender, subject.plural)
        add_adverbial(plan, (adjective.en, word))
    else:
        tense = dice.pick(("prog", "past", "past", "pres"))
        negation = "not" if dice.chance(0.25) and not subject.pronoun else ""
        plan = draw_action(dice, subject, tense, negation, places=False)
        if plan.verb.state:
            return why(dice)
    return ask(plan, "why", "pourquoi")


_MOODS = word_set(
    """tired sad happy nervous worried jealous proud busy absent disappointed
    surprised"""
)

_WHAT = tuple(
    make_verb(english, french, marks=marks)
    for english, french, marks in (
        ("eat", "manger", ""),
        ("drink", "boire", ""),
        ("buy", "acheter", ""),
        ("read", "lire", ""),
        ("write", "écrire", ""),
        ("look for", "chercher", ""),
        ("watch", "regarder", ""),
        ("draw", "dessiner", ""),
        ("prepare", "préparer", ""),
        ("say", "dire", "x"),
        ("do", "faire", ""),
        ("choose", "choisir", "x"),
        ("see", "voir", "x"),
        ("forget", "oublier", "x"),
        ("hide", "cacher", "x"),
        ("sell", "vendre", ""),
        ("learn", "apprendre", ""),
        ("want", "vouloir", "s"),
        ("repair", "réparer", ""),
    )
)


def what(dice: Dice) -> Sentence:
    """What are you eating? Que mangez-vous ?"""
    verb = dice.pick(_WHAT)
    if verb.state:
        tense = "pres"
    elif verb.still:
        tense = dice.pick(("past", "past", "going"))
    else:
        tense = dice.pick(("prog", "past", "past", "fut", "going"))
    plan = Plan(asked_person(dice), verb, tense)
    if dice.chance(0.3) and tense in _NEAR_TIMES:
        add_adverbial(plan, dice.pick(_NEAR_TIMES[tense]))
    return ask(plan, "what", "que")


_NEAR_TIMES = {
    "past": (
        ("yesterday", "hier"),
        ("this morning", "ce matin"),
        ("yesterday evening", "hier soir"),
    ),
    "fut": (("tomorrow", "demain"), ("this evening", "ce soir")),
    "going": (("tomorrow", "demain"), ("this evening", "ce soir")),
}
_WHO_SUBJECT = Phrase("who", ["qui"], human=True, owner="his")
_WHOM = tuple(
    make_verb(english, french, marks="x")
    for english, french in (
        ("see", "voir"),
        ("invite", "inviter"),
        ("look for", "chercher"),
        ("wait for", "attendre"),
        ("meet", "rencontrer"),
        ("help", "aider"),
        ("call", "appeler"),
        ("choose", "choisir"),
        ("listen to", "écouter"),
    )
)
_WITH = (
    make_verb("play", "jouer"),
    make_verb("travel", "voyager"),
    make_verb("dance", "danser"),
    make_verb("work", "travailler"),
    make_verb("have dinner", "dîner"),
    make_verb("live", "habiter", marks="s"),
)


def who(dice: Dice) -> Sentence:
    """Who is singing? Who did you invite? Who does he work with?"""
    roll = dice.between(0, 99)
    if roll < 45:
        tense = dice.pick(("prog", "past", "past", "fut"))
        plan = draw_action(dice, _WHO_SUBJECT, tense)
        if any("his" in word.split(" ") for word in plan.en_rest):
            return who(dice)
        return say_english(plan), say_french(plan), "?"
    if roll < 75:
        plan = Plan(asked_person(dice), dice.pick(_WHOM), dice.pick(("past", "going")))
        return ask(plan, "who", "qui")
    verb = dice.pick(_WITH)
    tense = "pres" if verb.state else dice.pick(("prog", "past", "fut"))
    plan = Plan(asked_person(dice), verb, tense)
    plan.en_rest.append("with")
    return ask(plan, "who", "avec qui")


_CHOICES: tuple[tuple[Verb, tuple[str, ...]], ...] = (
    (make_verb("read", "lire"), ("book", "novel", "newspaper", "magazine")),
    (make_verb("buy", "acheter"), ("clothes", "bike", "car", "lamp", "armchair")),
    (make_verb("choose", "choisir"), ("clothes", "cake", "film", "jewel")),
    (make_verb("watch", "regarder"), ("film", "match", "show")),
    (make_verb("visit", "visiter"), ("sight",)),
    (make_verb("open", "ouvrir"), ("door", "window", "bag", "drawer", "box")),
    (make_verb("sing", "chanter"), ("song",)),
    (make_verb("take", "prendre"), ("train", "bus", "plane")),
    (make_verb("answer", "répondre"), ("question",)),
    (make_verb("sell", "vendre"), ("car", "house", "painting", "boat")),
)


def which(dice: Dice) -> Sentence:
    """Which dress did she choose? Quelle robe a-t-elle choisie ?"""
    verb, classes = dice.pick(_CHOICES)
    noun = dice.pick(find_nouns(classes))
    indirect = verb.fr.infinitive == "répondre"
    roll = dice.between(0, 99)
    plural = dice.chance(0.2)
    if roll < 60 or indirect:
        asked = noun_phrase(noun, "which", plural=plural)
        opening_en, opening_fr = asked.en, " ".join(asked.fr)
        if indirect:
            opening_fr = "à " + opening_fr
    else:
        counted = dice.pick(
            find_nouns(("fruit", "vegetable", "dish", "book", "gift", "pair", "photo"))
        )
        asked = noun_phrase(counted, "some", plural=True)
        opening_en = f"how many {counted.en_plural}"
        opening_fr = f"combien de {counted.fr_plural}"
        verb = _BUY
        if counted.en == "photo":
            verb = make_verb("take", "prendre")
    tense = dice.pick(("past", "past", "fut", "going"))
    plan = Plan(asked_person(dice), verb, tense)
    if not indirect:
        plan.clitics = Clitics((), True, asked.gender, asked.plural)
    return ask(plan, opening_en, opening_fr)


_BUY = make_verb("buy", "acheter")


def details(dice: Dice) -> Sentence:
    """How old is he? How much does this cost? Whose bag is this?"""
    roll = dice.between(0, 99)
    if roll < 30:
        person = asked_person(dice)
        while person.plural:
            person = asked_person(dice)
        be = "are" if person.en == "you" else "is"
        form = HAVE.fr.present[person.person]
        if person.pronoun:
            inverted = "-t-" if person.person == IL else "-"
            french = ["quel", "âge", form, inverted + person.fr[0]]
        else:
            french = ["quel", "âge", form, *person.fr]
        return ["how old", be, person.en], french, "?"
    if roll < 55:
        noun = dice.pick(
            find_nouns(
                (
                    "clothes",
                    "pair",
                    "jewel",
                    "furniture",
                    "book",
                    "ticket",
                    "bike",
                    "camera",
                    "painting",
                )
            )
        )
        plural = "pair" in noun.classes or dice.chance(0.25)
        phrase = noun_phrase(noun, dice.pick(("this", "the")), plural=plural)
        do = "do" if plural else "does"
        verb = "coûtent" if plural else "coûte"
        return (
            ["how much", do, phrase.en, "cost"],
            ["combien", verb, *phrase.fr],
            "?",
        )
    if roll < 75:
        noun = dice.pick(
            find_nouns(("small", "clothes", "container", "pair", "bike", "pet"))
        )
        plural = "pair" in noun.classes or dice.chance(0.25)
        name = noun.en_plural if plural else noun.en
        phrase = noun_phrase(noun, "this", plural=plural)
        ending = ["are these"] if plural else ["is this"]
        verb = "sont" if plural else "est"
        return [f"whose {name}", *ending], ["à", "qui", verb, *phrase.fr], "?"
    english, towards, _ = place_phrase(dice)
    person = asked_person(dice)
    plan = Plan(person, _GO, dice.pick(("pres", "fut", "past")))
    plan.en_rest.append(f"to {english}")
    plan.fr_rest += towards
    return ask(plan, "how", "comment")


_GO = make_verb("go", "aller")


def fixed(dice: Dice) -> Sentence:
    """Questions that have one form."""
    english, french = dice.pick(_FIXED)
    return english.split(" "), french.split(" "), "?"


_FIXED = (
    ("what time is it", "quelle heure est -il"),
    ("what is the weather like", "quel temps fait -il"),
    ("what day is it today", "quel jour sommes -nous aujourd'hui"),
    ("what is your name", "comment vous appelez -vous"),
    ("what is his name", "comment se appelle -t-il"),
    ("what is her name", "comment se appelle -t-elle"),
    ("how are you", "comment allez -vous"),
    ("what is this", "que est -ce que ce est"),
    ("who is this", "qui est -ce"),
    ("what is your address", "quelle est votre adresse"),
    ("what is your favourite colour", "quelle est votre couleur préférée"),
    ("is it raining", "est -ce que il pleut"),
    ("is it snowing", "est -ce que il neige"),
    ("where is the exit", "où est la sortie"),
)


def think_of(dice: Dice) -> Sentence:
    """What is he talking about? Who are you thinking about?"""
    person = asked_person(dice)
    verb_en, verb_fr, opening = dice.pick(
        (
            ("think", "penser", ("who", "à qui")),
            ("think", "penser", ("what", "à quoi")),
            ("talk", "parler", ("what", "de quoi")),
            ("dream", "rêver", ("what", "de quoi")),
        )
    )
    plan = Plan(person, make_verb(verb_en, verb_fr), dice.pick(("prog", "past")))
    plan.en_rest.append("about")
    return ask(plan, *opening)


QUESTIONS: tuple[tuple[Template, int], ...] = (
    (yes_or_no, 12),
    (permission, 4),
    (where, 3),
    (when, 4),
    (why, 3),
    (what, 4),
    (who, 4),
    (which, 4),
    (details, 4),
    (fixed, 1),
    (think_of, 1),
)
