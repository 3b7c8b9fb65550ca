"""Topics, digests of secrets, files, family names to sort by, and the ledger: the migrations 0002 to 0006 in one.

The functions are copies of the program at that time. Later changes of the program must not change this migration.
"""

import unicodedata
from copy import deepcopy
from functools import partial
from typing import Any, Final

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
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
    replaces = [
        ("tournament", "0002_topics"),
        ("tournament", "0003_secretdigest"),
        ("tournament", "0004_files"),
        ("tournament", "0005_sort_names"),
        ("tournament", "0006_ledger"),
    ]

    dependencies = [("tournament", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="TopicVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("version", models.PositiveBigIntegerField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.event"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("event", "name"), name="one_version_a_topic")]},
        ),
        migrations.CreateModel(
            name="SecretDigest",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="FilePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255)),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("name", "number"), name="one_part_a_number")]},
        ),
        migrations.AddField(
            model_name="entrant",
            name="sort_name",
            field=models.CharField(blank=True, default="", max_length=420),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="entrant", name="sort_key", field=models.CharField(default="", editable=False, max_length=500)
        ),
        migrations.AddField(
            model_name="player",
            name="sort_name",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="player", name="sort_key", field=models.CharField(default="", editable=False, max_length=500)
        ),
        migrations.AlterModelOptions(name="player", options={"ordering": ["sort_key", "pk"]}),
        migrations.AddField(
            model_name="tournament",
            name="expense_categories",
            field=models.JSONField(
                default=partial(
                    deepcopy,
                    [
                        "Advertising",
                        "Brochures",
                        "Postage",
                        "Stationery",
                        "Office supplies",
                        "Phone calls",
                        "Charts",
                        "Trays",
                        "Staff",
                        "Computer",
                        "Internet",
                        "Website",
                        "Travel",
                        "Awards",
                    ],
                )
            ),
        ),
        migrations.AlterField(
            model_name="ledgerline",
            name="kind",
            field=models.CharField(
                choices=[
                    ("charge", "Fee"),
                    ("discount", "Discount"),
                    ("complimentary", "Complimentary"),
                    ("cancellation", "Fee canceled"),
                    ("payment", "Payment"),
                    ("refund", "Refund"),
                    ("correction", "Correction of a payment"),
                    ("reversal", "Reversal"),
                ],
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="EventMoney",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("kind", models.CharField(choices=[("added", "Added money"), ("expense", "Expense")], max_length=20)),
                ("cents", models.PositiveBigIntegerField()),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("cash", "Cash"),
                            ("check", "Check"),
                            ("card", "Card"),
                            ("transfer", "Transfer"),
                            ("other", "Other"),
                        ],
                        max_length=20,
                    ),
                ),
                ("category", models.CharField(blank=True, max_length=100)),
                ("party", models.CharField(blank=True, max_length=200)),
                ("reference", models.CharField(blank=True, max_length=100)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="other_money", to="tournament.event"
                    ),
                ),
                (
                    "reverses",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="reversed_by",
                        to="tournament.eventmoney",
                    ),
                ),
            ],
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.CreateModel(
            name="Movement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("day", models.DateField(null=True)),
                ("given_cents", models.PositiveBigIntegerField(null=True)),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="movements",
                        to="tournament.event",
                    ),
                ),
                (
                    "line",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="movement",
                        to="tournament.ledgerline",
                    ),
                ),
                (
                    "money",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="movement",
                        to="tournament.eventmoney",
                    ),
                ),
                (
                    "paid_out",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="movement",
                        to="tournament.paidout",
                    ),
                ),
                (
                    "reverses",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="reversed_by",
                        to="tournament.movement",
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.tournament"
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("account", models.CharField(max_length=20)),
                ("kind", models.CharField(max_length=20)),
                ("method", models.CharField(blank=True, max_length=20)),
                ("category", models.CharField(blank=True, max_length=100)),
                ("drawer", models.PositiveBigIntegerField(null=True)),
                ("day", models.DateField(null=True)),
                ("cents", models.BigIntegerField()),
                (
                    "entrant",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="postings",
                        to="tournament.entrant",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="postings",
                        to="tournament.event",
                    ),
                ),
                (
                    "movement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="postings", to="tournament.movement"
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.tournament"
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.AddConstraint(
            model_name="movement",
            constraint=models.UniqueConstraint(fields=("event", "number"), name="one_receipt_number_an_event"),
        ),
        migrations.AddConstraint(
            model_name="movement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("line__isnull", False), ("money__isnull", True), ("paid_out__isnull", True)),
                    models.Q(("line__isnull", True), ("money__isnull", True), ("paid_out__isnull", False)),
                    models.Q(("line__isnull", True), ("money__isnull", False), ("paid_out__isnull", True)),
                    _connector="OR",
                ),
                name="a_movement_is_of_one_fact",
            ),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.CheckConstraint(
                condition=models.Q(("cents", 0), _negated=True), name="a_posting_moves_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(
                fields=("movement", "account"), name="one_posting_an_account_of_a_movement"
            ),
        ),
        migrations.RunPython(propose, migrations.RunPython.noop),
    ]
