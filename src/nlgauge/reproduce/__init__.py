"""Reproductions: every table and figure of a paper next to its printed numbers, with a verdict for each.

Needs the benchmark that a document uses; `nlgauge reproduce DOCUMENT --plan` shows how to get it.
"""

from nlgauge.reproduce.planning import documents
from nlgauge.reproduce.printed_tables import Printed, printed
from nlgauge.reproduce.reproduction import Reproduction
from nlgauge.reproduce.running import run

__all__ = ["Printed", "Reproduction", "documents", "printed", "run"]
