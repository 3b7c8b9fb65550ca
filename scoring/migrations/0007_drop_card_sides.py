import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0006_seat_both_sides"),
    ]

    operations = [
        migrations.RemoveField(model_name="card", name="one"),
        migrations.RemoveField(model_name="card", name="other"),
        migrations.RemoveField(model_name="card", name="one_name"),
        migrations.RemoveField(model_name="card", name="other_name"),
        migrations.AddConstraint(
            model_name="card",
            constraint=models.UniqueConstraint(fields=("match", "game", "sides_key"), name="one_card_a_game_and_sides"),
        ),
        migrations.AlterField(
            model_name="signature",
            name="seat",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT, related_name="signatures", to="scoring.cardseat"
            ),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.UniqueConstraint(fields=("seat", "digest"), name="one_signature_a_seat_and_content"),
        ),
    ]
