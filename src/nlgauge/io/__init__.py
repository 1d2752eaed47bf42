"""Readers of files: `Inputs` names the files of a corpus and reads them whole or in chunks.

    refs.txt                one text per line
    data.tsv:ref            the column "ref" of a file whose first row is a header (.tsv, .csv), or of a .parquet file
    data.tsv:2              the second column of a file without a header; an error if the first row looks like a header
    data.jsonl:references   the field of each object (.jsonl, .json); its values may be lists of texts
    data.jsonl              records with all data, with the field names of `nlgauge.corpus.records.FIELD_NAMES`
    refs.json               one JSON document: an array of records or of texts, or an object with one array per column
    -                       standard input, one text per line
    NAME=...                any of these, for a system with the name NAME

If several files of records are named, each belongs to one system, and the records are joined by their ids. Names
may end in .gz, .bz2, .xz or .zst (extra "zstd"); Parquet needs the extra "parquet".

The encoding is UTF-8, unless `encoding` names another. A file with a byte order mark of UTF-16 or UTF-32 is read
in that encoding, with a warning. Only a line feed ends a line, and a carriage return before it is part of the line
end; U+2028 and similar characters are text. A line feed at the end of the file adds no line.

Fields are separated by tabs in .tsv files and by commas in .csv files, unless `delimiter` names another
character. If the first line of a .csv file has no comma but semicolons, tabs or vertical bars, and every row has
the same number of them, the file is read with this separator, with a warning.

Quotes follow RFC 4180. A field that starts with a double quote ends with the next double quote that is not
doubled; a separator or the end of the line must follow. Inside the field, "" is one quote, and separators and line
breaks are text. Any other quote is text. A .csv file that breaks this rule is an error. A .tsv file is read by this
rule if all its quotes follow the rule, and either a field needs its quotes (it contains a quote, a tab or a line
break, or is empty) or every text is quoted. In any other .tsv file every quote is text, as in files for machine
translation. An ambiguous .tsv file is an error.

The k-th of several reference files contains the k-th reference of each segment. A blank line in the second file
or a later file means that the segment has no such reference; in the first file it is an empty reference.

A missing text (null, or a field that a record lacks) is an error with its line; `skip_missing` skips such segments
instead. Systems with different segments are an error; `common` skips segments that some system lacks. A warning
reports how many segments are skipped. `where` selects records or rows by their other fields, which remain fields of
the segments (`Corpus.fields`); `pooled` treats every record as a separate segment.
"""

from nlgauge.io.inputs import Inputs
from nlgauge.io.reader import Reader

__all__ = ["Inputs", "Reader"]
