"""Stages of which the best of each site go on: everybody in them plays at a site, and nobody alone there."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pairing.draws.stages.plan import StagePlan
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.registration.selectors.sites import load_without_site, sites_of


def goes_by_site(plan: StagePlan) -> bool:
    return plan.pool is not None and plan.pool.by_site


def refuse_siteless(event: Event, plans: Iterable[StagePlan], numbers: Iterable[int]) -> None:
    """Whoever plays in one of these stages has to be at a site, where that goes by sites.

    Raises:
        DomainError: `no-sites`, `no-site`.
    """
    plan = next((plan for plan in plans if goes_by_site(plan)), None)
    if plan is None:
        return
    if not sites_of(event):
        said = f"Of “{plan.name}” the best of each site go on, and no site is named: name them in the event's settings."
        raise DomainError("no-sites", said)
    missing = load_without_site(event, numbers)
    if missing:
        names = ", ".join(str(entrant) for entrant in missing)
        said = f"Of “{plan.name}” the best of each site go on. Say first at which site these play: {names}."
        raise DomainError("no-site", said, numbers=[entrant.number for entrant in missing])


def refuse_alone(event: Event, first: StagePlan, numbers: Sequence[int]) -> None:
    """Nobody begins at a site where nobody else plays.

    Raises:
        DomainError: `alone-at-site`.
    """
    if not goes_by_site(first):
        return
    found = list(Entrant.objects.filter(event=event, number__in=numbers).order_by("number"))
    at = Counter(entrant.site for entrant in found)
    alone = [f"{entrant} ({entrant.site})" for entrant in found if at[entrant.site] == 1]
    if alone:
        said = f"Nobody else plays at their site: {', '.join(alone)}. Give them another site, or leave them out."
        raise DomainError("alone-at-site", said)
