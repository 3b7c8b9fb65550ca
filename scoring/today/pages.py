"""The next step of an event, for *Today* and for every page that ends a step, and the links of open items."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, cast

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.today.selectors.attention import Day, load_step_facts
from scoring.today.selectors.items import AttentionItem, EventFacts, Open, State
from tournament.core.pages.access import ActorRequest
from tournament.models import Event, User
from tournament.setup.words import NextStep

MIN_ENTRANTS: Final = 2
"""The fewest entrants that a draw can have."""

BEFORE_CLOSING: Final = frozenset({Open.APPROVAL, Open.SIDELESS})
BEFORE_DRAW: Final = frozenset({*BEFORE_CLOSING, Open.SEEKING, Open.PARTNERS_DRAWN, Open.SEAL, Open.SEEDS})
BEFORE_FINISH: Final = frozenset(
    {
        Open.CALL, Open.RULING, Open.CONFIRM, Open.AGAINST, Open.CARD, Open.UNSIGNED, Open.NOT_POSTED, Open.CORRECTION,
        Open.HAND_BACK,
    }
)  # fmt: skip


def next_step(facts: EventFacts, acts: frozenset[str]) -> NextStep:
    """Return the first step that somebody with these `acts` can do, or the first of all if they can do none."""
    # Later steps are computed only if they are needed, because their facts may have to be loaded.
    steps = next_steps(facts)
    first = next(steps)
    return next((step for step in chain([first], steps) if step.is_for(acts)), first)


def next_steps(facts: EventFacts) -> Iterator[NextStep]:
    """Yield all steps that are possible, most urgent first. There is at least one."""
    if facts.state == State.DRAFT:
        yield _draft(facts)
    elif facts.state == State.OPEN:
        yield from _open(facts)
    elif facts.state == State.CLOSED:
        yield from _closed(facts)
    elif facts.state == State.DRAWN:
        text = _("The draw is posted. Starting play freezes the rule sheet, opens the score cards and assigns tables.")
        yield NextStep(_("Start play and assign tables"), text, "scoring:start_play")
    elif facts.state == State.IN_PLAY:
        yield from _in_play(facts)
    elif facts.state == State.CALLED_OFF:
        yield from _called_off(facts)
    else:
        yield from _finished(facts)


def _draft(facts: EventFacts) -> NextStep:
    if facts.setup_left:
        text = _("You left the setup before it was finished. What you saved is still there.")
        return NextStep(_("Continue setup"), text, "tournament:event_setup", setup_step=facts.setup_left)
    text = _("Check the settings and the rule sheet. Then players can enter.")
    return NextStep(_("Open registration"), text, "tournament:open_event", posts=True)


def _add_players(instead: NextStep | None = None) -> NextStep:
    text = _("Nobody has entered yet. Add players, import a list, or share the public page.")
    return NextStep(_("Add players"), text, "tournament:desk_entrants", "desk", instead=instead)


def _approve(count: int) -> NextStep:
    text = ngettext(
        "%(count)s entrant needs approval before they are in.",
        "%(count)s entrants need approval before they are in.",
        count,
    )
    return NextStep(_("Approve entrants"), text % {"count": count}, "tournament:desk_entrants", "approve")


def _open(facts: EventFacts) -> Iterator[NextStep]:
    if not facts.entered:
        if waiting := facts.count(Open.APPROVAL):
            yield _approve(waiting)
            text = _("Add players, import a list, or share the public page.")
            yield NextStep(_("Add players"), text, "tournament:desk_entrants", "desk")
            return
        yield _add_players(NextStep(_("Share the event"), "", "tournament:desk_share"))
        return
    text = ngettext(
        "%(count)s entrant is in. Closing publishes the list and the seal of the draw.",
        "%(count)s entrants are in. Closing publishes the list and the seal of the draw.",
        facts.entered,
    )
    sentence = text % {"count": facts.entered}
    if waiting := facts.count(Open.APPROVAL):
        yield _approve(waiting)
    yield NextStep(_("Close registration"), sentence, "pairing:desk_draw", blocked_by=BEFORE_CLOSING)
    yield from _check_in(facts)


def _check_in(facts: EventFacts, instead: NextStep | None = None) -> Iterator[NextStep]:
    absent, unpaid = facts.count(Open.ABSENT), facts.count(Open.UNPAID)
    if not absent and not unpaid:
        return
    label = _("Check in players") if absent else _("Collect the fees")
    query = "" if absent else "?only=owes"
    text = _("Players who have not checked in or not paid are listed there.")
    yield NextStep(label, text, "tournament:desk_checkin", query=query, instead=instead)


def _closed(facts: EventFacts) -> Iterator[NextStep]:
    """Yield the steps of a closed event: post the draw if it is made, otherwise whatever comes before a draw."""
    if facts.count(Open.DRAWN):
        text = _("The draw is made, and only staff can see it. Look at it, then post it for everybody.")
        yield NextStep(_("Post the draw"), text, "pairing:desk_draw")
        return
    if facts.count(Open.PARTNERS_DRAWN):
        text = _("The partners are drawn, and only staff can see them. Look at them, then post them for everybody.")
        yield NextStep(_("Post the partners"), text, "pairing:desk_partners")
    elif facts.count(Open.SEEKING):
        yield _draw_partners(facts.count(Open.SEEKING))
    elif facts.entered < MIN_ENTRANTS and facts.count(Open.APPROVAL):
        yield _approve(facts.count(Open.APPROVAL))
    elif facts.entered < MIN_ENTRANTS:
        text = _("Players can enter again by themselves.")
        yield _add_players(NextStep(_("Open registration again"), text, "tournament:open_event"))
    else:
        draw = _make_draw(facts)
        yield from _check_in(facts, draw)
        yield draw


def _draw_partners(count: int) -> NextStep:
    text = ngettext(
        "%(count)s entrant is looking for a partner. Partners are drawn first.",
        "%(count)s entrants are looking for a partner. Partners are drawn first.",
        count,
    )
    return NextStep(_("Draw partners"), text % {"count": count}, "pairing:desk_partners")


def _make_draw(facts: EventFacts) -> NextStep:
    """Return the step to make the draw, or what has to be done on the draw's page before the cut."""
    label, text, own = _("Make the draw"), _("Let the room cut the cards, and tap them as they are called out."), ""
    if facts.count(Open.SIDELESS):
        label, text, own = _("Choose the sides"), _("Every entrant needs a side before the draw."), Open.SIDELESS
    elif facts.count(Open.SEAL):
        text = _("The list has changed. Its new seal is published before the cut.")
        label, own = _("Seal the list again"), Open.SEAL
    elif facts.count(Open.SEEDS):
        text = _("The bracket is seeded. The seeds are public before the cut.")
        label, own = _("Name the seeds"), Open.SEEDS
    return NextStep(label, text, "pairing:desk_draw", blocked_by=BEFORE_DRAW - {own})


