"""Drawers, prizes, providers, side pools, extras and withheld taxes: the migrations 0010 to 0033 in one."""

import copy
import functools

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("tournament", "0010_drawers"),
        ("tournament", "0020_prizes"),
        ("tournament", "0030_providers"),
        ("tournament", "0031_side_pools"),
        ("tournament", "0032_extras"),
        ("tournament", "0033_withholding"),
    ]

    dependencies = [("tournament", "0007_postings")]

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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.RemoveConstraint(model_name="movement", name="a_movement_is_of_one_fact"),
        migrations.RemoveConstraint(model_name="posting", name="one_posting_an_account_of_a_movement"),
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
        migrations.AddField(
            model_name="entrant", name="prize_shares", field=models.JSONField(blank=True, default=list)
        ),
        migrations.AddField(model_name="event", name="flat_cents", field=models.JSONField(blank=True, default=list)),
        migrations.AddField(
            model_name="event",
            name="prize_table",
            field=models.JSONField(
                default=functools.partial(
                    copy.deepcopy,
                    *(
                        [
                            [1, ["100"]],
                            [8, ["65", "35"]],
                            [12, ["50", "30", "20"]],
                            [16, ["45", "27", "17", "11"]],
                            [20, ["40", "25", "16", "11", "8"]],
                            [24, ["38", "23", "15", "11", "7", "6"]],
                            [28, ["36", "22", "14", "10", "7", "6", "5"]],
                            [32, ["40", "24", "10", "10", "4", "4", "4", "4"]],
                        ],
                    ),
                )
            ),
        ),
        migrations.AddField(
            model_name="event",
            name="prizes_by",
            field=models.CharField(
                choices=[
                    ("scale", "By percents, the same for any number of entries"),
                    ("table", "By percents that follow the number of entries"),
                    ("flat", "By flat amounts, the rest to first place"),
                ],
                default="scale",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="event", name="reentry_fee_cents", field=models.PositiveBigIntegerField(blank=True, null=True)
        ),
        migrations.AddField(model_name="player", name="address", field=models.TextField(blank=True)),
        migrations.AddField(
            model_name="tournament", name="tax_form_cents", field=models.PositiveBigIntegerField(blank=True, null=True)
        ),
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
        migrations.AddField(model_name="tournament", name="bank_account", field=models.TextField(blank=True)),
        migrations.AddField(
            model_name="tournament",
            name="providers",
            field=models.JSONField(default=functools.partial(copy.deepcopy, *(["desk"],))),
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"], "abstract": False},
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
            options={"ordering": ["pk"]},
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
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.AddConstraint(
            model_name="banktransfer",
            constraint=models.UniqueConstraint(fields=("tournament", "ident"), name="a_transfer_is_taken_in_once"),
        ),
        migrations.AddField(model_name="event", name="absent_by_round", field=models.BooleanField(default=False)),
        migrations.AlterField(
            model_name="ledgerline",
            name="kind",
            field=models.CharField(
                choices=[
                    ("charge", "Fee"),
                    ("side-pool", "Side pool"),
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
            name="SidePool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("condition", models.CharField(blank=True, max_length=200)),
                ("fee_cents", models.PositiveBigIntegerField()),
                ("prize_percent", models.CharField(default="100", max_length=20)),
                ("prize_scale", models.JSONField(default=functools.partial(copy.deepcopy, *(["50", "30", "20"],)))),
                (
                    "places_by",
                    models.CharField(
                        choices=[
                            ("finish", "The places of the event, among the entrants of the pool"),
                            ("desk", "Recorded by the desk, such as the best game"),
                        ],
                        default="finish",
                        max_length=10,
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="side_pools", to="tournament.event"
                    ),
                ),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="SidePoolEntry",
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
                    "entrant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="side_pools", to="tournament.entrant"
                    ),
                ),
                (
                    "line",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pool_entry",
                        to="tournament.ledgerline",
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="tournament.sidepool"
                    ),
                ),
            ],
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.CreateModel(
            name="SidePoolPayout",
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
                    "paid_out",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="of_pool", to="tournament.paidout"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="payouts", to="tournament.sidepool"
                    ),
                ),
            ],
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.CreateModel(
            name="SidePoolResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("places", models.JSONField()),
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
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="results", to="tournament.sidepool"
                    ),
                ),
            ],
            options={"ordering": ["pk"], "abstract": False},
        ),
        migrations.CreateModel(
            name="PayoutSignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("cents", models.PositiveBigIntegerField()),
                ("strokes", models.JSONField()),
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
                    "paid_out",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="signatures", to="tournament.paidout"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tournament.player"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(fields=("paid_out", "player"), name="one_signature_a_payout_and_player")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="sidepool",
            constraint=models.UniqueConstraint(fields=("event", "name"), name="one_side_pool_a_name"),
        ),
        migrations.AlterField(
            model_name="ledgerline",
            name="kind",
            field=models.CharField(
                choices=[
                    ("charge", "Fee"),
                    ("side-pool", "Side pool"),
                    ("extra", "Extra"),
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
            name="EventExtra",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("price_cents", models.PositiveBigIntegerField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="extras", to="tournament.event"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("event", "name"), name="one_extra_a_name")],
            },
        ),
        migrations.AlterField(
            model_name="eventmoney",
            name="kind",
            field=models.CharField(
                choices=[("added", "Added money"), ("expense", "Expense"), ("remittance", "Tax remittance")],
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="Withholding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
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
                    "paid_out",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="withholding", to="tournament.paidout"
                    ),
                ),
            ],
            options={"ordering": ["pk"], "abstract": False},
        ),
    ]
