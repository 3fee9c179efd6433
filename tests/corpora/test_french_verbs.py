import pytest

from anadrome.corpora.grammar.conjugation import conjugate

PRESENT = {
    "être": "suis es est sommes êtes sont",
    "avoir": "ai as a avons avez ont",
    "aller": "vais vas va allons allez vont",
    "faire": "fais fais fait faisons faites font",
    "dire": "dis dis dit disons dites disent",
    "voir": "vois vois voit voyons voyez voient",
    "savoir": "sais sais sait savons savez savent",
    "pouvoir": "peux peux peut pouvons pouvez peuvent",
    "vouloir": "veux veux veut voulons voulez veulent",
    "devoir": "dois dois doit devons devez doivent",
    "venir": "viens viens vient venons venez viennent",
    "souvenir": "souviens souviens souvient souvenons souvenez souviennent",
    "appartenir": "appartiens appartiens appartient appartenons appartenez "
    "appartiennent",
    "prendre": "prends prends prend prenons prenez prennent",
    "apprendre": "apprends apprends apprend apprenons apprenez apprennent",
    "comprendre": "comprends comprends comprend comprenons comprenez comprennent",
    "mettre": "mets mets met mettons mettez mettent",
    "promettre": "promets promets promet promettons promettez promettent",
    "battre": "bats bats bat battons battez battent",
    "partir": "pars pars part partons partez partent",
    "sortir": "sors sors sort sortons sortez sortent",
    "dormir": "dors dors dort dormons dormez dorment",
    "endormir": "endors endors endort endormons endormez endorment",
    "servir": "sers sers sert servons servez servent",
    "sentir": "sens sens sent sentons sentez sentent",
    "ouvrir": "ouvre ouvres ouvre ouvrons ouvrez ouvrent",
    "découvrir": "découvre découvres découvre découvrons découvrez découvrent",
    "cueillir": "cueille cueilles cueille cueillons cueillez cueillent",
    "lire": "lis lis lit lisons lisez lisent",
    "écrire": "écris écris écrit écrivons écrivez écrivent",
    "décrire": "décris décris décrit décrivons décrivez décrivent",
    "boire": "bois bois boit buvons buvez boivent",
    "croire": "crois crois croit croyons croyez croient",
    "connaître": "connais connais connaît connaissons connaissez connaissent",
    "reconnaître": "reconnais reconnais reconnaît reconnaissons reconnaissez "
    "reconnaissent",
    "disparaître": "disparais disparais disparaît disparaissons disparaissez "
    "disparaissent",
    "vivre": "vis vis vit vivons vivez vivent",
    "suivre": "suis suis suit suivons suivez suivent",
    "recevoir": "reçois reçois reçoit recevons recevez reçoivent",
    "apercevoir": "aperçois aperçois aperçoit apercevons apercevez aperçoivent",
    "courir": "cours cours court courons courez courent",
    "mourir": "meurs meurs meurt mourons mourez meurent",
    "naître": "nais nais naît naissons naissez naissent",
    "conduire": "conduis conduis conduit conduisons conduisez conduisent",
    "construire": "construis construis construit construisons construisez construisent",
    "traduire": "traduis traduis traduit traduisons traduisez traduisent",
    "rire": "ris ris rit rions riez rient",
    "sourire": "souris souris sourit sourions souriez sourient",
    "plaire": "plais plais plaît plaisons plaisez plaisent",
    "peindre": "peins peins peint peignons peignez peignent",
    "éteindre": "éteins éteins éteint éteignons éteignez éteignent",
    "craindre": "crains crains craint craignons craignez craignent",
    "plaindre": "plains plains plaint plaignons plaignez plaignent",
    "asseoir": "assieds assieds assied asseyons asseyez asseyent",
    "parler": "parle parles parle parlons parlez parlent",
    "manger": "mange manges mange mangeons mangez mangent",
    "commencer": "commence commences commence commençons commencez commencent",
    "acheter": "achète achètes achète achetons achetez achètent",
    "lever": "lève lèves lève levons levez lèvent",
    "promener": "promène promènes promène promenons promenez promènent",
    "peser": "pèse pèses pèse pesons pesez pèsent",
    "appeler": "appelle appelles appelle appelons appelez appellent",
    "jeter": "jette jettes jette jetons jetez jettent",
    "préférer": "préfère préfères préfère préférons préférez préfèrent",
    "espérer": "espère espères espère espérons espérez espèrent",
    "protéger": "protège protèges protège protégeons protégez protègent",
    "célébrer": "célèbre célèbres célèbre célébrons célébrez célèbrent",
    "essayer": "essaie essaies essaie essayons essayez essaient",
    "nettoyer": "nettoie nettoies nettoie nettoyons nettoyez nettoient",
    "ennuyer": "ennuie ennuies ennuie ennuyons ennuyez ennuient",
    "envoyer": "envoie envoies envoie envoyons envoyez envoient",
    "étudier": "étudie étudies étudie étudions étudiez étudient",
    "jouer": "joue joues joue jouons jouez jouent",
    "rencontrer": "rencontre rencontres rencontre rencontrons rencontrez rencontrent",
    "rester": "reste restes reste restons restez restent",
    "fermer": "ferme fermes ferme fermons fermez ferment",
    "arrêter": "arrête arrêtes arrête arrêtons arrêtez arrêtent",
    "détester": "déteste détestes déteste détestons détestez détestent",
    "finir": "finis finis finit finissons finissez finissent",
    "choisir": "choisis choisis choisit choisissons choisissez choisissent",
    "nourrir": "nourris nourris nourrit nourrissons nourrissez nourrissent",
    "vendre": "vends vends vend vendons vendez vendent",
    "attendre": "attends attends attend attendons attendez attendent",
    "répondre": "réponds réponds répond répondons répondez répondent",
    "perdre": "perds perds perd perdons perdez perdent",
}