def _in_play(facts: EventFacts) -> Iterator[NextStep]:
    yield from _urgent(facts)
    if count := facts.count(Open.LATE):
        sentence = ngettext(
            "%(count)s late entry is checked in and in no match. Add it before the next match begins.",
            "%(count)s late entries are checked in and in no match. Add them before the next match begins.",
            count,
        )
        page = "pairing:desk_late_bye" if facts.play is None else "pairing:desk_late"
        yield NextStep(_("Add the late entry"), sentence % {"count": count}, page, "desk")
    if facts.is_decided:
        if facts.count(Open.CONFIRM):
            yield _confirm(facts.count(Open.CONFIRM))
        text = _("Every match is decided. Finishing turns the places into payouts.")
        yield NextStep(_("Finish the event"), text, "pairing:desk_finish", blocked_by=BEFORE_FINISH)
        return
    if facts.play is None and (count := facts.count(Open.TABLE)):
        sentence = ngettext("%(count)s match needs a table.", "%(count)s matches need a table.", count)
        yield NextStep(_("Assign tables"), sentence % {"count": count}, "pairing:desk_tables")
    if count := facts.count(Open.CONFIRM):
        yield _confirm(count)
    if count := facts.count(Open.UNSIGNED):
        sentence = ngettext(
            "%(count)s score card is complete. A signature is missing.",
            "%(count)s score cards are complete. Signatures are missing.",
            count,
        )
        query = "?only=unsigned"
        yield NextStep(_("Collect the signatures"), sentence % {"count": count}, "scoring:desk_cards", query=query)
    if facts.play is not None:
        yield facts.play
    yield NextStep(_("Follow the score cards"), _("Winners move on when their cards are signed."), "scoring:desk_cards")


def _urgent(facts: EventFacts) -> Iterator[NextStep]:
    if count := facts.count(Open.CALL):
        text = ngettext("%(count)s table calls the director.", "%(count)s tables call the director.", count)
        yield NextStep(_("Answer the call"), text % {"count": count}, "scoring:desk_cards", "desk")
    if count := facts.count(Open.RULING):
        text = ngettext("%(count)s dispute needs a ruling.", "%(count)s disputes need a ruling.", count)
        page = "scoring:desk_rulings"
        yield NextStep(_("Make the ruling"), text % {"count": count}, page, "direct", query="?waiting=1")


