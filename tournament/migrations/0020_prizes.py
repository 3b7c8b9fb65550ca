"""The fee of a re-entry, how the pool is divided, how partners split a prize, and who is listed for the tax form."""

from django.db import migrations, models

import tournament.models.event


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
            field=models.JSONField(default=tournament.models.event.one_in_four),
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
