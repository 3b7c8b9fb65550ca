"""Calls for the director. A call waits on the desk's pages until somebody answers it."""

from typing import Final

from django.utils.translation import gettext as _

from pairing.models import Match
from scoring.models import DirectorCall, DirectorCallAnswered
from tournament.core.permissions import Actor, require
from tournament.core.services.record import scoped_key, writing
from tournament.errors import Conflict, NotAllowed

MOST_SAID: Final = 300


def call_director(match: Match, *, by: Actor, about: str = "", key: str = "") -> DirectorCall:
    """Call the director to a match. If a call is already waiting for the match, return that one."""
    if by.entrant is None or by.entrant.event_id != match.event_id:
        raise NotAllowed(
            "not-a-player", _("Only a player of this match can call the director here. Go to the desk instead.")
        )
    with writing(match.event, verb="director.called", by=by, key=scoped_key(key, match.pk, by.name, about)) as write:
        if write.repeated:
            return DirectorCall.objects.get(pk=write.outcome["call"])
        waiting = match.director_calls.filter(answered__isnull=True).first()
        if waiting is not None:
            write.about(match, call=waiting.pk)
            return waiting
        call = match.director_calls.create(entrant=by.entrant, about=about.strip()[:MOST_SAID], **write.fact_fields())
        write.about(match, call=call.pk)
        return call


def answer_call(call: DirectorCall, *, by: Actor, reason: str = "") -> DirectorCallAnswered:
    require(by, "desk", call.match.event.tournament)
    with writing(call.match.event, verb="director.answered", by=by, reason=reason) as write:
        if DirectorCallAnswered.objects.filter(call=call).exists():
            raise Conflict("answered-already", _("This call was answered already. Nothing was changed."))
        answered = DirectorCallAnswered.objects.create(call=call, **write.fact_fields())
        write.about(call.match, call=call.pk)
        return answered
