"""How players can pay, transfers that a bank reported, and payments by card."""

from copy import deepcopy
from functools import partial

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0020_prizes"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="settlement",
            field=models.CharField(
                choices=[
                    ("off", "No settlement"),
                    ("directors", "Computed and printed, for directors"),
                    ("public", "Computed and printed, and shown on the event’s page"),
                ],
                default="off",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="bank_account",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="providers",
            field=models.JSONField(default=partial(deepcopy, ["desk"])),
        ),
        migrations.CreateModel(
            name="BankTransfer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("ident", models.CharField(max_length=64)),
                ("booked", models.CharField(max_length=40)),
                ("cents", models.PositiveBigIntegerField()),
                ("payer", models.CharField(blank=True, max_length=200)),
                ("text", models.CharField(blank=True, max_length=500)),
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
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transfers",
                        to="tournament.tournament",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="CardPayment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("ident", models.CharField(max_length=64, unique=True)),
                ("cents", models.PositiveBigIntegerField()),
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
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="card_payments",
                        to="tournament.entrant",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="card_payments", to="tournament.event"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="CardEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ident", models.CharField(max_length=100, unique=True)),
                ("kind", models.CharField(max_length=60)),
                ("at", models.DateTimeField()),
                ("payload", models.JSONField()),
                ("refund", models.CharField(blank=True, max_length=100)),
                ("cents", models.PositiveBigIntegerField(default=0)),
                ("currency", models.CharField(blank=True, max_length=100)),
                (
                    "state",
                    models.CharField(
                        choices=[("recorded", "Recorded"), ("waiting", "Waiting"), ("ignored", "Ignored")],
                        max_length=20,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "line",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="card_event",
                        to="tournament.ledgerline",
                    ),
                ),
                (
                    "payment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="told",
                        to="tournament.cardpayment",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="TransferMatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
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
                    "line",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transfer_match",
                        to="tournament.ledgerline",
                    ),
                ),
                (
                    "transfer",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="match", to="tournament.banktransfer"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="banktransfer",
            constraint=models.UniqueConstraint(fields=("tournament", "ident"), name="a_transfer_is_taken_in_once"),
        ),
    ]
