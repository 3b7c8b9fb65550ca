"""Rounds at tables: assign the next round, post it, or undo it before its first result.

Round 1 is assigned by the draw and posted with it. Later rounds are posted by a service that also opens their score
cards.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.separation.draw import AvoidList
from pairing.draws.stages.plan import StageKind, read_single_stage_plan
from pairing.draws.table_rounds import (
    MAX_TABLE_ROUNDS,
    SeatedTable,
    SeatingPlan,
    TableRounds,
    TableTerms,
    plan_first_seating,
    plan_next_seating,
)
from pairing.draws.two_sides import (
    WHIST_GAME_COUNT,
    Couple,
    explain_why_no_rotation,
    explain_why_no_whist,
    make_first_whist_tables,
    make_next_whist_tables,
    make_rotation_round,
    split_order_by_side,
)
from pairing.models import Draw, Match, MatchSeat, Seating, SeatingPosted, SeatingTakenBack, Stage, TableCall
from pairing.stages.selectors.apart import load_avoid_list, load_separated_pairs
from pairing.stages.selectors.course import load_event_stages, load_tables_used_elsewhere
from pairing.stages.selectors.kinds import RotatingSides
from pairing.stages.selectors.plans import load_event_plan, load_table_rules
from pairing.stages.selectors.records import load_called_tables, load_current_entry_numbers, load_open_stages
from pairing.stages.selectors.tables import (
    is_seating_without_result,
    list_whist_seats,
    load_preview_and_last_seating,
    load_seating_preview,
    read_whist_tables,
)
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, require_reason, writing
from tournament.core.topics import record_changed_rows
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.models import Event
from tournament.registration.selectors.entries import get_side_names, load_entrants_without_side

EventState = Event.State


def plan_initial_tables(event: Event, draw: Draw, entries: Sequence[int] | None = None) -> SeatingPlan:
    """Return the tables for round 1. If `entries` is given, seat only these entries, in the order of the draw.

    Raises:
        DomainError: `too-few` if there are not enough entries for a table.
    """
    entries = draw.order if entries is None else entries
    terms = load_event_plan(event).first.tables or TableTerms()
    if len(entries) < terms.min_entries:
        raise DomainError(
            "too-few",
            _("A table needs at least %(fewest)s players, and there are %(count)s. Enter more players first.")
            % {"fewest": terms.min_entries, "count": len(entries)},
        )
    return plan_first_seating(entries, terms, AvoidList.from_json(draw.avoid))


def require_draw_fits_tables(event: Event, draw: Draw) -> None:
    _require_allowed_table_sizes(event, [len(table) for table in plan_initial_tables(event, draw).tables])


def seat_first_round(write: WriteTransaction, stage: Stage) -> Seating:
    """Assign the tables of round 1 in drawn order and post them. Call this in the transaction that posts the draw."""
    event = write.the_event
    seating = _save_seating(write, stage, 1, plan_initial_tables(event, stage.draw, stage.entries), {})
    _require_allowed_table_sizes(event, [len(table) for table in seating.tables])
    _post_seating(write, seating)
    return seating


def seat_next_round(event: Event, *, by: Actor, key: str = "", reason: str = "") -> Seating:
    """Assign tables for the next round to all entrants who have not left the event.

    Only staff see the assignments until they are posted. If a reason is given, players at unfinished tables are left
    out.

    Raises:
        Conflict: `not-drawn`, `not-in-play`, `seated-already`, `last-round`.
        DomainError: `too-few`.
        ReasonRequired: `not-decided` if tables of the current round are not finished.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="seating.made", by=by, key=key, reason=reason) as write:
        if write.repeated:
            return Seating.objects.get(pk=write.outcome["seating"])
        locked = write.the_event
        stage, rounds = _require_ready_for_next_round(locked)
        unfinished = _require_finished_or_reason(rounds, reason)
        turn = len(rounds.rounds) + 1
        tables, record = _plan_next_tables(locked, stage, rounds, unfinished)
        _require_allowed_table_sizes(locked, [len(table) for table in tables.tables])
        seating = _save_seating(write, stage, turn, tables, record)
        write.about(seating, seating=seating.pk, round=turn, tables=seating.tables)
        return seating


def post_previewed_seating(write: WriteTransaction) -> Seating:
    """Post the previewed table assignments. Call this inside a write transaction.

    Raises:
        Conflict: `no-seating`, `list-changed`.
    """
    event = write.the_event
    seating = load_seating_preview(event)
    if seating is None:
        raise Conflict(
            "no-seating",
            _("There are no table assignments to post. Check whether they have been posted, or assign tables first."),
        )
    seated = {number for table in seating.tables for number in table}
    if seated - set(load_current_entry_numbers(event)):
        raise Conflict(
            "list-changed",
            _(
                "A player has left the event since the tables were assigned. Undo the assignments and assign "
                "tables again."
            ),
        )
    _post_seating(write, seating)
    write.about(seating, seating=seating.pk, round=seating.round)
    return seating


