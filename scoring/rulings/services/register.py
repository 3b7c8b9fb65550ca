"""The choice whether the public register of rulings shows names."""

from scoring.models import RegisterNames
from scoring.rulings.selectors.register import load_register_names
from tournament.core.permissions import Actor, require
from tournament.core.services.record import scoped_key, writing
from tournament.models import Event


def name_in_register(event: Event, *, shown: bool, by: Actor, key: str = "") -> bool:
    """Show or hide names in the register, for earlier and later rulings of the event."""
    require(by, "direct", event.tournament)
    with writing(event, verb="register.names", by=by, key=scoped_key(key, shown)) as write:
        if not write.repeated and load_register_names([event]).get(event.pk, False) != shown:
            made = RegisterNames.objects.create(event=event, shown=shown, **write.fact_fields())
            write.about(event, names=made.pk, shown=shown)
    return shown
