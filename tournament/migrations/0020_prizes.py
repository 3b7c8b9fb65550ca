"""How partners split a prize, and who is listed for the tax form."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0007_postings"),
    ]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="prize_shares",
            field=models.JSONField(blank=True, default=list),
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
