import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tournament", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AvoidPair",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="avoid_pairs", to="tournament.event"
                    ),
                ),
                (
                    "one",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.entrant"
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.entrant"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("first-round", "In round one"), ("not-before", "Before a round"), ("never", "Never")],
                        default="first-round",
                        max_length=20,
                    ),
                ),
                ("before_round", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("is_couple", models.BooleanField(default=False)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AvoidPairEnded",
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
                    "pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ended", to="pairing.avoidpair"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="ClubsApart",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="clubs_apart", to="tournament.event"
                    ),
                ),
                ("until", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="DrawTermsSaid",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="draw_terms", to="tournament.event"
                    ),
                ),
                ("terms", models.JSONField()),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Commitment",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="commitments", to="tournament.event"
                    ),
                ),
                ("draw_id", models.CharField(max_length=120, unique=True)),
                ("numbers", models.JSONField()),
                ("commitment", models.CharField(max_length=64)),
                ("secret", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Draw",
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
                    "commitment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="draw", to="pairing.commitment"
                    ),
                ),
                ("public", models.CharField(blank=True, max_length=300)),
                ("order", models.JSONField()),
                ("terms", models.JSONField(blank=True, default=dict)),
                ("avoid", models.JSONField(default=dict)),
                ("places", models.JSONField()),
                ("moves", models.JSONField(default=list)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DrawPosted",
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
                    "draw",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="posted", to="pairing.draw"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DrawTakenBack",
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
                    "draw",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.draw"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PartnerSeal",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="partner_seals", to="tournament.event"
                    ),
                ),
                ("draw_id", models.CharField(max_length=130, unique=True)),
                ("numbers", models.JSONField()),
                ("pools", models.JSONField(blank=True, default=dict)),
                ("same_person", models.JSONField(blank=True, default=list)),
                ("before", models.JSONField(blank=True, default=list)),
                ("commitment", models.CharField(max_length=64)),
                ("secret", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="PartnerDraw",
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
                    "seal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="draw", to="pairing.partnerseal"
                    ),
                ),
                ("public", models.CharField(blank=True, max_length=300)),
                ("order", models.JSONField()),
                ("pairs", models.JSONField()),
                ("left", models.JSONField(blank=True, default=list)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PartnerDrawPosted",
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
                    "draw",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="posted", to="pairing.partnerdraw"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PartnerDrawTakenBack",
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
                    "draw",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.partnerdraw"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Seating",
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
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seatings", to="pairing.draw"
                    ),
                ),
                ("round", models.PositiveSmallIntegerField()),
                ("tables", models.JSONField()),
                ("sits_out", models.JSONField(blank=True, default=list)),
                ("record", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["round", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SeatingPosted",
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
                    "seating",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="posted", to="pairing.seating"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SeatingTakenBack",
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
                    "seating",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.seating"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RulesAtTables",
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
                        related_name="rules_at_tables",
                        to="tournament.event",
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("fewest", models.PositiveSmallIntegerField()),
                ("most", models.PositiveSmallIntegerField()),
                ("low_wins", models.BooleanField()),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Stage",
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
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stages", to="pairing.draw"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=100)),
                ("terms", models.JSONField(blank=True, default=dict)),
                ("entries", models.JSONField()),
                ("record", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["number", "pk"],
            },
        ),
        migrations.CreateModel(
            name="StageTakenBack",
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
                    "stage",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.stage"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="StageSeal",
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
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seals", to="pairing.stage"
                    ),
                ),
                ("draw_id", models.CharField(max_length=120)),
                ("commitment", models.CharField(max_length=64)),
                ("secret", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="StageLots",
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
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lots", to="pairing.stage"
                    ),
                ),
                ("order", models.JSONField()),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="StageEntry",
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
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="late_entries", to="pairing.stage"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("stage", "entrant"), name="one_late_entry_a_stage")],
            },
        ),
        migrations.CreateModel(
            name="Pairing",
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
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pairings", to="pairing.stage"
                    ),
                ),
                ("round", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("pairs", models.JSONField()),
                ("bye", models.PositiveIntegerField(blank=True, null=True)),
                ("by_hand", models.BooleanField(default=False)),
                ("record", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="matches", to="tournament.event"
                    ),
                ),
                (
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="matches", to="pairing.draw"
                    ),
                ),
                (
                    "seating",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="pairing.seating",
                    ),
                ),
                (
                    "stage",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="pairing.stage",
                    ),
                ),
                (
                    "pairing",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matches",
                        to="pairing.pairing",
                    ),
                ),
                ("ident", models.CharField(max_length=20)),
                ("round", models.PositiveSmallIntegerField()),
                ("position", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["round", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("stage__isnull", True)), fields=("draw", "ident"), name="one_ident_a_draw"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("stage__isnull", False)),
                        fields=("stage", "ident"),
                        name="one_ident_a_stage",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LateEntry",
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
                    "draw",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="late_entries", to="pairing.draw"
                    ),
                ),
                (
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_byes", to="pairing.stage"
                    ),
                ),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="late_entry", to="pairing.match"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
                (
                    "bye",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
                ("open_byes", models.JSONField()),
                ("kept_apart", models.JSONField(blank=True, default=list)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="LateEntryTakenBack",
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
                    "late_entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.lateentry"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="MatchResult",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="results", to="pairing.match"
                    ),
                ),
                (
                    "winner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tournament.entrant",
                    ),
                ),
                ("credits", models.JSONField()),
                ("score", models.JSONField(blank=True, default=dict)),
                (
                    "supersedes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="superseded_by",
                        to="pairing.matchresult",
                    ),
                ),
                (
                    "undoes",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="undone_by",
                        to="pairing.matchresult",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("supersedes__isnull", True)),
                        fields=("match",),
                        name="one_first_result_a_match",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MatchKept",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="kept", to="pairing.match"
                    ),
                ),
                ("sides", models.JSONField()),
                (
                    "result",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="kept",
                        to="pairing.matchresult",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="TableCall",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="calls", to="pairing.match"
                    ),
                ),
                ("table", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="MatchSeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="pairing.match"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.entrant"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "position"), name="one_entrant_a_match_seat"),
                    models.UniqueConstraint(fields=("match", "entrant"), name="one_match_seat_an_entrant"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PairingTakenBack",
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
                    "pairing",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taken_back", to="pairing.pairing"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Hold",
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
                    "stage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holds", to="pairing.stage"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holds", to="tournament.entrant"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="HoldEnded",
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
                    "hold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ended", to="pairing.hold"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DeskSettings",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="desk_settings", to="tournament.event"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("settings", models.JSONField()),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
    ]
