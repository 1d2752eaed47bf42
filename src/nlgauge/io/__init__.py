"""Readers: from files to a Corpus.

    refs.txt                one text a line
    data.tsv:ref            the column "ref" of a file whose first row names the columns (.tsv, .csv)
    data.tsv:2              the second column of a file without such a row
    data.jsonl:references   the field of each object; its values may be lists of texts
    data.jsonl              records that carry everything, with the field names of `nlgauge.corpus.records.FIELD_NAMES`
    -                       standard input, one text a line
    NAME=...                any of these, for a system that is to be called NAME

Files are UTF-8 (a byte order mark is skipped) and may be gzipped (.gz). Only a line feed ends a line, a carriage return before
it belongs to it: U+2028 and its like are text. A line feed at the end of the file adds no line. TSV has no quoting, CSV is RFC 4180.

The k-th of several reference files holds the k-th reference of each segment. A blank line in the second file or a later one means
"no such reference here"; in the first file it is an empty reference.
"""

from nlgauge.io.inputs import read_corpus
from nlgauge.io.reader import Reader

__all__ = ["Reader", "read_corpus"]
