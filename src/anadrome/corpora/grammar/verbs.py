"""The verbs, with what they say of whom and to what."""

from __future__ import annotations

from dataclasses import dataclass

from anadrome.corpora.grammar.agreement import Forms, adjective_forms
from anadrome.corpora.grammar.conjugation import Conjugation, conjugate
from anadrome.corpora.grammar.english import VerbForms, verb_forms
from anadrome.corpora.grammar.words import word_set

# These take "être" in the compound past; so do all reflexive verbs.
_WITH_ETRE = word_set(
    """aller arriver descendre devenir entrer monter mourir naître partir passer
    rentrer rester retourner revenir sortir tomber venir"""
)


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb in both languages.

    `particle` follows the English verb (look *at*); `preposition` joins the French
    object (répondre *à*). A `state` is the imparfait in the past and never
    progressive; `still` verbs are never progressive.
    """

    en: VerbForms
    particle: str
    fr: Conjugation
    participle: Forms
    reflexive: bool
    etre: bool
    preposition: str
    state: bool
    still: bool
    objects: tuple[str, ...]
    pronoun: bool
    generic: bool
    habit: bool
    others: bool
    accident: bool
    definite: bool
    adjuncts: tuple[str, ...]


def make_verb(
    english: str,
    french: str,
    *,
    objects: tuple[str, ...] = (),
    marks: str = "",
    adjuncts: tuple[str, ...] = (),
) -> Verb:
    """The verb of an entry such as "look at", "regarder" or "wake up", "se réveiller".

    Marks: s state, x never progressive, g the object is meant in general, p the
    object may be a pronoun, o done once rather than again and again, r an object of
    the family is somebody else's, a nobody plans to do it,
    d the object is a definite one.
    """
    base, _, particle = english.partition(" ")
    words = french.replace("s'", "se ").split(" ")
    reflexive = words[0] == "se"
    if reflexive:
        words = words[1:]
    fr = conjugate(words[0])
    return Verb(
        en=verb_forms(base),
        particle=particle,
        fr=fr,
        participle=adjective_forms(fr.participle),
        reflexive=reflexive,
        etre=reflexive or words[0] in _WITH_ETRE,
        preposition=words[1] if len(words) > 1 else "",
        state="s" in marks,
        still="s" in marks or "x" in marks,
        objects=objects,
        pronoun="p" in marks,
        generic="g" in marks,
        habit="o" not in marks,
        others="r" in marks,
        accident="a" in marks,
        definite="d" in marks,
        adjuncts=adjuncts,
    )


# english=french : classes or names of objects : marks : places
_TRANSITIVE = """
eat=manger : fruit dish food : : meal
drink=boire : drink : : meal
prepare=préparer : breakfast lunch dinner meal omelette cake salad pancake pizza soup :
  po : kitchen
buy=acheter : fruit vegetable food drink ingredient : : shop
buy=acheter : clothes car bike motorbike boat truck furniture gift machine jewel pen
  notebook umbrella phone dictionary book newspaper magazine house flat : o :
