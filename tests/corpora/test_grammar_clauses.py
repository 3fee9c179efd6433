"""Whole clauses, in words that were written down by hand."""

import pytest

from anadrome.corpora.grammar.adjectives import attributes
from anadrome.corpora.grammar.clauses import (
    Clitics,
    Phrase,
    Plan,
    say_english,
    say_french,
    say_imperative,
    say_infinitive,
)
from anadrome.corpora.grammar.english import join_english
from anadrome.corpora.grammar.euphony import join_french
from anadrome.corpora.grammar.nouns import noun
from anadrome.corpora.grammar.phrases import PRONOUNS, TU_MAN, TU_WOMAN, noun_phrase
from anadrome.corpora.grammar.verbs import make_verb

I, YOU, HE, SHE, WE, THEY = PRONOUNS
MARIE = Phrase("Marie", ["Marie"], gender="f")


def said(plan, question=False):
    english = join_english(say_english(plan, question=question))
    return english, join_french(say_french(plan, question=question))


EAT = make_verb("eat", "manger")
GO = make_verb("go", "aller")
GET_UP = make_verb("get up", "se lever")
SEE = make_verb("see", "voir")
KNOW = make_verb("know", "connaître", marks="s")
LIKE = make_verb("like", "aimer", marks="s")


@pytest.mark.parametrize(
    ("tense", "negation", "english", "french"),
    [
        ("pres", "", "I eat", "je mange"),
        ("prog", "not", "I am not eating", "je ne mange pas"),
        ("past", "", "I ate", "j'ai mangé"),
        ("past", "not", "I did not eat", "je n'ai pas mangé"),
        ("perf", "never", "I have never eaten", "je n'ai jamais mangé"),
        ("fut", "no longer", "I will no longer eat", "je ne mangerai plus"),
        ("used", "", "I used to eat", "je mangeais"),
        ("pprog", "", "I was eating", "je mangeais"),
        ("cond", "", "I would eat", "je mangerais"),
        ("going", "not", "I am not going to eat", "je ne vais pas manger"),
        ("since", "", "I have been eating", "je mange"),
        ("past", "nothing", "I did not eat", "je n'ai rien mangé"),
    ],
)
def test_tenses(tense, negation, english, french):
    assert said(Plan(I, EAT, tense, negation)) == (english, french)


@pytest.mark.parametrize(
    ("subject", "verb", "tense", "french"),
    [
        (SHE, GO, "past", "elle est allée"),
        (THEY, GO, "past", "ils sont allés"),
        (MARIE, GET_UP, "past", "Marie s'est levée"),
        (WE, GET_UP, "going", "nous allons nous lever"),
        (HE, KNOW, "past", "il connaissait"),
        (YOU, GET_UP, "pres", "vous vous levez"),
    ],
)
def test_agreement_with_the_subject(subject, verb, tense, french):
    assert said(Plan(subject, verb, tense))[1] == french


@pytest.mark.parametrize(
    ("subject", "verb", "tense", "negation", "english", "french"),
    [
        (HE, EAT, "pres", "", "does he eat", "mange-t-il"),
        (SHE, GO, "past", "", "did she go", "est-elle allée"),
        (HE, EAT, "past", "not", "did he not eat", "n'a-t-il pas mangé"),
        (YOU, GET_UP, "past", "", "did you get up", "vous êtes-vous levé"),
        (TU_MAN, LIKE, "pres", "", "do you like", "aimes-tu"),
        (I, EAT, "fut", "", "will I eat", "est-ce que je mangerai"),
        (MARIE, EAT, "prog", "", "is Marie eating", "est-ce que Marie mange"),
        (HE, SEE, "pres", "", "does he see", "voit-il"),
    ],
)
def test_questions(subject, verb, tense, negation, english, french):
    plan = Plan(subject, verb, tense, negation)
    assert said(plan, question=True) == (english, french)


def test_participle_agrees_with_a_preceding_object():
    plan = Plan(I, SEE, "past", clitics=Clitics(("la",), True, "f", False))
    assert said(plan)[1] == "je l'ai vue"
    plan = Plan(I, SEE, "past", "not", clitics=Clitics(("les",), True, "f", True))
    assert said(plan)[1] == "je ne les ai pas vues"
    plan = Plan(SHE, SEE, "past", clitics=Clitics(("lui",)))
    assert said(plan)[1] == "elle lui a vu"


