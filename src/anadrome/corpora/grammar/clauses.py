"""Clauses: a subject and a verb in a tense, negated or asked, in both languages."""

from __future__ import annotations

from dataclasses import dataclass, field

from anadrome.corpora.grammar.conjugation import IL, ILS, JE, conjugate
from anadrome.corpora.grammar.verbs import Verb

Words = list[str]
Sentence = tuple[Words, Words, str]
"""The English words, the French words, and the mark at the end."""

Clause = tuple[Words, Words]


@dataclass
class Phrase:
    """A noun phrase in both languages, with what others must agree with.

    `fr_negated` is what stands after a negation where that differs: pas *de pain*.
    `owner` is the possessive that refers back to it: "his", "my".
    """

    en: str
    fr: Words
    person: int = IL
    gender: str = "m"
    plural: bool = False
    pronoun: bool = False
    owner: str = "his"
    en_negated: str | None = None
    fr_negated: Words | None = None
    human: bool = False

    def english(self, negated: bool = False) -> str:
        """The English phrase, after a negation or not."""
        return self.en_negated if negated and self.en_negated else self.en

    def french(self, negated: bool = False) -> Words:
        """The French phrase, after a negation or not."""
        return self.fr_negated if negated and self.fr_negated else self.fr


@dataclass(frozen=True)
class Clitics:
    """Pronouns before the French verb; `gender` and `plural` of a direct object."""

    words: tuple[str, ...] = ()
    direct: bool = False
    gender: str = "m"
    plural: bool = False


NO_CLITICS = Clitics()


@dataclass
class Plan:
    """What is said of whom, before it is put into words.

    `tense` is one of pres prog past perf used pprog fut going cond since (has been
    …ing); `negation` is one of not, never, no longer, nothing, nobody, only, subject
    (the subject is "nobody" or "nothing"), or empty. The adverbs stand beside the
    finite verb, the complements after the verb.
    """

    subject: Phrase
    verb: Verb
    tense: str = "pres"
    negation: str = ""
    en_adverb: str = ""
    fr_adverb: str = ""
    en_rest: Words = field(default_factory=list)
    fr_rest: Words = field(default_factory=list)
    clitics: Clitics = NO_CLITICS
    agrees: bool = True


_PAS = {
    "not": "pas",
    "never": "jamais",
    "no longer": "plus",
    "nothing": "rien",
    "nobody": "personne",
    "only": "que",
}
# These follow the participle and the infinitive: je n'ai vu personne.
_LATE = ("personne", "que")
_REFLEXIVES = ("me", "te", "se", "nous", "vous", "se")
_INVERTED = {"il": "-il", "elle": "-elle", "ils": "-ils", "elles": "-elles",
             "nous": "-nous", "vous": "-vous", "tu": "-tu", "ce": "-ce"}  # fmt: skip
_ALLER = conjugate("aller")
_AVOIR = conjugate("avoir")
_ETRE = conjugate("être")


def is_past(plan: Plan) -> bool:
    """Whether the French verb is in the compound past."""
    return plan.tense == "perf" or (plan.tense == "past" and not plan.verb.state)


def say_english(plan: Plan, *, question: bool = False) -> Words:
    """The English words of the clause."""
    subject, verb, tense = plan.subject, plan.verb, plan.tense
    third = subject.person == IL
    first = subject.person == JE
    forms = verb.en
    be = forms.base == "be"
    auxiliary, main = "", ""
    if tense in ("prog", "going") or (be and tense == "pres"):
        auxiliary = "is" if third else "am" if first else "are"
        if tense == "prog":
            main = forms.ing
        elif tense == "going":
            main = f"going to {forms.base}"
    elif tense == "pprog" or (be and tense == "past"):
        auxiliary = "was" if third or first else "were"
        main = forms.ing if tense == "pprog" else ""
    elif tense == "perf":
        auxiliary, main = ("has" if third else "have"), forms.participle
    elif tense == "since":
        auxiliary, main = ("has been" if third else "have been"), forms.ing
    elif tense == "fut":
        auxiliary, main = "will", forms.base
    elif tense == "cond":
        auxiliary, main = "would", forms.base
    elif tense == "used":
        main = f"used to {forms.base}"
    elif question or plan.negation in ("not", "nothing", "nobody"):
        if tense == "pres":
            auxiliary = "does" if third else "do"
        else:
            auxiliary = "did"
        main = forms.base
    elif tense == "pres":
        main = forms.third if third else forms.base
    else:
        main = forms.past
    words = [auxiliary, subject.en] if question else [subject.en, auxiliary]
    if plan.negation and plan.negation != "subject":
        middle = plan.negation
        words.append("not" if middle in ("nothing", "nobody") else middle)
    words.append(plan.en_adverb)
    words.append(main)
    words.append(verb.particle)
    words.extend(plan.en_rest)
    return [word for word in words if word]


