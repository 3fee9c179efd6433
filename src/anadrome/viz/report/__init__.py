"""The report of a run: one page of HTML that needs nothing else.

In: the record and the log of a run, and what its task shows of the model.
Out: a page with curves, scores, samples, alignments and every option.
"""

from anadrome.viz.report.page import Facts, make_report, write_report

__all__ = ["Facts", "make_report", "write_report"]
