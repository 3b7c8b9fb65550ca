"""A card's sides become seats; the two columns may be empty from here on until they go (0007)."""

import django.db.models.deletion
from django.db import migrations, models

ENTRANT = "tournament.entrant"


def nullable_entrant(related_name: str) -> models.ForeignKey:
    return models.ForeignKey(
        blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name=related_name, to=ENTRANT
    )


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0004_add_card_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="CardSeat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(blank=True, default="", max_length=200)),
                (
                    "card",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="scoring.card"
                    ),
                ),
                ("entrant", nullable_entrant("card_seats")),
            ],
            options={"ordering": ["position"]},
        ),
        migrations.AddConstraint(
            model_name="cardseat",
            constraint=models.UniqueConstraint(fields=("card", "position"), name="one_seat_a_position"),
        ),
        migrations.AddConstraint(
            model_name="cardseat",
            constraint=models.UniqueConstraint(
                condition=models.Q(("entrant__isnull", False)), fields=("card", "entrant"), name="one_seat_an_entrant"
            ),
        ),
        migrations.AddField(
            model_name="card",
            name="sides_key",
            field=models.CharField(blank=True, default="", max_length=120),
        ),
        migrations.RemoveConstraint(model_name="card", name="one_card_a_game"),
        migrations.AlterField(model_name="card", name="one", field=nullable_entrant("+")),
        migrations.AlterField(model_name="card", name="other", field=nullable_entrant("+")),
        migrations.AddField(
            model_name="signature",
            name="seat",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="signatures",
                to="scoring.cardseat",
            ),
        ),
        migrations.RemoveConstraint(model_name="signature", name="one_signature_a_content"),
        migrations.AlterField(model_name="signature", name="entrant", field=nullable_entrant("+")),
    ]
