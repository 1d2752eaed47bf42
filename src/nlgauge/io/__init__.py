"""Readers: files become a Corpus; `Inputs` names the files, and reads them whole or piece by piece.

    refs.txt                one text per line
    data.tsv:ref            the column "ref" of a file whose first row is a header (.tsv, .csv), or of a .parquet file
    data.tsv:2              the second column of a file without a header; refused where the first row looks like one
    data.jsonl:references   the field of each object (.jsonl, .json); its values may be lists of texts
    data.jsonl              records that carry everything, with the field names of `nlgauge.corpus.records.FIELD_NAMES`
    refs.json               one JSON document: an array of records or of texts, or an object with one array per column
    -                       standard input, one text per line
    NAME=...                any of these, for a system that is to be called NAME

Several files of records are those of one system each, joined by their ids. Names may end in .gz, .bz2, .xz or
.zst (extra "zstd"); Parquet needs the extra "parquet".

Files are UTF-8, unless `encoding` names another; a byte order mark of UTF-16 or UTF-32 is believed, and that
is said. Only a line feed ends a line, a carriage return before it belongs to it: U+2028 and its like are
text. A line feed at the end of the file adds no line.

Fields are separated by tabs in .tsv files and by commas in .csv files, unless `delimiter` names another
character. A .csv file whose first line has no comma but semicolons, tabs or vertical bars, as many in every
row, is read so, and that is said.

Quotes follow RFC 4180: a field that begins with a double quote ends with the next one that is not doubled,
right before a separator or the end of a line; "" inside it is one quote, and it may hold separators and line
breaks. Any other quote is text. A .csv file that breaks this rule is refused. A .tsv file is read by this
rule where a program that quotes wrote it: all its quotes follow the rule, and at least one field needs its
quotes (it holds a quote, a tab, a line break or nothing), or every text is quoted. In any other .tsv file
every quote is text, as in the files of machine translation. Where both could be true it is refused.

The k-th of several reference files holds the k-th reference of each segment. A blank line in the second file
or a later one means "no such reference here"; in the first file it is an empty reference.

A text that is missing (null, or a field that a record lacks) is refused with its line; `skip_missing` leaves
such segments out. So are systems with different segments; `common` leaves out those that some system lacks.
What is left out is counted and said. `where` chooses records or rows by their other fields, which stay with
the segments (`Corpus.fields`); `pooled` takes every record as a segment of its own.
"""

from nlgauge.io.inputs import Inputs
from nlgauge.io.reader import Reader

__all__ = ["Inputs", "Reader"]
