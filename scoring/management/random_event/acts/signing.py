"""Signatures of every kind, and the second official who confirms what another one typed."""

from __future__ import annotations

from dataclasses import replace

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.totals import correct_totals
from scoring.desk_entry.services.confirming import agree_on_card, refuse_on_card
from scoring.desk_entry.services.paper_cards import enter_paper, paper_of
from scoring.management.demo import signature_strokes
from scoring.management.random_event.acts.cards import waits
from scoring.management.random_event.core import Doing, aside, forward
from scoring.management.random_event.play import Play, about
from scoring.models import StaffEntry
from scoring.rules.variants.totals import TOTALS, says_totals
from scoring.signing.services import SeenCard, sign_by_code, sign_by_drawing, sign_on_paper
from tournament.core.permissions import Actor, player


@forward("sign")
def sign(play: Play) -> Doing | None:
    """By drawing or by the personal code on a phone, or the desk has the paper."""
    waiting = [state for state in play.seen.open_cards if state.is_complete and state.signatures.missing]
    state = play.dice.one_of([state for state in waiting if not waits(play, state)])
    return _sign(play, state) if state is not None else None


def _sign(play: Play, state: CardState) -> Doing:
    seat = play.dice.choice(state.signatures.missing)
    who, by = seat.entrant, play.staff()
    shown = SeenCard(state.digest, device="demo phone", key=play.dice.token(), side="" if who else seat.side)
    how = play.dice.choice(("drawn", "drawn", "code", "code", "paper"))
    said = f"{about(state)}: {state.name_of(seat)}, {how}"
    if who is None or how == "paper":
        return Doing(said, lambda: sign_on_paper(state.card, seat.side, by.name, shown, by=by))
    if how == "drawn":
        strokes = signature_strokes(play.dice)
        return Doing(said, lambda: sign_by_drawing(state.card, strokes, shown, by=player(who)))
    return Doing(said, lambda: sign_by_code(state.card, who.sign_code, shown, by=player(who)))


@aside("sign-wrongly", weight=0.5)
def sign_wrongly(play: Play) -> Doing | None:
    """A code that is another's, or a card that has changed since it was looked at."""
    state = play.dice.one_of([state for state in play.seen.cards if state.card.entrants])
    if state is None:
        return None
    who = play.dice.choice(state.card.entrants)
    digest, code = play.dice.choice(((state.digest, "nobody's"), ("0" * 64, who.sign_code)))
    return Doing(
        f"{about(state)}: {who.name}", lambda: sign_by_code(state.card, code, SeenCard(digest), by=player(who))
    )


@forward("confirm-entry")
def confirm(play: Play) -> Doing | None:
    """Another official looks at it, and confirms it; now and then somebody refuses it."""
    entry = play.dice.one_of([one for one in play.seen.entries_to_confirm if one.needs != StaffEntry.Needs.REKEY])
    if entry is None:
        return None
    if play.seen.has_changed(entry):
        return Doing(
            f"{entry.card} refused", lambda: refuse_on_card(entry, by=play.second, reason="the card has changed")
        )
    others = [actor for actor in (play.director, play.second, play.desk) if actor.user != entry.by]
    by = play.dice.choice(others)
    if play.dice.chance(0.15):
        return Doing(f"{entry.card} refused", lambda: refuse_on_card(entry, by=by, reason=play.reason()))
    return Doing(f"{entry.card}", lambda: agree_on_card(entry, by=by, key=play.dice.token()))


@forward("type-again")
def type_again(play: Play) -> Doing | None:
    """Another official types it from the paper, without having seen what the first one typed; now and then wrongly."""
    entry = play.dice.one_of([one for one in play.seen.entries_to_confirm if one.needs == StaffEntry.Needs.REKEY])
    if entry is None:
        return None
    by = play.dice.choice([actor for actor in (play.director, play.second, play.desk) if actor.user != entry.by])
    return Doing(f"{entry.card}: {entry.kind}", lambda: _type(play, entry, by))


def _type(play: Play, entry: StaffEntry, by: Actor) -> object:
    state, payload = load_card_by_pk(entry.card_id), entry.payload
    if entry.kind == StaffEntry.Kind.CARD:
        paper = paper_of(state, payload)
        if paper.totals is not None and play.dice.chance(0.1):
            paper = replace(paper, totals={side: total + 1 for side, total in paper.totals.items()})
        return enter_paper(state.card, paper, by=by)
    line = LineEntry(payload["line"], via=payload["via"], override="as played") if payload["line"] is not None else None
    if line is not None and says_totals(line.line):
        totals, seen, reason = line.line[TOTALS], state.digest, play.reason()
        return correct_totals(state.card, totals, seen=seen, by=by, reason=reason, override="as played")
    if entry.kind == StaffEntry.Kind.LINE and line is not None:
        return add_line(state.card, line, by=by)
    return correct_line(state.card, payload["hand"], line, by=by, reason=play.reason())


@forward("refuse-entry", turn=1)
def refuse_entry(play: Play) -> Doing | None:
    """Nothing else goes on: what waits to be typed again is taken off the list."""
    entry = play.dice.one_of(play.seen.entries_to_confirm)
    if entry is None:
        return None
    return Doing(f"{entry.card}", lambda: refuse_on_card(entry, by=play.second, reason="typed on another card"))
