"""Compare every ruling with its effects. A later undoing or correction is named, with its author and reason."""

from collections.abc import Iterator

from scoring.rulings.selectors.since import ChangedSince, load_changed_since, load_rulings_in
from scoring.verification.selectors.checks import Check
from tournament.models import Event


def check_rulings(event: Event) -> Iterator[Check]:
    """Check the rulings of an event. A later change is a problem only if it has no reason."""
    rulings = load_rulings_in(event)
    if not rulings:
        return
    changed = load_changed_since(rulings)
    for one in rulings:
        for change in changed.get(one.pk, ()):
            yield Check(f"ruling {one.number}", change.is_told, _said(change), kind="rulings")
    said = f"{len(rulings) - len(changed)} as they were made, {len(changed)} undone or corrected since"
    facts = {"rulings": [one.pk for one in rulings]}
    yield Check("rulings", True, said, kind="rulings", counts={"rulings": len(rulings)}, facts=facts)


def _said(change: ChangedSince) -> str:
    where = change.match or change.name or (f"hand {change.hand}" if change.hand else "its card")
    what = f"what it did ({where}) does not stand any more: {change.what.value}"
    if not change.is_told:
        return f"{what}, and no act with a reason says so"
    return f"{what}, by {change.by}: {change.reason}"
