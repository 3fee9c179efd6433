"""When and where: adverbials of time and place in both languages."""

from __future__ import annotations

from anadrome.corpora.grammar.names import DAYS, MONTH_LENGTHS, MONTHS
from anadrome.corpora.grammar.numbers import (
    english_number,
    english_ordinal,
    french_number,
)
from anadrome.corpora.grammar.phrases import Dice

Adverbial = tuple[str, str]

PLACES: dict[str, tuple[Adverbial, ...]] = {
    "meal": (
        ("at the restaurant", "au restaurant"),
        ("at home", "à la maison"),
        ("in the kitchen", "dans la cuisine"),
        ("in the garden", "dans le jardin"),
    ),
    "kitchen": (("in the kitchen", "dans la cuisine"),),
    "study": (
        ("at the library", "à la bibliothèque"),
        ("at school", "à l' école"),
        ("in the living room", "dans le salon"),
        ("at home", "à la maison"),
    ),
    "house": (
        ("at home", "à la maison"),
        ("in the garden", "dans le jardin"),
        ("in the bedroom", "dans la chambre"),
    ),
    "garden": (("in the garden", "dans le jardin"),),
    "outside": (
        ("in the park", "dans le parc"),
        ("in the garden", "dans le jardin"),
        ("on the beach", "sur la plage"),
        ("in the forest", "dans la forêt"),
        ("in the street", "dans la rue"),
    ),
    "street": (
        ("in front of the station", "devant la gare"),
        ("in front of the school", "devant l' école"),
        ("in front of the hotel", "devant l' hôtel"),
        ("in the street", "dans la rue"),
    ),
    "work": (
        ("at the office", "au bureau"),
        ("in a bank", "dans une banque"),
        ("in a factory", "dans une usine"),
        ("at the hospital", "à l' hôpital"),
        ("at home", "à la maison"),
    ),
    "bore": (
        ("at school", "à l' école"),
        ("at home", "à la maison"),
        ("at the office", "au bureau"),
    ),
    "party": (
        ("at the party", "à la fête"),
        ("in the living room", "dans le salon"),
        ("on the beach", "sur la plage"),
    ),
    "sleep": (
        ("in the armchair", "dans le fauteuil"),
        ("on the sofa", "sur le canapé"),
        ("on the train", "dans le train"),
        ("under the tree", "sous l' arbre"),
    ),
    "water": (
        ("in the sea", "dans la mer"),
        ("in the lake", "dans le lac"),
        ("in the river", "dans la rivière"),
    ),
    "shore": (
        ("by the river", "au bord de la rivière"),
        ("by the lake", "au bord du lac"),
    ),
    "market": (("at the market", "au marché"),),
    "shop": (
        ("at the market", "au marché"),
        ("at the supermarket", "au supermarché"),
    ),
    "garage": (("in the garage", "dans le garage"),),
    "class": (("in class", "en classe"),),
    "quick": (
        ("quickly", "rapidement"),
        ("in the bathroom", "dans la salle de bains"),
    ),
    "seat": (
        ("on the sofa", "sur le canapé"),
        ("in the armchair", "dans le fauteuil"),
        ("on the bench", "sur le banc"),
        ("at the table", "à la table"),
    ),
    "hour": (("early", "tôt"), ("late", "tard")),
}

_HABITS: tuple[Adverbial, ...] = (
    ("every day", "tous les jours"),
    ("every morning", "tous les matins"),
    ("every evening", "tous les soirs"),
    ("every week", "toutes les semaines"),
    ("in the morning", "le matin"),
    ("in the evening", "le soir"),
    ("in the afternoon", "l' après-midi"),
    ("at the weekend", "le week-end"),
)
_NOW: tuple[Adverbial, ...] = (
    ("now", "maintenant"),
    ("at the moment", "en ce moment"),
)
_BEFORE: tuple[Adverbial, ...] = (
    ("yesterday", "hier"),
    ("yesterday morning", "hier matin"),
    ("yesterday evening", "hier soir"),
    ("last week", "la semaine dernière"),
    ("last month", "le mois dernier"),
    ("last year", "l' année dernière"),
    ("this morning", "ce matin"),
    ("the day before yesterday", "avant-hier"),
)
_LATER: tuple[Adverbial, ...] = (
    ("tomorrow", "demain"),
    ("tomorrow morning", "demain matin"),
    ("tomorrow evening", "demain soir"),
    ("next week", "la semaine prochaine"),
    ("next month", "le mois prochain"),
    ("next year", "l' année prochaine"),
    ("this evening", "ce soir"),
    ("soon", "bientôt"),
    ("the day after tomorrow", "après-demain"),
)
FREQUENCIES: tuple[Adverbial, ...] = (
    ("often", "souvent"),
    ("always", "toujours"),
    ("sometimes", "parfois"),
    ("rarely", "rarement"),
)
_UNITS = (
    ("day", "jour", "m"),
    ("week", "semaine", "f"),
    ("month", "mois", "m"),
    ("year", "an", "m"),
    ("hour", "heure", "f"),
)