def take_back_seating(event: Event, *, by: Actor, reason: str) -> Seating:
    """Undo the preview. If there is none, undo the latest posted round, provided that it has no result.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `no-seating`, `play-began`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why you undo the table assignments. The reason is published with them."))
    with writing(event, verb="seating.taken-back", by=by, reason=reason) as write:
        preview, posted = load_preview_and_last_seating(write.the_event)
        seating = preview or posted
        if seating is None or write.the_event.state == EventState.FINISHED:
            raise Conflict("no-seating", _("There are no table assignments to undo. Look at Tables."))
        if not is_seating_without_result(seating):
            raise Conflict(
                "play-began", _("A result is recorded, so the round stands. Correct single results instead.")
            )
        SeatingTakenBack.objects.create(seating=seating, **write.fact_fields())
        write.about(seating, seating=seating.pk, round=seating.round)
        return seating


def change_round_count(event: Event, rounds: int, *, by: Actor, reason: str) -> Event:
    """Change the number of rounds after the draw.

    Raises:
        DomainError: `reason-needed`, `bad-rounds` (fewer than are assigned, or more than the limit).
        Conflict: `not-drawn`, `finished`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why you change the number of rounds. The reason stays in the log."))
    with writing(event, verb="rounds.changed", by=by, reason=reason) as write:
        locked, seated = write.the_event, load_event_stages(write.the_event).rounds
        if seated is None:
            raise Conflict("not-drawn", _("The draw is not posted yet. Change the number of rounds with the format."))
        if locked.state == EventState.FINISHED:
            raise Conflict("finished", _("The event is finished. Open it again first, with a reason."))
        fewest = max(1, len(seated.rounds) + (load_seating_preview(locked) is not None))
        if not fewest <= rounds <= MAX_TABLE_ROUNDS:
            raise DomainError(
                "bad-rounds",
                _("There can be %(fewest)s to %(most_rounds)s rounds now. Enter a number between them.")
                % {"fewest": fewest, "most_rounds": MAX_TABLE_ROUNDS},
            )
        locked.plan = read_single_stage_plan(StageKind.TABLES, replace(seated.terms, rounds=rounds).as_json()).as_json()
        locked.save(update_fields=["plan"])
        write.about(locked, rounds=rounds, was=seated.terms.rounds)
        return locked


def _require_allowed_table_sizes(event: Event, sizes: Sequence[int]) -> None:
    rules = load_table_rules(event)
    wrong = [size for size in sizes if rules is not None and not rules.fewest <= size <= rules.most]
    if rules is not None and wrong:
        few, many = rules.fewest, rules.most
        if few == many == 0:
            message = _(
                "There would be a table of %(size)s, and %(rules)s is for teams. Change the format or the rules."
            )
        elif few == many:
            message = _(
                "There would be a table of %(size)s, and %(rules)s is for %(few)s. Change the format or the rules."
            )
        else:
            message = _(
                "There would be a table of %(size)s, and %(rules)s is for %(few)s to %(many)s. "
                "Change the format or the rules."
            )
        raise Conflict("wrong-sides", message % {"size": wrong[0], "rules": rules.title, "few": few, "many": many})


def _require_ready_for_next_round(event: Event) -> tuple[Stage, TableRounds]:
    stage, rounds = load_open_stages(event).first(), load_event_stages(event).rounds
    if stage is None or rounds is None:
        raise Conflict("not-drawn", _("The tables follow from the draw. Post the draw first."))
    if load_seating_preview(event) is not None:
        raise Conflict("seated-already", _("The next round has its tables. Look at them, then post them or undo them."))
    if event.state != EventState.IN_PLAY and (rounds.rounds or event.state != EventState.DRAWN):
        raise Conflict("not-in-play", _("Tables can be assigned only while the event is in play. Start play first."))
    if len(rounds.rounds) >= rounds.terms.rounds:
        raise Conflict(
            "last-round",
            _("All %(rounds)s rounds have their tables. Add a round first, or finish the event.")
            % {"rounds": rounds.terms.rounds},
        )
    return stage, rounds


def _require_finished_or_reason(rounds: TableRounds, reason: str) -> tuple[SeatedTable, ...]:
    unfinished = rounds.ready_tables
    if unfinished and not reason.strip():
        raise ReasonRequired(
            "not-decided",
            ngettext(
                "%(count)s table is not finished. Close it, or go on without its players and give a reason.",
                "%(count)s tables are not finished. Close them, or go on without their players and give a reason.",
                len(unfinished),
            )
            % {"count": len(unfinished)},
            warnings=[table.match for table in unfinished],
        )
    return unfinished


