"""Everything that needs attention at the desk, oldest first, and the facts for the next step."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import inf

from django.db.models import Exists, OuterRef
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pairing.course.selectors.openings import preview_next_stage
from pairing.course.selectors.places import load_final_placings
from pairing.draws.table_rounds.rounds import Rounds
from pairing.late_entries.selectors import load_unplaced
from pairing.matches.selectors import load_called
from pairing.plans.selectors import traits_of
from pairing.stage_kinds.selectors.course import Course, load_course, load_held
from pairing.stage_kinds.selectors.kinds import StageState
from pairing.table_rounds.selectors import load_present, open_seating
from scoring.card_list.selectors import DeskCard, LastPosted, load_open_and_posted, load_open_calls
from scoring.card_state.selectors.players import count_without_table
from scoring.correction_period.selectors import waiting_entries
from scoring.disputes.selectors import count_waiting, load_waiting_since
from scoring.models import Ruling
from scoring.posting.selectors.card_status import load_decided_since, load_disagreeing
from scoring.rulings.selectors.register import ChangedSince, load_changed_since, load_rulings_in
from scoring.today.selectors.cards import against_results, cards_in_play, cards_not_posted, clash_rows, load_final_times
from scoring.today.selectors.items import (
    AttentionItem,
    EventFacts,
    Finals,
    Open,
    State,
    count_entered,
    count_rows,
    entrant_rows,
    money_rows,
)
from tournament.core.folded import folded_here, versions_by_topic
from tournament.errors import DomainError
from tournament.messages.selectors import load_to_call, load_undelivered
from tournament.models import Event, Job
from tournament.models.topic import DESK
from tournament.money.selectors.ledger import load_books
from tournament.registration.selectors.private_links import open_requests
from tournament.setup.forms import STEPS
from tournament.setup.selectors import load_setup_saved
from tournament.setup.words import NextStep

# --- Play ------------------------------------------------------------------------------------------------------------
# The next step that the kind of the current stage asks for.

EARLY = "pairing:desk_end_early"


def load_play_step(event: Event) -> NextStep | None:
    """Return the next step of the current stage, or None in a bracket, whose matches only need tables."""
    course = load_course(event)
    if traits_of(event).one_card:
        label = _("Follow round %(round)s") % {"round": course.turning.current.round if course.turning else 1}
        return NextStep(
            label, _("Enter what the tables report. The next round follows from it."), "scoring:desk_rounds"
        )
    if course.rounds is not None:
        return _next_round(event, course.rounds)
    return _in_stages(event, course) if course.stages and course.bracket is None else None


def _in_stages(event: Event, course: Course) -> NextStep:
    """Return the next step in a pool or play-off: pair until it is over, then open the next stage."""
    stage = course.current
    if stage.is_complete and course.to_come is not None:
        try:
            preview_next_stage(event, course)
        except DomainError as too_few_left:
            return NextStep(_("End the event early"), too_few_left.message, EARLY)
        label = _("Open “%(name)s”") % {"name": course.to_come.name}
        text = _("“%(name)s” is over. Look at who goes on and why.") % {"name": stage.name}
        return NextStep(label, text, "pairing:desk_stages")
    if not _has_to_pair(event, stage):
        text = _("Everybody is playing. The next pairings follow when a match ends.")
        return NextStep(_("Follow the score cards"), text, "scoring:desk_cards")
    label = _("Make pairings in “%(name)s”") % {"name": stage.name}
    text = _("See who is waiting, who plays where, and which pairings come next.")
    return NextStep(label, text, "pairing:desk_pairing")


def _has_to_pair(event: Event, stage: StageState) -> bool:
    """Return whether a match can be called to a table, two entrants wait for each other, or nobody plays."""
    at_table = load_called(event, stage.ready)
    if stage.lacks_matches or len(at_table) < len(stage.ready) or not at_table:
        return True
    pool, traits = stage.pool, stage.kind.traits
    if pool is None or traits.all_meet or traits.by_rounds:
        return False
    held = load_held(stage.row)
    return sum(entry not in held for entry in pool.qualifying.ready) > 1


def _next_round(event: Event, rounds: Rounds) -> NextStep:
    page, seated = "pairing:desk_seatings", len(rounds.rounds)
    if open_seating(event) is not None:
        text = _("The round is paired, and only staff can see it. Look at it, then post it for everybody.")
        return NextStep(_("Post the table assignments"), text, page)
    if rounds.ready:
        text = ngettext("%(count)s table is still playing.", "%(count)s tables are still playing.", len(rounds.ready))
        label = _("Follow round %(round)s") % {"round": seated}
        return NextStep(label, text % {"count": len(rounds.ready)}, page)
    if seated < rounds.terms.rounds and len(load_present(event)) < rounds.terms.fewest:
        return NextStep(_("End the event early"), _("Too few players are left for another table."), EARLY)
    text = _("Every table is decided. As few players as possible meet again.")
    return NextStep(_("Pair round %(round)s") % {"round": seated + 1}, text, page)


Changed = Mapping[int, Sequence[ChangedSince]]


@dataclass(frozen=True, slots=True)
class Day:
    facts: EventFacts
    items: tuple[AttentionItem, ...]
    posted: tuple[LastPosted, ...]
    rulings: tuple[Ruling, ...]
    changed: Changed


@dataclass(frozen=True, slots=True)
class _Folded:
    """The part of a day that does not depend on the time. Cards in `told` are covered by another item."""

    items: tuple[AttentionItem, ...]
    told: frozenset[int]
    against: frozenset[int]
    entered: int
    play: NextStep | None
    is_decided: bool
    finals: Finals


def load_day(event: Event, now: datetime) -> Day:
    """Load everything that *Today* shows. The number of queries does not depend on the size of the field."""
    rulings, changed = folded_here(event.pk, (DESK,), ("rulings", get_language()), lambda: _rulings_in(event))
    cards, posted = load_open_and_posted(event, now)
    name = ("attention", get_language())
    known = folded_here(event.pk, (DESK,), name, lambda: _fold(event, cards, rulings, changed, now))
    items = [*known.items, *_by_the_clock(event, known, cards, now), *count_rows(event), *clash_rows(event)]
    items.sort(key=lambda item: item.since.timestamp() if item.since is not None else inf)
    return Day(_facts(event, known, items), tuple(items), tuple(posted), tuple(rulings), changed)


def load_step_facts(event: Event, now: datetime) -> EventFacts:
    """Load the facts for the next step. While the event is in play, only the facts that are asked for are read.

    A page that follows a result is made again after each result, and loading the whole day takes longer than the page.
    """
    if event.state != State.IN_PLAY or load_final_placings(event) is not None:
        return load_day(event, now).facts
    return EventFacts(state=event.state, play=load_play_step(event), open=_CountedInPlay(event, now))


class _CountedInPlay(Mapping[Open, int]):
    """The number of open items of each kind, each counted when it is asked for."""

    def __init__(self, event: Event, now: datetime) -> None:
        self.event, self.now = event, now

    def __getitem__(self, code: Open) -> int:
        if code is Open.CALL:
            return len(load_open_calls(self.event))
        if code is Open.RULING:
            return count_waiting(self.event)
        if code is Open.LATE:
            unplaced = load_unplaced(self.event)
            return len(unplaced.entrants) if unplaced.can_join else 0
        if code is Open.TABLE:
            return count_without_table(self.event)
        if code is Open.CONFIRM:
            return len(waiting_entries(self.event))
        return self._of_the_day[code]

    @cached_property
    def _of_the_day(self) -> Mapping[Open, int]:
        return load_day(self.event, self.now).facts.open

    def __iter__(self) -> Iterator[Open]:
        return iter(self._of_the_day)

    def __len__(self) -> int:
        return len(self._of_the_day)


def _facts(event: Event, known: _Folded, items: Iterable[AttentionItem]) -> EventFacts:
    counts: Counter[Open] = Counter()
    for item in items:
        counts[item.code] += item.count
    return EventFacts(
        state=event.state,
        setup_left=_setup_left(event) if event.state == State.DRAFT else "",
        entered=known.entered,
        play=known.play,
        is_decided=known.is_decided,
        open=counts,
    )


def _setup_left(event: Event) -> str:
    """Return the first step of the setup that was not saved.

    It is not cached, because saving a step without a change wakes no topic.
    """
    saved = load_setup_saved(event)
    return next((step.name for step in STEPS if step.name not in saved), "") if saved is not None else ""


def _rulings_in(event: Event) -> tuple[list[Ruling], dict[int, tuple[ChangedSince, ...]]]:
    rulings = load_rulings_in(event)
    return rulings, load_changed_since(rulings)


def _fold(
    event: Event, cards: Sequence[DeskCard], rulings: Iterable[Ruling], changed: Changed, now: datetime
) -> _Folded:
    books = load_books(event)
    items = [*_jobs(event), *_mails(event), *_links(event, now), *money_rows(event, books)]
    if event.state == State.CALLED_OFF:
        items += _to_call(event)
    else:
        items += [*_calls(event), *entrant_rows(event, books)]
    told: frozenset[int] = frozenset()
    against: frozenset[int] = frozenset()
    if event.state in (State.IN_PLAY, State.FINISHED):
        disagreeing = load_disagreeing(event, versions_by_topic(event.pk))
        items += [*against_results(event, disagreeing), *_changed_rulings(rulings, changed)]
        against = frozenset(one.state.card.pk for one in disagreeing)
        told = against | load_decided_since([card.state for card in cards if card.state.lines])
    in_play = event.state == State.IN_PLAY
    decided = in_play and load_final_placings(event) is not None
    if in_play:
        items += [*_late(event), *_rulings(event), *_tables(event), *_to_confirm(event)]
    return _Folded(
        tuple(items),
        told,
        against,
        entered=count_entered(event),
        play=load_play_step(event) if in_play and not decided else None,
        is_decided=decided,
        finals=_finals(event, now) if decided else (),
    )


def _finals(event: Event, now: datetime) -> Finals:
    return tuple((state.title, final) for state, final in load_final_times(event, now))


def _by_the_clock(event: Event, known: _Folded, cards: Sequence[DeskCard], now: datetime) -> Iterator[AttentionItem]:
    if event.state != State.IN_PLAY:
        return
    if known.is_decided:
        yield from cards_not_posted(
            [card for card in cards if card.state.lines and card.state.card.pk not in known.against]
        )
        yield from _correction_period(known.finals, now)
    else:
        yield from cards_in_play([card for card in cards if card.state.card.pk not in known.told])


def _correction_period(finals: Finals, now: datetime) -> Iterator[AttentionItem]:
    """Yield an item with the time at which the last correction period ends. Finishing earlier needs a reason."""
    running = [final for _title, final in finals if final > now]
    if not running:
        return
    text = ngettext(
        "The correction period of %(count)s score card still runs",
        "The correction periods of %(count)s score cards still run",
        len(running),
    )
    said = text % {"count": len(running)}
    yield AttentionItem(
        Open.CORRECTION, said, "scoring:desk_cards", query="?only=posted", count=len(running), until=max(running)
    )


def _calls(event: Event) -> Iterator[AttentionItem]:
    for call in load_open_calls(event):
        said = _("%(name)s calls the director") % {"name": call.entrant.name}
        yield AttentionItem(Open.CALL, said, "scoring:desk_cards", call.at)


def _late(event: Event) -> Iterator[AttentionItem]:
    unplaced = load_unplaced(event)
    for entrant in unplaced.entrants:
        if unplaced.can_join:
            said = _("%(name)s is checked in and in no match yet.") % {"name": entrant.name}
            page = "pairing:desk_late_bye" if load_course(event).bracket is not None else "pairing:desk_late"
            yield AttentionItem(Open.LATE, said, page, act=_("Add the late entry"))
        else:
            said = _("%(name)s is checked in, and no place is left. Withdraw the entry and refund the fee.")
            query = f"?q={entrant.number}"
            yield AttentionItem(Open.UNPLACED, said % {"name": entrant.name}, "tournament:desk_entrants", query=query)


def _rulings(event: Event) -> Iterator[AttentionItem]:
    if waiting := load_waiting_since(event):
        text = ngettext("%(count)s dispute needs a ruling", "%(count)s disputes need a ruling", len(waiting))
        said = text % {"count": len(waiting)}
        since, page = waiting[0], "scoring:desk_rulings"
        yield AttentionItem(Open.RULING, said, page, since, count=len(waiting), query="?waiting=1")


def _changed_rulings(rulings: Iterable[Ruling], changed: Changed) -> Iterator[AttentionItem]:
    said = _("Ruling %(number)s: part of it was changed later, and nobody gave a reason.")
    for one in rulings:
        if not all(each.is_told for each in changed.get(one.pk, ())):
            words = said % {"number": one.number}
            yield AttentionItem(Open.CHANGED_RULING, words, "scoring:desk_rulings", act=_("Look at the rulings"))


def _to_confirm(event: Event) -> Iterator[AttentionItem]:
    entries = waiting_entries(event)
    if entries:
        text = ngettext(
            "%(count)s entry needs a second official", "%(count)s entries need a second official", len(entries)
        )
        said = text % {"count": len(entries)}
        yield AttentionItem(Open.CONFIRM, said, "scoring:desk_entries", entries[0].at, count=len(entries))


def _tables(event: Event) -> Iterator[AttentionItem]:
    if without := count_without_table(event):
        text = ngettext("%(count)s match needs a table", "%(count)s matches need a table", without)
        yield AttentionItem(Open.TABLE, text % {"count": without}, "pairing:desk_tables", count=without)


def _mails(event: Event) -> Iterator[AttentionItem]:
    for message, failed in load_undelivered(event):
        text = ngettext(
            "“%(subject)s”: %(count)s email could not be sent. Try again, or call the player.",
            "“%(subject)s”: %(count)s emails could not be sent. Try again, or call these players.",
            failed,
        )
        said = text % {"subject": message.subject, "count": failed}
        page = "tournament:desk_message"
        yield AttentionItem(Open.MAIL, said, page, message.at, count=failed, message=message.pk)


def _to_call(event: Event) -> Iterator[AttentionItem]:
    off = event.steps.filter(went_to=State.CALLED_OFF).last()
    for message, count in load_to_call(event, off.at) if off is not None else ():
        text = ngettext(
            "%(count)s player has no email. Call them and say that the event is called off.",
            "%(count)s players have no email. Call them and say that the event is called off.",
            count,
        )
        said = text % {"count": count}
        page = "tournament:desk_message"
        yield AttentionItem(Open.TO_CALL, said, page, message.at, count=count, message=message.pk)


def _links(event: Event, now: datetime) -> Iterator[AttentionItem]:
    """Yield an item for each requested link, by name, because the player is at the desk and gives that name."""
    for request in open_requests(event, now):
        said = _("%(name)s has lost their private link. Look at them, then approve.") % {"name": request.name}
        yield AttentionItem(Open.LINK, said, "tournament:desk_link_requests", request.at)


def _jobs(event: Event) -> Iterator[AttentionItem]:
    """Yield failed jobs that did not succeed when they were started again."""
    done = event.jobs.filter(state=Job.State.DONE, kind=OuterRef("kind"), pk__gt=OuterRef("pk"))
    for job in event.jobs.filter(~Exists(done), state=Job.State.FAILED).order_by("-pk")[:3]:
        said = _("“%(title)s” failed. %(why)s") % {"title": job.words, "why": job.message}
        yield AttentionItem(
            Open.JOB,
            said.strip(),
            "tournament:desk_job_again",
            job.changed_at,
            act=_("Try again"),
            job=job.pk,
            asked_by=job.by_id,
        )
