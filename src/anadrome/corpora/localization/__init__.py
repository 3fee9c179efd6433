"""Translation files filled in: what is missing, and nothing else.

In: a catalogue, XLIFF, TMX, TSV or subtitles, and a function that translates.
Out: the same file with translations to review, placeholders intact, and a report.
"""

from anadrome.corpora.localization.filling import FillReport, Note, fill_file
from anadrome.corpora.localization.placeholders import Code, Template, make_template
from anadrome.corpora.localization.protection import translate_templates

__all__ = [
    "Code",
    "FillReport",
    "Note",
    "Template",
    "fill_file",
    "make_template",
    "translate_templates",
]