sell=vendre : fruit vegetable cheese honey : : market
sell=vendre : car bike motorbike boat furniture house flat painting : po :
read=lire : readable : p : study
write=écrire : written : po : study
see=voir : kin people animal sight : xpr :
see=voir : watchable : xpo :
watch=regarder : watchable : po :
look at=regarder : kin people art mountain star tree animal map : p :
listen to=écouter : audible kin people radio : p :
look for=chercher : small kin pet container : po :
find=trouver : small pet ring : xpoa : house
find=trouver : answer : xoad :
lose=perdre : small ring : xpoa : street
wait for=attendre : kin people transport doctor postman : pr : street
open=ouvrir : opening container closed : p :
close=fermer : opening container : p :
clean=nettoyer : indoor car shoe boot : p :
wash=laver : shirt dress skirt sweater car plate glass cup : p :
carry=porter : container chair ladder : p :
repair=réparer : vehicle machine chair : p : garage
break=casser : crockery mirror window : xpoa : kitchen
build=construire : built : po :
draw=dessiner : drawable : : study
paint=peindre : door wall chair drawable : :
like=aimer : fruit food drink animal vegetable : sg :
hate=détester : fruit food drink vegetable : sg :
love=aimer : kin dog cat rabbit : sp :
know=connaître : kin man woman lady teacher doctor lawyer song : spr :
meet=rencontrer : kin people role : xpor : street
invite=inviter : kin : po :
help=aider : kin man woman lady child tourist student : p :
visit=visiter : sight : o :
understand=comprendre : question problem lesson sentence word : xd :
learn=apprendre : song lesson word poem : o :
forget=oublier : forgotten small : xoa :
choose=choisir : clothes toy ring doll book film cake : po :
receive=recevoir : letter message present parcel postcard : xoa :
drive=conduire : car truck bus taxi : :
follow=suivre : people dog policeman soldier : p :
hide=cacher : gift key wallet : xpo :
cut=couper : bread cake cheese onion carrot tomato pizza tart : o : kitchen
accept=accepter : present idea plan decision : xod :
admire=admirer : art singer writer actress : x :
cross=traverser : crossed : d :
leave=quitter : house flat farm hotel restaurant museum village cinema theatre : xod :
feed=nourrir : pet livestock : p :
call=appeler : kin doctor policeman fireman : p :
photograph=photographier : wild sight mountain lake : :
wake=réveiller : kin child baby : po :
describe=décrire : house flat painting landscape man woman : p :
recognise=reconnaître : kin people song : xpora :
thank=remercier : kin role : xpo :
borrow=emprunter : pen umbrella dictionary book bike car camera : xo :
steal=voler : jewel car painting wallet bike : xoa :
taste=goûter : dish soup cheese wine jam : o : kitchen
pick=cueillir : apple cherry strawberry peach pear flower rose tulip : : garden
explain=expliquer : problem exercise lesson word sentence : d : class
"""

_INDIRECT = """
answer=répondre à : question letter message : xo :
talk to=parler à : kin people role : pr : street
think about=penser à : kin exam party journey wedding birthday : r :
talk about=parler de : film journey party idea plan problem book : : meal
obey=obéir à : kin king queen : xr :
resemble=ressembler à : kin : sr :
dream of=rêver de : journey wedding island : :
take part in=participer à : meeting party match show : xo :
take care of=s'occuper de : kin pet livestock garden : :
remember=se souvenir de : journey party wedding name address song film : s :
"""

_INTRANSITIVE = """
sleep=dormir : : : sleep
work=travailler : : : work
sing=chanter : : : outside
dance=danser : : : party
play=jouer : : : outside
run=courir : : : outside
swim=nager : : : water
walk=marcher : : : outside
laugh=rire : : :
cry=pleurer : : a : house
smile=sourire : : :
cook=cuisiner : : : kitchen
travel=voyager : : :
smoke=fumer : : : street
wait=attendre : : : street
have dinner=dîner : : : meal
have lunch=déjeuner : : : meal
shout=crier : : : street
fish=pêcher : : : shore
study=étudier : : : study
"""

_REFLEXIVE = """
wake up=se réveiller : : : hour
get up=se lever : : : hour
go to bed=se coucher : : : hour
get dressed=s'habiller : : : quick
wash=se laver : : : quick
rest=se reposer : : : house
have fun=s'amuser : : : party
hurry=se dépêcher : : :
go for a walk=se promener : : : outside
get bored=s'ennuyer : : a : bore
fall asleep=s'endormir : : a : sleep
sit down=s'asseoir : : x : seat
stop=s'arrêter : : : street
shave=se raser : : : quick
be mistaken=se tromper : : xa :
"""

_DATIVE = """
give=donner : pen pencil notebook ticket key book gift flower rose ring : :
show=montrer : photo map passport ticket painting drawing house : :
lend=prêter : pen umbrella dictionary camera phone book novel car bike : :
send=envoyer : letter message postcard present photo parcel : :
bring=apporter : present coffee tea water flower rose cake sandwich plate : :
explain=expliquer : problem exercise lesson word sentence : :
tell=raconter : story legend joke : :
sell=vendre : car bike boat house painting : o :
read=lire : story letter poem article : :
write=écrire : letter message : :
return=rendre : key book dictionary umbrella notebook : o :
promise=promettre : present bike dog doll : o :
"""


def _read(table: str) -> tuple[Verb, ...]:
    verbs = []
    for line in table.strip().replace("\n  ", " ").splitlines():
        entry, objects, marks, *rest = (cell.strip() for cell in f"{line} ".split(" :"))
        english, french = entry.split("=")
        places = rest[0] if rest else ""
        verbs.append(
            make_verb(
                english,
                french,
                objects=tuple(objects.split()),
                marks=marks,
                adjuncts=tuple(places.split()),
            )
        )
    return tuple(verbs)


TRANSITIVE = _read(_TRANSITIVE)
INDIRECT = _read(_INDIRECT)
INTRANSITIVE = _read(_INTRANSITIVE)
REFLEXIVE = _read(_REFLEXIVE)
DATIVE = _read(_DATIVE)

BE = make_verb("be", "être", marks="s")
HAVE = make_verb("have", "avoir", marks="s")
HAVE_FEELING = make_verb("be", "avoir", marks="s")
NEED = make_verb("need", "avoir", marks="s")
WANT = make_verb("want", "vouloir", marks="s")
