"""What waits for the desk, oldest first: each row is one thing to do and where it is done."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pairing.course.selectors.openings import preview_next_stage
from pairing.course.selectors.placings import load_final_placings
from pairing.draws.table_rounds.rounds import Rounds
from pairing.plans.selectors import traits_of
from pairing.stage_kinds.selectors.stages import Course, load_course
from pairing.table_rounds.selectors.seatings import load_present, open_seating
from scoring.card_list.selectors import DeskCard, load_open_calls
from scoring.card_state.selectors.meetings import count_without_table
from scoring.correction_period.selectors import waiting_entries
from scoring.disputes.selectors.disputes import waiting_disputes
from scoring.models import Ruling
from scoring.posting.selectors.statements import (
    CountedCard,
    changed_at,
    load_decided_since,
    load_disagreeing,
    load_points,
)
from scoring.rulings.selectors.since import ChangedSince
from tournament.core.folded import folded_here, versions_by_topic
from tournament.core.selectors.entries import load_entries
from tournament.errors import DomainError
from tournament.models import Entrant, Event, Job
from tournament.models.topic import DESK
from tournament.money.selectors.ledger import Books, load_books, load_payout, load_pool
from tournament.money.selectors.open_points import money_points
from tournament.money.selectors.payouts import WrongPayout, load_paid, won_of, wrong_payouts
from tournament.registration.selectors.approvals import APPROVALS, load_missing
from tournament.registration.selectors.entrants import ROLES

State = Event.State


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """One thing that waits: in words, since when (None: not known), and the page that settles it.

    `cents` is the amount that it is about (0: none), shown after the words.
    `ident` is the match that the page is about, `token` the card; `query` how its form is filled in; `act` the words of
    its button.
    """

    text: str
    page: str
    since: datetime | None = None
    cents: int = 0
    ident: str = ""
    token: str = ""
    query: str = ""
    act: str = ""


Changed = Mapping[int, Sequence[ChangedSince]]


def load_attention(
    event: Event, cards: Sequence[DeskCard], rulings: Iterable[Ruling], changed: Changed
) -> list[AttentionItem]:
    """A constant number of queries, whatever the field.

    `cards` are those that are open; `changed` is what does not stand any more of the `rulings`. What the time of day
    does not change is worked out once for what the desk has to know.
    """
    name = ("attention", get_language())
    rows, told = folded_here(event.pk, (DESK,), name, lambda: _whatever_the_time(event, cards, rulings, changed))
    if event.state == State.IN_PLAY:
        rows = [*rows, *_cards([card for card in cards if card.state.card.pk not in told])]
    return sorted(rows, key=lambda row: row.since.timestamp() if row.since is not None else inf)


def _whatever_the_time(
    event: Event, cards: Sequence[DeskCard], rulings: Iterable[Ruling], changed: Changed
) -> tuple[list[AttentionItem], set[int]]:
    """And the keys of the cards that need no word of their own."""
    books = load_books(event)
    rows = _calls(event) + _entrants(event, books) + _jobs(event) + _prizes(event, books) + _to_hand_back(event, books)
    if event.state not in (State.IN_PLAY, State.FINISHED):
        return rows, set()
    against = load_disagreeing(event, versions_by_topic(event.pk))
    if event.state == State.IN_PLAY:
        rows += _rulings(event) + _tables(event) + _to_confirm(event)
    rows += _against_results(event, against) + _changed_rulings(rulings, changed)
    told = {one.state.card.pk for one in against}
    return rows, told | load_decided_since([card.state for card in cards if card.state.lines])


def _calls(event: Event) -> list[AttentionItem]:
    return [
        AttentionItem(_("%(name)s calls the director") % {"name": call.entrant.name}, "scoring:desk_cards", call.at)
        for call in load_open_calls(event)
    ]


def _rulings(event: Event) -> list[AttentionItem]:
    waiting = list(waiting_disputes(event).order_by("pk").values_list("pk", "at"))
    if not waiting:
        return []
    text = ngettext("%(count)s waits for a ruling", "%(count)s wait for a ruling", len(waiting))
    return [AttentionItem(text % {"count": len(waiting)}, "scoring:desk_rulings", waiting[0][1])]


def _changed_rulings(rulings: Iterable[Ruling], changed: Changed) -> list[AttentionItem]:
    """Those of which something does not stand any more although nobody said so with a reason."""
    said = _("Ruling %(number)s: not all that it did stands any more, and nobody gave a reason.")
    return [
        AttentionItem(said % {"number": one.number}, "scoring:desk_rulings", act=_("Look at the rulings"))
        for one in rulings
        if not all(each.is_told for each in changed.get(one.pk, ()))
    ]


def _to_confirm(event: Event) -> list[AttentionItem]:
    entries = waiting_entries(event)
    if not entries:
        return []
    text = ngettext(
        "%(count)s entry waits for a second official", "%(count)s entries wait for a second official", len(entries)
    )
    return [AttentionItem(text % {"count": len(entries)}, "scoring:desk_entries", entries[0].at)]


def _against_results(event: Event, against: list[CountedCard]) -> list[AttentionItem]:
    """One for each match whose cards say otherwise than its result: first a card that all have to sign again."""
    rows = {}
    for one in sorted(against, key=lambda each: each.waits):
        is_over = event.state == State.FINISHED
        if traits_of(event).one_card:
            rows[one.state.card.match_id] = _of_all_cards(one, is_over=is_over)
        else:
            rows[one.state.card.match_id] = _to_sign(one) if one.waits and not is_over else _to_decide(one)
    return list(rows.values())


def _to_decide(one: CountedCard) -> AttentionItem:
    match = one.state.card.match
    said = _(
        "Match %(match)s: the signed card says %(card)s, the result is %(result)s. The result counts until you decide."
    )
    if one.waits:
        said = _(
            "Match %(match)s: the card was changed to %(card)s and not signed again, the result is %(result)s. "
            "The event is finished: nobody can sign."
        )
    points = load_points(match) if not one.waits else None
    winner = points.winner if points is not None else None
    ending = f"played:{winner}" if winner is not None else "void:"
    return AttentionItem(
        said % {"match": match.ident, "card": one.state.score.line, "result": one.result_line},
        "pairing:desk_decide",
        changed_at(one.state) if one.waits else one.state.clock.counts_since,
        ident=match.ident,
        query=f"?ending={ending}" if points is not None else "",
        act=_("Decide the match"),
    )


def _of_all_cards(one: CountedCard, *, is_over: bool) -> AttentionItem:
    """Where two sides turn nobody decides the result: it is the sum of all cards."""
    said = _("The card was changed to %(card)s after the result was made. The result follows when all have signed.")
    if is_over:
        said = _(
            "The card was changed to %(card)s after the result was made. Open the event again: the result follows when "
            "all have signed."
        )
    words = {"card": one.state.score.line}
    return AttentionItem(said % words, "scoring:desk_rounds", changed_at(one.state), act=_("Look at the rounds"))


def _to_sign(one: CountedCard) -> AttentionItem:
    """A card that was changed after it was posted: what it says by now, and the result that stays until all sign."""
    if one.state.is_complete:
        act = _("Collect the signatures")
        said = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "Until then the result stays: %(result)s."
        )
    else:
        act = _("Complete the card")
        said = _(
            "Match %(match)s, game %(game)s: the card was changed to %(card)s and is not complete. "
            "Until it is, and all have signed, the result stays: %(result)s."
        )
    if one.is_by_desk and one.state.is_complete:
        said = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "The desk decided the result before that, and it stays: %(result)s."
        )
    card = one.state.card
    words = {"match": card.match.ident, "game": card.game, "card": one.state.score.line, "result": one.result_line}
    return AttentionItem(said % words, "scoring:desk_card_lines", changed_at(one.state), token=card.token, act=act)


def _entrants(event: Event, books: Books) -> list[AttentionItem]:
    states = dict.fromkeys(Entrant.State.values, 0)
    absent = 0
    for entry in load_entries(event):
        states[entry.state] += 1
        absent += entry.state == Entrant.State.IN and not entry.arrived
    rows = []
    if count := states[Entrant.State.APPLIED]:
        text = ngettext("%(count)s entrant waits for approval", "%(count)s entrants wait for approval", count)
        said = text % {"count": count}
        rows.append(AttentionItem(f"{said}: {_by_role(event)}", "tournament:desk_entrants"))
    if count := states[Entrant.State.WAITING]:
        text = ngettext("%(count)s is on the waiting list", "%(count)s are on the waiting list", count)
        rows.append(AttentionItem(text % {"count": count}, "tournament:desk_entrants"))
    if event.state in (State.OPEN, State.CLOSED):
        rows += _before_the_draw(books, absent)
    return rows


def _by_role(event: Event) -> str:
    """“2 by the director, 1 by the hotel”."""
    missing = load_missing(event)
    each = ({"count": missing[role], "role": ROLES[role]} for role in (*APPROVALS, "desk") if missing[role])
    return ", ".join(_("%(count)s by %(role)s") % words for words in each)


def _before_the_draw(books: Books, absent: int) -> list[AttentionItem]:
    rows = []
    unpaid = sum(account.due_cents > 0 for account in books.accounts.values())
    if unpaid:
        text = ngettext("%(count)s has still to pay", "%(count)s have still to pay", unpaid) % {"count": unpaid}
        rows.append(AttentionItem(text, "tournament:desk_checkin"))
    if absent:
        text = ngettext("%(count)s has not arrived", "%(count)s have not arrived", absent) % {"count": absent}
        rows.append(AttentionItem(text, "tournament:desk_checkin"))
    return rows


def _tables(event: Event) -> list[AttentionItem]:
    without = count_without_table(event)
    if not without:
        return []
    text = ngettext("%(count)s match waits for a table", "%(count)s matches wait for a table", without)
    return [AttentionItem(text % {"count": without}, "pairing:desk_tables")]


def _cards(cards: list[DeskCard]) -> list[AttentionItem]:
    rows = []
    for card in cards:
        place = {"table": card.state.table or "–", "names": card.state.title, "minutes": card.minutes}
        page = "scoring:desk_cards"
        if card.state.state == "undecided":
            text = _("Table %(table)s, %(names)s: the director decides how the game ends") % place
            page = "scoring:desk_time"
        elif card.state.is_complete:
            text = _("Table %(table)s, %(names)s: a signature is missing") % place
        elif card.is_overdue:
            text = _("Table %(table)s, %(names)s: %(minutes)s minutes in play") % place
        else:
            continue
        rows.append(AttentionItem(text, page, card.since))
    return rows


def _jobs(event: Event) -> list[AttentionItem]:
    failed = event.jobs.filter(state=Job.State.FAILED).order_by("-pk")[:3]
    return [AttentionItem(f"{job.title}: {job.message}", "scoring:desk_prints", job.changed_at) for job in failed]


def _prizes(event: Event, books: Books) -> list[AttentionItem]:
    """Who was paid another amount than they won, by name; while the event is open again, that prizes are out."""
    if event.state == State.FINISHED:
        found = wrong_payouts(event, won_of(load_payout(event, load_pool(event, books))))
        return [_paid_otherwise(one) for one in found]
    paid = load_paid(event) if event.state == State.IN_PLAY else {}
    if not paid:
        return []
    text = ngettext(
        "%(count)s prize is handed over, and the event is open again: finish it to see what is open",
        "%(count)s prizes are handed over, and the event is open again: finish it to see what is open",
        len(paid),
    )
    return [AttentionItem(text % {"count": len(paid)}, "tournament:desk_prizes")]


def _to_hand_back(event: Event, books: Books) -> list[AttentionItem]:
    """Fees that were paid too much, by name, until they are handed back; after the finish, too."""
    said = _("%(name)s paid too much. To be handed back:")
    rows = [row for point in money_points(event, books) if point.code == "to-hand-back" for row in point.who]
    return [AttentionItem(said % {"name": name}, "tournament:desk_checkin", cents=cents) for name, cents in rows]


def _paid_otherwise(one: WrongPayout) -> AttentionItem:
    said, cents = _("%(name)s was paid too much. To get back:"), one.to_get_back_cents
    if one.to_pay_cents > 0:
        said, cents = _("%(name)s was paid too little. Still to pay:"), one.to_pay_cents
    return AttentionItem(said % {"name": one.name}, "tournament:desk_prizes", cents=cents)


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one act that takes the event on from here: words, and the page it is done on."""

    label: str
    text: str
    page: str
    posts: bool = False


