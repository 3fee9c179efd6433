"""The adjectives: where they stand in French, and what they can describe."""

from __future__ import annotations

from dataclasses import dataclass

from anadrome.corpora.grammar.agreement import Forms, adjective_forms
from anadrome.corpora.grammar.english import compare
from anadrome.corpora.grammar.nouns import Noun
from anadrome.corpora.grammar.words import word_set


@dataclass(frozen=True)
class Adjective:
    """An adjective. `before` the noun in French; `predicate` means only after "be"."""

    en: str
    forms: Forms
    before: bool
    predicate: bool
    gradable: bool
    classes: frozenset[str]
    comparative: str
    superlative: str


# class …: english=french …; marks: < before the noun, ! only after "be", = not compared
_TABLE = """
human: tall=grand <; young=jeune <; old=vieux <; intelligent=intelligent;
  rich=riche; famous=célèbre; polite=poli; honest=honnête; brave=courageux; shy=timide;
  serious=sérieux; curious=curieux; patient=patient; lazy=paresseux; generous=généreux;
  elegant=élégant; friendly=sympathique; kind=gentil <
human: happy=heureux !; sad=triste !; tired=fatigué !; sick=malade !=; proud=fier !;
  jealous=jaloux !; nervous=nerveux !; worried=inquiet !; strong=fort !;
  ready=prêt !=; surprised=surpris !=; disappointed=déçu !=; busy=occupé !=;
  absent=absent !=; poor=pauvre !; calm=calme !; married=marié !=
animal: small=petit <; old=vieux <; young=jeune <; fat=gros <; beautiful=beau <;
  intelligent=intelligent; dangerous=dangereux; fast=rapide; sick=malade !=;
  hungry=affamé !=
coloured: red=rouge =; blue=bleu =; green=vert =; white=blanc =; black=noir =;
  yellow=jaune =; grey=gris =; brown=marron =; orange=orange =
clothes pair: new=nouveau <; old=vieux <; beautiful=beau <; pretty=joli <;
  elegant=élégant; clean=propre =; dirty=sale =; expensive=cher; comfortable=confortable
vehicle: new=nouveau <; old=vieux <; small=petit <; big=gros <; fast=rapide;
  expensive=cher; modern=moderne; clean=propre =
small container crockery jewel gift: new=nouveau <=; old=vieux <; small=petit <;
  pretty=joli <; expensive=cher
container: heavy=lourd; light=léger; big=gros <
furniture: new=nouveau <=; old=vieux <; small=petit <; big=grand <; beautiful=beau <;
  modern=moderne; heavy=lourd; solid=solide; comfortable=confortable !
machine: new=nouveau <=; old=vieux <; modern=moderne; useful=utile; expensive=cher
crockery cutlery: clean=propre =; dirty=sale =
readable watchable tale audible written: interesting=intéressant; boring=ennuyeux;
  strange=étrange; famous=célèbre; long=long <; short=court <; funny=drôle; sad=triste;
  beautiful=beau <; good=bon <; bad=mauvais <; new=nouveau <=; old=vieux <
task: difficult=difficile; easy=facile; important=important; simple=simple;
  complicated=compliqué
thought: good=bon <; bad=mauvais <; strange=étrange; important=important
event: beautiful=beau <; long=long <; interesting=intéressant; important=important
fruit vegetable dish food: good=bon <; bad=mauvais <; delicious=délicieux =
fruit vegetable egg bread milk butter fish: fresh=frais
fruit: ripe=mûr =; sweet=sucré; big=gros <
hotdish: hot=chaud; cold=froid
drink: cold=froid; hot=chaud; good=bon <
art: beautiful=beau <; famous=célèbre; old=vieux <; strange=étrange; expensive=cher
room home: big=grand <; small=petit <; clean=propre =; dirty=sale =; beautiful=beau <;
  quiet=calme; bright=clair; dark=sombre
home built place sight: old=vieux <; new=nouveau <=; modern=moderne; beautiful=beau <;
  big=grand <; small=petit <; famous=célèbre
plant nature: beautiful=beau <; big=grand <; small=petit <
plant: pretty=joli <; rare=rare
crossed: wide=large; long=long <; dangerous=dangereux
opening: open=ouvert !=; closed=fermé !=; heavy=lourd; wide=large
closed: empty=vide !=; heavy=lourd !
transport: fast=rapide; full=plein !=; old=vieux <
"""

_HOT = word_set("soup coffee tea milk chicken rice meat")


