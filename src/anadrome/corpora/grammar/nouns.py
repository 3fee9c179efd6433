"""The nouns, each with its gender and the classes that say what it can do."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from anadrome.corpora.grammar.agreement import pluralize
from anadrome.corpora.grammar.english import add_s


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun: `kind` is "count", "mass" or "plural" (only plural, like *pâtes*)."""

    en: str
    en_plural: str
    fr: str
    fr_plural: str
    gender: str
    kind: str
    human: bool
    classes: frozenset[str]


# class …: english[/plural]=french[/plural] gender; …
_COUNT = """
kin human: mother=mère f; father=père m; brother=frère m; sister=sœur f; son=fils m;
  daughter=fille f; uncle=oncle m; aunt=tante f; nephew=neveu m; niece=nièce f;
  grandfather=grand-père/grands-pères m; grandmother=grand-mère/grands-mères f;
  cousin=cousin m; neighbour=voisin m; colleague=collègue m; boss=patron m
people human: man/men=homme m; woman/women=femme f; boy=garçon m; girl=fille f;
  child/children=enfant m; lady=dame f
infant human: baby=bébé m
role human: teacher=professeur m; doctor=médecin m; nurse=infirmière f; lawyer=avocat m;
  baker=boulanger m; butcher=boucher m; farmer=agriculteur m; engineer=ingénieur m;
  policeman/policemen=policier m; fireman/firemen=pompier m; postman/postmen=facteur m;
  student=étudiant m; pupil=élève m; cook=cuisinier m; waiter=serveur m;
  waitress=serveuse f; actor=acteur m; actress=actrice f; singer=chanteur m;
  writer=écrivain m; journalist=journaliste m; painter=peintre m; musician=musicien m;
  dentist=dentiste m; soldier=soldat m; king=roi m; queen=reine f; prince=prince m;
  princess=princesse f; tourist=touriste m; driver=chauffeur m; hairdresser=coiffeur m;
  judge=juge m; mayor=maire m; hero=héros m; customer=client m; guest=invité m;
  gardener=jardinier m; pilot=pilote m; mechanic=mécanicien m; thief/thieves=voleur m;
  fisherman/fishermen=pêcheur m; shepherd=berger m; secretary=secrétaire f;
  dancer=danseuse f; hunter=chasseur m
animal pet drawable: dog=chien m; cat=chat m; rabbit=lapin m; hamster=hamster m
animal livestock drawable: horse=cheval m; cow=vache f; lamb=agneau m; goat=chèvre f;
  pig=cochon m; hen=poule f; duck=canard m; donkey=âne m
animal wild drawable: lion=lion m; tiger=tigre m; bear=ours m; elephant=éléphant m;
  wolf/wolves=loup m; fox=renard m; monkey=singe m; tortoise=tortue f; snake=serpent m;
  frog=grenouille f; owl=hibou m; giraffe=girafe f; squirrel=écureuil m;
  butterfly=papillon m; hedgehog=hérisson m; mouse/mice=souris f; bird=oiseau m;
  bee=abeille f; whale=baleine f
fruit food: apple=pomme f; pear=poire f; orange=orange f; banana=banane f;
  strawberry=fraise f; cherry=cerise f; peach=pêche f; apricot=abricot m
vegetable food: tomato=tomate f; carrot=carotte f; onion=oignon m;
  potato=pomme de terre/pommes de terre f; mushroom=champignon m; bean=haricot m
dish food: sandwich/sandwiches=sandwich/sandwichs m; cake=gâteau m; pancake=crêpe f;
  omelette=omelette f; pizza=pizza f; biscuit=biscuit m; tart=tarte f; egg=œuf m;
  salad=salade f
meal: breakfast=petit déjeuner/petits déjeuners m; lunch=déjeuner m; dinner=dîner m;
  meal=repas m
clothes coloured: shirt=chemise f; dress=robe f; hat=chapeau m; coat=manteau m;
  skirt=jupe f; jacket=veste f; sweater=pull m; scarf/scarves=écharpe f; tie=cravate f;
  cap=casquette f; suit=costume m; belt=ceinture f
pair coloured: shoe=chaussure f; glove=gant m; sock=chaussette f; boot=botte f
jewel thing: ring=bague f; watch=montre f; necklace=collier m
vehicle coloured: car=voiture f; truck=camion m; bike=vélo m; motorbike=moto f;
  boat=bateau m
transport: bus/buses=bus m; train=train m; plane=avion m; taxi=taxi m
readable: book=livre m; newspaper=journal m; letter=lettre f; magazine=magazine m;
  novel=roman m; poem=poème m; article=article m; message=message m; report=rapport m
written: letter=lettre f; novel=roman m; poem=poème m; article=article m;
  message=message m; report=rapport m; story=histoire f; 
  postcard=carte postale/cartes postales f
tale: story=histoire f; legend=légende f; joke=blague f
watchable: film=film m; match=match/matchs m; show=spectacle m; play=pièce f
audible: song=chanson f; melody=mélodie f; concert=concert m
small thing: key=clé f; pen=stylo m; pencil=crayon m; wallet=portefeuille m;
  notebook=cahier m; ticket=billet m; passport=passeport m; umbrella=parapluie m;
  phone=téléphone m; map=carte f; photo=photo f; book=livre m;
  dictionary=dictionnaire m;
  camera=appareil photo/appareils photo m
container openable thing coloured: bag=sac m; suitcase=valise f; box=boîte f;
  basket=panier m
crockery thing: glass=verre m; cup=tasse f; plate=assiette f; bottle=bouteille f;
  vase=vase m
cutlery: knife/knives=couteau m; fork=fourchette f; spoon=cuillère f
gift thing: present=cadeau m; toy=jouet m; doll=poupée f; ball=ballon m
machine: computer=ordinateur m; radio=radio f; lamp=lampe f; clock=horloge f;
  camera=appareil photo/appareils photo m; 
  washing machine=machine à laver/machines à laver f
furniture coloured: table=table f; chair=chaise f; bed=lit m; armchair=fauteuil m;
  wardrobe=armoire f; sofa=canapé m; carpet=tapis m; shelf/shelves=étagère f;
  mirror=miroir m; ladder=échelle f
art: painting=tableau m; statue=statue f; landscape=paysage m; photo=photo f;
  drawing=dessin m
opening coloured openable: door=porte f; window=fenêtre f
closed openable: drawer=tiroir m; envelope=enveloppe f; parcel=colis m
room indoor: kitchen=cuisine f; bedroom=chambre f; living room=salon m;
  bathroom=salle de bains/salles de bains f; garage=garage m; cellar=cave f;
  classroom=salle de classe/salles de classe f
room: garden=jardin m
place: school=école f; church=église f; hospital=hôpital m; bank=banque f;
  station=gare f; market=marché m; museum=musée m; restaurant=restaurant m;
  hotel=hôtel m; theatre=théâtre m; cinema=cinéma m; library=bibliothèque f;
  post office=poste f; bakery=boulangerie f; supermarket=supermarché m;
  swimming pool=piscine f; airport=aéroport m; university=université f;
  factory=usine f; zoo=zoo m; stadium=stade m; pharmacy=pharmacie f;
  town hall=mairie f; park=parc m; beach=plage f
sight: museum=musée m; castle=château m; church=église f; zoo=zoo m; island=île f;
  village=village m; cathedral=cathédrale f; palace=palais m
home: house=maison f; flat=appartement m; farm=ferme f; castle=château m
built: house=maison f; bridge=pont m; wall=mur m; school=école f; tower=tour f;
  hospital=hôpital m; church=église f; hotel=hôtel m
crossed: street=rue f; bridge=pont m; river=rivière f; square=place f; road=route f;
  forest=forêt f; field=champ m
nature drawable: tree=arbre m; flower=fleur f; mountain=montagne f; river=rivière f;
  lake=lac m; forest=forêt f; island=île f; star=étoile f; cloud=nuage m
plant coloured: rose=rose f; flower=fleur f; leaf/leaves=feuille f; tulip=tulipe f
task: question=question f; problem=problème m; exercise=exercice m; lesson=leçon f;
  exam=examen m; sentence=phrase f; word=mot m
thought: idea=idée f; answer=réponse f; dream=rêve m; plan=projet m; secret=secret m;
  mistake=erreur f; decision=décision f
event: party=fête f; journey=voyage m; wedding=mariage m; meeting=réunion f;
  walk=promenade f
forgotten: name=nom m; address=adresse f; birthday=anniversaire m;
  appointment=rendez-vous m; password=mot de passe/mots de passe m
body: head=tête f; back=dos m; leg=jambe f; arm=bras m; foot/feet=pied m;
  stomach=ventre m; throat=gorge f; knee=genou m; shoulder=épaule f; ear=oreille f
"""

