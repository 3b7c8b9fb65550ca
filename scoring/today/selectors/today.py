"""Load the content of the page *Today*: the items that need attention, and the facts that determine the next step."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import inf
from typing import Final

from django.db.models import Exists, OuterRef
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pairing.draws.table_rounds import TableRounds
from pairing.results.selectors.late_entries import load_undrawn_entries
from pairing.stages.selectors.course import EventStages, load_event_stages, load_final_placings, load_holds
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.openings import preview_next_stage
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.records import load_called_tables, load_current_entry_numbers
from pairing.stages.selectors.tables import load_seating_preview
from scoring.card_state.selectors.players import count_matches_without_table
from scoring.disputes.selectors.disputes import count_open_disputes, load_open_dispute_start_times
from scoring.disputes.selectors.register import RulingChange, load_event_rulings, load_ruling_changes
from scoring.models import Ruling
from scoring.posting.selectors.card_list import (
    DeskCard,
    PostedCardSummary,
    load_open_and_latest_cards,
    load_open_director_calls,
)
from scoring.posting.selectors.card_status import (
    load_cards_decided_after_change,
    load_disagreeing_cards,
    load_pending_staff_entries,
)
from scoring.today.selectors.attention_items import (
    AttentionItem,
    AttentionItemKind,
    EventState,
    iter_cash_count_items,
    iter_data_safety_items,
    iter_entrant_items,
    iter_money_items,
    make_item_with_count,
)
from scoring.today.selectors.card_items import (
    iter_card_in_play_items,
    iter_double_booking_items,
    iter_unposted_card_items,
    list_disagreeing_card_items,
    load_cards_with_final_times,
)
from tournament.core.cached import cached, load_versions_by_topic
from tournament.core.selectors.events import load_entries
from tournament.errors import DomainError
from tournament.messages.selectors import load_messages_needing_calls, load_undelivered_messages
from tournament.models import Entrant, Event, Job
from tournament.models.topic import DESK_TOPIC
from tournament.money.selectors.ledger import load_event_accounts
from tournament.registration.selectors.people import load_open_link_requests
from tournament.setup.forms import SETUP_STEPS
from tournament.setup.selectors import load_completed_setup_steps
from tournament.setup.words import NextStep

END_EARLY_PAGE: Final = "pairing:desk_end_early"
RulingChanges = Mapping[int, Sequence[RulingChange]]
"""Later changes to rulings, keyed by the ruling's primary key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStepFacts:
    """The facts that determine an event's next step."""

    state: str
    setup_left: str = ""
    """The first setup step that was not saved. It is empty if all steps were saved."""
    entry_count: int = 0
    """The number of active entries."""
    stage_step: NextStep | None = None
    """The next step in the current stage, or None in a bracket, which has no such steps."""
    is_decided: bool = False
    """Whether all matches have been played or decided."""
    open_case_counts: Mapping[AttentionItemKind, int] = field(default_factory=dict)
    """The number of open cases of each kind of attention item."""

    def count_open_cases(self, kind: AttentionItemKind) -> int:
        return self.open_case_counts.get(kind, 0)


@dataclass(frozen=True, slots=True)
class TodayContent:
    """The content of the page *Today*. Its `items` are sorted with the oldest first."""

    facts: NextStepFacts
    items: tuple[AttentionItem, ...]
    posted: tuple[PostedCardSummary, ...]
    rulings: tuple[Ruling, ...]
    ruling_changes: RulingChanges


@dataclass(frozen=True, slots=True)
class _CachedItems:
    """The parts of *Today* that do not depend on the current time, so that they can be cached."""

    items: tuple[AttentionItem, ...]
    covered: frozenset[int]
    """The primary keys of cards that already have an item or do not need one."""
    against: frozenset[int]
    """The primary keys of cards that disagree with their match's result."""
    entered: int
    stage_step: NextStep | None
    is_decided: bool
    finals: tuple[datetime, ...]
    """The times at which recently posted cards become final."""


def load_today_content(event: Event, now: datetime) -> TodayContent:
    """Load the content of *Today*."""
    rulings, changed = cached(event.pk, (DESK_TOPIC,), ("rulings", get_language()), lambda: _load_rulings(event))
    cards, posted = load_open_and_latest_cards(event, now)
    name = ("attention", get_language())
    known = cached(event.pk, (DESK_TOPIC,), name, lambda: _compute_items(event, cards, rulings, changed, now))
    items = [
        *known.items,
        *_iter_card_items(event, known, cards, now),
        *iter_cash_count_items(event),
        *iter_double_booking_items(event),
        *iter_data_safety_items(event, now),
    ]
    items.sort(key=lambda item: item.since.timestamp() if item.since is not None else inf)
    counts: Counter[AttentionItemKind] = Counter()
    for item in items:
        counts[item.kind] += item.count
    facts = NextStepFacts(
        state=event.state,
        setup_left=_load_unsaved_setup_step(event) if event.state == EventState.DRAFT else "",
        entry_count=known.entered,
        stage_step=known.stage_step,
        is_decided=known.is_decided,
        open_case_counts=counts,
    )
    return TodayContent(facts, tuple(items), tuple(posted), tuple(rulings), changed)


