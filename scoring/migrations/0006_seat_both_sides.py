from django.db import migrations


def seat_both_sides(apps, schema_editor):
    card_model, seat_model, signature_model = (
        apps.get_model("scoring", name) for name in ("Card", "CardSeat", "Signature")
    )
    for card in card_model.objects.iterator():
        seats = {
            entrant: seat_model.objects.create(card=card, position=position, entrant_id=entrant, name=name)
            for position, (entrant, name) in enumerate([(card.one_id, card.one_name), (card.other_id, card.other_name)])
        }
        card.sides_key = "-".join(str(pk) for pk in sorted(seats))
        card.save(update_fields=["sides_key"])
        for entrant, seat in seats.items():
            signature_model.objects.filter(card=card, entrant_id=entrant).update(seat=seat)


def put_both_sides_back(apps, schema_editor):
    """Only a card of two entrants can go back to where there was nothing else."""
    card_model, seat_model, signature_model = (
        apps.get_model("scoring", name) for name in ("Card", "CardSeat", "Signature")
    )
    for card in card_model.objects.iterator():
        seats = list(seat_model.objects.filter(card=card).order_by("position"))
        if len(seats) != 2 or any(seat.entrant_id is None for seat in seats):
            raise ValueError(f"card {card.pk} has other sides than two entrants: it cannot be kept before this step")
        one, other = seats
        card.one_id, card.one_name = one.entrant_id, one.name
        card.other_id, card.other_name = other.entrant_id, other.name
        card.save(update_fields=["one", "other", "one_name", "other_name"])
        for seat in seats:
            signature_model.objects.filter(seat=seat).update(entrant_id=seat.entrant_id)
    signature_model.objects.update(seat=None)
    seat_model.objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0005_add_card_seats"),
    ]

    operations = [migrations.RunPython(seat_both_sides, put_both_sides_back)]
