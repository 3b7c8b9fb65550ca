"""Checks for stages that advance the best of each site: every entrant has a site, and nobody is alone there."""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StagePlan
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.registration.selectors.entry_options import load_without_site, sites_of


def goes_by_site(plan: StagePlan) -> bool:
    return plan.pool is not None and plan.pool.by_site


def refuse_siteless(event: Event, plans: Iterable[StagePlan], numbers: Iterable[int]) -> None:
    """Require a site for every entrant if one of these stages goes by sites.

    Raises:
        DomainError: `no-sites`, `no-site`.
    """
    plan = next((plan for plan in plans if goes_by_site(plan)), None)
    if plan is None:
        return
    if not sites_of(event):
        said = _(
            "In “%(name)s” the best of each site advance, but no site is named. Name the sites in the event's settings."
        ) % {"name": plan.name}
        raise DomainError("no-sites", said)
    missing = load_without_site(event, numbers)
    if missing:
        names = ", ".join(str(entrant) for entrant in missing)
        said = _("In “%(name)s” the best of each site advance. Choose a site for these entrants first: %(names)s.") % {
            "name": plan.name,
            "names": names,
        }
        raise DomainError("no-site", said, numbers=[entrant.number for entrant in missing])


def refuse_alone(event: Event, first: StagePlan, numbers: Sequence[int]) -> None:
    """Refuse a first stage in which an entrant is alone at their site.

    Raises:
        DomainError: `alone-at-site`.
    """
    if not goes_by_site(first):
        return
    found = list(Entrant.objects.filter(event=event, number__in=numbers).order_by("number"))
    at = Counter(entrant.site for entrant in found)
    alone = [f"{entrant} ({entrant.site})" for entrant in found if at[entrant.site] == 1]
    if alone:
        said = _("These entrants are alone at their site: %(alone)s. Give them another site, or leave them out.") % {
            "alone": ", ".join(alone)
        }
        raise DomainError("alone-at-site", said)