def load_next_step_facts(event: Event, now: datetime) -> NextStepFacts:
    """Load the facts that determine the next step.

    While the event is in play, counts are loaded only when needed, because loading all of them is slow.
    """
    if event.state != EventState.IN_PLAY or load_final_placings(event) is not None:
        return load_today_content(event, now).facts
    return NextStepFacts(
        state=event.state, stage_step=load_next_stage_step(event), open_case_counts=_LazyCounts(event, now)
    )


class _LazyCounts(Mapping[AttentionItemKind, int]):
    """The number of open cases of each kind of attention item, counted only when a number is accessed."""

    def __init__(self, event: Event, now: datetime) -> None:
        self.event, self.now = event, now

    def __getitem__(self, kind: AttentionItemKind) -> int:
        if kind is AttentionItemKind.DIRECTOR_CALL:
            return len(load_open_director_calls(self.event))
        if kind is AttentionItemKind.RULING:
            return count_open_disputes(self.event)
        if kind is AttentionItemKind.LATE_ENTRY:
            unplaced, can_join = load_undrawn_entries(self.event)
            return len(unplaced) if can_join else 0
        if kind is AttentionItemKind.TABLE:
            return count_matches_without_table(self.event)
        if kind is AttentionItemKind.ENTRY_TO_CONFIRM:
            return len(load_pending_staff_entries(self.event))
        return self._count_by_kind[kind]

    @cached_property
    def _count_by_kind(self) -> Mapping[AttentionItemKind, int]:
        return load_today_content(self.event, self.now).facts.open_case_counts

    def __iter__(self) -> Iterator[AttentionItemKind]:
        return iter(self._count_by_kind)

    def __len__(self) -> int:
        return len(self._count_by_kind)


def _load_unsaved_setup_step(event: Event) -> str:
    """Return the first setup step that the director has not saved, or an empty string if all are saved.

    The result is not cached, because saving a step without changes does not invalidate the cache.
    """
    saved = load_completed_setup_steps(event)
    return next((step.name for step in SETUP_STEPS if step.name not in saved), "") if saved is not None else ""


def _load_rulings(event: Event) -> tuple[list[Ruling], dict[int, tuple[RulingChange, ...]]]:
    rulings = load_event_rulings(event)
    return rulings, load_ruling_changes(rulings)


def _compute_items(
    event: Event, cards: Sequence[DeskCard], rulings: Iterable[Ruling], changed: RulingChanges, now: datetime
) -> _CachedItems:
    books = load_event_accounts(event)
    items = [
        *_iter_job_items(event),
        *_iter_mail_items(event),
        *_iter_link_items(event, now),
        *iter_money_items(event, books),
    ]
    if event.state == EventState.CALLED_OFF:
        items += _iter_call_off_items(event)
    else:
        for call in load_open_director_calls(event):
            text = _("%(name)s calls the director") % {"name": call.entrant.name}
            items.append(AttentionItem(AttentionItemKind.DIRECTOR_CALL, text, "scoring:desk_cards", call.at))
        items += iter_entrant_items(event, books)
    covered: frozenset[int] = frozenset()
    against: frozenset[int] = frozenset()
    if event.state in (EventState.IN_PLAY, EventState.FINISHED):
        disagreeing = load_disagreeing_cards(event, load_versions_by_topic(event.pk))
        items += [*list_disagreeing_card_items(event, disagreeing), *_iter_unexplained_change_items(rulings, changed)]
        against = frozenset(status.state.card.pk for status in disagreeing)
        covered = against | load_cards_decided_after_change([card.state for card in cards if card.state.lines])
    in_play = event.state == EventState.IN_PLAY
    decided = in_play and load_final_placings(event) is not None
    if in_play:
        items += [*_iter_late_entry_items(event), *_iter_open_ruling_items(event)]
        if without := count_matches_without_table(event):
            text = ngettext("%(count)s match needs a table", "%(count)s matches need a table", without)
            items.append(make_item_with_count(AttentionItemKind.TABLE, text, without, "pairing:desk_tables"))
        items += _iter_unconfirmed_entry_items(event)
    return _CachedItems(
        tuple(items),
        covered,
        against,
        entered=sum(entry.state == Entrant.State.IN for entry in load_entries(event)),
        stage_step=load_next_stage_step(event) if in_play and not decided else None,
        is_decided=decided,
        finals=tuple(final_at for _state, final_at in load_cards_with_final_times(event, now)) if decided else (),
    )


