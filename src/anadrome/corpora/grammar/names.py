"""Names of people, countries and cities, days, months, languages, games."""

from __future__ import annotations

from dataclasses import dataclass

from anadrome.corpora.grammar.euphony import begins_with_vowel
from anadrome.corpora.grammar.words import word_list

MEN = word_list("""Paul Pierre Jean Thomas Nicolas Antoine Lucas Louis Victor Marc""")
WOMEN = word_list(
    """Marie Julie Sophie Anne Claire Emma Alice Louise Charlotte Sarah"""
)


@dataclass(frozen=True)
class Country:
    """A country: gender "m", "f", or "p" for a masculine plural."""

    en: str
    fr: str
    gender: str

    @property
    def named(self) -> list[str]:
        """The country with its article: la France, le Japon, les États-Unis."""
        if self.gender == "p":
            return ["les", self.fr]
        if begins_with_vowel(self.fr):
            return ["l'", self.fr]
        return ["la" if self.gender == "f" else "le", self.fr]

    @property
    def into(self) -> list[str]:
        """In or to the country: en France, au Japon, aux États-Unis."""
        if self.gender == "p":
            return ["aux", self.fr]
        if self.gender == "f" or begins_with_vowel(self.fr):
            return ["en", self.fr]
        return ["au", self.fr]

    @property
    def out(self) -> list[str]:
        """From the country: de France, du Japon, des États-Unis."""
        if self.gender == "p":
            return ["des", self.fr]
        if self.gender == "f" or begins_with_vowel(self.fr):
            return ["de", self.fr]
        return ["du", self.fr]


COUNTRIES = tuple(
    Country(*entry.split("/"))
    for entry in """France/France/f;Germany/Allemagne/f;Spain/Espagne/f;Italy/Italie/f;
England/Angleterre/f;China/Chine/f;India/Inde/f;Russia/Russie/f;Belgium/Belgique/f;
Switzerland/Suisse/f;Greece/Grèce/f;Egypt/Égypte/f;Norway/Norvège/f;Sweden/Suède/f;
Poland/Pologne/f;Ireland/Irlande/f;Argentina/Argentine/f;Austria/Autriche/f;
Hungary/Hongrie/f;Japan/Japon/m;Canada/Canada/m;Portugal/Portugal/m;Brazil/Brésil/m;
Mexico/Mexique/m;Morocco/Maroc/m;Senegal/Sénégal/m;Denmark/Danemark/m;Iran/Iran/m;
the United States/États-Unis/p;the Netherlands/Pays-Bas/p""".replace("\n", "").split(
        ";"
    )
)

CITIES = tuple(
    (en, fr or en)
    for en, _, fr in (
        entry.partition("/")
        for entry in """Paris;Lyon;Marseille;London/Londres;Rome;Berlin;Madrid;
Lisbon/Lisbonne;Brussels/Bruxelles;Geneva/Genève;New York;Tokyo;Moscow/Moscou;
Vienna/Vienne;Montreal/Montréal;Athens/Athènes;Venice/Venise;Bordeaux;Amsterdam;
Toulouse;Strasbourg;Barcelona/Barcelone;Dublin;Oslo""".replace("\n", "").split(";")
    )
)

NATIONALITIES = tuple(
    entry.split("/")
    for entry in """French/français;English/anglais;German/allemand;Spanish/espagnol;
Italian/italien;Russian/russe;Japanese/japonais;Chinese/chinois;American/américain;
Canadian/canadien;Belgian/belge;Swiss/suisse;Brazilian/brésilien;Mexican/mexicain;
Portuguese/portugais;Polish/polonais;Swedish/suédois;Irish/irlandais;
Egyptian/égyptien;Moroccan/marocain""".replace("\n", "").split(";")
)

LANGUAGES = tuple(
    entry.split("/")
    for entry in """French/français;English/anglais;German/allemand;Spanish/espagnol;
Italian/italien;Russian/russe;Japanese/japonais;Chinese/chinois;Portuguese/portugais;
Arabic/arabe""".replace("\n", "").split(";")
)

DAYS = tuple(
    zip(
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    )
)

MONTHS = tuple(
    zip(
        [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
    )
)

MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

SEASONS = (
    ("in spring", "au printemps"),
    ("in summer", "en été"),
    ("in autumn", "en automne"),
    ("in winter", "en hiver"),
)

GAMES = (
    ("football", "au football"),
    ("tennis", "au tennis"),
    ("basketball", "au basket"),
    ("rugby", "au rugby"),
    ("golf", "au golf"),
    ("chess", "aux échecs"),
    ("cards", "aux cartes"),
    ("handball", "au handball"),
)

INSTRUMENTS = (
    ("the piano", "du piano"),
    ("the violin", "du violon"),
    ("the cello", "du violoncelle"),
    ("the guitar", "de la guitare"),
    ("the flute", "de la flûte"),
    ("the trumpet", "de la trompette"),
    ("the harp", "de la harpe"),
    ("the accordion", "de l' accordéon"),
)

PROFESSIONS = tuple(
    (en, masculine, feminine or masculine)
    for en, masculine, feminine in (
        (*entry.split("/"), "")[:3]
        for entry in """teacher/professeur/professeure;doctor/médecin;
nurse/infirmier/infirmière;lawyer/avocat/avocate;baker/boulanger/boulangère;
engineer/ingénieur/ingénieure;student/étudiant/étudiante;cook/cuisinier/cuisinière;
singer/chanteur/chanteuse;writer/écrivain/écrivaine;journalist/journaliste;
painter/peintre;musician/musicien/musicienne;dentist/dentiste;
hairdresser/coiffeur/coiffeuse;gardener/jardinier/jardinière;pilot/pilote;
mechanic/mécanicien/mécanicienne;farmer/agriculteur/agricultrice;
pharmacist/pharmacien/pharmacienne;architect/architecte;photographer/photographe;
dancer/danseur/danseuse;secretary/secrétaire;judge/juge;
translator/traducteur/traductrice;vet/vétérinaire;librarian/bibliothécaire;
interpreter/interprète;surgeon/chirurgien/chirurgienne""".replace("\n", "").split(";")
    )
)
