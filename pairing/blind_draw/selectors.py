"""Load the draws of entrants and of partners, with their lists and seals."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext as _

from pairing.draws.knockout.places import Placings
from pairing.draws.partners import Pair
from pairing.draws.separation.draw import DrawTerms
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.models import Commitment, Draw, DrawTermsSaid, MatchResult, PartnerDraw, PartnerSeal
from pairing.stages.selectors.course import EventStages, load_event_stages, load_final_placings
from tournament.core.selectors.events import resolve_merged_player
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event, Member, Player
from tournament.money.selectors.ledger import load_event_accounts
from tournament.registration.selectors.entries import has_two_partner_pools, load_active_entries, load_partner_seekers


def load_current_commitment(event: Event) -> Commitment | None:
    return event.commitments.order_by("-pk").first()


PUBLIC_DRAW_FILTER: Final = Q(posted__isnull=False) | Q(taken_back__isnull=False)
"""The filter for public draws: posted draws and undone draws, including undone previews."""


def load_draw_terms(event: Event) -> DrawTerms | None:
    """Return the director's terms for filling the first bracket, or None if none were set."""
    last = DrawTermsSaid.objects.filter(event=event).last()
    return None if last is None else DrawTerms.from_json(last.terms)


@dataclass(frozen=True, slots=True)
class UnreadyEntrant:
    """An entrant who has not paid or has not checked in.

    `is_kept_in_draw` is true if the director keeps them in the draw anyway.
    """

    entrant: Entrant
    due_cents: int
    arrived: bool
    is_kept_in_draw: bool


def load_unready_entrants(event: Event) -> list[UnreadyEntrant]:
    """Return the unpaid or absent entrants. The director has to decide whether each stays in the draw."""
    books = load_event_accounts(event)
    facts = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.KEPT)
    kept = set(facts.values_list("entrant_id", flat=True))
    rows = [
        UnreadyEntrant(entrant, books.get_account(entrant.pk).due_cents, entrant.arrived, entrant.pk in kept)
        for entrant in event.entrants.filter(state=Entrant.State.IN).order_by("number")
    ]
    return [row for row in rows if row.due_cents or not row.arrived]


def count_unapproved_entries(event: Event) -> int:
    """Count the entries waiting for approval. Unapproved entries are left out of the draw."""
    return event.entrants.filter(state=Entrant.State.APPLIED).count()


def load_removed_entrants(event: Event) -> list[Entrant]:
    return list(event.entrants.filter(state=Entrant.State.REMOVED).order_by("number"))


def load_draws(event: Event) -> list[Draw]:
    """Return all public draws, including undone ones, newest first.

    Even undone previews are public, so that nobody can secretly repeat a draw until they like the order.
    """
    draws = Draw.objects.filter(PUBLIC_DRAW_FILTER, commitment__event=event)
    return list(draws.select_related("commitment", "posted", "taken_back").order_by("-pk"))


def has_any_match_result(event: Event) -> bool:
    """Return whether a match of the current draw has a result. From then on, the draw can't be undone."""
    counting = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return counting.filter(match__stage__taken_back__isnull=True, match__pairing__taken_back__isnull=True).exists()


def make_draw_record(made: Draw) -> dict[str, Any]:
    """Return the draw's published values, which `verify_draw` accepts as input."""
    sealed = made.commitment
    return {
        "secret": sealed.secret,
        "commitment": sealed.commitment,
        "public": made.public,
        "draw_id": sealed.draw_id,
        "numbers": sealed.numbers,
        "order": made.order,
    }


# --- The draw of partners --------------------------------------------------------------------------------------------


def load_unused_seal(event: Event) -> PartnerSeal | None:
    """Return the newest seal for a partner draw, or None if a partner draw has already used it."""
    newest = event.partner_seals.order_by("-pk").first()
    return newest if newest is not None and not PartnerDraw.objects.filter(seal=newest).exists() else None


def load_public_seal(event: Event) -> PartnerSeal | None:
    """Return the newest seal for a partner draw, or None if its draw was already posted or undone."""
    draws = PartnerDraw.objects.filter(PUBLIC_DRAW_FILTER, seal__event=event)
    newest = event.partner_seals.order_by("-pk").first()
    return newest if newest is not None and not draws.filter(seal=newest).exists() else None


