"""Writes golden values of the METEOR 1.5 program for tests/metrics/test_meteor.py.

    pip download --no-deps pycocoevalcap==1.2 && unzip -j pycocoevalcap-1.2-py3-none-any.whl pycocoevalcap/meteor/meteor-1.5.jar
    python tools/golden_meteor.py meteor-1.5.jar

For each task it runs `java -Xmx2G -jar meteor-1.5.jar predictions references -l en -m "exact stem synonym" -t
TASK -vOut -s functionwords`: without paraphrases, without normalization (the texts are tokenized and in lower
case), and with our list of function words. Then it runs `-m "exact stem synonym paraphrase" -a TABLE` on
pairs with phrases of the table below, which it also writes down, and `-norm` on texts that are not tokenized.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import tempfile
from pathlib import Path

from nlgauge.metrics.meteor import FUNCTION_WORDS

GOLDEN = Path(__file__).parents[1] / "tests" / "metrics" / "golden_meteor15.json"
TASKS = {"rank": "rank", "adequacy": "adq"}
PAIRS = """
the cat sat on the mat | the cat sat on the mat
on the mat sat the cat | the cat sat on the mat
the cats were sitting on the mats | the cat sat on the mat
a doctor bought an automobile for his child | the physician purchased a car for his kid
the car was bought by a physician | the doctor purchased the automobile
the | the
the the the the | the
a | the cat sat
nothing matches here | wholly different words
running runners run quickly | the runner ran quick
the combat began near the builder 's yard | a fighter started the fight where it was built
officials said on tuesday that the two sides had agreed to end the long fight | \
on tuesday both sides agreed to stop the long battle , said an official
he did not go to the market , but she went to the shop and to the market | she went to the market and the shop , but he did not go
the mice in the houses were eaten by the wolves | wolves ate the mouse in the house
children 's feet are smaller than the feet of men and women | the foot of a child is smaller than that of a man or a woman
the president of the country met the head of the government of the city of the north | \
the head of the city government met the president of the northern country
to be or not to be , that is the question of the day | that is the question : to be or to not be
prices rose in the first quarter and fell in the second , the bank reported | \
the bank reported that prices fell in the second quarter after a rise in the first
she is a good teacher and a better writer | she teaches well and writes even better
the quick brown fox jumps over the lazy dog while the dog looks at the fox | \
while the dog watches the fox , the fast brown fox leaps over the lazy dog
as a result , as a rule , as a matter of fact | as a matter of fact , as a result
we begin to begin the beginning | the start started to start
study of the works | working and studying
it was a big , large , huge house | the house was large and big
"""
# Phrases that overlap, that stand in both directions, of different lengths, and single words.
TABLE = """
in the end | finally
finally | in the end
the end | the finish line
took part in | joined
joined | took part in
make a decision | decide
make a decision | decide upon
decide upon | choose
as a result of | because of
because of | as a result of
a result of | the outcome of
a great deal of | much
much | a lot of
rug | mat
set out | began a journey
on the other hand | however
the other | another
"""
PHRASE_PAIRS = """
in the end he took part in the race | he joined the race finally
finally he joined the race | he took part in the race in the end
the end | the finish line
he set out at the end | he began a journey at the finish line
as a result of the rain we had to make a decision | we had to decide upon it because of the rain
because of a result of the rain | as a result of the outcome of the rain
there was a great deal of noise on the rug | there was much noise on the mat
on the other hand the other hand however | however another hand on the other hand
much a lot of much | a lot of much a great deal of
they choose to make a decision because of a lot of rain , in the end | finally they decide upon rain as a result of much
no phrase of the table is here | not one of these words stands in it
decide upon decide | make a decision make a decision
"""


# Texts that are not tokenized, for the option -norm.
RAW_PAIRS = """
A well-known man's dog ran off. | the well known dog of a man ran off
a-b-c is in the U.S. now, isn't it? | A-B-C was in the US now , is it not ?
Mr. Smith paid 1,000 dollars... | mr. smith paid 1,000 dollars ...
“No. 5” of the half-eaten cakes – e.g. two | "No. 5" of half eaten cakes -- for example two
the black-and-white cat's 80's-style hat | a black and white cat with an 80s style hat
He said: don't go. She went,though | he said : do not go . she went , though
two dogs (one red/one blue) sit at no. 7. | Two dogs ( one red / one blue ) sit at No. 7
"""


def run(
    jar: Path, pairs: list[list[str]], task: str, table: list[list[str]] | None = None, norm: bool = False
) -> dict[str, object]:
    """Return the program's precision, recall, penalty and score of every pair, and its score of all
    together.
    """
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder) / name for name in ("predictions", "references", "words")]
        for path, lines in zip(
            names, (*map(list, zip(*pairs, strict=True)), sorted(FUNCTION_WORDS)), strict=True
        ):
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = [
            "-l",
            "en",
            "-m",
            "exact stem synonym" + " paraphrase" * bool(table),
            "-t",
            TASKS[task],
            "-vOut",
            "-s",
            str(names[2]),
        ] + ["-norm"] * norm
        if table:
            paraphrases = Path(folder) / "table.gz"
            paraphrases.write_bytes(
                gzip.compress("".join(f"0.5\n{first}\n{second}\n" for first, second in table).encode())
            )
            options += ["-a", str(paraphrases)]
        command = ["java", "-Xmx2G", "-jar", str(jar), *map(str, names[:2]), *options]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    segments = [
        [float(value) for value in line.split("\t")[1:]]
        for line in re.findall(r"^Segment .*$", printed, flags=re.MULTILINE)
    ]
    return {"segments": segments, "corpus": float(re.findall(r"Final score:\s+(\S+)", printed)[0])}


def main() -> None:
    """Runs the program and writes the file."""
    parser = argparse.ArgumentParser(description="Writes golden values of the METEOR 1.5 program.")
    parser.add_argument("jar", type=Path)
    jar = parser.parse_args().jar
    texts = PAIRS, TABLE, PHRASE_PAIRS, RAW_PAIRS
    pairs, table, phrase_pairs, raw_pairs = (
        [line.split(" | ") for line in lines.strip().split("\n")] for lines in texts
    )
    found = {
        "command": "python tools/golden_meteor.py meteor-1.5.jar",
        "pairs": pairs,
        **{task: run(jar, pairs, task) for task in TASKS},
        "table": table,
        "norm": {"pairs": raw_pairs, **{task: run(jar, raw_pairs, task, norm=True) for task in TASKS}},
        "phrases": {"pairs": phrase_pairs, **{task: run(jar, phrase_pairs, task, table) for task in TASKS}},
    }
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