_MASS = """
ingredient: sugar=sucre m; salt=sel m; oil=huile f; flour=farine f; garlic=ail m
food: bread=pain m; cheese=fromage m; meat=viande f; butter=beurre m; jam=confiture f;
  honey=miel m; rice=riz m; soup=soupe f; chocolate=chocolat m;
  ham=jambon m; chicken=poulet m; ice cream=glace f; fish=poisson m
drink: water=eau f; milk=lait m; coffee=café m; tea=thé m; wine=vin m; beer=bière f;
  orange juice=jus d'orange m; apple juice=jus de pomme m; lemonade=limonade f
matter: money=argent m; music=musique f; wood=bois m; luck=chance f; time=temps m;
  work=travail m; courage=courage m; patience=patience f; snow=neige f; sand=sable m
"""

_PLURAL = """
kin human: parents=parents m; grandparents=grands-parents m; children=enfants m;
  friends=amis m
food: pasta=pâtes f; vegetables=légumes m; chips=frites f
"""


def _entries(table: str) -> list[tuple[list[str], str]]:
    """The entries of a table, each with its classes; indented lines continue."""
    joined = table.strip().replace("\n  ", " ")
    out: list[tuple[list[str], str]] = []
    for line in joined.splitlines():
        classes, entries = line.split(": ", 1)
        out.extend((classes.split(" "), e.strip()) for e in entries.split(";"))
    return out


