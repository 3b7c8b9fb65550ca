import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("pairing", "0001_initial"), ("tournament", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="CardTerms",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="card_terms", to="tournament.event"
                    ),
                ),
                ("terms", models.JSONField()),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="DirectorCall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="director_calls", to="pairing.match"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="director_calls",
                        to="tournament.entrant",
                    ),
                ),
                ("about", models.CharField(blank=True, max_length=300)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="DirectorCallAnswered",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "call",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answered", to="scoring.directorcall"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="Committee",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="committees", to="tournament.event"
                    ),
                ),
                ("members", models.JSONField()),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="RegisterNames",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="register_names",
                        to="tournament.event",
                    ),
                ),
                ("shown", models.BooleanField()),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="RuleSheet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rule_sheets", to="tournament.event"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("variant", models.CharField(default="gra-singles", max_length=40)),
                ("options", models.JSONField()),
                ("games_to_win", models.PositiveSmallIntegerField(default=1)),
                ("lengths", models.JSONField(blank=True, default=list)),
                (
                    "unfinished",
                    models.CharField(
                        choices=[
                            ("leader", "The leader has won"),
                            ("last-hand", "The last hand is played out, then the leader has won"),
                            ("replay", "The game is played again"),
                            ("director", "The director decides"),
                        ],
                        default="director",
                        max_length=10,
                    ),
                ),
                (
                    "seats",
                    models.CharField(
                        choices=[
                            ("table", "The players draw cards at the table"),
                            ("event", "As the event's draw seated them"),
                        ],
                        default="table",
                        max_length=10,
                    ),
                ),
                ("remarks", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["version"],
                "constraints": [models.UniqueConstraint(fields=("event", "version"), name="one_version_once")],
            },
        ),
        migrations.CreateModel(
            name="Card",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="pairing.match"
                    ),
                ),
                ("game", models.PositiveSmallIntegerField()),
                ("sides_key", models.CharField(blank=True, default="", max_length=120)),
                (
                    "sheet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="cards", to="scoring.rulesheet"
                    ),
                ),
                ("length", models.JSONField(blank=True, default=dict)),
                ("token", models.CharField(max_length=64, unique=True)),
                ("opened_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "game", "sides_key"), name="one_card_a_game_and_sides")
                ],
            },
        ),
        migrations.CreateModel(
            name="CardSeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="scoring.card"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="card_seats",
                        to="tournament.entrant",
                    ),
                ),
                ("name", models.CharField(blank=True, default="", max_length=200)),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("card", "position"), name="one_seat_a_position"),
                    models.UniqueConstraint(
                        condition=models.Q(("entrant__isnull", False)),
                        fields=("card", "entrant"),
                        name="one_seat_an_entrant",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Cut",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cuts", to="scoring.card"
                    ),
                ),
                (
                    "keeper",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
                ("order", models.JSONField(blank=True, default=list)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="SheetLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lines", to="scoring.card"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("line", models.JSONField(null=True)),
                (
                    "via",
                    models.CharField(
                        choices=[
                            ("phone", "A player's phone"),
                            ("desk", "The desk, from paper"),
                            ("api", "JSON"),
                            ("handed", "A player's phone, handed over by QR"),
                        ],
                        max_length=10,
                    ),
                ),
                ("warnings", models.JSONField(default=list)),
                (
                    "supersedes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="superseded_by",
                        to="scoring.sheetline",
                    ),
                ),
            ],
            options={
                "ordering": ["number", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("supersedes__isnull", True)),
                        fields=("card", "number"),
                        name="one_line_a_number",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Signature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="signatures", to="scoring.card"
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="signatures", to="scoring.cardseat"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "method",
                    models.CharField(
                        choices=[("drawn", "Drawn"), ("code", "By personal code"), ("paper", "On paper")], max_length=10
                    ),
                ),
                ("strokes", models.JSONField(blank=True, default=list)),
                ("witness", models.CharField(blank=True, max_length=200)),
                ("device", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("seat", "digest"), name="one_signature_a_seat_and_content")
                ],
            },
        ),
        migrations.CreateModel(
            name="CardPosted",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="postings", to="scoring.card"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("card", "digest"), name="one_posting_a_content")],
            },
        ),
        migrations.CreateModel(
            name="CardClosed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="closings", to="scoring.card"
                    ),
                ),
                (
                    "cause",
                    models.CharField(
                        choices=[("time", "Time was called"), ("forfeit", "A player left before the end")],
                        max_length=10,
                    ),
                ),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("leader", "The leader has won"),
                            ("last-hand", "The last hand is played out, then the leader has won"),
                            ("replay", "The game is played again"),
                            ("director", "The director decides"),
                            ("forfeit", "The player who left has lost"),
                        ],
                        max_length=10,
                    ),
                ),
                ("hands", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "left",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="scoring.cardseat",
                    ),
                ),
                (
                    "winner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="scoring.cardseat",
                    ),
                ),
                ("games", models.JSONField(blank=True, default=dict)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="ClosingTakenBack",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "closing",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="scoring.cardclosed"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="StaffEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="staff_entries", to="scoring.card"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("card", "A whole card from paper"),
                            ("line", "One hand"),
                            ("correction", "A correction"),
                            ("after-final", "A correction of a final card"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "needs",
                    models.CharField(
                        choices=[
                            ("approve", "A second person looks at it"),
                            ("rekey", "A second person types it again"),
                            ("official", "A director and a second official"),
                        ],
                        max_length=20,
                    ),
                ),
                ("payload", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="StaffEntryDecided",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decided", to="scoring.staffentry"
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        choices=[("agreed", "Agreed"), ("refused", "Refused"), ("withdrawn", "Withdrawn")],
                        max_length=20,
                    ),
                ),
                ("differences", models.JSONField(blank=True, default=list)),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="Dispute",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="disputes", to="tournament.event"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="disputes",
                        to="pairing.match",
                    ),
                ),
                (
                    "card",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="disputes",
                        to="scoring.card",
                    ),
                ),
                ("hand", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("board", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("kind", models.CharField(blank=True, max_length=40)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("claims", models.JSONField(blank=True, default=dict)),
                ("about", models.TextField(blank=True)),
                ("entries", models.JSONField(blank=True, default=list)),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="disputes",
                        to="tournament.entrant",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="DisputeFacts",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "dispute",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="scoring.dispute"
                    ),
                ),
                ("kind", models.CharField(blank=True, max_length=40)),
                ("hand", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("board", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("claims", models.JSONField(blank=True, default=dict)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Evidence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "dispute",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="evidence", to="scoring.dispute"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("photo", "Photo"), ("hands", "Hands"), ("words", "Statement")], max_length=10
                    ),
                ),
                ("photo", models.ImageField(blank=True, upload_to="evidence/")),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("hands", models.JSONField(blank=True, default=dict)),
                ("words", models.TextField(blank=True)),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="DisputeDropped",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "dispute",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="dropped", to="scoring.dispute"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "dispute",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rulings", to="scoring.dispute"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=40)),
                ("rule", models.CharField(max_length=60)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("recommended", models.JSONField(blank=True, default=dict)),
                ("ruling", models.CharField(max_length=40)),
                ("decided", models.TextField()),
                ("overrules", models.BooleanField(default=False)),
                ("effects", models.JSONField(blank=True, default=dict)),
                (
                    "decider",
                    models.CharField(
                        choices=[
                            ("director", "Director"),
                            ("committee", "Committee"),
                            ("scorekeeper", "Scorekeeper"),
                            ("table", "The other players"),
                        ],
                        default="director",
                        max_length=20,
                    ),
                ),
                (
                    "supersedes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="superseded_by",
                        to="scoring.ruling",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Appeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "ruling",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="appeal", to="scoring.ruling"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="AppealDecided",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "appeal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decided", to="scoring.appeal"
                    ),
                ),
                ("upheld", models.BooleanField()),
                ("members", models.JSONField(default=list)),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="RulingRefused",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "ruling",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="refused", to="scoring.ruling"
                    ),
                ),
                (
                    "precedent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="scoring.ruling"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="ConductPenalty",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conduct_penalties",
                        to="tournament.entrant",
                    ),
                ),
                (
                    "ruling",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="penalties",
                        to="scoring.ruling",
                    ),
                ),
                (
                    "effect",
                    models.CharField(
                        choices=[
                            ("warning", "Warning"),
                            ("game-loss", "Loss of a game"),
                            ("elimination", "Elimination"),
                            ("disqualification", "Disqualification"),
                        ],
                        max_length=20,
                    ),
                ),
                ("offence", models.CharField(blank=True, max_length=40)),
                ("players", models.ManyToManyField(related_name="conduct_penalties", to="tournament.player")),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="ConductPenaltyLifted",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "penalty",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lifted", to="scoring.conductpenalty"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="TotalsAnnounced",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="announcements", to="scoring.card"
                    ),
                ),
                ("hand", models.PositiveSmallIntegerField()),
                ("totals", models.JSONField()),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="UpCard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="up_cards", to="scoring.card"
                    ),
                ),
                ("hand", models.PositiveSmallIntegerField()),
                ("up", models.CharField(max_length=2)),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
                ("turned_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="HandCheck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "line",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="checks", to="scoring.sheetline"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
                ("own", models.JSONField(blank=True, null=True)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="NewDeck",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="new_decks", to="scoring.card"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
                ("hand", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="RuleSheetFrozen",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rules_frozen", to="tournament.event"
                    ),
                ),
                (
                    "sheet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="scoring.rulesheet"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="CardVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="scoring.card"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("content", models.TextField()),
                ("facts", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("card", "number"), name="one_version_a_number"),
                    models.UniqueConstraint(fields=("card", "digest"), name="one_version_a_content"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SealKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public", models.CharField(max_length=64, unique=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="CardSeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seal", to="scoring.cardversion"
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="seals", to="scoring.sealkey"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("statement", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("previous", models.CharField(blank=True, max_length=64)),
                ("signature", models.CharField(max_length=128)),
            ],
            options={"ordering": ["pk"]},
        ),
    ]