PRINCIPAL = {  # participle, je in the future, nous in the imperfect
    "être": "été serai étions",
    "avoir": "eu aurai avions",
    "aller": "allé irai allions",
    "faire": "fait ferai faisions",
    "voir": "vu verrai voyions",
    "savoir": "su saurai savions",
    "pouvoir": "pu pourrai pouvions",
    "vouloir": "voulu voudrai voulions",
    "devoir": "dû devrai devions",
    "venir": "venu viendrai venions",
    "revenir": "revenu reviendrai revenions",
    "prendre": "pris prendrai prenions",
    "mettre": "mis mettrai mettions",
    "partir": "parti partirai partions",
    "ouvrir": "ouvert ouvrirai ouvrions",
    "offrir": "offert offrirai offrions",
    "cueillir": "cueilli cueillerai cueillions",
    "lire": "lu lirai lisions",
    "écrire": "écrit écrirai écrivions",
    "boire": "bu boirai buvions",
    "croire": "cru croirai croyions",
    "connaître": "connu connaîtrai connaissions",
    "vivre": "vécu vivrai vivions",
    "suivre": "suivi suivrai suivions",
    "recevoir": "reçu recevrai recevions",
    "courir": "couru courrai courions",
    "mourir": "mort mourrai mourions",
    "naître": "né naîtrai naissions",
    "conduire": "conduit conduirai conduisions",
    "rire": "ri rirai riions",
    "peindre": "peint peindrai peignions",
    "éteindre": "éteint éteindrai éteignions",
    "asseoir": "assis assiérai asseyions",
    "manger": "mangé mangerai mangions",
    "commencer": "commencé commencerai commencions",
    "acheter": "acheté achèterai achetions",
    "appeler": "appelé appellerai appelions",
    "préférer": "préféré préférerai préférions",
    "espérer": "espéré espérerai espérions",
    "essayer": "essayé essaierai essayions",
    "nettoyer": "nettoyé nettoierai nettoyions",
    "envoyer": "envoyé enverrai envoyions",
    "étudier": "étudié étudierai étudiions",
    "finir": "fini finirai finissions",
    "vendre": "vendu vendrai vendions",
}

IMPERATIVE = {
    "être": "sois soyons soyez",
    "avoir": "aie ayons ayez",
    "savoir": "sache sachons sachez",
    "aller": "va allons allez",
    "parler": "parle parlons parlez",
    "manger": "mange mangeons mangez",
    "ouvrir": "ouvre ouvrons ouvrez",
    "cueillir": "cueille cueillons cueillez",
    "finir": "finis finissons finissez",
    "prendre": "prends prenons prenez",
    "faire": "fais faisons faites",
    "dire": "dis disons dites",
    "venir": "viens venons venez",
    "lever": "lève levons levez",
}


@pytest.mark.parametrize("infinitive", PRESENT)
def test_present(infinitive):
    assert " ".join(conjugate(infinitive).present) == PRESENT[infinitive]


@pytest.mark.parametrize("infinitive", PRINCIPAL)
def test_participle_future_and_imperfect(infinitive):
    verb = conjugate(infinitive)
    said = f"{verb.participle} {verb.future[0]} {verb.imperfect[3]}"
    assert said == PRINCIPAL[infinitive]


@pytest.mark.parametrize("infinitive", IMPERATIVE)
def test_imperative(infinitive):
    assert " ".join(conjugate(infinitive).imperative) == IMPERATIVE[infinitive]


def test_endings_of_the_other_tenses():
    eat = conjugate("manger")
    assert eat.imperfect == (
        "mangeais", "mangeais", "mangeait", "mangions", "mangiez", "mangeaient",
    )  # fmt: skip
    begin = conjugate("commencer")
    assert (begin.imperfect[0], begin.imperfect[4]) == ("commençais", "commenciez")
    assert conjugate("aller").future == (
        "irai",
        "iras",
        "ira",
        "irons",
        "irez",
        "iront",
    )
    assert conjugate("être").conditional == (
        "serais", "serais", "serait", "serions", "seriez", "seraient",
    )  # fmt: skip


def test_weather_verbs_have_one_person():
    rain = conjugate("pleuvoir")
    assert (rain.present[2], rain.imperfect[2], rain.future[2]) == (
        "pleut", "pleuvait", "pleuvra",
    )  # fmt: skip
    assert conjugate("falloir").imperfect[2] == "fallait"


def test_unknown_patterns_are_refused():
    with pytest.raises(ValueError, match="no rule gives"):
        conjugate("résoudrx")