def load_partner_draw_preview(event: Event) -> PartnerDraw | None:
    """Return the partner draw that is neither posted nor undone, or None. Only the director can see it."""
    previews = PartnerDraw.objects.filter(seal__event=event, posted__isnull=True, taken_back__isnull=True)
    return previews.select_related("seal").first()


def load_partner_draws(event: Event) -> list[PartnerDraw]:
    """Return all public partner draws, including undone ones, newest first."""
    draws = PartnerDraw.objects.filter(PUBLIC_DRAW_FILTER, seal__event=event)
    return list(draws.select_related("seal", "posted", "taken_back").order_by("-pk"))


def load_partner_draw(event: Event, pk: int) -> PartnerDraw:
    draws = PartnerDraw.objects.filter(seal__event=event).select_related("seal", "posted", "taken_back")
    draw = draws.filter(pk=pk).first()
    if draw is None:
        raise NotFound("no-draw", _("There is no such draw of partners. Choose one on the Partners page."))
    return draw


def make_partner_draw_record(made: PartnerDraw) -> dict[str, Any]:
    """Return the partner draw's published values, which `verify_partners` accepts as input."""
    sealed = made.seal
    pools = {"pools": sealed.pools} if sealed.pools else {}
    return {
        "secret": sealed.secret,
        "commitment": sealed.commitment,
        "public": made.public,
        "draw_id": sealed.draw_id,
        "numbers": sealed.numbers,
        **pools,
        "same_person": sealed.same_person,
        "before": sealed.before,
        "order": made.order,
        "pairs": made.pairs,
        "left": made.left,
    }


@dataclass(frozen=True, slots=True)
class _PartnerRequests:
    """The current input for a partner draw: the players looking for a partner, and the pairs to avoid."""

    numbers: tuple[int, ...]
    pools: Mapping[str, list[int]]
    without_pool: tuple[Entrant, ...]
    same_person: tuple[Pair, ...]
    before: tuple[Pair, ...]

    def differs_from(self, sealed: PartnerSeal) -> bool:
        return bool(list(self.numbers) != sealed.numbers or dict(self.pools) != sealed.pools)


def load_partner_requests(event: Event, numbers: Iterable[int] | None = None) -> _PartnerRequests:
    """Return the players who are looking for a partner. If `numbers` is given, return only those entries."""
    seeking = load_partner_seekers(event)
    entrants = list(seeking if numbers is None else seeking.filter(number__in=list(numbers)))
    two_pools = has_two_partner_pools(event)
    # The player of each of these single entries, following merged records.
    members = Member.objects.filter(
        entrant__event=event, entrant__number__in=[entrant.number for entrant in entrants], replaced_by__isnull=True
    ).values_list("entrant__number", "player_id", "player__merged_into_id")
    persons = {number: merged or player for number, player, merged in members}
    partners = _load_former_partners(event)
    pairs = list(combinations(sorted(persons), 2))
    return _PartnerRequests(
        numbers=tuple(entrant.number for entrant in entrants),
        pools={
            pool: [entrant.number for entrant in entrants if entrant.pool == pool]
            for pool in (Entrant.Pool.values if two_pools else ())
        },
        without_pool=tuple(entrant for entrant in entrants if two_pools and not entrant.pool),
        same_person=tuple(pair for pair in pairs if persons[pair[0]] == persons[pair[1]]),
        before=tuple(pair for pair in pairs if frozenset(persons[number] for number in pair) in partners),
    )


def _load_former_partners(event: Event) -> set[frozenset[int]]:
    """Return the pairs of players who were already partners in this event.

    If this is a second-chance event, pairs from the earlier event are included.
    """
    rows = Member.objects.filter(entrant__event__in=list(_iter_event_and_earlier_ones(event)))
    seats: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for entrant, seat, player, merged in rows.values_list("entrant_id", "seat", "player_id", "player__merged_into_id"):
        seats[entrant].append((seat, merged or player))
    return {
        frozenset((one, other))
        for own in seats.values()
        for (seat, one), (beside, other) in combinations(own, 2)
        if seat != beside and one != other
    }