def say_french(
    plan: Plan, *, question: bool = False, before: Words | None = None
) -> Words:
    """The French words of the clause; `before` are question words that open it.

    A pronoun is inverted in a question, unless it is "je"; other subjects follow
    "est-ce que".
    """
    subject, verb = plan.subject, plan.verb
    words = list(before or ())
    inverted = question and subject.pronoun and subject.person != JE
    if question and not inverted:
        words += ["est", "-ce", "que"]
    if not inverted:
        words += subject.fr
    if plan.negation:
        words.append("ne")
    clitics = list(plan.clitics.words)
    if verb.reflexive:
        clitics.insert(0, _REFLEXIVES[subject.person])
    past = is_past(plan)
    going = plan.tense == "going"
    if not going:
        words += clitics
    finite = _finite_form(plan)
    words.append(finite)
    if inverted:
        pronoun = _INVERTED[subject.fr[0]]
        if subject.person == IL and finite[-1] in "aec":
            pronoun = "-t" + pronoun
        words.append(pronoun)
    second = _PAS.get(plan.negation, "")
    if second and not ((past or going) and second in _LATE):
        words.append(second)
    if plan.fr_adverb:
        words += plan.fr_adverb.split(" ")
    if past:
        words.append(_participle(plan))
    elif going:
        words += clitics
        words.append(verb.fr.infinitive)
    if second in _LATE and (past or going):
        words.append(second)
    words += plan.fr_rest
    return words


def _finite_form(plan: Plan) -> str:
    person, fr = plan.subject.person, plan.verb.fr
    tense = plan.tense
    if is_past(plan):
        return (_ETRE if plan.verb.etre else _AVOIR).present[person]
    if tense in ("pres", "prog", "since"):
        return fr.present[person]
    if tense == "going":
        return _ALLER.present[person]
    if tense == "fut":
        return fr.future[person]
    if tense == "cond":
        return fr.conditional[person]
    return fr.imperfect[person]


def _participle(plan: Plan) -> str:
    """The participle, agreeing with the subject or with a preceding direct object."""
    forms = plan.verb.participle
    if plan.verb.etre:
        if plan.agrees:
            return forms.agree(plan.subject.gender, plan.subject.plural)
        return forms.masculine
    if plan.clitics.direct:
        return forms.agree(plan.clitics.gender, plan.clitics.plural)
    return forms.masculine


def say_infinitive(plan: Plan) -> tuple[Words, Words]:
    """The infinitive with its complements, English without "to"."""
    verb = plan.verb
    english = [verb.en.base, verb.particle, *plan.en_rest]
    french: Words = []
    if plan.negation:
        french += ["ne", _PAS[plan.negation]]
        english.insert(0, plan.negation)
    if verb.reflexive:
        french.append(_REFLEXIVES[plan.subject.person])
    french += plan.clitics.words
    french.append(verb.fr.infinitive)
    french += plan.fr_rest
    return [word for word in english if word], french


def say_imperative(plan: Plan) -> tuple[Words, Words]:
    """The command to the subject, which is tu, nous or vous.

    Pronouns follow the French verb unless it is negated: regardez-moi, ne me regardez
    pas.
    """
    verb = plan.verb
    place = {1: 0, 3: 1, 4: 2}[plan.subject.person]
    form = verb.fr.imperative[place]
    clitics = list(plan.clitics.words)
    if verb.reflexive:
        clitics.insert(0, _REFLEXIVES[plan.subject.person])
    english = [verb.en.base, verb.particle, *plan.en_rest]
    if plan.negation:
        french = ["ne", *clitics, form, _PAS[plan.negation], *plan.fr_rest]
        opening = {"not": ["do not"], "never": ["never"]}[plan.negation]
        if place == 1:
            opening = ["let us not"]
        english = [*opening, *english]
    else:
        strong = {"me": "moi", "te": "toi"}
        hyphened = ["-" + strong.get(c, c) for c in clitics]
        # vas-y, manges-en
        if hyphened and hyphened[0] in ("-y", "-en") and form[-1] in "ea":
            form += "s"
        french = [form, *hyphened, *plan.fr_rest]
        if place == 1:
            english = ["let us", *english]
    return [word for word in english if word], french


def plural_of(*phrases: Phrase) -> tuple[int, str]:
    """The person and gender of phrases joined by "and"."""
    gender = "f" if all(p.gender == "f" for p in phrases) else "m"
    return ILS, gender


def clause(plan: Plan) -> Clause:
    """The plan in both languages."""
    return say_english(plan), say_french(plan)


def say(plan: Plan) -> Sentence:
    """The plan as a statement."""
    return say_english(plan), say_french(plan), "."
