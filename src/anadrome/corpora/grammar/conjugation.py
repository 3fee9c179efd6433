"""French verbs: the forms of any regular verb, and of the irregular ones we use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

Forms = tuple[str, str, str, str, str, str]

JE, TU, IL, NOUS, VOUS, ILS = range(6)
"""The grammatical persons, which number the forms of a tense."""


@dataclass(frozen=True)
class Conjugation:
    """The forms of a verb. The imperative has three: tu, nous, vous."""

    infinitive: str
    present: Forms
    imperfect: Forms
    future: Forms
    conditional: Forms
    participle: str
    imperative: tuple[str, str, str]


# infinitive: present | participle | stem of the future
_IRREGULAR = """
être: suis es est sommes êtes sont | été | ser
avoir: ai as a avons avez ont | eu | aur
aller: vais vas va allons allez vont | allé | ir
faire: fais fais fait faisons faites font | fait | fer
dire: dis dis dit disons dites disent | dit | dir
voir: vois vois voit voyons voyez voient | vu | verr
savoir: sais sais sait savons savez savent | su | saur
pouvoir: peux peux peut pouvons pouvez peuvent | pu | pourr
vouloir: veux veux veut voulons voulez veulent | voulu | voudr
devoir: dois dois doit devons devez doivent | dû | devr
falloir: - - faut - - - | fallu | faudr
pleuvoir: - - pleut - - - | plu | pleuvr
valoir: vaux vaux vaut valons valez valent | valu | vaudr
venir: viens viens vient venons venez viennent | venu | viendr
tenir: tiens tiens tient tenons tenez tiennent | tenu | tiendr
prendre: prends prends prend prenons prenez prennent | pris | prendr
mettre: mets mets met mettons mettez mettent | mis | mettr
battre: bats bats bat battons battez battent | battu | battr
partir: pars pars part partons partez partent | parti | partir
sortir: sors sors sort sortons sortez sortent | sorti | sortir
dormir: dors dors dort dormons dormez dorment | dormi | dormir
servir: sers sers sert servons servez servent | servi | servir
sentir: sens sens sent sentons sentez sentent | senti | sentir
mentir: mens mens ment mentons mentez mentent | menti | mentir
ouvrir: ouvre ouvres ouvre ouvrons ouvrez ouvrent | ouvert | ouvrir
offrir: offre offres offre offrons offrez offrent | offert | offrir
couvrir: couvre couvres couvre couvrons couvrez couvrent | couvert | couvrir
cueillir: cueille cueilles cueille cueillons cueillez cueillent | cueilli | cueiller
lire: lis lis lit lisons lisez lisent | lu | lir
écrire: écris écris écrit écrivons écrivez écrivent | écrit | écrir
boire: bois bois boit buvons buvez boivent | bu | boir
croire: crois crois croit croyons croyez croient | cru | croir
connaître: connais connais connaît connaissons connaissez connaissent | connu | connaîtr
naître: nais nais naît naissons naissez naissent | né | naîtr
vivre: vis vis vit vivons vivez vivent | vécu | vivr
suivre: suis suis suit suivons suivez suivent | suivi | suivr
recevoir: reçois reçois reçoit recevons recevez reçoivent | reçu | recevr
courir: cours cours court courons courez courent | couru | courr
mourir: meurs meurs meurt mourons mourez meurent | mort | mourr
conduire: conduis conduis conduit conduisons conduisez conduisent | conduit | conduir
rire: ris ris rit rions riez rient | ri | rir
plaire: plais plais plaît plaisons plaisez plaisent | plu | plair
peindre: peins peins peint peignons peignez peignent | peint | peindr
craindre: crains crains craint craignons craignez craignent | craint | craindr
asseoir: assieds assieds assied asseyons asseyez asseyent | assis | assiér
"""

# Verbs conjugated like another: the two infinitives differ in their beginning.
_LIKE = {
    "revenir": "venir",
    "devenir": "venir",
    "souvenir": "venir",
    "prévenir": "venir",
    "appartenir": "tenir",
    "apprendre": "prendre",
    "comprendre": "prendre",
    "surprendre": "prendre",
    "promettre": "mettre",
    "permettre": "mettre",
    "remettre": "mettre",
    "combattre": "battre",
    "endormir": "dormir",
    "découvrir": "couvrir",
    "relire": "lire",
    "décrire": "écrire",
    "reconnaître": "connaître",
    "disparaître": "connaître",
    "poursuivre": "suivre",
    "apercevoir": "recevoir",
    "accueillir": "cueillir",
    "construire": "conduire",
    "traduire": "conduire",
    "détruire": "conduire",
    "produire": "conduire",
    "sourire": "rire",
    "éteindre": "peindre",
    "plaindre": "craindre",
}
# … and these also change the beginning of the model.
_BEGINNINGS = {
    "disparaître": ("conna", "dispara"),
    "apercevoir": ("re", "aper"),
    "construire": ("cond", "constr"),
    "traduire": ("cond", "trad"),
    "détruire": ("cond", "détr"),
    "produire": ("cond", "prod"),
    "éteindre": ("p", "ét"),
    "plaindre": ("cr", "pl"),
}
_IMPERATIVES = {
    "être": ("sois", "soyons", "soyez"),
    "avoir": ("aie", "ayons", "ayez"),
    "savoir": ("sache", "sachons", "sachez"),
    "vouloir": ("veuille", "veuillons", "veuillez"),
}
_DOUBLING = frozenset(["appeler", "rappeler", "jeter", "épeler"])

_IMPERFECT_ENDINGS = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTURE_ENDINGS = ("ai", "as", "a", "ons", "ez", "ont")
_Principal = tuple[Forms, str, str]


def _read_irregular() -> dict[str, _Principal]:
    table = {}
    for line in _IRREGULAR.strip().splitlines():
        infinitive, rest = line.split(": ")
        present, participle, stem = rest.split(" | ")
        table[infinitive] = (_six(present.split(" ")), participle, stem)
    return table


def _six(forms: list[str]) -> Forms:
    a, b, c, d, e, f = forms
    return a, b, c, d, e, f


_TABLE = _read_irregular()


@lru_cache(maxsize=1024)
def conjugate(infinitive: str) -> Conjugation:
    """All forms of a French verb, given without "se"."""
    present, participle, stem = _principal_forms(infinitive)
    if infinitive == "être":
        imperfect_stem = "ét"
    elif infinitive == "pleuvoir":
        imperfect_stem = "pleuv"
    elif infinitive == "falloir":
        imperfect_stem = "fall"
    else:
        imperfect_stem = present[NOUS].removesuffix("ons")
    imperfect = _six([_soften(imperfect_stem, e) for e in _IMPERFECT_ENDINGS])
    tu = present[TU]
    # parle, ouvre, va: no s after e or a
    if tu.endswith(("es", "as")) and not tu.endswith("és"):
        tu = tu[:-1]
    imperative = _IMPERATIVES.get(infinitive, (tu, present[NOUS], present[VOUS]))
    return Conjugation(
        infinitive,
        present,
        imperfect,
        _six([stem + e for e in _FUTURE_ENDINGS]),
        _six([stem + e for e in _IMPERFECT_ENDINGS]),
        participle,
        imperative,
    )


def _principal_forms(infinitive: str) -> _Principal:
    if infinitive in _TABLE:
        return _TABLE[infinitive]
    if infinitive in _LIKE:
        return _conjugate_like(infinitive)
    if infinitive.endswith("er"):
        return _first_group(infinitive)
    stem = infinitive[:-2]
    if infinitive.endswith("ir"):
        endings = ("is", "is", "it", "issons", "issez", "issent")
        return _six([stem + e for e in endings]), stem + "i", infinitive
    if infinitive.endswith("dre"):
        endings = ("s", "s", "", "ons", "ez", "ent")
        return _six([stem + e for e in endings]), stem + "u", infinitive[:-1]
    raise ValueError(f"no rule gives the forms of the verb {infinitive!r}")


def _conjugate_like(infinitive: str) -> _Principal:
    model = _LIKE[infinitive]
    if infinitive in _BEGINNINGS:
        old, new = _BEGINNINGS[infinitive]
    else:
        old, new = "", infinitive.removesuffix(model)

    def change(form: str) -> str:
        return new + form.removeprefix(old)

    present, participle, stem = _TABLE[model]
    return _six([change(form) for form in present]), change(participle), change(stem)


def _first_group(infinitive: str) -> _Principal:
    """The principal forms of a verb in -er, with its changes of spelling."""
    stem = infinitive[:-2]
    open_stem = _open_stem(infinitive)  # before a mute e: j'achète, il appelle
    present = [
        open_stem + "e",
        open_stem + "es",
        open_stem + "e",
        _soften(stem, "ons"),
        stem + "ez",
        open_stem + "ent",
    ]
    if infinitive in ("envoyer", "renvoyer"):
        future = infinitive[:-4].removesuffix("o") + "err"
    elif _closed_e(stem):
        future = infinitive  # je préférerai keeps its é
    else:
        future = open_stem + "er"
    return _six(present), stem + "é", future


def _open_stem(infinitive: str) -> str:
    stem = infinitive[:-2]
    if infinitive in _DOUBLING:
        return stem + stem[-1]
    if stem.endswith(("oy", "uy", "ay")):
        return stem[:-1] + "i"
    place = _closed_e(stem)
    if not place and len(stem) > 2 and stem[-2] == "e" and stem[-1] in "tlvnrsdm":
        place = len(stem) - 2
    if place:
        return stem[:place] + "è" + stem[place + 1 :]
    return stem


def _closed_e(stem: str) -> int:
    """Where a stem has its é before a final consonant (préfér-, protég-), or 0."""
    for size in (1, 2):
        place = len(stem) - size - 1
        consonants = stem[place + 1 :]
        if (
            place > 0
            and stem[place] == "é"
            and all(c in "bcdfglmnprstv" for c in consonants)
        ):
            return place
    return 0


def _soften(stem: str, ending: str) -> str:
    """The stem with the ending, g and c keeping their sound: mangeons, commençait."""
    if ending[0] in "ao":
        if stem.endswith("g"):
            return stem + "e" + ending
        if stem.endswith("c"):
            return stem[:-1] + "ç" + ending
    # nous mangions, vous commenciez
    if stem.endswith("ge") and ending[0] == "i":
        return stem[:-1] + ending
    if stem.endswith("ç") and ending[0] == "i":
        return stem[:-1] + "c" + ending
    return stem + ending
