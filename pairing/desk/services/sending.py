"""Send the suggested pairs, one of them, or a pair chosen by hand, and call scheduled games to tables.

Only what the page showed is sent. While the event is locked, the desk is computed again for the time shown on the page.
If the suggestions have changed, nothing is sent and the user is told why.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from pairing.desk.selectors.desk import PairingDesk, load_pairing_desk, load_stage_desk_settings
from pairing.desk.selectors.proofs import make_manual_pairing_record, make_pairing_record
from pairing.desk.services.pairings import (
    UNDO_REASON_PROMPT,
    Pair,
    PairsToSend,
    add_pairings,
    explain_why_not_waiting,
    undo_pairings,
)
from pairing.draws.desk.desk import DeskTerms
from pairing.draws.desk.words import BrokenRule, find_broken_rules
from pairing.models import DeskSettings, Match, Pairing, TableCall
from pairing.ports import score_cards
from pairing.results.selectors.results import load_affected_entries
from pairing.stages.selectors.course import (
    load_busy_tables,
    load_drawn_entries,
    load_ready_matches,
    load_tables_used_elsewhere,
)
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from pairing.stages.services.stages import require_stages_in_play
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.previews import require_unchanged
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import add_topics_to_write, record_bulk_created_rows
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.models import Entrant, Event
from tournament.models.topic import get_entrant_topic

MAX_PAGE_AGE: Final = timedelta(hours=12)
"""A page older than this has to be reloaded before anything can be sent."""
PAIRINGS_CHANGED_MESSAGE: Final = gettext_lazy(
    "The pairings have changed since you looked. Nothing was sent; look again."
)

# --- Calls to tables -------------------------------------------------------------------------------------------------


def call_match_to_table(match: Match, table: int | None, *, by: Actor) -> TableCall:
    """Call a match to a table, or free its table if `table` is None.

    Raises:
        DomainError: `bad-table`.
        Conflict: `busy`, `not-ready`, `no-table`.
    """
    require_permission(by, "desk", match.event.tournament)
    with writing(match.event, verb="table.called", by=by) as write:
        event = write.the_event
        busy = load_busy_tables(event)
        if table is not None:
            _require_usable_table(event, match, table, busy)
        elif match.pk not in busy.values():
            raise Conflict("no-table", _("This match has no table. Nothing was changed."))
        _refresh_player_pages(event, [match])
        write.about(match, table=table)
        call = TableCall.objects.create(match=match, table=table, **write.fact_fields())
        score_cards().open_ready_cards(write)
        return call


def call_ready_matches(event: Event, first: int, last: int, *, by: Actor) -> int:
    """Call all ready matches to the free tables from `first` to `last`, in bracket order.

    Return the number of matches called. A table used by another event does not count as free.
    """
    require_permission(by, "desk", event.tournament)
    if not 1 <= first <= last:
        raise DomainError("bad-range", _("Enter the lower table number first, such as 1 to 32."))
    with writing(event, verb="tables.called", by=by) as write:
        locked = write.the_event
        if load_drawn_entries(locked) is None:
            raise Conflict("not-drawn", _("The draw is not posted yet. Post the draw first."))
        busy = load_busy_tables(locked)
        taken = busy.keys() | load_tables_used_elsewhere(locked)
        free = [table for table in range(first, last + 1) if table not in taken]
        matches = {match.ident: match for match in locked.matches.filter(VALID_MATCH_FILTER)}
        waiting = [ident for ident in load_ready_matches(locked) if matches[ident].pk not in busy.values()]
        calls = list(zip(waiting, free, strict=False))
        _refresh_player_pages(locked, [matches[ident] for ident, _table in calls])
        for ident, table in calls:
            TableCall.objects.create(match=matches[ident], table=table, **write.fact_fields())
        score_cards().open_ready_cards(write)
        write.about(locked, called=len(calls))
        return len(calls)


def _refresh_player_pages(event: Event, matches: Iterable[Match]) -> None:
    """Refresh the open pages of these matches' players, and of everyone waiting for the outcome.

    Call this inside a write transaction, before any of these matches is called to a table.
    """
    numbers = load_affected_entries(event, matches)
    found = Entrant.objects.filter(event=event, number__in=numbers).values_list("pk", flat=True)
    add_topics_to_write(*map(get_entrant_topic, found))


def _require_usable_table(event: Event, match: Match, table: int, busy: dict[int, int]) -> None:
    if table < 1:
        raise DomainError("bad-table", _("Table numbers start at 1. Enter another number."))
    if busy.get(table, match.pk) != match.pk:
        raise Conflict("busy", _("Table %(table)s is busy. Choose a free one.") % {"table": table})
    if match.ident not in load_ready_matches(event):
        raise Conflict("not-ready", _("This match cannot be played now. Look at the pairings."))


# --- Pairs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPreview:
    """The contents of a desk page: pairs with their tables (0 for none), calls to tables, and the bye.

    `at` is the time of the page, without seconds. If `alone` is true, a single pair is sent, even if the other pairs
    have changed since.
    """

    at: datetime
    pairs: tuple[tuple[int, int, int], ...] = ()
    calls: tuple[tuple[str, int], ...] = ()
    bye: int | None = None
    alone: bool = False


def send_previewed_pairs(
    event: Event, shown: DeskPreview, *, by: Actor, key: str = "", reason: str = ""
) -> tuple[list[Pairing], int]:
    """Send everything that the page showed, all in a single action, and create score cards.

    Return the pairings, and the number of games called to tables.

    Raises:
        Conflict: `not-in-play`, `not-waiting` (somebody else has already sent one of them), `changed`.
        DomainError: `nobody`.
        ReasonRequired: `round-open` if the previous round is not over.
    """
    require_permission(by, "desk", event.tournament)
    key = make_idempotency_key(key, shown.pairs, shown.calls, shown.bye)
    with writing(event, verb="desk.sent", by=by, key=key, reason=reason) as write:
        if write.repeated:
            pks = write.outcome.get("pairings", [])
            return list(Pairing.objects.filter(pk__in=pks)), write.outcome.get("called", 0)
        desk = _load_locked_desk(write, shown.at)
        if not shown.pairs and not shown.calls and shown.bye is None:
            raise DomainError("nobody", gettext("There was nobody to send. Look at the pairings again."))
        _require_unchanged_desk(write.the_event, desk, shown)
        next_round = desk.pairs_in_rounds and (shown.pairs or shown.bye is not None)
        if next_round and desk.is_round_open and not reason.strip():
            raise ReasonRequired(
                "round-open",
                gettext("Round %(round)s is not over. Write why you do not wait for it.")
                % {"round": desk.next_round_number - 1},
            )
        called = _call_games(write, shown.calls)
        pairings = _send_pairs(write, desk, shown)
        score_cards().open_ready_cards(write)
        write.about(event, pairings=[pairing.pk for pairing in pairings], pairs=shown.pairs, called=called)
        return pairings, called


def send_suggested_pairs(event: Event, *, by: Actor, key: str = "") -> int:
    """Send the current suggestions without a preview: all pairs and games that have a table, or the whole round.

    Return the number of games sent.
    """
    desk = load_pairing_desk(event)
    if desk is None:
        return 0
    shown = _make_preview(desk)
    if not shown.pairs and not shown.calls and shown.bye is None:
        return 0
    _pairings, called = send_previewed_pairs(event, shown, by=by, key=key)
    return len(shown.pairs) + called


def send_manual_pair(
    event: Event,
    pair: Pair,
    *,
    table: int | None = None,
    seen: Collection[str] = (),
    by: Actor,
    key: str = "",
    reason: str = "",
) -> Pairing:
    """Send two waiting entrants to play each other, even if the desk does not suggest that pair.

    Broken rules are recorded with the reason. `seen` lists the broken rules that the page showed.

    Raises:
        Conflict: `not-waiting`, `held`, `busy`, `changed` (the broken rules are no longer the
            ones that the page showed).
        DomainError: `bad-pair`, `bad-table`.
        ReasonRequired: `breaks`.
    """
    require_permission(by, "desk", event.tournament)
    key = make_idempotency_key(key, pair, table)
    with writing(event, verb="pairs.sent", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return Pairing.objects.get(pk=write.outcome["pairing"])
        desk = _load_locked_desk(write, write.at)
        breaks = check_manual_pair(write.the_event, desk, pair)
        kinds = tuple(sorted(found.kind.value for found in breaks))
        if kinds and not reason.strip():
            warnings = [str(one) for one in breaks]
            raise ReasonRequired(
                "breaks", gettext("Write the reason. It stays on record with the pairing."), warnings=warnings
            )
        message = gettext("The warnings about this pairing have changed. Nothing was sent; read them again.")
        require_unchanged(tuple(sorted(seen)), kinds, message, "changed")
        record = make_manual_pairing_record(desk, pair, breaks)
        turn, pairs = desk.next_round_number if desk.pairs_in_rounds else None, ((min(pair), max(pair)),)
        sending = PairsToSend(pairs=pairs, tables=(table,), round=turn, by_hand=True, record=record)
        pairing = add_pairings(write, desk.stage, sending)[0]
        score_cards().open_ready_cards(write)
        return pairing


def check_manual_pair(event: Event, desk: PairingDesk, pair: Pair) -> tuple[BrokenRule, ...]:
    """Return the rules that a pair chosen by hand would break, or raise an error if the pair is impossible.

    Raises:
        Conflict: `not-waiting`, `other-site`, `held`, `bad-pair` (entries of one person).
        DomainError: `bad-pair` for the same entrant twice.
    """
    one, other = pair
    if one == other:
        raise DomainError("bad-pair", gettext("Choose two different entrants."))
    for side in pair:
        if desk.find_group(side) is None:
            raise Conflict("not-waiting", _explain_not_waiting(event, desk, side))
    part = desk.find_group(one)
    if part is None or part is not desk.find_group(other):
        raise Conflict("other-site", gettext("They play at different sites. Choose two entrants of one site."))
    breaks = find_broken_rules(one, other, part.pairing_input, desk.names, now=desk.now)
    forbids = next((found for found in breaks if found.kind.forbids_pair), None)
    if forbids is not None:
        raise Conflict("held" if forbids.kind == "held" else "bad-pair", str(forbids))
    return breaks


def undo_last_pairings(
    event: Event, newest: int, *, by: Actor, reason: str, seen: Collection[str] = ()
) -> list[Pairing]:
    """Undo the latest pairing and all pairings that were sent together with it.

    This is possible until their first result.

    `newest` is the latest pairing that the page showed. `seen` works as in `undo_pairing`.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `changed`, `taken-back`, `play-began`, `stage-over`.
    """
    require_permission(by, "desk", event.tournament)
    require_reason(reason, str(UNDO_REASON_PROMPT))
    with writing(event, verb="pairs.taken-back", by=by, reason=reason) as write:
        stage = require_stages_in_play(write.the_event).current_stage.row
        last = stage.pairings.filter(taken_back__isnull=True).order_by("-pk").first()
        if last is None or last.pk != newest:
            raise Conflict("changed", gettext("The pairings changed in the meantime. Look at them again."))
        together = list(stage.pairings.filter(taken_back__isnull=True, at=last.at).order_by("pk"))
        undo_pairings(write, together, seen)
        return together


def change_desk_settings(
    event: Event, terms: DeskTerms, *, by: Actor, reason: str = "", number: int | None = None
) -> DeskSettings:
    """Change how the desk pairs a stage (by default the current one), starting with the next pairing.

    The stage doesn't have to be open yet. The number of rounds can be reduced, but not below the rounds already made.

    Raises:
        Conflict: `no-desk`, `finished`, `stage-over`, `rounds-made`.
    """
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="desk.set", by=by, reason=reason) as write:
        if write.the_event.state == Event.State.FINISHED:
            raise Conflict(
                "finished", gettext("The event is finished, so no more pairs are made. Open the event again first.")
            )
        stage = load_stage_desk_settings(write.the_event, number)
        if stage is None:
            raise Conflict("no-desk", gettext("This event is not paired at the desk. Choose a format in stages first."))
        if stage.is_over:
            raise Conflict(
                "stage-over",
                gettext("“%(name)s” is over, so no more pairs are made. Go to the next stage.") % {"name": stage.name},
            )
        if terms.rounds != stage.terms.rounds:
            require_permission(by, "direct", event.tournament)
            if terms.rounds is not None and terms.rounds < stage.min_rounds:
                raise Conflict(
                    "rounds-made",
                    gettext("At least %(fewest)s rounds of “%(name)s” have to be played. Enter that number or more.")
                    % {"fewest": stage.min_rounds, "name": stage.name},
                )
        settings = {"number": stage.number, "settings": terms.as_json()}
        made = DeskSettings.objects.create(event=write.the_event, **settings, **write.fact_fields())
        write.about(made, stage=made.number, settings=made.settings)
        return made


def _load_locked_desk(write: WriteTransaction, at: datetime) -> PairingDesk:
    """Return the desk as of `at`, such as the time shown on the page. Call this inside a write transaction.

    Raises:
        Conflict: `not-in-play`, `no-desk`, or `changed` if that time is in the future or too long ago.
    """
    event = write.the_event
    require_stages_in_play(event)
    if not write.at - MAX_PAGE_AGE <= at <= write.at + timedelta(minutes=1):
        raise Conflict(
            "changed", gettext("This page was open for too long. Nothing was sent; look at the pairings again.")
        )
    desk = load_pairing_desk(event, at)
    if desk is None:
        raise Conflict("no-desk", gettext("This event is not paired at the desk. Nothing was sent."))
    return desk


def _require_unchanged_desk(event: Event, desk: PairingDesk, shown: DeskPreview) -> None:
    for one, other, _table in shown.pairs:
        for side in (one, other):
            if desk.find_group(side) is None:
                raise Conflict("not-waiting", _explain_not_waiting(event, desk, side))
    now = replace(_make_preview(desk), at=shown.at)
    if shown.alone:
        pairs = {pair[:2] for pair in now.pairs}
        now = replace(shown, pairs=tuple(pair for pair in shown.pairs if pair[:2] in pairs))
    require_unchanged(shown, now, PAIRINGS_CHANGED_MESSAGE, "changed")


def _make_preview(desk: PairingDesk) -> DeskPreview:
    """Return the preview that the desk would show now."""
    pairs = tuple(going.pair_and_table for going in desk.next_pairs if going.table is not None or desk.pairs_in_rounds)
    calls = tuple((game.ident, table) for game, table in desk.next_calls)
    return DeskPreview(at=desk.now, pairs=pairs, calls=calls, bye=desk.bye)


def _explain_not_waiting(event: Event, desk: PairingDesk, side: int) -> str:
    if not desk.makes_pairs:
        return gettext("The pairings of “%(name)s” are fixed. Call its games to the tables instead.") % {
            "name": desk.stage.name
        }
    return explain_why_not_waiting(event, desk.stage, side, desk.names)


def _call_games(write: WriteTransaction, calls: Sequence[tuple[str, int]]) -> int:
    """Call these games to the tables that the page showed.

    Each game was scheduled in advance, or was sent without a table.
    """
    counting = write.the_event.matches.filter(VALID_MATCH_FILTER, ident__in=[ident for ident, _table in calls])
    matches = {match.ident: match for match in counting}
    if not all(ident in matches for ident, _table in calls):
        raise Conflict("changed", str(PAIRINGS_CHANGED_MESSAGE))
    _refresh_player_pages(write.the_event, matches.values())
    rows = (TableCall(match=matches[ident], table=table, **write.fact_fields()) for ident, table in calls)
    record_bulk_created_rows(TableCall.objects.bulk_create(rows))
    return len(calls)


def _send_pairs(write: WriteTransaction, desk: PairingDesk, shown: DeskPreview) -> list[Pairing]:
    pairings: list[Pairing] = []
    for part in desk.groups:
        mine = [pair for pair in shown.pairs if desk.find_group(pair[0]) is part]
        bye = shown.bye if part is desk.groups[0] else None
        if mine or bye is not None:
            sending = PairsToSend(
                pairs=tuple((one, other) for one, other, _table in mine),
                tables=tuple(table or None for _one, _other, table in mine),
                bye=bye,
                round=desk.next_round_number if desk.pairs_in_rounds else None,
                record=make_pairing_record(desk, part),
            )
            pairings += add_pairings(write, desk.stage, sending)
    return pairings
