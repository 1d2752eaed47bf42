"""The public names, declared once; see `nlgauge._core.public`."""

from nlgauge.corpus.corpus import Corpus as Corpus