def _iter_card_items(
    event: Event, known: _CachedItems, cards: Sequence[DeskCard], now: datetime
) -> Iterator[AttentionItem]:
    if event.state != EventState.IN_PLAY:
        return
    if known.is_decided:
        yield from iter_unposted_card_items(
            [card for card in cards if card.state.lines and card.state.card.pk not in known.against]
        )
        yield from _iter_correction_period_items(known.finals, now)
    else:
        yield from iter_card_in_play_items([card for card in cards if card.state.card.pk not in known.covered])


def _iter_correction_period_items(finals: Iterable[datetime], now: datetime) -> Iterator[AttentionItem]:
    """Yield an attention item with the end of the last correction period, if one is still running."""
    running = [final_at for final_at in finals if final_at > now]
    if not running:
        return
    text = ngettext(
        "The correction period of %(count)s score card still runs",
        "The correction periods of %(count)s score cards still run",
        len(running),
    )
    page, query = "scoring:desk_cards", "?only=posted"
    yield make_item_with_count(AttentionItemKind.CORRECTION, text, len(running), page, query=query, until=max(running))


def _iter_late_entry_items(event: Event) -> Iterator[AttentionItem]:
    unplaced, can_join = load_undrawn_entries(event)
    for entrant in unplaced:
        if can_join:
            text = _("%(name)s is checked in and in no match yet.") % {"name": entrant.name}
            page = "pairing:desk_late_bye" if load_event_stages(event).bracket is not None else "pairing:desk_late"
            yield AttentionItem(AttentionItemKind.LATE_ENTRY, text, page, button_label=_("Add the late entry"))
        else:
            text = _("%(name)s is checked in, and no place is left. Withdraw the entry and refund the fee.")
            page, query = "tournament:desk_entrants", f"?q={entrant.number}"
            yield AttentionItem(AttentionItemKind.UNPLACED, text % {"name": entrant.name}, page, query=query)


def _iter_open_ruling_items(event: Event) -> Iterator[AttentionItem]:
    if waiting := load_open_dispute_start_times(event):
        text = ngettext("%(count)s dispute needs a ruling", "%(count)s disputes need a ruling", len(waiting))
        page = "scoring:desk_rulings"
        yield make_item_with_count(
            AttentionItemKind.RULING, text, len(waiting), page, since=waiting[0], query="?waiting=1"
        )


def _iter_unexplained_change_items(rulings: Iterable[Ruling], changed: RulingChanges) -> Iterator[AttentionItem]:
    text = _("Ruling %(number)s: part of it was changed later, and nobody gave a reason.")
    for ruling in rulings:
        if not all(change.has_reason for change in changed.get(ruling.pk, ())):
            sentence = text % {"number": ruling.number}
            yield AttentionItem(
                AttentionItemKind.CHANGED_RULING,
                sentence,
                "scoring:desk_rulings",
                button_label=_("Look at the rulings"),
            )


def _iter_unconfirmed_entry_items(event: Event) -> Iterator[AttentionItem]:
    if entries := load_pending_staff_entries(event):
        text = ngettext(
            "%(count)s entry needs a second official", "%(count)s entries need a second official", len(entries)
        )
        yield make_item_with_count(
            AttentionItemKind.ENTRY_TO_CONFIRM, text, len(entries), "scoring:desk_entries", since=entries[0].at
        )


def _iter_mail_items(event: Event) -> Iterator[AttentionItem]:
    for message, failed in load_undelivered_messages(event):
        text = ngettext(
            "“%(subject)s”: %(count)s email could not be sent. Try again, or call the player.",
            "“%(subject)s”: %(count)s emails could not be sent. Try again, or call these players.",
            failed,
        )
        sentence = text % {"subject": message.subject, "count": failed}
        page = "tournament:desk_message"
        yield AttentionItem(AttentionItemKind.MAIL, sentence, page, message.at, count=failed, message=message.pk)


def _iter_call_off_items(event: Event) -> Iterator[AttentionItem]:
    off = event.steps.filter(went_to=EventState.CALLED_OFF).last()
    for message, count in load_messages_needing_calls(event, off.at) if off is not None else ():
        text = ngettext(
            "%(count)s player has no email. Call them and say that the event is called off.",
            "%(count)s players have no email. Call them and say that the event is called off.",
            count,
        )
        page = "tournament:desk_message"
        yield make_item_with_count(
            AttentionItemKind.PLAYERS_TO_CALL, text, count, page, since=message.at, message=message.pk
        )