def _plan_next_tables(
    event: Event, stage: Stage, rounds: TableRounds, unfinished: Sequence[SeatedTable]
) -> tuple[SeatingPlan, dict[str, object]]:
    """Return the tables for the next round, and the record from which anybody can recompute them."""
    draw, present = stage.draw, load_current_entry_numbers(event)
    if not rounds.rounds:
        return plan_initial_tables(event, draw, [number for number in stage.entries if number in present]), {}
    busy = {number for table in unfinished for number in table.entries}
    free = [number for number in present if number not in busy]
    if len(free) < rounds.terms.min_entries:
        message = _(
            "A table needs at least %(fewest)s players, and only %(count)s are free. "
            "Change the number of rounds, or end the event early."
        )
        raise DomainError("too-few", message % {"fewest": rounds.terms.min_entries, "count": len(free)})
    turn = len(rounds.rounds) + 1
    before = stage.seatings.filter(round=turn).count()
    seed = f"{draw.commitment.draw_id}|{draw.commitment.secret}|round {turn}, seating {before + 1}"
    apart = {*load_avoid_list(event).same_person, *load_separated_pairs(event, free, turn)}
    tables = plan_next_seating(rounds, free, seed=seed, apart=apart)
    met = [list(pair) for pair in sorted({*rounds.rounds_met, *apart})]
    record: dict[str, object] = {"seed": seed, "met": met, "left_out": sorted(busy & set(present))}
    return tables, record


def _save_seating(
    write: WriteTransaction, stage: Stage, turn: int, tables: SeatingPlan, record: dict[str, object]
) -> Seating:
    account = {
        "repeats": len(tables.repeated_pairs),
        "together": [list(pair) for pair in tables.unseparated_pairs],
        "is_least": tables.is_minimal,
        "moves": [move.as_json() for move in tables.moves],
    }
    seating = Seating.objects.create(
        stage=stage,
        round=turn,
        tables=[list(table) for table in tables.tables],
        sits_out=list(tables.sits_out),
        record={**record, **account},
        **write.fact_fields(),
    )
    write.log_row_digest("seatings", seating)
    return seating


def _post_seating(write: WriteTransaction, seating: Seating) -> None:
    """Post a round: create its matches and seats, and call the matches to tables that no event is using."""
    event = write.the_event
    rounds = load_event_stages(event).rounds
    busy = set(load_called_tables(event, (table.match for table in rounds.ready_tables)).values()) if rounds else set()
    busy |= load_tables_used_elsewhere(event)
    SeatingPosted.objects.create(seating=seating, **write.fact_fields())
    stage = seating.stage
    turn = stage.seatings.filter(round=seating.round, posted__isnull=False).count()
    again = f"-{turn}" if turn > 1 else ""
    matches = Match.objects.bulk_create(
        Match(
            event=event,
            draw=stage.draw,
            stage=stage,
            seating=seating,
            ident=f"R{seating.round}T{position}{again}",
            round=seating.round,
            position=position,
        )
        for position in range(1, len(seating.tables) + 1)
    )
    entrants = {entrant.number: entrant for entrant in event.entrants.all()}
    seats = MatchSeat.objects.bulk_create(
        MatchSeat(match=match, position=place, entrant=entrants[number])
        for match, table in zip(matches, seating.tables, strict=True)
        for place, number in enumerate(table)
    )
    free = (number for number in range(1, len(matches) + len(busy) + 1) if number not in busy)
    calls = TableCall.objects.bulk_create(
        TableCall(match=match, table=table, **write.fact_fields()) for match, table in zip(matches, free, strict=False)
    )
    for model, rows in ((Match, matches), (MatchSeat, seats), (TableCall, calls)):
        record_changed_rows(model, [row.pk for row in rows])


# --- Rounds in which two sides rotate --------------------------------------------------------------------------------

SINGLE_MATCH_NAME = "M1"
"""The name of the event's only match. This match's cards cover the whole event."""

SIDE_SIZE_CHECK_BY_KIND = {StageKind.ROTATION: explain_why_no_rotation, StageKind.COURT_WHIST: explain_why_no_whist}


def require_entrants_have_sides(event: Event) -> None:
    """Raise an error if the format has two sides and an entrant has no side.

    The entry list can't be sealed until everybody has one.

    Raises:
        DomainError: `no-side`, with the `numbers` of these entrants.
    """
    sideless = load_entrants_without_side(event)
    if sideless:
        message = _("These entrants have no side yet: %(who)s. Choose a side on their pages, then close registration.")
        names = {"who": ", ".join(map(str, sideless))}
        raise DomainError("no-side", message % names, numbers=[entrant.number for entrant in sideless])