def _confirm(count: int) -> NextStep:
    label = ngettext("Confirm %(count)s entry", "Confirm %(count)s entries", count) % {"count": count}
    return NextStep(label, _("A second official compares each one with the paper."), "scoring:desk_entries", "desk")


def _called_off(facts: EventFacts) -> Iterator[NextStep]:
    if facts.count(Open.HAND_BACK):
        text = _("All fees are due back. Payments refunds everybody in one act.")
        yield NextStep(_("Refund the fees"), text, "tournament:desk_payments", "direct", query="?only=owed")
    text = _("The event is called off. Messages lists the players that nobody has reached yet.")
    yield NextStep(_("See who was told"), text, "tournament:desk_messages")


def _finished(facts: EventFacts) -> Iterator[NextStep]:
    if count := facts.count(Open.PAID_WRONG):
        label = ngettext("Settle the payout", "Settle %(count)s payouts", count) % {"count": count}
        yield NextStep(
            label, _("A player was paid a different amount than they won."), "tournament:desk_prizes", "direct"
        )
    if facts.count(Open.SIDE_POOL):
        sentence = _("Enter who won it. Its awards are paid after that.")
        yield NextStep(_("Record the side pool’s result"), sentence, "tournament:desk_side_pools", "desk")
    if count := facts.count(Open.PRIZE):
        label = ngettext("Pay the prize", "Pay %(count)s prizes", count) % {"count": count}
        yield NextStep(
            label, _("Print the payout list, and have each prize signed for."), "tournament:desk_prizes", "direct"
        )
    if count := facts.count(Open.UNPAID):
        sentence = ngettext("%(count)s entrant still owes.", "%(count)s entrants still owe.", count)
        yield NextStep(
            _("Collect the fees"), sentence % {"count": count}, "tournament:desk_checkin", "desk", query="?only=owes"
        )
    if count := facts.count(Open.HAND_BACK):
        sentence = ngettext("%(count)s entrant paid too much.", "%(count)s entrants paid too much.", count)
        yield NextStep(_("Refund the money"), sentence % {"count": count}, "tournament:desk_checkin", "direct")
    is_over = not any(facts.open.values())
    text = _("Every prize is paid. This event is done.") if is_over else _("Today lists what still needs attention.")
    yield NextStep(_("See the results"), text, "pairing:desk_results")
    yield NextStep(_("See the results"), text, "tournament:desk_prizes")


# --- Steps and items as pages show them ------------------------------------------------------------------------------


def show_next_step(request: ActorRequest, event: Event) -> dict[str, Any]:
    """Return the next step for `components/next_step.html`."""
    return step_context(next_step(load_step_facts(event, timezone.now()), request.acts), event, request.acts)


def step_context(step: NextStep, event: Event, acts: frozenset[str]) -> dict[str, Any]:
    instead = step.instead if step.instead is not None and step.instead.is_for(acts) else None
    return {
        "label": step.label,
        "text": step.text,
        "url": _step_url(step, event),
        "posts": step.posts,
        "is_mine": step.is_for(acts),
        "instead": {"label": instead.label, "url": _step_url(instead, event)} if instead is not None else None,
    }


def _step_url(step: NextStep, event: Event) -> str:
    place = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse(step.page, kwargs=place | ({"step": step.setup_step} if step.setup_step else {})) + step.query


def item_contexts(request: ActorRequest, event: Event, day: Day) -> list[dict[str, Any]]:
    """Return the items that concern this user, each with a link only if the user may settle it."""
    user = cast(User, request.user).pk
    return [
        {
            "item": item,
            "url": _item_url(item, event) if item.can_be_settled_by(request.acts) else "",
            "posts": bool(item.job),
        }
        for item in day.items
        if item.is_for(user, request.acts)
    ]


def _item_url(item: AttentionItem, event: Event) -> str:
    if item.job:
        return reverse(item.page, kwargs={"tournament": event.tournament.slug, "pk": item.job})
    place = {"tournament": event.tournament.slug, "event": event.slug}
    parts = {"ident": item.ident, "token": item.token, "pk": item.message}
    named = {name: value for name, value in parts.items() if value}
    return reverse(item.page, kwargs={**place, **named}) + item.query