def _iter_link_items(event: Event, now: datetime) -> Iterator[AttentionItem]:
    for request in load_open_link_requests(event, now):
        text = _("%(name)s has lost their private link. Look at them, then approve.") % {"name": request.name}
        yield AttentionItem(AttentionItemKind.LINK_REQUEST, text, "tournament:desk_link_requests", request.at)


def _iter_job_items(event: Event) -> Iterator[AttentionItem]:
    """Yield attention items for the last three failed jobs, unless a job of the same kind has succeeded since."""
    done = event.jobs.filter(state=Job.State.DONE, kind=OuterRef("kind"), pk__gt=OuterRef("pk"))
    for job in event.jobs.filter(~Exists(done), state=Job.State.FAILED).order_by("-pk")[:3]:
        text = _("“%(title)s” failed. %(why)s") % {"title": job.words, "why": job.message}
        yield AttentionItem(
            AttentionItemKind.JOB,
            text.strip(),
            "tournament:desk_job_again",
            job.changed_at,
            button_label=_("Try again"),
            job=job.pk,
            only_for_user=job.by_id,
        )


# --- The next step of the current stage ------------------------------------------------------------------------------


def load_next_stage_step(event: Event) -> NextStep | None:
    """Return the next step in the current stage.

    The result is None in a bracket, because there is nothing to pair: its matches only need tables.
    """
    course = load_event_stages(event)
    if load_stage_traits(event).one_card:
        label = _("Follow round %(round)s") % {
            "round": course.rotating_sides.current_round.round if course.rotating_sides else 1
        }
        return NextStep(
            label, _("Enter what the tables report. The next round follows from it."), "scoring:desk_rounds"
        )
    if course.rounds is not None:
        return _find_step_in_rounds(event, course.rounds)
    return _find_step_in_stages(event, course) if course.stages and course.bracket is None else None


def _find_step_in_stages(event: Event, course: EventStages) -> NextStep:
    """Return the next step in an event with several stages: pair entrants, or open the next stage."""
    stage = course.current_stage
    if stage.is_complete and course.next_plan is not None:
        try:
            preview_next_stage(event, course)
        except DomainError as too_few_left:
            return NextStep(_("End the event early"), too_few_left.message, END_EARLY_PAGE)
        label = _("Open “%(name)s”") % {"name": course.next_plan.name}
        text = _("“%(name)s” is over. Look at who goes on and why.") % {"name": stage.name}
        return NextStep(label, text, "pairing:desk_stages")
    if not _needs_pairings(event, stage):
        text = _("Everybody is playing. The next pairings follow when a match ends.")
        return NextStep(_("Follow the score cards"), text, "scoring:desk_cards")
    label = _("Make pairings in “%(name)s”") % {"name": stage.name}
    text = _("See who is waiting, who plays where, and which pairings come next.")
    return NextStep(label, text, "pairing:desk_pairing")


def _needs_pairings(event: Event, stage: StageState) -> bool:
    """Return whether the next step is to make pairings.

    This is the case if pairs can be formed or sent to tables, or if nobody is playing.
    """
    at_table = load_called_tables(event, stage.ready_matches)
    if stage.lacks_matches or len(at_table) < len(stage.ready_matches) or not at_table:
        return True
    pool, traits = stage.pool, stage.kind.traits
    if pool is None or traits.all_meet or traits.pairs_in_rounds:
        return False
    held = load_holds(stage.row)
    return sum(entry not in held for entry in pool.qualifying.ready_entries) > 1


def _find_step_in_rounds(event: Event, rounds: TableRounds) -> NextStep:
    page, seated = "pairing:desk_seatings", len(rounds.rounds)
    if load_seating_preview(event) is not None:
        text = _("The round is paired, and only staff can see it. Look at it, then post it for everybody.")
        return NextStep(_("Post the table assignments"), text, page)
    if rounds.ready_tables:
        text = ngettext(
            "%(count)s table is still playing.", "%(count)s tables are still playing.", len(rounds.ready_tables)
        )
        label = _("Follow round %(round)s") % {"round": seated}
        return NextStep(label, text % {"count": len(rounds.ready_tables)}, page)
    if seated < rounds.terms.rounds and len(load_current_entry_numbers(event)) < rounds.terms.min_entries:
        return NextStep(_("End the event early"), _("Too few players are left for another table."), END_EARLY_PAGE)
    text = _("Every table is decided. As few players as possible meet again.")
    return NextStep(_("Pair round %(round)s") % {"round": seated + 1}, text, page)
