"""The preview page for an action. It lists each match, card, standing, place and amount that would change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.results import Result
from pairing.ports import CardStatusKind, CardSummary
from pairing.results.selectors.effects import ActionEffects, MatchChange, MatchSnapshot, PoolStanding, QualifierChange
from pairing.results.services.corrections import EventPreview
from pairing.stages.pictures.boxes import describe_credit, format_match_name
from tournament.core.pages.access import ActorRequest
from tournament.errors import DomainError
from tournament.models import Event
from tournament.purse.prizes import CentsRange
from tournament.templatetags.gin import places

MAX_LISTED_MATCHES: Final = 60

CARD_STATUS_LABELS: Final = {
    CardStatusKind.STANDS: gettext_lazy("Counts"),
    CardStatusKind.SUPERSEDED: gettext_lazy("Superseded"),
    CardStatusKind.DISAGREES: gettext_lazy("Differs from the result"),
    CardStatusKind.WAITS: gettext_lazy("Waiting for signatures"),
    CardStatusKind.DECIDED: gettext_lazy("Decided; no signatures needed"),
    CardStatusKind.VOID: gettext_lazy("Void"),
}
CONTRADICTED_CARD_STATUSES: Final = (CardStatusKind.SUPERSEDED, CardStatusKind.DISAGREES)
"""The statuses of a signed card that is contradicted by a decision."""
UNSIGNED_CHANGE_STATUSES: Final = (CardStatusKind.WAITS, CardStatusKind.DECIDED)
"""The statuses of a card that was changed and not yet signed again by everybody."""


@dataclass(frozen=True, kw_only=True)
class PreviewedAction:
    """An action and the texts for its preview page.

    `act` is called with the user (`by`), the form's `reason`, and the request's `key`, which is empty in a preview. The
    page submits `form` again as hidden fields. `first` is the match to list first. If the action is not possible yet,
    `preview_only` returns the effects that it would have.
    """

    event: Event
    title: str
    act: Callable[..., object]
    label: str
    form: forms.Form
    success_message: str
    next_url: str
    first: str = ""
    explanation: str = ""
    danger: bool = False
    preview_only: Callable[[], ActionEffects] | None = None
    choices: forms.Form | None = None
    extra_context: Mapping[str, Any] = field(default_factory=dict)


def preview_or_apply_action(request: ActorRequest, plan: PreviewedAction) -> HttpResponse:
    """Run the action if the user has confirmed its preview. Otherwise show the preview."""
    error, sent = "", {name: request.POST.get(plan.form.add_prefix(name), "") for name in plan.form.fields}
    act = partial(plan.act, by=request.actor, reason=plan.form.cleaned_data["reason"])
    preview = EventPreview(plan.event)
    if request.POST.get("act") == "do" and plan.preview_only is None:
        try:
            preview.apply(partial(act, key=sent.get("key", "")), shown=request.POST.get("shown", ""))
        except DomainError as refused:
            error = refused.message
        else:
            messages.success(request, plan.success_message)
            return redirect(plan.next_url)
    effects: ActionEffects | None = None
    try:
        effects = plan.preview_only() if plan.preview_only else preview.preview(partial(act, key=""))
    except DomainError as refused:
        error = error or refused.message
    context = {
        "plan": plan,
        "hidden": [(plan.form.add_prefix(name), value) for name, value in sent.items()],
        "reason": sent.get("reason", ""),
        "effects": effects,
        "rows": make_effects_context(effects, first=plan.first) if effects is not None else None,
        "error": error,
        **plan.extra_context,
    }
    return render(request, "pairing/results/corrections/effects.html", context, status=422 if error else 200)


@dataclass(frozen=True, slots=True)
class _EffectRow:
    """A table row with a value before and after an action. `note` explains what to do about the change."""

    label: str
    before: str
    after: str
    note: str = ""


def make_effects_context(effects: ActionEffects, *, first: str = "") -> dict[str, Any]:
    """Return the template context for the page that previews an action.

    In the context, `more` is the number of changed matches that are not listed.
    """
    changes = sorted(effects.matches, key=lambda change: change.ident != first)
    every = (_make_match_row(effects, change) for change in changes)
    rows = [row for row in every if row.note or row.before != row.after]
    paid = effects.before.paid
    money = [
        _make_money_row(effects.name(change.entry), change.before, change.after, paid.get(change.entry))
        for change in effects.money
    ]
    cards = [(after.kind, _make_card_row(effects, before, after)) for before, after in effects.changed_cards]
    before, after = effects.before, effects.after
    return {
        "matches": rows[:MAX_LISTED_MATCHES],
        "more": len(rows[MAX_LISTED_MATCHES:]),
        "cuts": [_describe_qualifier_change(effects, change) for change in effects.qualifier_changes],
        "standings": [
            _EffectRow(effects.name(change.entry), _describe_standing(change.before), _describe_standing(change.after))
            for change in effects.standings
        ],
        "places": [
            _EffectRow(effects.name(change.entry), places(change.before) or "–", places(change.after) or "–")
            for change in effects.places
        ],
        "money": money,
        "unchanged": _make_unchanged_money_row(effects),
        "open_money": _make_money_row(
            _("Not won yet"), _make_exact_range(before.not_yet_won_cents), _make_exact_range(after.not_yet_won_cents)
        ),
        "pool": _make_money_row(
            _("Total: the prize pool"), _make_exact_range(before.pool_cents), _make_exact_range(after.pool_cents)
        ),
        "handed_over": [row for row in money if row["paid"] is not None],
        "superseded": [row for status, row in cards if status in CONTRADICTED_CARD_STATUSES],
        "changed": [row for status, row in cards if status in UNSIGNED_CHANGE_STATUSES],
        "void": [row for status, row in cards if status is CardStatusKind.VOID],
        "again": [row for status, row in cards if status is CardStatusKind.STANDS],
    }


def _make_card_row(effects: ActionEffects, before: CardSummary | None, after: CardSummary) -> _EffectRow:
    """Return the table row for a card, such as “Round 1, match 1, game 1: Ada 91 – 0 Alan”."""
    words = {"match": format_match_name(after.match, effects.round_count), "game": after.game, "says": after.title}
    label = _("%(match)s, game %(game)s: %(says)s") % words
    status = str(CARD_STATUS_LABELS[before.kind if before is not None else CardStatusKind.STANDS])
    if before is None and after.kind is CardStatusKind.VOID:
        status = _("Not signed by all players")
    return _EffectRow(label, status, str(CARD_STATUS_LABELS[after.kind]))


def _describe_qualifier_change(effects: ActionEffects, change: QualifierChange) -> dict[str, Any]:
    """Describe an opened stage whose qualifiers would change, and what can be done about it."""
    stage = change.stage
    lines = [_("%(name)s would not be in it.") % {"name": effects.name(entry)} for entry in change.unqualified]
    lines += [_("%(name)s should be in it but is not.") % {"name": effects.name(entry)} for entry in change.missing]
    if change.reordered:
        lines.append(_("The same entrants are in it. Their order or the byes would be different."))
    if stage.may_go_back:
        can = _("It stays as it is. Nothing is recorded in it yet, so you can undo it afterwards and open it again.")
    elif stage.takes_more and change.missing:
        can = _("Play has continued, so it stays as it is. An entrant who should be in it can join as a late entry.")
    else:
        can = _("Play has continued, so it stays as it is. Correct its results one by one if you must.")
    title = _("“%(stage)s” was opened from the standings as they are now") % {"stage": stage.name}
    return {"number": stage.number, "title": title, "lines": lines, "can": can, "may_go_back": stage.may_go_back}


def _make_unchanged_money_row(effects: ActionEffects) -> dict[str, Any]:
    """Return one row with the combined winnings of all players whose winnings the action would not change."""
    listed = {change.entry for change in effects.money}
    before, after = (
        sum(prize.least for entry, prize in snapshot.won.items() if entry not in listed)
        for snapshot in (effects.before, effects.after)
    )
    return _make_money_row(_("All other players"), _make_exact_range(before), _make_exact_range(after))


def _make_exact_range(cents: int) -> CentsRange:
    return CentsRange(cents, cents)


def _make_money_row(name: str, before: CentsRange, after: CentsRange, paid: int | None = None) -> dict[str, Any]:
    """Return an amount before and after the action.

    `to_settle` is the amount that still has to be paid. It is negative if too much was paid.
    """
    to_settle = after.least - paid if paid is not None and after.is_final else None
    return {
        "name": name,
        "before": before,
        "after": after,
        "paid": paid,
        "to_settle": to_settle,
        "to_give_back": max(0, -(to_settle or 0)),
    }


def _make_match_row(effects: ActionEffects, change: MatchChange) -> _EffectRow:
    """Return the table row for a match, with a note on anything that the desk has to know or do."""
    old, new = change.before, change.after
    before, after = (_describe_match(match, effects.name) for match in (old, new))
    credits = [_describe_credits(match, effects.name) if match else "" for match in (old, new)]
    if before == after and all(credits) and credits[0] != credits[1]:
        before, after = credits
    notes = []
    if change.frees_table and old is not None:
        notes.append(_("They are at table %(table)s. Call them back.") % {"table": old.table})
    elif new is not None and new.kept:
        notes.append(_("It stays as played."))
    if old is not None and old.started and (new is None or not new.started):
        notes.append(_("Hands are entered on its score card."))
    return _EffectRow(format_match_name(change.ident, effects.round_count), before, after, " ".join(notes))


def _describe_match(match: MatchSnapshot | None, name: Callable[[int], str]) -> str:
    """Describe a match, such as “Ann – Bob: Ann has won” or “Ann – ?: waiting”."""
    if match is None:
        return _("not in it")
    sides = " – ".join(name(entry) if entry is not None else "?" for entry in match.sides)
    return f"{sides}: {_describe_state(match, name)}"


def _describe_state(snapshot: MatchSnapshot, name: Callable[[int], str]) -> str:
    match snapshot.state:
        case BracketMatchState.NOT_NEEDED:
            return _("void") if snapshot.outcome is not None else _("not needed")
        case BracketMatchState.WAITING:
            return _("waiting")
        case BracketMatchState.READY:
            return _("to be played")
    if len(snapshot.sides) == 1 and snapshot.outcome is not None:
        return "; ".join(describe_credit(credit) for credit in snapshot.outcome.credits.values())
    if snapshot.winner is None:
        return _("nobody has won")
    if snapshot.outcome is not None and snapshot.outcome.credits[snapshot.winner].result is Result.NONE:
        return _("%(name)s advances without a win") % {"name": name(snapshot.winner)}
    if snapshot.is_decided_without_result:
        return _("%(name)s has a walkover") % {"name": name(snapshot.winner)}
    return _("%(name)s has won") % {"name": name(snapshot.winner)}


def _describe_credits(match: MatchSnapshot, name: Callable[[int], str]) -> str:
    """Describe the credits, such as “Ann: win by walkover; Bob: loss by forfeit”.

    Return an empty string for an open match.
    """
    if match.outcome is None:
        return ""
    return "; ".join(f"{name(entry)}: {describe_credit(credit)}" for entry, credit in match.outcome.credits.items())


def _describe_standing(standing: PoolStanding | None) -> str:
    """Describe a standing, such as “Qualifying, place 3, 4–1: qualified with 4 wins, goes on”."""
    if standing is None:
        return "–"
    place = _("no place") if standing.place is None else _("place %(place)s") % {"place": standing.place}
    return ", ".join([str(standing.stage), place, str(standing.record), *([_("goes on")] if standing.advances else [])])