def test_late_negations():
    assert said(Plan(I, SEE, "past", "nobody"))[1] == "je n'ai vu personne"
    assert said(Plan(I, SEE, "pres", "nobody"))[1] == "je ne vois personne"
    only = Plan(HE, EAT, "past", "only", fr_rest=["une", "pomme"])
    assert said(only)[1] == "il n'a mangé qu'une pomme"


def test_washing_hands_does_not_agree():
    wash = make_verb("wash", "se laver")
    plan = Plan(SHE, wash, "past", fr_rest=["les", "mains"], agrees=False)
    assert said(plan)[1] == "elle s'est lavé les mains"


@pytest.mark.parametrize(
    ("subject", "verb", "negation", "clitics", "english", "french"),
    [
        (YOU, GET_UP, "", (), "get up", "levez-vous"),
        (TU_MAN, GET_UP, "", (), "get up", "lève-toi"),
        (TU_MAN, GET_UP, "not", (), "do not get up", "ne te lève pas"),
        (YOU, SEE, "", ("me",), "see", "voyez-moi"),
        (YOU, SEE, "not", ("me",), "do not see", "ne me voyez pas"),
        (TU_WOMAN, GO, "", ("y",), "go", "vas-y"),
        (TU_WOMAN, GO, "", (), "go", "va"),
        (WE, GO, "", (), "let us go", "allons"),
        (WE, GET_UP, "not", (), "let us not get up", "ne nous levons pas"),
    ],
)
def test_commands(subject, verb, negation, clitics, english, french):
    plan = Plan(subject, verb, "inf", negation, clitics=Clitics(clitics))
    said_en, said_fr = say_imperative(plan)
    assert (join_english(said_en), join_french(said_fr)) == (english, french)


def test_infinitives():
    plan = Plan(I, GET_UP, "inf", "not")
    assert join_french(say_infinitive(plan)[1]) == "ne pas me lever"
    plan = Plan(I, LIKE, "inf", clitics=Clitics(("la",), True, "f"))
    assert join_french(say_infinitive(plan)[1]) == "l'aimer"


def adjective(name, thing):
    return next(a for a in attributes(noun(thing)) if a.en == name)


@pytest.mark.parametrize(
    ("thing", "determiner", "plural", "adjectives", "english", "french"),
    [
        ("book", "some", True, ["new"], "some new books", "de nouveaux livres"),
        ("book", "some", True, [], "some books", "des livres"),
        ("flat", "a", False, ["new"], "a new flat", "un nouvel appartement"),
        ("man", "this", False, [], "this man", "cet homme"),
        ("man", "this", False, ["tall"], "this tall man", "ce grand homme"),
        ("hero", "the", False, [], "the hero", "le héros"),
        ("hospital", "the", False, [], "the hospital", "l'hôpital"),
        ("school", "my", False, [], "my school", "mon école"),
        ("school", "my", False, ["old"], "my old school", "ma vieille école"),
        ("car", "a", False, ["small", "red"], "a small red car",
         "une petite voiture rouge"),
        ("water", "some", False, [], "some water", "de l'eau"),
        ("bread", "some", False, ["good"], "some good bread", "du bon pain"),
        ("apple", "a kilo of", True, [], "a kilo of apples", "un kilo de pommes"),
        ("water", "a glass of", False, [], "a glass of water", "un verre d'eau"),
        ("potato", "the", True, [], "the potatoes", "les pommes de terre"),
        ("girl", "all", True, [], "all the girls", "toutes les filles"),
    ],
)  # fmt: skip
def test_noun_phrases(thing, determiner, plural, adjectives, english, french):
    chosen = [adjective(name, thing) for name in adjectives]
    phrase = noun_phrase(noun(thing), determiner, plural=plural, adjectives=chosen)
    assert (phrase.en, join_french(phrase.fr)) == (english, french)


def test_no_article_after_a_negation():
    bread = noun_phrase(noun("bread"), "some")
    assert (bread.english(True), join_french(bread.french(True))) == (
        "any bread",
        "de pain",
    )
    orange = noun_phrase(noun("orange"), "a")
    assert join_french(orange.french(True)) == "d'orange"
    the = noun_phrase(noun("bread"), "the")
    assert the.french(True) == the.french(False)
