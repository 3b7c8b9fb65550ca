"""The wording of later changes to a ruling's effects, the same on pages, slips and in commands."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from pairing.above import RulingStatement
from pairing.knockout.pictures.match_boxes import match_name
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.card_state.tables.words import ended
from scoring.models import Ruling
from scoring.posting.selectors.ruled_results import load_ruled_results, load_ruling_of_line
from scoring.posting.tables.ruling_names import named
from scoring.rulings.selectors.since import Became, ChangedSince, load_changed_since, load_rulings_in
from tournament.models import Event
from tournament.templatetags.gin import local_day_time


@dataclass(frozen=True, slots=True)
class SinceSaid:
    """A sentence on a change: when, by whom and why. `address` is the page of the match or card, if there is one."""

    text: str
    address: str = ""


def said_since(ruling: Ruling, changes: Collection[ChangedSince], *, is_named: bool = True) -> list[SinceSaid]:
    """Return a sentence for each change. If the register hides names, match, name and reason are left out."""
    return [_said(ruling, each, is_named) for each in changes]


def load_rulings_of(results: Collection[int]) -> dict[int, RulingStatement]:
    """Return the rulings that wrote these results, by the primary key of the result."""
    return {key: named(ruling) for key, ruling in load_ruled_results(results).items()}


def ruling_of_line(state: CardState, number: int) -> RulingStatement | None:
    """Return the ruling that wrote a hand (from 1) of a card, or None."""
    fact = state.lines[number - 1] if 1 <= number <= len(state.lines) else None
    ruling = load_ruling_of_line(fact.pk) if fact is not None else None
    return named(ruling) if ruling is not None else None


def load_rulings_changed(event: Event) -> list[RulingStatement]:
    """Return every ruling of the event whose effects were changed since."""
    rulings = load_rulings_in(event)
    return rulings_changed(rulings, load_changed_since(rulings))


def rulings_changed(rulings: Iterable[Ruling], changed: Mapping[int, Sequence[ChangedSince]]) -> list[RulingStatement]:
    """Return those of these rulings whose effects were changed since, with the changes in words."""
    became = {pk: tuple(map(what_became, changes)) for pk, changes in changed.items()}
    return [replace(named(one), said=became[one.pk]) for one in rulings if one.pk in became]


def load_since(event: Event) -> dict[int, list[SinceSaid]]:
    """Return the later changes by the ruling's primary key, for the desk's lists. Unchanged rulings are left out."""
    rulings = load_rulings_in(event)
    changed = load_changed_since(rulings)
    return {one.pk: said_since(one, changed[one.pk]) for one in rulings if one.pk in changed}


def what_became(change: ChangedSince, *, is_named: bool = True) -> str:
    """Return a change in words: “Round 1, match 1: the result it set was undone”."""
    match change.what:
        case Became.UNDONE | Became.DECIDED_OTHERWISE:
            return _result_words(change, is_named)
        case Became.STRUCK | Became.CORRECTED:
            struck, other = _("%(line)s, as ruled, was struck out"), _("%(line)s, as ruled, was corrected")
            return (struck if change.what is Became.STRUCK else other) % {"line": _line(change)}
        case Became.CARD_SUPERSEDED:
            return _("The score card it changed was superseded")
    who = change.name if is_named else _("Side %(letter)s") % {"letter": change.letter}
    if change.what is Became.LIFTED:
        return _("%(who)s: the penalty was lifted") % {"who": who}
    return _("%(who)s: brought back into the event") % {"who": who}


def _result_words(change: ChangedSince, is_named: bool) -> str:
    undone = change.what is Became.UNDONE
    if not is_named:
        return _("A result it set was undone") if undone else _("A result it set was changed by a decision")
    said = _("%(match)s: the result it set was undone")
    other = _("%(match)s: the result it set was changed by a decision")
    return (said if undone else other) % {"match": match_name(change.match, change.round_count)}


def _said(ruling: Ruling, change: ChangedSince, is_named: bool) -> SinceSaid:
    what = what_became(change, is_named=is_named)
    if change.at is None:
        return SinceSaid(f"{what}.", _address(ruling, change) if is_named else "")
    at = local_day_time(change.at, ruling.dispute.event.tournament)
    text = _("%(what)s on %(at)s, by %(by)s.") % {"what": what, "at": at, "by": change.by}
    if not is_named:
        return SinceSaid(text)
    why = _("Reason: %(reason)s") % {"reason": ended(change.reason)} if change.reason.strip() else ""
    return SinceSaid(f"{text} {why}".strip(), _address(ruling, change))


def _line(change: ChangedSince) -> str:
    assert change.card is not None
    name = load_card_by_pk(change.card.pk).name_line(change.hand)
    return name[:1].upper() + name[1:]


def _address(ruling: Ruling, change: ChangedSince) -> str:
    event = ruling.dispute.event
    place = {"tournament": event.tournament.slug, "event": event.slug}
    if change.card is not None:
        return reverse("scoring:card", kwargs={**place, "token": change.card.token})
    return reverse("pairing:match", kwargs={**place, "ident": change.match}) if change.match else ""