def _read_nouns() -> tuple[Noun, ...]:
    classes: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for kind, table in (("count", _COUNT), ("mass", _MASS), ("plural", _PLURAL)):
        for names, entry in _entries(table):
            english, french = entry.split("=")
            classes[kind, english, french].update(names)
    nouns = []
    for (kind, english, french), found in classes.items():
        en, _, en_plural = english.partition("/")
        spelt, gender = french.rsplit(" ", 1)
        fr, _, fr_plural = spelt.partition("/")
        if kind == "plural":
            en_plural, fr_plural = en, fr
        nouns.append(
            Noun(
                en,
                en_plural or add_s(en),
                fr,
                fr_plural or pluralize(fr),
                gender,
                kind,
                "human" in found,
                # A noun is also a class of its own, which verbs can ask for.
                frozenset([*found, en]),
            )
        )
    return tuple(nouns)


NOUNS = _read_nouns()


def nouns_of(*classes: str, kind: str | None = None) -> tuple[Noun, ...]:
    """The nouns of any of the classes, in the order of the tables."""
    wanted = set(classes)
    return tuple(
        n for n in NOUNS if n.classes & wanted and (kind is None or n.kind == kind)
    )


def noun(english: str, kind: str | None = None) -> Noun:
    """The noun with this English name."""
    for entry in NOUNS:
        if entry.en == english and (kind is None or entry.kind == kind):
            return entry
    raise KeyError(english)
