"""Private links: created, renewed, and requested again by a player who has lost theirs.

A player without email enters their name on a public page, with the end of their phone number or their year of birth.
The page answers everybody alike. The desk sees the request, looks at the person and approves it. Only the browser
that asked then shows the link.
"""

import hashlib
import secrets
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.selectors.events import grouped_token
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event, LinkAnswer, LinkRequest
from tournament.registration.selectors.private_links import MOST_OPEN, has_expired, open_requests

BY_PHONE: Final = Actor("a player without their link")
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters of the secret part of a private link. Characters that look alike on paper are left out."""
LENGTH: Final = 12


def new_token() -> str:
    """Return the secret part of a private link, such as “k7mp-3xwq-9dtf”: 59 bits, no letters that look alike."""
    return grouped_token("".join(secrets.choice(LETTERS) for _turn in range(LENGTH)))


def new_sign_code() -> str:
    return f"{secrets.randbelow(1_000_000):06d}"


def digest_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def request_link(
    event: Event, *, name: str, birth_year: int | None = None, phone_end: str = "", secret: str
) -> LinkRequest:
    """Record a request by the browser that has this secret in its session. A repeat returns the first request.

    The player is described by name, and by the year of birth or the end of the phone number.

    Raises:
        DomainError: `too-many`, if so many requests are open that the desk could not tell them apart.
    """
    with writing(event, verb="link.asked", by=BY_PHONE) as write:
        earlier = LinkRequest.objects.filter(browser=digest_secret(secret)).first()
        if earlier is not None:
            return earlier
        if open_requests(event, write.at).count() >= MOST_OPEN:
            raise DomainError("too-many", _("Too many people are asking right now. Please go to the desk."))
        request = LinkRequest.objects.create(
            event=event,
            name=name.strip()[:200],
            birth_year=birth_year,
            phone_end=phone_end,
            browser=digest_secret(secret),
            **write.fact_fields(),
        )
        write.about(request, request=request.pk)
        return request


def approve_link(request: LinkRequest, entrant: Entrant, *, renew: bool, by: Actor, key: str = "") -> LinkAnswer:
    """Let the browser that asked see the link of this entry. `renew` replaces the old link and sign code.

    Raises:
        Conflict: `answered` (another official was faster), `too-late`.
        DomainError: `other-event`.
    """
    event = request.event
    require(by, "desk", event.tournament)
    with writing(event, verb="link.approved", by=by, key=scoped_key(key, request.pk, entrant.pk, renew)) as write:
        if write.repeated:
            return LinkAnswer.objects.get(pk=write.outcome["answer"])
        _refuse_settled(write, request)
        locked = Entrant.objects.select_related("event").filter(pk=entrant.pk, event=event).first()
        if locked is None:
            raise DomainError("other-event", _("This entry is in another event. Choose one of this event."))
        if renew:
            locked.token, locked.sign_code = new_token(), new_sign_code()
            locked.save(update_fields=["token", "sign_code"])
        answer = LinkAnswer.objects.create(request=request, entrant=locked, renewed=renew, **write.fact_fields())
        write.about(locked, request=request.pk, answer=answer.pk, number=locked.number, renewed=renew)
        return answer


def refuse_link(request: LinkRequest, *, by: Actor, key: str = "") -> LinkAnswer:
    """Refuse a request, because the desk did not know the player or the player did not come.

    Raises:
        Conflict: `answered`, `too-late`.
    """
    event = request.event
    require(by, "desk", event.tournament)
    with writing(event, verb="link.refused", by=by, key=scoped_key(key, request.pk)) as write:
        if write.repeated:
            return LinkAnswer.objects.get(pk=write.outcome["answer"])
        _refuse_settled(write, request)
        answer = LinkAnswer.objects.create(request=request, **write.fact_fields())
        write.about(request, request=request.pk, answer=answer.pk)
        return answer


def _refuse_settled(write: Write, request: LinkRequest) -> None:
    earlier = LinkAnswer.objects.filter(request=request).select_related("entrant").first()
    if earlier is not None:
        if earlier.entrant is None:
            said = _("%(by)s has just refused this request. Nothing was changed.")
        else:
            said = _("%(by)s has just approved this request for %(name)s. Nothing was changed.")
        raise Conflict("answered", said % {"by": earlier.by_name, "name": earlier.entrant and earlier.entrant.name})
    if has_expired(request, write.at):
        raise Conflict("too-late", _("This request is too old. Ask the player to send it again."))