def draw_span(dice: Dice, units: tuple[int, ...] = (0, 1, 2)) -> Adverbial:
    """A span of time: three weeks."""
    english, french, gender = _UNITS[dice.pick(units)]
    number = dice.between(1, 12)
    fr_number = french_number(number, feminine=gender == "f")
    if number > 1:
        english += "s"
        french = french if french.endswith("s") else french + "s"
    return f"{english_number(number)} {english}", f"{fr_number} {french}"


def draw_date(dice: Dice) -> Adverbial:
    """A day of the year: the third of May; the first is "premier" in French."""
    month = dice.between(0, 11)
    day = dice.between(1, MONTH_LENGTHS[month])
    english, french = MONTHS[month]
    spelt = "premier" if day == 1 else french_number(day)
    return f"the {english_ordinal(day)} of {english}", f"le {spelt} {french}"


def draw_clock(dice: Dice) -> Adverbial:
    """A time of day: half past seven."""
    hour = dice.between(1, 12)
    minute = dice.pick((0, 0, 0, 15, 30, 30, 45, 5, 10, 20, 25, 35, 40, 50, 55))
    if hour == 12 and minute not in (0,):
        hour = 11
    if hour == 12:
        return dice.pick((("noon", "midi"), ("midnight", "minuit")))
    following = hour + 1
    this_en, next_en = english_number(hour), english_number(following)
    this_fr = _hours(hour)
    if minute == 0:
        return f"{this_en} o'clock", this_fr
    if minute == 15:
        return f"a quarter past {this_en}", f"{this_fr} et quart"
    if minute == 30:
        return f"half past {this_en}", f"{this_fr} et demie"
    if following == 12:
        return f"{this_en} o'clock", this_fr
    if minute == 45:
        return f"a quarter to {next_en}", f"{_hours(following)} moins le quart"
    if minute < 30:
        return (
            f"{english_number(minute)} past {this_en}",
            f"{this_fr} {french_number(minute)}",
        )
    rest = 60 - minute
    return (
        f"{english_number(rest)} to {next_en}",
        f"{_hours(following)} moins {french_number(rest)}",
    )


def _hours(hour: int) -> str:
    return f"{french_number(hour, feminine=True)} heure{'s' if hour > 1 else ''}"


def draw_time(dice: Dice, tense: str) -> Adverbial:
    """When something happens, in keeping with the tense."""
    roll = dice.between(0, 99)
    day_en, day_fr = dice.pick(DAYS)
    if tense in ("pres", "used"):
        if roll < 25:
            return f"on {day_en}s", f"le {day_fr}"
        if roll < 32 and tense == "used":
            return "every summer", "tous les étés"
        return dice.pick(_HABITS)
    if tense == "prog":
        return dice.pick(_NOW)
    if tense in ("past", "pprog"):
        if roll < 15:
            return f"last {day_en}", f"{day_fr} dernier"
        if roll < 28 and tense == "past":
            english, french = draw_span(dice)
            return f"{english} ago", f"il y a {french}"
        return dice.pick(_BEFORE)
    if roll < 15:
        return f"next {day_en}", f"{day_fr} prochain"
    if roll < 25:
        return f"on {day_en}", day_fr
    if roll < 35:
        english, french = draw_span(dice)
        return f"in {english}", f"dans {french}"
    return dice.pick(_LATER)
