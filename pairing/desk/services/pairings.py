"""Send pairs to tables, and hold entrants back from pairing.

If two people send the same players at the same time, the lock on the event lets the first one win. The second person
gets an error message that names the table.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.desk.selectors.proofs import load_started_games
from pairing.draws.results import Credit, MatchOutcome, Result, ResultCause
from pairing.draws.stages.pools import Pool
from pairing.models import Hold, HoldEnded, Match, Pairing, PairingTakenBack, TableCall
from pairing.results.services.results import record_credits, record_result
from pairing.stages.selectors.course import load_busy_tables, load_holds, load_persons_by_entry
from pairing.stages.selectors.kinds import StageState
from pairing.stages.services.stages import (
    create_seated_match,
    create_seated_matches,
    find_free_match_names,
    require_stages_in_play,
)
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import record_bulk_created_rows
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.models import Entrant, Event

Pair = tuple[int, int]
UNDO_REASON_PROMPT: Final = _("Write why you undo these pairings. The reason stays on record.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsToSend:
    """The pairs that will be sent to their tables, each with a table or None, and the bye.

    `record` contains the reasons for this pairing.
    """

    pairs: tuple[Pair, ...]
    tables: tuple[int | None, ...] = ()
    bye: int | None = None
    round: int | None = None
    by_hand: bool = False
    record: Mapping[str, Any] = field(default_factory=dict)

    def split_into_single_pairs(self) -> "list[PairsToSend]":
        """Split into one object for each pair, so that each pair can be undone on its own.

        A whole round stays together, and so do pairs that come with a bye.
        """
        if self.round is not None or self.bye is not None:
            return [self]
        tables = (*self.tables, *[None] * (len(self.pairs) - len(self.tables)))
        return [replace(self, pairs=(pair,), tables=(table,)) for pair, table in zip(self.pairs, tables, strict=True)]


def add_pairings(write: WriteTransaction, stage: StageState, whole: PairsToSend) -> list[Pairing]:
    """Create pairings, matches, seats and table calls in a single action. Call this inside a write transaction.

    `stage` is the stage in play. `whole` has all the pairs, their tables, and the bye, if any. Each pair gets its own
    `Pairing` row, except in a whole round or together with a bye. The first row stores the record, and the other rows
    refer to the first.

    Raises:
        DomainError: `nobody`, `bad-pair`, `bad-table`.
        Conflict: `no-desk`, `not-waiting` (somebody else has already sent them), `held`, `other-site`, `busy`.
    """
    event, pool = write.the_event, _require_pool(stage)
    names = dict(event.entrants.values_list("number", "name"))
    _require_waiting_sides(event, stage, pool, whole, names)
    _require_usable_tables(event, whole)
    own, *others = whole.split_into_single_pairs()
    first = _add_pairing(write, stage, own, whole.record)
    beside = {"with": first.pk} if whole.record else {}
    pairings = [first, *(_add_pairing(write, stage, sending, beside) for sending in others)]
    matches = _make_matches(write, stage, pool, pairings)
    at_tables = [(match, table) for match, table in zip(matches, whole.tables, strict=False) if table is not None]
    calls = (TableCall(match=match, table=table, **write.fact_fields()) for match, table in at_tables)
    record_bulk_created_rows(TableCall.objects.bulk_create(calls))
    sent = [match.ident for match in matches]
    pairs = [list(pair) for pair in whole.pairs]
    write.about(first, pairing=first.pk, pairs=pairs, matches=sent, tables=list(whole.tables))
    return pairings


def _add_pairing(
    write: WriteTransaction, stage: StageState, sending: PairsToSend, record: Mapping[str, Any]
) -> Pairing:
    return Pairing.objects.create(
        stage=stage.row,
        round=sending.round,
        pairs=[list(pair) for pair in sending.pairs],
        bye=sending.bye,
        by_hand=sending.by_hand,
        record=dict(record),
        **write.fact_fields(),
    )


def undo_pairing(pairing: Pairing, *, by: Actor, reason: str, seen: Collection[str] = ()) -> Pairing:
    """Undo a pairing so that its players are waiting again. This is possible until its first result.

    The pairing stays on record. `seen` lists the games that the page showed as already started, because hands are
    entered on their score cards.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `taken-back`, `play-began`, `stage-over`.
        ReasonRequired: `lines-written` if hands are entered on the score card of a game that is not in `seen`.
    """
    event = pairing.stage.draw.commitment.event
    require_permission(by, "desk", event.tournament)
    require_reason(reason, str(UNDO_REASON_PROMPT))
    with writing(event, verb="pairs.taken-back", by=by, reason=reason) as write:
        undo_pairings(write, [pairing], seen)
        return pairing


def undo_pairings(write: WriteTransaction, pairings: Sequence[Pairing], seen: Collection[str] = ()) -> None:
    """Undo either all of these pairings or none. Call this inside a write transaction."""
    begun = load_started_games(write.the_event, pairings)
    unseen = [ident for ident in begun if ident not in seen]
    if unseen:
        message = gettext(
            "Hands are entered on the score card of %(unseen)s. Nothing was changed; look at it again first."
        ) % {"unseen": ", ".join(unseen)}
        raise ReasonRequired("lines-written", message, warnings=unseen)
    current = require_stages_in_play(write.the_event).current_stage.row.pk
    for pairing in pairings:
        if PairingTakenBack.objects.filter(pairing=pairing).exists():
            raise Conflict("taken-back", gettext("These pairings were undone already. Nothing was changed."))
        if current != pairing.stage_id:
            raise Conflict(
                "stage-over",
                gettext("The next stage is open, so these pairings stand. Correct single results instead."),
            )
        results = pairing.matches.filter(results__isnull=False)
        if any(match.seats.count() > 1 for match in results):  # The result of a bye does not count.
            raise Conflict(
                "play-began", gettext("There is a result, so these pairings stand. Correct single results instead.")
            )
        PairingTakenBack.objects.create(pairing=pairing, **write.fact_fields())
    pairs = [pair for pairing in pairings for pair in pairing.pairs]
    written = {"written": sorted(begun)} if begun else {}
    write.about(pairings[0], pairings=[pairing.pk for pairing in pairings], pairs=pairs, **written)


def give_bye(entrant: Entrant, *, by: Actor, reason: str, key: str = "") -> Match:
    """Give a waiting entrant a bye because no opponent is left. The bye counts as a win.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-waiting`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    require_reason(reason, gettext("Write the reason for the bye. It is shown with the win."))
    with writing(
        entrant.event, verb="bye.given", by=by, reason=reason, key=make_idempotency_key(key, entrant.pk)
    ) as write:
        if write.repeated:
            return Match.objects.get(pk=write.outcome["match"])
        stage = require_stages_in_play(write.the_event).current_stage
        pool = _require_pool(stage)
        if entrant.number not in pool.qualifying.ready_entries:
            raise Conflict(
                "not-waiting",
                gettext("%(name)s is not waiting for a game now. Look at the pairings.") % {"name": entrant.name},
            )
        match = _add_bye(write, stage, pool, entrant.number)
        write.about(match, match=match.pk, bye=entrant.number)
        return match


def penalize_entrant(entrant: Entrant, *, by: Actor, reason: str, key: str = "") -> Match:
    """Penalize an entrant with the loss of an extra game that has no opponent.

    Use this for an entrant who played without being paired, for example. Nobody is credited with the win.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `no-desk`, `not-in-stage`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    require_reason(reason, gettext("Write the reason for the penalty. The entrant can read it."))
    with writing(
        entrant.event, verb="penalty.given", by=by, reason=reason, key=make_idempotency_key(key, entrant.pk)
    ) as write:
        if write.repeated:
            return Match.objects.get(pk=write.outcome["match"])
        return add_penalty(write, entrant)


def add_penalty(write: WriteTransaction, entrant: Entrant) -> Match:
    """Record the penalty for `penalize_entrant`. Call this inside a write transaction."""
    stage = require_stages_in_play(write.the_event).current_stage
    pool = _require_pool(stage)
    if entrant.number not in pool.qualifying.entrants:
        raise Conflict(
            "not-in-stage",
            gettext("%(name)s does not play in “%(stage)s”. Nothing was changed.")
            % {"name": entrant.name, "stage": stage.name},
        )
    ident = find_free_match_names(stage.row.draw, 1, "X")[0]
    match = create_seated_match(write.the_event, stage.row, ident, (entrant.number,), (pool.max_started_games, 0))
    record_credits(write, match, None, {entrant.number: Credit(Result.LOSS, ResultCause.PENALTY)})
    write.about(match, match=match.pk, penalty=entrant.number)
    return match


def hold_entrant(entrant: Entrant, *, by: Actor, reason: str = "") -> Hold:
    """Keep an entrant from being paired until the hold ends, because they are away or waiting for a ruling.

    Raises:
        Conflict: `held-already`, `no-desk`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.held", by=by, reason=reason) as write:
        stage = require_stages_in_play(write.the_event).current_stage
        _require_pool(stage)
        if entrant.number in load_holds(stage.row):
            raise Conflict(
                "held-already", gettext("%(name)s is on hold already. Nothing was changed.") % {"name": entrant.name}
            )
        held = Hold.objects.create(stage=stage.row, entrant=entrant, **write.fact_fields())
        write.about(entrant, hold=held.pk)
        return held


def end_hold(entrant: Entrant, *, by: Actor, reason: str = "") -> HoldEnded:
    """End an entrant's hold so that they can be paired again.

    Raises:
        Conflict: `not-held`.
    """
    require_permission(by, "desk", entrant.event.tournament)
    with writing(entrant.event, verb="entrant.released", by=by, reason=reason) as write:
        held = load_holds(require_stages_in_play(write.the_event).current_stage.row).get(entrant.number)
        if held is None:
            raise Conflict(
                "not-held", gettext("%(name)s is not on hold. Nothing was changed.") % {"name": entrant.name}
            )
        ended = HoldEnded.objects.create(hold=held, **write.fact_fields())
        write.about(entrant, hold=held.pk)
        return ended


def _require_waiting_sides(
    event: Event, stage: StageState, pool: Pool, sending: PairsToSend, names: Mapping[int, str]
) -> None:
    sides = [side for pair in sending.pairs for side in pair]
    everybody = [*sides, *([sending.bye] if sending.bye is not None else [])]
    if not everybody:
        raise DomainError("nobody", gettext("Choose two entrants to pair."))
    if len(set(everybody)) < len(everybody):
        raise DomainError(
            "bad-pair", gettext("One entrant is in two pairings. Choose two different entrants for each.")
        )
    ready, held = set(pool.qualifying.ready_entries), load_holds(stage.row)
    for side in everybody:
        if side not in ready:
            raise Conflict("not-waiting", explain_why_not_waiting(event, stage, side, names))
        if side in held:
            name, by = names.get(side, str(side)), held[side].by_name
            raise Conflict(
                "held",
                gettext("%(name)s was put on hold by %(by)s. End the hold first, or choose somebody else.")
                % {"name": name, "by": by},
            )
    persons, site = (
        load_persons_by_entry(event, sides),
        {entry: part.name for part in pool.parts for entry in part.entries},
    )
    for one, other in sending.pairs:
        if site.get(one) != site.get(other):
            raise Conflict(
                "other-site",
                gettext("%(one)s and %(other)s play at different sites. Choose two entrants of one site.")
                % {"one": names[one], "other": names[other]},
            )
        if persons.get(one, frozenset()) & persons.get(other, frozenset()):
            message = gettext(
                "%(one)s and %(other)s are entries of the same person and never meet. Choose somebody else."
            ) % {"one": names[one], "other": names[other]}
            raise DomainError("bad-pair", message)


def explain_why_not_waiting(event: Event, stage: StageState, side: int, names: Mapping[int, str]) -> str:
    """Explain why an entry isn't waiting: it was sent to a game, has no game left, or isn't in the stage."""
    name = names.get(side, str(side))
    pool = _require_pool(stage)
    if side not in pool.qualifying.entrants:
        return gettext("%(name)s does not play in “%(stage)s”. Look at the pairings.") % {
            "name": name,
            "stage": stage.name,
        }
    playing = pool.qualifying[side].record.playing
    if not playing:
        return gettext("%(name)s has no game to come (%(why)s). Look at the pairings.") % {
            "name": name,
            "why": pool.qualifying[side].why,
        }
    match = stage.matches[playing[-1]]
    opponent = match.meeting.get_opponent(side)
    table = next((table for table, pk in load_busy_tables(event).items() if pk == match.row), None)
    sender = Match.objects.select_related("pairing").get(pk=match.row).pairing
    texts = [_describe_current_game(name, names.get(opponent or 0), table)]
    if sender is not None:
        texts.append(gettext("%(by)s sent them.") % {"by": sender.by_name})
    return " ".join([*texts, gettext("Nothing was sent: look at the desk again.")])


def _describe_current_game(name: str, opponent: str | None, table: int | None) -> str:
    values = {"name": name, "opponent": opponent, "table": table}
    if opponent is None:
        return gettext("%(name)s is playing already.") % values
    if table is None:
        return gettext("%(name)s plays %(opponent)s.") % values
    return gettext("%(name)s plays %(opponent)s at table %(table)s.") % values


def _require_usable_tables(event: Event, sending: PairsToSend) -> None:
    wanted = [table for table in sending.tables if table is not None]
    if len(sending.tables) > len(sending.pairs) or len(set(wanted)) < len(wanted) or any(table < 1 for table in wanted):
        raise DomainError("bad-table", gettext("Give each pair a table of its own, with a number from 1."))
    busy = load_busy_tables(event)
    taken = next((table for table in wanted if table in busy), None)
    if taken is not None:
        raise Conflict("busy", gettext("Table %(taken)s is busy. Choose a free one.") % {"taken": taken})


def _make_matches(write: WriteTransaction, stage: StageState, pool: Pool, pairings: Sequence[Pairing]) -> list[Match]:
    """Create the matches for all pairs in order. A bye is an extra match that is decided immediately."""
    event = write.the_event
    both = [(pairing, tuple(pair)) for pairing in pairings for pair in pairing.pairs]
    idents = find_free_match_names(stage.row.draw, len(both))
    matches = [
        Match(
            event=event,
            draw=stage.row.draw,
            stage=stage.row,
            pairing=pairing,
            ident=ident,
            round=pairing.round or 1 + max(pool.qualifying[side].record.games for side in pair),
            position=at,
        )
        for at, (ident, (pairing, pair)) in enumerate(zip(idents, both, strict=True), start=1)
    ]
    made = create_seated_matches(event, matches, [pair for _pairing_of, pair in both])
    for pairing in pairings:
        if pairing.bye is not None:
            match = _add_bye(write, stage, pool, pairing.bye)
            match.pairing = pairing
            match.save(update_fields=["pairing"])
    return made


def _add_bye(write: WriteTransaction, stage: StageState, pool: Pool, entry: int) -> Match:
    ident = find_free_match_names(stage.row.draw, 1)[0]
    turn = 1 + pool.qualifying[entry].record.games
    match = create_seated_match(write.the_event, stage.row, ident, (entry,), (turn, 0))
    record_result(write, match, MatchOutcome(ident, entry, {entry: Credit(Result.WIN, ResultCause.BYE)}))
    return match


def _require_pool(stage: StageState) -> Pool:
    if stage.pool is None or stage.kind.traits.all_meet:
        raise Conflict(
            "no-desk",
            gettext("The pairings of “%(name)s” are fixed. Call its matches to the tables instead.")
            % {"name": stage.name},
        )
    return stage.pool
