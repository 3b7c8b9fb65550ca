"""Everybody who is on record is sorted by the family name.

The functions here are those of the program as it was when this migration was written, so that later changes of the
program do not change what it does.
"""

import unicodedata
from typing import Any, Final

from django.db import migrations, models

PARTICLES: Final = frozenset((
    "van", "von", "vom", "der", "den", "des", "de", "del", "della", "delle", "di", "da", "dal", "dos", "das", "do",
    "du", "la", "le", "lo", "ten", "ter", "te", "zu", "zum", "zur", "af", "av", "bin", "ibn", "al", "el", "st", "st.",
    "saint",
))  # fmt: skip
SUFFIXES: Final = frozenset((
    "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "2nd", "3rd", "4th", "esq", "esq.", "md", "m.d.", "phd", "ph.d.",
))  # fmt: skip
BETWEEN_PAIRS: Final = " / "
JOINERS: Final = "\u200c\u200d"
BLANKS: Final = "\u034f\u115f\u1160\u3164\uffa0"
WHOLE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h", "’": "'"}
)


def propose(apps: Any, schema_editor: Any) -> None:
    for name in ("Player", "Entrant"):
        rows = list(apps.get_model("tournament", name).objects.only("pk", "name"))
        for row in rows:
            row.sort_key = sort_key(BETWEEN_PAIRS.join(map(sort_name, row.name.split(BETWEEN_PAIRS))))
        apps.get_model("tournament", name).objects.bulk_update(rows, ["sort_key"], batch_size=300)


def sort_name(name: str) -> str:
    words, suffixes = without_suffixes(tidy(name).split())
    if len(words) < 2 or any(word.endswith(",") for word in words):
        return " ".join([*words, *suffixes])
    start = len(words) - 1
    if start > 2 and words[start - 1].casefold() == "y":
        start -= 2
    while start > 1 and words[start - 1].casefold() in PARTICLES:
        start -= 1
    return ", ".join([" ".join(words[start:]), " ".join(words[:start]), *suffixes])


def without_suffixes(words: list[str]) -> tuple[list[str], list[str]]:
    end = len(words)
    while end > 1 and words[end - 1].casefold() in SUFFIXES:
        end -= 1
    kept = words[:end]
    if end < len(words):
        kept[-1] = kept[-1].rstrip(",")
    return kept, words[end:]


def sort_key(name: str) -> str:
    people = tidy(name).split(BETWEEN_PAIRS)
    return "000".join("00".join(map(folded, person.split(","))) for person in people)[:500]


def folded(part: str) -> str:
    apart = unicodedata.normalize("NFKD", part.casefold().translate(WHOLE_LETTERS))
    letters = "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()
    spaced = "".join(code(letter) if letter.isalnum() else "" if letter in "'.`´ʻ" else " " for letter in letters)
    return "0".join(spaced.split())


def code(letter: str) -> str:
    if letter.isascii():
        return letter if letter.isalpha() else f"1{letter}"
    return f"zzz{ord(letter):06x}"


def tidy(text: str) -> str:
    spaced = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    seen = f" {''.join(char for char in spaced if char in JOINERS or not is_unseen(char))} "
    kept = "".join(
        char
        for before, char, after in zip(seen, seen[1:], seen[2:], strict=False)
        if char not in JOINERS or (is_letter(before) and is_letter(after))
    )
    return " ".join(unicodedata.normalize("NFC", kept).split())


def is_unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cf", "Cs") or char in BLANKS


def is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM"


class Migration(migrations.Migration):
    dependencies = [("tournament", "0004_files")]

    operations = [
        migrations.AddField("entrant", "sort_name", models.CharField(max_length=420, blank=True, default=""), False),
        migrations.AddField("entrant", "sort_key", models.CharField(max_length=500, default="", editable=False)),
        migrations.AddField("player", "sort_name", models.CharField(max_length=200, blank=True, default=""), False),
        migrations.AddField("player", "sort_key", models.CharField(max_length=500, default="", editable=False)),
        migrations.AlterModelOptions("player", {"ordering": ["sort_key", "pk"]}),
        migrations.RunPython(propose, migrations.RunPython.noop),
    ]
