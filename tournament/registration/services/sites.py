"""Change the site of an entrant, in events that are played at several places."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError, NeedsReason
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.sites import sites_of
from tournament.registration.services.waiting_list import change_column
from tournament.spreadsheets import name_key

BEFORE_DRAW = (Event.State.DRAFT, Event.State.OPEN, Event.State.CLOSED)
MOST_SITES = 20


def change_site(entrant: Entrant, site: str, *, by: Actor, reason: str = "") -> Entrant:
    """Move an entrant to another site.

    The desk can do it before the draw. Later the director can do it with a reason, until the event is finished. Games
    that were already played stay with the entrant, and count at the new site from then on.

    Raises:
        DomainError: `bad-site`.
        Conflict: `same-site`, `finished`.
        NeedsReason: `drawn`.
        NotAllowed: the actor lacks the permission.
    """
    require(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.site", by=by, reason=reason) as write:
        locked = Entrant.objects.select_related("event__tournament").get(pk=entrant.pk)
        refuse_other_site(locked.event, site, needed=True)
        if locked.site == site:
            raise Conflict(
                "same-site",
                _("%(name)s already plays at %(site)s. Nothing was changed.") % {"name": locked.name, "site": site},
            )
        _refuse_late(locked.event, by, reason)
        was = change_column(write, locked, EntrantFact.Kind.SITE, "site", site)
        write.about(locked, number=locked.number, was=was, site=site)
        return locked


def _refuse_late(event: Event, by: Actor, reason: str) -> None:
    if event.state in BEFORE_DRAW:
        return
    if event.state == Event.State.FINISHED:
        raise Conflict(
            "finished", _("The event is finished, so nobody can change sites. Open it again first if that is wrong.")
        )
    require(by, "direct", event.tournament)
    if not reason.strip():
        raise NeedsReason("drawn", _("The draw is made, and standings go by site. Enter why the player changes sites."))


def refuse_other_site(event: Event, site: str, *, needed: bool = False) -> None:
    """Refuse a site that this event does not have. An empty site is refused only if `needed`."""
    sites = sites_of(event)
    if (site or needed) and site not in sites:
        choose = _("There is no such site. Choose one of these: %(sites)s.") % {"sites": ", ".join(sites)}
        said = choose if sites else _("This event has no sites. Leave the site out.")
        raise DomainError("bad-site", said, field="site")


def refuse_unfit_sites(event: Event, changes: Mapping[str, Any]) -> None:
    """Refuse a list of sites with one site, too many, two of the same name, or without a site that is in use.

    Raises:
        DomainError: `bad-sites`.
        Conflict: `site-in-use`.
    """
    sites: Sequence[str] = changes.get("sites", event.sites)
    if len(sites) == 1 or len(sites) > MOST_SITES:
        said = _("An event has no sites, or 2 to %(most)s. Change the list of sites.")
        raise DomainError("bad-sites", said % {"most": MOST_SITES}, field="sites")
    if len({name_key(site) for site in sites} - {""}) < len(sites):
        raise DomainError("bad-sites", _("Every site needs a name of its own, with letters in it."), field="sites")
    gone = [site for site in event.sites if site not in sites]
    at_them = event.entrants.filter(site__in=gone).order_by("number") if gone else []
    if at_them:
        names = ", ".join(f"{entrant} ({entrant.site})" for entrant in at_them)
        raise Conflict(
            "site-in-use",
            _("Players still have this site: %(names)s. Give them another site first.") % {"names": names},
            field="sites",
        )
