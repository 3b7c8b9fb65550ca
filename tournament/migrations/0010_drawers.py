"""Drawers, cash moved between them and the safe, and the close of a business day."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0007_postings"),
    ]

    operations = [
        migrations.CreateModel(
            name="CashMoved",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("transfer", "Transfer"),
                            ("brought", "Change brought"),
                            ("banked", "Taken to the bank"),
                            ("over", "Over"),
                            ("short", "Short"),
                        ],
                        max_length=20,
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
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DayClose",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("day", models.DateField()),
                ("figures", models.JSONField()),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DayCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("day", models.DateField()),
                ("pieces", models.JSONField()),
                ("counted", models.JSONField()),
                ("expected", models.JSONField()),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DayOpened",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("day", models.DateField()),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Drawer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=60)),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DrawerClosed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("pieces", models.JSONField()),
                ("counted_cents", models.BigIntegerField()),
                ("expected_cents", models.BigIntegerField()),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.RemoveConstraint(
            model_name="movement",
            name="a_movement_is_of_one_fact",
        ),
        migrations.RemoveConstraint(
            model_name="posting",
            name="one_posting_an_account_of_a_movement",
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(
                condition=models.Q(("drawer__isnull", True)),
                fields=("movement", "account"),
                name="one_posting_an_account_of_a_movement",
            ),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(
                fields=("movement", "account", "drawer"), name="one_posting_a_drawer_of_a_movement"
            ),
        ),
        migrations.AddField(
            model_name="cashmoved",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="cashmoved",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="cash_moved", to="tournament.tournament"
            ),
        ),
        migrations.AddField(
            model_name="movement",
            name="cash",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="movement",
                to="tournament.cashmoved",
            ),
        ),
        migrations.AddField(
            model_name="dayclose",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="dayclose",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="day_closes", to="tournament.tournament"
            ),
        ),
        migrations.AddField(
            model_name="daycount",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="daycount",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="day_counts", to="tournament.tournament"
            ),
        ),
        migrations.AddField(
            model_name="dayclose",
            name="count",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.RESTRICT, related_name="close", to="tournament.daycount"
            ),
        ),
        migrations.AddField(
            model_name="dayopened",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="dayopened",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="days_opened", to="tournament.tournament"
            ),
        ),
        migrations.AddField(
            model_name="drawer",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="drawer",
            name="cashier",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT, related_name="drawers", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="drawer",
            name="tournament",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="drawers", to="tournament.tournament"
            ),
        ),
        migrations.AddField(
            model_name="cashmoved",
            name="drawer",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="moved_out",
                to="tournament.drawer",
            ),
        ),
        migrations.AddField(
            model_name="cashmoved",
            name="to_drawer",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="moved_in",
                to="tournament.drawer",
            ),
        ),
        migrations.AddField(
            model_name="movement",
            name="drawer",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="movements",
                to="tournament.drawer",
            ),
        ),
        migrations.AddConstraint(
            model_name="movement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("cash__isnull", True),
                        ("line__isnull", False),
                        ("money__isnull", True),
                        ("paid_out__isnull", True),
                    ),
                    models.Q(
                        ("cash__isnull", True),
                        ("line__isnull", True),
                        ("money__isnull", True),
                        ("paid_out__isnull", False),
                    ),
                    models.Q(
                        ("cash__isnull", True),
                        ("line__isnull", True),
                        ("money__isnull", False),
                        ("paid_out__isnull", True),
                    ),
                    models.Q(
                        ("cash__isnull", False),
                        ("line__isnull", True),
                        ("money__isnull", True),
                        ("paid_out__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="a_movement_is_of_one_fact",
            ),
        ),
        migrations.AddField(
            model_name="drawerclosed",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="drawerclosed",
            name="drawer",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="closed", to="tournament.drawer"
            ),
        ),
        migrations.AddField(
            model_name="drawerclosed",
            name="next",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="taken_over_from",
                to="tournament.drawer",
            ),
        ),
        migrations.AddConstraint(
            model_name="dayclose",
            constraint=models.UniqueConstraint(fields=("tournament", "day"), name="one_close_a_day"),
        ),
    ]