def _read_adjectives() -> tuple[Adjective, ...]:
    out = []
    for line in _TABLE.strip().replace("\n  ", " ").splitlines():
        classes, entries = line.split(": ", 1)
        for entry in entries.split(";"):
            english, french = entry.strip().split("=", 1)
            masculine, _, marks = french.partition(" ")
            comparative, superlative = compare(english)
            out.append(
                Adjective(
                    english,
                    adjective_forms(masculine),
                    "<" in marks,
                    "!" in marks,
                    "=" not in marks,
                    frozenset(classes.split(" ")),
                    comparative,
                    superlative,
                )
            )
    return tuple(out)


ADJECTIVES = _read_adjectives()

# What classes of adjectives would say about these nouns is odd or false.
_EXCLUDED = {
    "child": {"old", "young", "married", "rich"},
    "baby": {
        "old", "young", "tall", "rich", "famous", "polite", "honest", "serious",
        "lazy", "generous", "elegant", "brave", "kind", "shy", "patient", "intelligent",
        "friendly",
    },
    "boy": {"old", "young", "married", "rich"},
    "girl": {"old", "young", "married", "rich"},
    "children": {"old", "young", "rich"},
    "grandfather": {"young"},
    "grandmother": {"young"},
    "grandparents": {"young"},
    "parents": {"young"},
    "king": {"poor"},
    "queen": {"poor"},
    "bee": {"old", "young", "fat", "fast", "intelligent", "hungry", "sick"},
    "butterfly": {"old", "young", "fat", "fast", "intelligent", "hungry", "sick",
                  "dangerous"},
    "snake": {"fat"},
    "tortoise": {"fast", "dangerous"},
    "hamster": {"dangerous"},
    "rabbit": {"dangerous"},
    "cat": {"dangerous"},
    "hen": {"dangerous", "fast"},
    "duck": {"dangerous", "fast"},
    "lamb": {"dangerous", "fast"},
    "cow": {"fast", "dangerous"},
    "pig": {"fast", "dangerous"},
    "goat": {"dangerous", "fast"},
    "donkey": {"dangerous", "fast"},
    "mouse": {"dangerous", "fat"},
    "frog": {"dangerous", "fast"},
    "squirrel": {"dangerous", "fat"},
    "hedgehog": {"dangerous", "fast"},
    "bird": {"dangerous"},
    "owl": {"dangerous", "fast"},
    "giraffe": {"fat", "small", "dangerous"},
    "elephant": {"small", "fat"},
    "whale": {"small", "fat", "fast"},
    "bear": {"small"},
    "monkey": {"fat"},
    "orange": {"orange"},
    "rose": {"blue", "green", "black", "grey", "brown", "orange", "big"},
    "tulip": {"blue", "green", "black", "grey", "brown", "orange", "big"},
    "flower": {"black", "grey", "brown", "green", "big"},
    "leaf": {"blue", "black", "white", "pretty", "orange", "grey", "rare", "big",
             "beautiful"},
    "star": {"big", "small"},
    "cloud": {"beautiful"},
    "salt": {"delicious", "fresh", "good", "bad"},
    "sugar": {"delicious", "fresh"},
    "flour": {"delicious", "fresh"},
    "oil": {"delicious", "fresh"},
    "garlic": {"delicious"},
    "ladder": {"beautiful", "comfortable", "red", "blue", "green", "black", "orange"},
    "mirror": {"red", "blue", "green", "comfortable", "white", "grey", "yellow",
               "orange", "brown", "black"},
    "wardrobe": {"comfortable", "blue", "green", "orange", "yellow", "red"},
    "table": {"comfortable", "orange"},
    "shelf": {"comfortable", "orange"},
    "carpet": {"solid", "comfortable", "modern"},
    "chair": {"big", "orange"},
    "bed": {"heavy", "orange", "green", "red", "yellow"},
    "water": {"hot"},
    "wine": {"hot", "cold"},
    "beer": {"hot"},
    "lemonade": {"hot"},
    "orange juice": {"hot"},
    "apple juice": {"hot"},
    "belt": {"comfortable", "orange", "green", "yellow"},
    "tie": {"comfortable"},
    "bag": {"orange"},
    "bike": {"big"},
    "boat": {"orange", "black", "brown", "clean", "big"},
    "ticket": {"old", "pretty", "small"},
    "passport": {"pretty", "small", "expensive"},
    "map": {"expensive"},
    "key": {"pretty", "expensive"},
    "dictionary": {"pretty", "small"},
    "present": {"new", "old"},
    "message": {"boring", "beautiful", "famous", "bad", "good", "old", "funny"},
    "letter": {"boring", "famous", "bad", "good", "new"},
    "report": {"beautiful", "funny", "famous", "sad", "strange"},
    "postcard": {"boring", "long", "short", "interesting", "bad", "good", "famous",
                 "sad", "strange", "new", "funny"},
    "secret": {"long", "short", "funny", "sad", "boring", "good", "bad", "new", "old",
               "famous", "interesting", "beautiful"},
    "match": {"funny", "famous", "sad", "old", "new", "short", "strange"},
    "legend": {"new", "bad", "funny", "boring", "short", "good"},
    "joke": {"sad", "beautiful", "famous", "interesting", "long", "new", "funny",
             "boring"},
    "concert": {"sad", "famous", "funny", "old", "new", "short", "strange"},
    "melody": {"boring", "funny", "interesting", "bad", "good", "new"},
    "song": {"interesting", "boring"},
    "photo": {"expensive"},
    "landscape": {"old", "expensive", "famous"},
    "word": {"complicated", "easy"},
    "dream": {"important"},
    "mistake": {"good", "bad", "important"},
    "walk": {"important", "interesting"},
    "meeting": {"beautiful"},
    "zoo": {"modern", "famous"},
    "beach": {"old", "new", "modern"},
    "park": {"modern", "new", "famous"},
    "island": {"old", "new", "modern"},
    "village": {"modern", "new"},
    "castle": {"new", "modern", "clean", "dirty", "bright"},
    "cathedral": {"new", "modern", "small"},
    "palace": {"new", "modern", "small"},
    "farm": {"bright", "dark", "famous"},
    "flat": {"famous"},
    "house": {"famous"},
    "cellar": {"beautiful", "bright", "quiet"},
    "garden": {"dark", "bright", "clean", "dirty"},
    "garage": {"beautiful", "quiet", "bright"},
    "wall": {"modern", "beautiful", "famous", "small", "new"},
    "bridge": {"modern"},
    "street": {"beautiful", "old", "modern", "new"},
    "square": {"wide", "long", "dangerous"},
    "forest": {"wide", "long", "small"},
    "field": {"dangerous", "long", "wide"},
    "bank": {"beautiful", "famous"},
    "school": {"famous"},
    "hospital": {"famous", "beautiful"},
    "station": {"famous"},
    "cinema": {"famous"},
    "stadium": {"famous", "beautiful"},
    "town hall": {"famous"},
    "post office": {"beautiful", "famous"},
    "bakery": {"beautiful", "modern", "famous"},
    "supermarket": {"beautiful", "famous", "old"},
    "factory": {"beautiful", "famous"},
    "pharmacy": {"beautiful", "famous", "modern"},
    "airport": {"beautiful", "famous"},
    "swimming pool": {"old", "famous"},
    "market": {"modern", "new", "famous"},
    "taxi": {"fast"},
    "plane": {"full"},
    "necklace": {"small"},
    "ring": {"small"},
    "bottle": {"expensive", "pretty", "new"},
    "glass": {"expensive"},
    "cup": {"expensive"},
    "plate": {"expensive"},
    "ball": {"expensive", "pretty"},
    "painting": {"new"},
    "statue": {"expensive"},
    "tree": {"small"},
    "river": {"small", "big"},
    "mountain": {"small", "big"},
    "mushroom": {"sweet"},
    "egg": {"delicious", "bad"},
    "lamp": {"useful"},
    "clock": {"useful"},
    "wolf": {"fat"},
    "fox": {"fat"},
    "tiger": {"fat", "small"},
    "lion": {"fat", "small"},
    "horse": {"fat", "dangerous"},
}  # fmt: skip


