"""Movements and their postings, money of no entry, and what expenses are for."""

from copy import deepcopy
from functools import partial

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0005_sort_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="expense_categories",
            field=models.JSONField(
                default=partial(
                    deepcopy,
                    [
                        *("Advertising", "Brochures", "Postage", "Stationery", "Office supplies", "Phone calls"),
                        *("Charts", "Trays", "Staff", "Computer", "Internet", "Website", "Travel", "Awards"),
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
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
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
            options={
                "ordering": ["pk"],
            },
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
            options={
                "ordering": ["pk"],
            },
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
    ]