def _in_play(event: Event) -> NextStep:
    if traits_of(event).one_card:
        return _of_two_sides(event)
    if load_final_placings(event) is not None:
        return NextStep(
            _("Finish the event"), _("Everything is decided: places become payouts."), "pairing:desk_results"
        )
    course = load_course(event)
    if course.rounds is not None:
        return _next_round(event, course.rounds)
    if course.stages and course.bracket is None:
        return _in_stages(event, course)
    return NextStep(
        _("Send matches to tables"),
        _("Winners move up by themselves when their cards are signed."),
        "pairing:desk_tables",
    )


def _in_stages(event: Event, course: Course) -> NextStep:
    """In a pool or play-off: at the desk until it is over, then the next stage is opened."""
    stage = course.current
    if stage.is_complete and course.to_come is not None:
        try:
            preview_next_stage(event, course)
        except DomainError as too_few_left:
            return NextStep(_("End the event early"), too_few_left.message, "pairing:desk_end_early")
        label = _("Open “%(name)s”") % {"name": course.to_come.name}
        text = _("“%(name)s” is over: look at who goes on and why.") % {"name": stage.name}
        return NextStep(label, text, "pairing:desk_stages")
    label = _("Pair and call “%(name)s”") % {"name": stage.name}
    text = _("Who waits, who plays where, and whom the desk sends next.")
    return NextStep(label, text, "pairing:desk_pairing")


