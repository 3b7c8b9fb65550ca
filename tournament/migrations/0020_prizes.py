"""The fee of a re-entry, how the pool is divided, how partners split a prize, and who is listed for the tax form."""

from copy import deepcopy
from functools import partial

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0010_drawers"),
    ]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="prize_shares",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="event",
            name="flat_cents",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="event",
            name="prize_table",
            field=models.JSONField(
                default=partial(
                    deepcopy,
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
            model_name="event",
            name="reentry_fee_cents",
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="player",
            name="address",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="tax_form_cents",
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
    ]
