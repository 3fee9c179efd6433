"""A small right file of every format, and what is read from it."""

PO = """\
# A comment.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

#: main.c:12
#, c-format
msgid "Open %s"
msgstr "Ouvrir %s"

msgctxt "menu"
msgid "Open"
msgstr "Ouvrir"

#, fuzzy
msgid "Close"
msgstr "Fermé"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d fichier"
msgstr[1] "%d fichiers"

#~ msgid "old"
#~ msgstr "vieux"
"""

XLIFF_1 = """\
<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a.txt" source-language="en" target-language="fr" datatype="x">
    <body>
      <trans-unit id="1">
        <source>A <g id="1">green</g> tree<x id="2"/></source>
        <target>Un arbre <g id="1">vert</g><x id="2"/></target>
      </trans-unit>
      <trans-unit id="2"><source>Tom &amp; Ann</source></trans-unit>
    </body>
  </file>
</xliff>
"""

XLIFF_2 = """\
<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"
       trgLang="fr">
  <file id="f1">
    <unit id="1">
      <segment state="final"><source>Hello.</source><target>Bonjour.</target></segment>
      <segment><source>A <pc id="1">fine</pc> day.</source></segment>
    </unit>
  </file>
</xliff>
"""

TMX = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x"
          adminlang="en" srclang="en" datatype="plaintext"/>
  <body>
    <tu>
      <tuv xml:lang="en-GB"><seg>A <bpt i="1">&lt;b></bpt>tree<ept i="1"/>.</seg></tuv>
      <tuv xml:lang="fr"><seg>Un arbre.</seg></tuv>
    </tu>
    <tu><tuv xml:lang="en"><seg>Not yet.</seg></tuv></tu>
  </body>
</tmx>
"""

CONLLU = """\
# sent_id = 1
# text = Don't go.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
3.1\tthere\tthere\tADV\t_\t_\t_\t_\t3:advmod\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

"""

SRT = """\
1
00:00:01,000 --> 00:00:02,500
Hello,
world.

2
00:01:00,000 --> 01:00:02,000
Bye.

"""

VTT = """\
WEBVTT a title

NOTE nothing

intro
00:01.000 --> 00:02.500 align:start
<i>Hello</i>,
world.

00:01:00.000 --> 01:00:02.000
Bye.

"""

TEXTS = {
    "text": "One line.\nAnother: é.\n",
    "tsv": "a cat\tun chat\na dog\tun chien\n",
    "csv": 'source,target\n"a, b","un ""mot"""\n"two\nlines",deux\n',
    "jsonl": (
        '{"source": "a", "target": "un", "n": 1}\n{"source": "b", "target": "é"}\n'
    ),
    "conll": "John\tB-per\nruns\tO\n\nHi\tO\n\n",
    "conllu": CONLLU,
    "trees": "(3 (2 It) (4 (4 works) (2 .)))\n(1 (1 No) (2 .))\n",
    "tmx": TMX,
    "po": PO,
    "xliff": XLIFF_1,
    "srt": SRT,
    "vtt": VTT,
}
"""The content of a right file, by the name of its format; MO is binary."""

SUFFIXES = {name: f".{name}" for name in TEXTS} | {"text": ".txt", "xliff": ".xlf"}