def describes(adjective: Adjective, noun: Noun) -> bool:
    """Whether the adjective can be said of the noun."""
    if adjective.en in ("hot", "cold") and noun.en in _HOT:
        return True
    if adjective.en in _EXCLUDED.get(noun.en, ()):
        return False
    return bool(adjective.classes & noun.classes)


def _fitting(noun: Noun) -> tuple[Adjective, ...]:
    # The same English adjective may be listed twice with different French words; the
    # first that fits is the one that is meant.
    chosen: dict[str, Adjective] = {}
    for adjective in ADJECTIVES:
        if describes(adjective, noun):
            chosen.setdefault(adjective.en, adjective)
    return tuple(chosen.values())


_PREDICATES: dict[Noun, tuple[Adjective, ...]] = {}
_ATTRIBUTES: dict[Noun, tuple[Adjective, ...]] = {}


def predicates(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can be said of the noun after "be"."""
    if noun not in _PREDICATES:
        # "nouveau" and "court" mean something else away from their place.
        odd = ("new", "short", "bad", "good")
        _PREDICATES[noun] = tuple(a for a in _fitting(noun) if a.en not in odd)
    return _PREDICATES[noun]


def attributes(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can stand beside the noun."""
    if noun not in _ATTRIBUTES:
        _ATTRIBUTES[noun] = tuple(a for a in _fitting(noun) if not a.predicate)
    return _ATTRIBUTES[noun]
