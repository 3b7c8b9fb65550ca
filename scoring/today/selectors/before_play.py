"""Attention items about entrants, fees and the draw."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.blind_draw.selectors import current_commitment, load_draw_terms
from pairing.matches.selectors.records import open_draw
from pairing.partners.selectors import open_partner_draw
from pairing.plans.selectors import load_plan
from scoring.today.selectors.items import AttentionItem, Open, State
from tournament.core.selectors.events import ListedEntry, load_entries
from tournament.models import Entrant, EntrantFact, Event
from tournament.money.selectors.ledger import Books
from tournament.registration.selectors.entries import APPROVALS, ROLES, load_missing
from tournament.registration.selectors.entry_options import draws_partners, load_sideless

ENTRANTS = "tournament:desk_entrants"
CHECK_IN = "tournament:desk_checkin"
DRAW = "pairing:desk_draw"


def count_entered(event: Event) -> int:
    return sum(entry.state == Entrant.State.IN for entry in load_entries(event))


def entrant_rows(event: Event, books: Books) -> Iterator[AttentionItem]:
    entries = load_entries(event)
    states = [entry.state for entry in entries]
    if count := states.count(Entrant.State.APPLIED):
        text = ngettext("%(count)s entrant needs approval", "%(count)s entrants need approval", count)
        said = text % {"count": count}
        yield AttentionItem(Open.APPROVAL, f"{said}: {_by_role(event)}", ENTRANTS, count=count)
    if count := states.count(Entrant.State.WAITING):
        text = ngettext("%(count)s entrant is on the waiting list", "%(count)s entrants are on the waiting list", count)
        yield AttentionItem(Open.WAITING_LIST, text % {"count": count}, ENTRANTS, count=count)
    if event.state in (State.OPEN, State.CLOSED):
        yield from _partners_and_sides(event, states.count(Entrant.State.SEEKING))
        yield from _not_ready(event, books, entries)
    elif event.state != State.DRAFT:
        yield from _owing(event, books)
    if event.state == State.CLOSED:
        yield from _draw_rows(event, [entry.number for entry in entries if entry.state == Entrant.State.IN])


def _by_role(event: Event) -> str:
    """Return how many approvals each role has to give, such as “2 by the director, 1 by the hotel”."""
    missing = load_missing(event)
    each = ({"count": missing[role], "role": ROLES[role]} for role in (*APPROVALS, "desk") if missing[role])
    return ", ".join(_("%(count)s by %(role)s") % words for words in each)


def _partners_and_sides(event: Event, seeking: int) -> Iterator[AttentionItem]:
    made = open_partner_draw(event) if draws_partners(event) else None
    if made is not None:
        said = _("The partners are drawn, but not posted. Only staff can see them.")
        yield AttentionItem(Open.PARTNERS_DRAWN, said, "pairing:desk_partners", made.at, act=_("Look at the partners"))
    elif seeking and draws_partners(event):
        text = ngettext(
            "%(count)s entrant is looking for a partner", "%(count)s entrants are looking for a partner", seeking
        )
        yield AttentionItem(Open.SEEKING, text % {"count": seeking}, "pairing:desk_partners", count=seeking)
    if count := len(load_sideless(event)):
        text = ngettext("%(count)s entrant has no side yet", "%(count)s entrants have no side yet", count)
        yield AttentionItem(Open.SIDELESS, text % {"count": count}, DRAW, count=count)


def _not_ready(event: Event, books: Books, entries: tuple[ListedEntry, ...]) -> Iterator[AttentionItem]:
    """Yield items for entrants who owe or have not checked in, except those whom the director lets play anyway."""
    kept: set[int] = set()
    if event.state == State.CLOSED:
        facts = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.KEPT)
        kept = set(facts.values_list("entrant_id", flat=True))
    yield from _owing(event, books, kept)
    expected = [entry for entry in entries if entry.state == Entrant.State.IN and entry.pk not in kept]
    if absent := sum(not entry.arrived for entry in expected):
        text = ngettext("%(count)s entrant has not checked in", "%(count)s entrants have not checked in", absent)
        yield AttentionItem(Open.ABSENT, text % {"count": absent}, CHECK_IN, query="?only=missing", count=absent)


def _owing(event: Event, books: Books, kept: Collection[int] = ()) -> Iterator[AttentionItem]:
    """Yield items for entrants who owe money, with the amount once it is decided that they play."""
    due = {pk: account.due_cents for pk, account in books.accounts.items() if account.due_cents > 0}
    is_early = event.state in (State.OPEN, State.CLOSED)
    if count := sum(is_early and pk not in kept for pk in due):
        text = ngettext("%(count)s entrant has not paid", "%(count)s entrants have not paid", count)
        yield AttentionItem(Open.UNPAID, text % {"count": count}, CHECK_IN, query="?only=owes", count=count)
    if playing := [cents for pk, cents in due.items() if not is_early or pk in kept]:
        text = ngettext("%(count)s entrant still owes:", "%(count)s entrants still owe:", len(playing))
        kind = Open.PLAYS_UNPAID if is_early else Open.UNPAID
        said = text % {"count": len(playing)}
        yield AttentionItem(kind, said, CHECK_IN, query="?only=owes", count=len(playing), cents=sum(playing))


def _draw_rows(event: Event, numbers: list[int]) -> Iterator[AttentionItem]:
    made = open_draw(event)
    if made is not None:
        said = _("The draw is made, but not posted. Only staff can see it.")
        yield AttentionItem(Open.DRAWN, said, DRAW, made.at, act=_("Look at the draw"))
        return
    sealed = current_commitment(event)
    if sealed is None or sealed.numbers != numbers:
        yield AttentionItem(Open.SEAL, _("The list of entrants has changed since it was sealed"), DRAW)
    if load_plan(event).is_seeded and load_draw_terms(event) is None:
        yield AttentionItem(Open.SEEDS, _("The bracket is seeded, and no seeds are named"), DRAW, query="#terms")
