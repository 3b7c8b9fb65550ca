from copy import deepcopy
from functools import partial

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("auth", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("is_staff", models.BooleanField(default=False)),
                ("is_active", models.BooleanField(default=True)),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="SignInLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_in_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("goes_to", models.CharField(default="/", max_length=300)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("public_name", models.CharField(blank=True, max_length=200)),
                ("email", models.CharField(blank=True, max_length=254)),
                ("phone", models.CharField(blank=True, max_length=60)),
                ("club", models.CharField(blank=True, max_length=200)),
                ("email_key", models.CharField(blank=True, db_index=True, max_length=254)),
                ("name_key", models.CharField(db_index=True, max_length=200)),
                ("consent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="merged",
                        to="tournament.player",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={"ordering": ["name", "pk"]},
        ),
        migrations.CreateModel(
            name="Merge",
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
                    "kept",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="merges", to="tournament.player"
                    ),
                ),
                (
                    "gone",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="merges_away", to="tournament.player"
                    ),
                ),
                ("moved", models.JSONField(default=list)),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="MergeUndone",
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
                    "merge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="undone", to="tournament.merge"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="Tournament",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("venue", models.CharField(max_length=200)),
                ("starts_on", models.DateField()),
                ("ends_on", models.DateField()),
                ("time_zone", models.CharField(default="America/Los_Angeles", max_length=60)),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("contact", models.CharField(blank=True, max_length=200)),
                ("about", models.TextField(blank=True)),
                ("is_demo", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["-starts_on", "name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("ends_on__gte", models.F("starts_on"))), name="ends_after_it_starts"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StaffRole",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="roles", to="tournament.tournament"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="roles", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("director", "Director"),
                            ("coordinator", "Coordinator"),
                            ("hotel", "Hotel"),
                            ("desk", "Desk"),
                        ],
                        max_length=20,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tournament", "user", "role"), name="one_role_once")]
            },
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="log_head", to="tournament.tournament"
                    ),
                ),
                ("seq", models.PositiveBigIntegerField(default=0)),
                (
                    "digest",
                    models.CharField(
                        default="0000000000000000000000000000000000000000000000000000000000000000", max_length=64
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tournament.tournament"
                    ),
                ),
                ("verb", models.CharField(max_length=60)),
                ("key", models.CharField(max_length=100)),
                ("outcome", models.JSONField(default=dict)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("tournament", "verb", "key"), name="one_request_once")]
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="tournament.tournament"
                    ),
                ),
                ("slug", models.SlugField(max_length=60)),
                ("name", models.CharField(max_length=200)),
                ("entry_size", models.PositiveSmallIntegerField(default=1)),
                (
                    "partners",
                    models.CharField(
                        choices=[
                            ("together", "Only pairs enter"),
                            ("one", "Pairs enter, or single players: partners are drawn from one pool"),
                            ("a-b", "Pairs enter, or single players: an A player is drawn with a B player"),
                        ],
                        default="one",
                        max_length=10,
                    ),
                ),
                (
                    "second_chance_of",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="second_chances",
                        to="tournament.event",
                    ),
                ),
                (
                    "plan",
                    models.JSONField(
                        default=partial(deepcopy, {"stages": [{"kind": "single-elimination", "name": "Bracket"}]})
                    ),
                ),
                ("approvals", models.JSONField(blank=True, default=list)),
                ("sites", models.JSONField(blank=True, default=list)),
                ("fee_cents", models.PositiveBigIntegerField(default=0)),
                ("early_fee_cents", models.PositiveBigIntegerField(blank=True, null=True)),
                ("early_until", models.DateField(blank=True, null=True)),
                ("capacity", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "promotion",
                    models.CharField(
                        choices=[
                            ("arrival", "In order of entry, as soon as a place comes free"),
                            ("paid-first", "Paid entries first, then in order of entry"),
                            ("director", "The director chooses"),
                        ],
                        default="arrival",
                        max_length=20,
                    ),
                ),
                ("opens_at", models.DateTimeField(blank=True, null=True)),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                ("reentry", models.BooleanField(default=False)),
                ("reentry_until", models.DateTimeField(blank=True, null=True)),
                ("prize_percent", models.CharField(default="82", max_length=20)),
                ("prize_scale", models.JSONField(default=partial(deepcopy, ["50", "30", "20"]))),
                ("unit_cents", models.PositiveBigIntegerField(default=100)),
                ("added_cents", models.PositiveBigIntegerField(default=0)),
                ("guarantee_cents", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "discounts_from",
                    models.CharField(
                        choices=[
                            ("expenses", "From the expenses: the prize pool gets its share of the full fee"),
                            ("fee", "From the fee before it is split: prize pool and expenses both get less"),
                        ],
                        default="expenses",
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open for registration"),
                            ("closed", "Registration closed"),
                            ("drawn", "Drawn"),
                            ("in-play", "In play"),
                            ("finished", "Finished"),
                        ],
                        default="draft",
                        max_length=20,
                    ),
                ),
                ("version", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("tournament", "slug"), name="one_slug_a_tournament")],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="log", to="tournament.tournament"
                    ),
                ),
                ("seq", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="tournament.event",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("by_name", models.CharField(max_length=200)),
                ("verb", models.CharField(max_length=60)),
                ("about", models.CharField(blank=True, max_length=300)),
                ("reason", models.TextField(blank=True)),
                ("data", models.JSONField(default=dict)),
                ("previous", models.CharField(max_length=64)),
                ("digest", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["seq"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "seq"), name="one_row_a_place_in_the_chain")
                ],
            },
        ),
        migrations.CreateModel(
            name="Entrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entrants", to="tournament.event"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=200)),
                ("club", models.CharField(blank=True, max_length=200)),
                ("site", models.CharField(blank=True, max_length=100)),
                ("side", models.CharField(blank=True, choices=[("left", "Left"), ("right", "Right")], max_length=10)),
                ("asks_partner", models.BooleanField(default=False)),
                ("pool", models.CharField(blank=True, choices=[("A", "A"), ("B", "B")], max_length=1)),
                (
                    "joined_to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="halves",
                        to="tournament.entrant",
                    ),
                ),
                ("notes", models.TextField(blank=True)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("form", "Public form"),
                            ("import", "Imported list"),
                            ("desk", "Desk"),
                            ("partners", "Two players put together as partners"),
                            ("second-chance", "Second chance after another event"),
                        ],
                        default="form",
                        max_length=20,
                    ),
                ),
                ("entered_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("token", models.CharField(max_length=64, unique=True)),
                ("sign_code", models.CharField(max_length=12)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("applied", "Waiting for approval"),
                            ("waiting", "On the waiting list"),
                            ("in", "Accepted"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                            ("removed", "Withdrawn from play"),
                            ("seeking", "Looking for a partner"),
                            ("joined", "In a pair"),
                            ("parted", "Pair split"),
                        ],
                        default="applied",
                        max_length=20,
                    ),
                ),
                ("arrived", models.BooleanField(default=False)),
                (
                    "reentry_of",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="reentries",
                        to="tournament.entrant",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [models.UniqueConstraint(fields=("event", "number"), name="one_number_an_event")],
            },
        ),
        migrations.CreateModel(
            name="Member",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="tournament.entrant"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="members", to="tournament.player"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField(default=1)),
                (
                    "replaces",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="replaced_by",
                        to="tournament.member",
                    ),
                ),
            ],
            options={"ordering": ["seat", "pk"]},
        ),
        migrations.CreateModel(
            name="EntrantFact",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="facts", to="tournament.entrant"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("entered", "Entered"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                            ("wait-listed", "Put on the waiting list"),
                            ("promoted", "Promoted from the waiting list"),
                            ("withdrawn", "Withdrawn"),
                            ("substituted", "Substituted"),
                            ("reinstated", "Brought back"),
                            ("side", "Changed sides"),
                            ("site", "Changed sites"),
                            ("asks", "Looking for a partner"),
                            ("pool", "Changed pools"),
                            ("left-over", "Left without a partner in the draw"),
                            ("joined", "Has a partner"),
                            ("parted", "Pair split"),
                            ("arrived", "Checked in"),
                            ("not-arrived", "Check-in undone"),
                            ("kept", "Kept in the draw"),
                            ("left-out", "Left out of the draw"),
                            ("no-show", "No-show"),
                            ("eliminated", "Eliminated by a ruling"),
                            ("disqualified", "Disqualified"),
                        ],
                        max_length=20,
                    ),
                ),
                ("role", models.CharField(blank=True, max_length=20)),
                ("data", models.JSONField(blank=True, default=dict)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="EventStep",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="tournament.event"
                    ),
                ),
                (
                    "came_from",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open for registration"),
                            ("closed", "Registration closed"),
                            ("drawn", "Drawn"),
                            ("in-play", "In play"),
                            ("finished", "Finished"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "went_to",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open for registration"),
                            ("closed", "Registration closed"),
                            ("drawn", "Drawn"),
                            ("in-play", "In play"),
                            ("finished", "Finished"),
                        ],
                        max_length=20,
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="ImportBatch",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="imports", to="tournament.event"
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("file_digest", models.CharField(max_length=64)),
                ("encoding", models.CharField(max_length=40)),
                ("delimiter", models.CharField(blank=True, max_length=4)),
                ("headers", models.JSONField(default=list)),
                ("mapping", models.JSONField(default=dict)),
                ("imported_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={"ordering": ["-pk"]},
        ),
        migrations.CreateModel(
            name="ImportRow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rows", to="tournament.importbatch"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("cells", models.JSONField()),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("new", "New"),
                            ("there", "Already there"),
                            ("look", "Needs a look"),
                            ("blank", "Blank"),
                            ("imported", "Imported"),
                            ("dropped", "Set aside"),
                        ],
                        max_length=10,
                    ),
                ),
                ("remarks", models.JSONField(default=list)),
                ("accepted", models.BooleanField(default=False)),
                (
                    "entrant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="import_rows",
                        to="tournament.entrant",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [models.UniqueConstraint(fields=("batch", "number"), name="one_number_a_batch")],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="jobs", to="tournament.tournament"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to="tournament.event",
                    ),
                ),
                ("kind", models.CharField(max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("parameters", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[("queued", "Waiting"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("message", models.CharField(blank=True, max_length=300)),
                ("file", models.FileField(blank=True, null=True, upload_to="prints/")),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={"ordering": ["-pk"]},
        ),
        migrations.CreateModel(
            name="LedgerLine",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="ledger", to="tournament.event"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="ledger", to="tournament.entrant"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("charge", "Fee"),
                            ("discount", "Discount"),
                            ("complimentary", "Complimentary"),
                            ("cancellation", "Fee canceled"),
                            ("payment", "Payment"),
                            ("refund", "Refund"),
                            ("correction", "Correction of a payment"),
                        ],
                        max_length=20,
                    ),
                ),
                ("cents", models.PositiveBigIntegerField()),
                (
                    "method",
                    models.CharField(
                        blank=True,
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
                ("reference", models.CharField(blank=True, max_length=100)),
                (
                    "corrects",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="corrected_by",
                        to="tournament.ledgerline",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Finish",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="finishes", to="tournament.event"
                    ),
                ),
                ("places", models.JSONField()),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="EndedEarly",
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
                    "finish",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="early", to="tournament.finish"
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="PaidOut",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="paid_out", to="tournament.event"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="paid_out", to="tournament.entrant"
                    ),
                ),
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
                (
                    "reverses",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="reversed_by",
                        to="tournament.paidout",
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="Message",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="tournament.event"
                    ),
                ),
                ("subject", models.CharField(max_length=200)),
                ("body", models.TextField()),
                ("audience", models.CharField(default="all", max_length=40)),
            ],
            options={"ordering": ["-pk"]},
        ),
        migrations.CreateModel(
            name="MessageCopy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="copies", to="tournament.message"
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="tournament.entrant"
                    ),
                ),
                ("channel", models.CharField(choices=[("email", "By email"), ("phone", "To call")], max_length=10)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("told", "Called by phone"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("message", "entrant"), name="one_copy_an_entrant")]
            },
        ),
    ]