def _iter_event_and_earlier_ones(event: Event) -> Iterator[int]:
    """Yield the primary key of this event, then of the event that it is a second chance for, and so on."""
    seen: set[int] = set()
    here: Event | None = event
    while here is not None and here.pk not in seen:
        seen.add(here.pk)
        yield here.pk
        here = here.second_chance_of


# --- Second chance -------------------------------------------------------------------------------------------------


class EliminationCause(StrEnum):
    NOT_QUALIFIED = "not-qualified"
    BEATEN = "beaten"


@dataclass(frozen=True, slots=True)
class _SecondChanceCandidate:
    """An eliminated player who could get a second chance in this event, with their entry in the earlier event.

    `is_in` is true if the player is already entered in this event.
    """

    player: Player
    entrant: Entrant
    end: EliminationCause
    pool: str = ""
    is_in: bool = False

    @property
    def name(self) -> str:
        return str(self.player)


def _load_elimination_causes(event: Event) -> dict[int, EliminationCause]:
    """Return why each eliminated entrant can no longer win the event, keyed by entry number.

    If the event has stages, these entrants were eliminated in a pool, did not reach the bracket, or lost in it. If a
    pool decides the event, everybody below first place is eliminated at the end. Every other format eliminates everyone
    who did not win.
    """
    course = load_event_stages(event)
    if course.stages and course.current_stage.kind.traits.two_meet:
        return _find_eliminated_in_stages(course)
    return _find_beaten_entries(load_final_placings(event))


def _find_eliminated_in_stages(course: EventStages) -> dict[int, EliminationCause]:
    ends: dict[int, EliminationCause] = {}
    for stage in course.pools:
        ends.update(
            dict.fromkeys(
                stage.pool.qualifying.list_entries_with_status(QualifyingStatus.OUT), EliminationCause.NOT_QUALIFIED
            )
        )
    bracket, pool = course.bracket, course.pool
    if bracket is not None:
        ends.update(
            {number: EliminationCause.NOT_QUALIFIED for number in course.entries if number not in bracket.row.entries}
        )
        ends.update(_find_beaten_entries(bracket.places_in_bracket))
    elif course.is_complete and pool is not None:
        ranked = [row for _part, rows in pool.standings for row in rows if row.place and row.place > 1]
        ends.update({row.entry: EliminationCause.BEATEN for row in ranked})
    return ends


def _find_beaten_entries(placings: Placings | None) -> dict[int, EliminationCause]:
    finish = placings.finish if placings is not None else ()
    return {number: EliminationCause.BEATEN for placing in finish if placing.place > 1 for number in placing.entries}


def load_second_chance_candidates(event: Event) -> list[_SecondChanceCandidate]:
    """Return the players eliminated from an earlier event who can get a second chance in this event.

    They are sorted by their entry number in the earlier event. Players who withdrew, were no-shows, or were
    disqualified are left out.
    """
    first = event.second_chance_of
    if first is None:
        return []
    ends = _load_elimination_causes(first)
    members = Member.objects.filter(
        entrant__event=first, entrant__number__in=list(ends), entrant__state=Entrant.State.IN, replaced_by__isnull=True
    ).select_related("entrant", "player__merged_into")
    rows = list(members.order_by("entrant__number", "seat"))
    players = [row.player for row in rows]
    entries = load_active_entries(event, players) if players else event.entrants.none()
    inside = Member.objects.filter(entrant__in=entries, replaced_by__isnull=True)
    here = {merged or player for player, merged in inside.values_list("player_id", "player__merged_into_id")}
    # The pool from which each player got a partner in the first event.
    listed = Member.objects.filter(entrant__event=first).exclude(entrant__pool="")
    columns = listed.values_list("player_id", "player__merged_into_id", "entrant__pool")
    pools = {merged or player: pool for player, merged, pool in columns}
    candidates: dict[int, _SecondChanceCandidate] = {}
    for row in rows:
        player = resolve_merged_player(row.player)
        end, pool, is_in = ends[row.entrant.number], pools.get(player.pk, ""), player.pk in here
        candidates.setdefault(player.pk, _SecondChanceCandidate(player, row.entrant, end, pool, is_in=is_in))
    return list(candidates.values())