def _of_two_sides(event: Event) -> NextStep:
    page = "scoring:desk_rounds"
    if load_final_placings(event) is not None:
        return NextStep(_("Finish the event"), _("Everything is decided: places become payouts."), page)
    turning = load_course(event).turning
    label = _("Follow round %(round)s") % {"round": turning.current.round if turning else 1}
    return NextStep(label, _("Enter what the tables report; the next round follows from it."), page)


def _next_round(event: Event, rounds: Rounds) -> NextStep:
    page, seated = "pairing:desk_seatings", len(rounds.rounds)
    if open_seating(event) is not None:
        return NextStep(_("Post the seating"), _("Look at who meets whom again, then everybody sees it."), page)
    if rounds.ready:
        text = ngettext("%(count)s table is still playing.", "%(count)s tables are still playing.", len(rounds.ready))
        label = _("Follow round %(round)s") % {"round": seated}
        return NextStep(label, text % {"count": len(rounds.ready)}, page)
    if seated < rounds.terms.rounds and len(load_present(event)) < rounds.terms.fewest:
        text = _("Too few are left for another table.")
        return NextStep(_("End the event early"), text, "pairing:desk_end_early")
    text = _("Every table is decided. As few as can be meet again.")
    return NextStep(_("Seat round %(round)s") % {"round": seated + 1}, text, page)


def next_door(event: Event) -> NextStep | None:
    if event.state == State.IN_PLAY:
        return _in_play(event)
    steps = {
        State.DRAFT: NextStep(
            _("Open registration"),
            _("Check the settings and the rule sheet, then let people enter."),
            "tournament:open_event",
            posts=True,
        ),
        State.OPEN: NextStep(
            _("Close registration and publish the seal of the draw"),
            _("Who is in then is on the list that is drawn."),
            "pairing:desk_draw",
        ),
        State.CLOSED: NextStep(
            _("Draw blind"), _("Let the room cut the cards and type what it saw."), "pairing:desk_draw"
        ),
        State.DRAWN: NextStep(
            _("Start play"),
            _("The rule sheet is frozen and published, and the cards are opened."),
            "scoring:start_play",
            posts=True,
        ),
        State.FINISHED: NextStep(
            _("Pay the prizes"), _("Print the list and have it signed."), "tournament:desk_prizes"
        ),
    }
    return steps.get(State(event.state))