def _require_matching_sides(event: Event, numbers: Sequence[int]) -> None:
    """Raise an error unless everybody has a side and the sizes of the sides match.

    Raises:
        DomainError: `not-single`, `no-side`, `uneven-sides`.
    """
    if event.entry_size != 1:
        raise DomainError(
            "not-single", _("This format needs one player an entry. Change that in the event's settings.")
        )
    names = get_side_names(event)
    assert names is not None
    people = {entrant.number: entrant for entrant in event.entrants.filter(number__in=numbers)}
    sideless = ", ".join(str(people[number]) for number in numbers if not people[number].side)
    if sideless:
        message = _("These entrants have no side yet: %(unsaid)s. Choose a side on their pages first.")
        raise DomainError("no-side", message % {"unsaid": sideless})
    sides = split_order_by_side(numbers, {number: people[number].side for number in numbers})
    why = SIDE_SIZE_CHECK_BY_KIND[load_event_plan(event).first.kind](len(sides.left), len(sides.right), names)
    if why:
        raise DomainError("uneven-sides", why)


def plan_initial_rotation_tables(event: Event, draw: Draw) -> SeatingPlan:
    order = draw.order
    sides = split_order_by_side(order, dict(event.entrants.filter(number__in=order).values_list("number", "side")))
    if not load_event_plan(event).first.kind.traits.own_cards:
        return SeatingPlan(tuple(make_rotation_round(sides.left, sides.right, turn=1)), ())
    game = make_first_whist_tables(sides)
    return SeatingPlan(tuple(map(tuple, list_whist_seats(game))), tuple(game.sits_out))


def require_draw_fits_sides(event: Event, draw: Draw) -> None:
    _require_matching_sides(event, draw.order)


def start_rotating_sides(write: WriteTransaction, stage: Stage) -> Seating:
    """Create the event's only match and the tables of round 1. Call this in the transaction that posts the draw."""
    event = write.the_event
    _require_matching_sides(event, stage.entries)
    Match.objects.create(event=event, draw=stage.draw, stage=stage, ident=SINGLE_MATCH_NAME, round=1, position=1)
    first = plan_initial_rotation_tables(event, stage.draw)
    return _post_rotating_round(write, stage, 1, ([list(table) for table in first.tables], list(first.sits_out)))


def post_rotation_round(write: WriteTransaction, rotating_sides: RotatingSides, number: int) -> Seating:
    """Post the next round of a couples rotation. The right side moves up one seat each round.

    Call this inside a write transaction. A player whose partner has left sits out.
    """
    pairs = make_rotation_round(rotating_sides.sides.left, rotating_sides.sides.right, turn=number)
    both = [pair for pair in pairs if all(map(rotating_sides.is_present, pair))]
    alone = [player for pair in pairs if pair not in both for player in pair if rotating_sides.is_present(player)]
    return _post_rotating_round(write, rotating_sides.stage, number, ([list(pair) for pair in both], alone))


def post_next_whist_game(write: WriteTransaction, rotating_sides: RotatingSides, winners: Sequence[Couple]) -> Seating:
    """Post the next game of Court Whist, for which each table's winners move. Call this inside a write transaction.

    Raises:
        Conflict: `last-game`.
        DomainError: `too-few`.
    """
    last = rotating_sides.current_round
    if last.round >= WHIST_GAME_COUNT:
        raise Conflict(
            "last-game",
            _("All %(games)s games have their tables. Finish the event next.") % {"games": WHIST_GAME_COUNT},
        )
    present, sat_out = rotating_sides.present_sides, rotating_sides.sit_out_counts
    if min(len(present.left), len(present.right)) < 2:
        raise DomainError(
            "too-few", _("A table needs two players of each side, and too few are left. Finish the event instead.")
        )
    game = make_next_whist_tables(read_whist_tables(last), winners, present, sat_out)
    return _post_rotating_round(
        write,
        rotating_sides.stage,
        last.round + 1,
        (list_whist_seats(game), list(game.sits_out)),
        winners=[list(couple) for couple in winners],
        present=[list(present.left), list(present.right)],
        sat_out={str(number): count for number, count in sat_out.items()},
    )


def require_rotating_sides(event: Event) -> RotatingSides:
    rotating_sides = load_event_stages(event).rotating_sides
    if rotating_sides is None:
        raise Conflict("not-drawn", _("Post the draw first. The rounds follow from it."))
    return rotating_sides


def _post_rotating_round(
    write: WriteTransaction, stage: Stage, number: int, seated: tuple[list[list[int]], list[int]], **record: object
) -> Seating:
    """Save and post a round. `seated` is its tables and the entries that sit out.

    The other keyword arguments (`record`) are the facts that `recompute_tables` needs.
    """
    tables, out = seated
    seating = Seating.objects.create(
        stage=stage, round=number, tables=tables, sits_out=out, record=record, **write.fact_fields()
    )
    write.log_row_digest("seatings", seating)
    SeatingPosted.objects.create(seating=seating, **write.fact_fields())
    write.outcome["seated"] = seating.pk
    return seating
