"""Choose an event's next step, for *Today* and for every page that completes a step."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.today.selectors.attention_items import AttentionItemKind, EventState
from scoring.today.selectors.today import NextStepFacts, load_next_step_facts
from tournament.core.pages.access import ActorRequest
from tournament.models import Event
from tournament.setup.words import NextStep

MIN_ENTRANTS: Final = 2
"""The minimum number of entrants in a draw."""

ITEMS_BLOCKING_REGISTRATION_CLOSE: Final = frozenset({AttentionItemKind.APPROVAL, AttentionItemKind.WITHOUT_SIDE})
ITEMS_BLOCKING_DRAW: Final = frozenset(
    {
        *ITEMS_BLOCKING_REGISTRATION_CLOSE,
        AttentionItemKind.SEEKING,
        AttentionItemKind.PARTNERS_DRAWN,
        AttentionItemKind.ENTRANT_LIST_SEAL,
        AttentionItemKind.SEEDS,
    }
)
ITEMS_BLOCKING_FINISH: Final = frozenset(
    {
        *(
            AttentionItemKind.DIRECTOR_CALL,
            AttentionItemKind.RULING,
            AttentionItemKind.ENTRY_TO_CONFIRM,
            AttentionItemKind.AGAINST_RESULT,
            AttentionItemKind.CARD,
            AttentionItemKind.UNSIGNED,
        ),
        *(AttentionItemKind.NOT_POSTED, AttentionItemKind.CORRECTION, AttentionItemKind.MONEY_TO_RETURN),
    }
)


def choose_next_step(facts: NextStepFacts, acts: frozenset[str]) -> NextStep:
    """Return the first step that these permissions allow. If they allow none, return the very first step."""
    # Steps are computed one at a time, because their facts may have to be loaded.
    steps = iter_possible_steps(facts)
    first = next(steps)
    return next((step for step in chain([first], steps) if step.is_allowed_for(acts)), first)


def iter_possible_steps(facts: NextStepFacts) -> Iterator[NextStep]:
    """Yield all possible steps, most urgent first. There is always at least one."""
    if facts.state == EventState.DRAFT:
        if facts.setup_left:
            text = _("You left the setup before it was finished. What you saved is still there.")
            yield NextStep(_("Continue setup"), text, "tournament:event_setup", setup_step=facts.setup_left)
        else:
            text = _("Check the settings and the rule sheet. Then players can enter.")
            yield NextStep(_("Open registration"), text, "tournament:open_event", posts=True)
    elif facts.state == EventState.OPEN:
        yield from _iter_steps_while_open(facts)
    elif facts.state == EventState.CLOSED:
        yield from _iter_steps_before_draw(facts)
    elif facts.state == EventState.DRAWN:
        text = _("The draw is posted. Starting play freezes the rule sheet, opens the score cards and assigns tables.")
        yield NextStep(_("Start play and assign tables"), text, "scoring:start_play")
    elif facts.state == EventState.IN_PLAY:
        yield from _iter_steps_in_play(facts)
    elif facts.state == EventState.CALLED_OFF:
        yield from _iter_steps_when_called_off(facts)
    else:
        yield from _iter_steps_when_finished(facts)


def _iter_steps_while_open(facts: NextStepFacts) -> Iterator[NextStep]:
    if not facts.entry_count:
        if waiting := facts.count_open_cases(AttentionItemKind.APPROVAL):
            yield _make_approve_step(waiting)
            text = _("Add players, import a list, or share the public page.")
            yield NextStep(_("Add players"), text, "tournament:desk_entrants", "desk")
            return
        yield _make_add_players_step(instead=NextStep(_("Share the event"), "", "tournament:desk_share"))
        return
    text = ngettext(
        "%(count)s entrant is in. Closing publishes the list and the seal of the draw.",
        "%(count)s entrants are in. Closing publishes the list and the seal of the draw.",
        facts.entry_count,
    )
    text = text % {"count": facts.entry_count}
    if waiting := facts.count_open_cases(AttentionItemKind.APPROVAL):
        yield _make_approve_step(waiting)
    yield NextStep(_("Close registration"), text, "pairing:desk_draw", blocked_by=ITEMS_BLOCKING_REGISTRATION_CLOSE)
    yield from _iter_check_in_steps(facts)


def _make_add_players_step(*, instead: NextStep) -> NextStep:
    text = _("Nobody has entered yet. Add players, import a list, or share the public page.")
    return NextStep(_("Add players"), text, "tournament:desk_entrants", "desk", instead=instead)


def _make_approve_step(count: int) -> NextStep:
    text = ngettext(
        "%(count)s entrant needs approval before they are in.",
        "%(count)s entrants need approval before they are in.",
        count,
    )
    return NextStep(_("Approve entrants"), text % {"count": count}, "tournament:desk_entrants", "approve")


def _iter_check_in_steps(facts: NextStepFacts, instead: NextStep | None = None) -> Iterator[NextStep]:
    absent, unpaid = facts.count_open_cases(AttentionItemKind.ABSENT), facts.count_open_cases(AttentionItemKind.UNPAID)
    if not absent and not unpaid:
        return
    label = _("Check in players") if absent else _("Collect the fees")
    query = "" if absent else "?only=owes"
    text = _("Players who have not checked in or not paid are listed there.")
    yield NextStep(label, text, "tournament:desk_checkin", query=query, instead=instead)


def _iter_steps_before_draw(facts: NextStepFacts) -> Iterator[NextStep]:
    if facts.count_open_cases(AttentionItemKind.DRAWN):
        text = _("The draw is made, and only staff can see it. Look at it, then post it for everybody.")
        yield NextStep(_("Post the draw"), text, "pairing:desk_draw")
        return
    if facts.count_open_cases(AttentionItemKind.PARTNERS_DRAWN):
        text = _("The partners are drawn, and only staff can see them. Look at them, then post them for everybody.")
        yield NextStep(_("Post the partners"), text, "pairing:desk_partners")
    elif facts.count_open_cases(AttentionItemKind.SEEKING):
        count = facts.count_open_cases(AttentionItemKind.SEEKING)
        text = ngettext(
            "%(count)s entrant is looking for a partner. Partners are drawn first.",
            "%(count)s entrants are looking for a partner. Partners are drawn first.",
            count,
        )
        yield NextStep(_("Draw partners"), text % {"count": count}, "pairing:desk_partners")
    elif facts.entry_count < MIN_ENTRANTS and facts.count_open_cases(AttentionItemKind.APPROVAL):
        yield _make_approve_step(facts.count_open_cases(AttentionItemKind.APPROVAL))
    elif facts.entry_count < MIN_ENTRANTS:
        text = _("Players can enter again by themselves.")
        yield _make_add_players_step(instead=NextStep(_("Open registration again"), text, "tournament:open_event"))
    else:
        draw = _make_draw_step(facts)
        yield from _iter_check_in_steps(facts, draw)
        yield draw


def _make_draw_step(facts: NextStepFacts) -> NextStep:
    """Return the step to make the draw, or an earlier step that is done on the same page."""
    label, text, own = _("Make the draw"), _("Let the room cut the cards, and tap them as they are called out."), ""
    if facts.count_open_cases(AttentionItemKind.WITHOUT_SIDE):
        label, text, own = (
            _("Choose the sides"),
            _("Every entrant needs a side before the draw."),
            AttentionItemKind.WITHOUT_SIDE,
        )
    elif facts.count_open_cases(AttentionItemKind.ENTRANT_LIST_SEAL):
        text = _("The list has changed. Its new seal is published before the cut.")
        label, own = _("Seal the list again"), AttentionItemKind.ENTRANT_LIST_SEAL
    elif facts.count_open_cases(AttentionItemKind.SEEDS):
        text = _("The bracket is seeded. The seeds are public before the cut.")
        label, own = _("Name the seeds"), AttentionItemKind.SEEDS
    return NextStep(label, text, "pairing:desk_draw", blocked_by=ITEMS_BLOCKING_DRAW - {own})


def _iter_steps_in_play(facts: NextStepFacts) -> Iterator[NextStep]:
    if count := facts.count_open_cases(AttentionItemKind.DIRECTOR_CALL):
        text = ngettext("%(count)s table calls the director.", "%(count)s tables call the director.", count)
        yield NextStep(_("Answer the call"), text % {"count": count}, "scoring:desk_cards", "desk")
    if count := facts.count_open_cases(AttentionItemKind.RULING):
        text = ngettext("%(count)s dispute needs a ruling.", "%(count)s disputes need a ruling.", count)
        page = "scoring:desk_rulings"
        yield NextStep(_("Make the ruling"), text % {"count": count}, page, "direct", query="?waiting=1")
    if count := facts.count_open_cases(AttentionItemKind.LATE_ENTRY):
        sentence = ngettext(
            "%(count)s late entry is checked in and in no match. Add it before the next match begins.",
            "%(count)s late entries are checked in and in no match. Add them before the next match begins.",
            count,
        )
        page = "pairing:desk_late_bye" if facts.stage_step is None else "pairing:desk_late"
        yield NextStep(_("Add the late entry"), sentence % {"count": count}, page, "desk")
    if facts.is_decided:
        if facts.count_open_cases(AttentionItemKind.ENTRY_TO_CONFIRM):
            yield _make_confirm_entries_step(facts.count_open_cases(AttentionItemKind.ENTRY_TO_CONFIRM))
        text = _("Every match is decided. Finishing turns the places into payouts.")
        yield NextStep(_("Finish the event"), text, "pairing:desk_finish", blocked_by=ITEMS_BLOCKING_FINISH)
        return
    if facts.stage_step is None and (count := facts.count_open_cases(AttentionItemKind.TABLE)):
        sentence = ngettext("%(count)s match needs a table.", "%(count)s matches need a table.", count)
        yield NextStep(_("Assign tables"), sentence % {"count": count}, "pairing:desk_tables")
    if count := facts.count_open_cases(AttentionItemKind.ENTRY_TO_CONFIRM):
        yield _make_confirm_entries_step(count)
    if count := facts.count_open_cases(AttentionItemKind.UNSIGNED):
        sentence = ngettext(
            "%(count)s score card is complete. A signature is missing.",
            "%(count)s score cards are complete. Signatures are missing.",
            count,
        )
        query = "?only=unsigned"
        yield NextStep(_("Collect the signatures"), sentence % {"count": count}, "scoring:desk_cards", query=query)
    if facts.stage_step is not None:
        yield facts.stage_step
    yield NextStep(_("Follow the score cards"), _("Winners move on when their cards are signed."), "scoring:desk_cards")


def _make_confirm_entries_step(count: int) -> NextStep:
    label = ngettext("Confirm %(count)s entry", "Confirm %(count)s entries", count) % {"count": count}
    return NextStep(label, _("A second official compares each one with the paper."), "scoring:desk_entries", "desk")


def _iter_steps_when_called_off(facts: NextStepFacts) -> Iterator[NextStep]:
    if facts.count_open_cases(AttentionItemKind.MONEY_TO_RETURN):
        text = _("All fees are due back. Payments refunds everybody in one act.")
        yield NextStep(_("Refund the fees"), text, "tournament:desk_payments", "direct", query="?only=owed")
    text = _("The event is called off. Messages lists the players that nobody has reached yet.")
    yield NextStep(_("See who was told"), text, "tournament:desk_messages")


def _iter_steps_when_finished(facts: NextStepFacts) -> Iterator[NextStep]:
    if count := facts.count_open_cases(AttentionItemKind.WRONG_PAYOUT):
        label = ngettext("Settle the payout", "Settle %(count)s payouts", count) % {"count": count}
        yield NextStep(
            label, _("A player was paid a different amount than they won."), "tournament:desk_prizes", "direct"
        )
    if facts.count_open_cases(AttentionItemKind.SIDE_POOL):
        sentence = _("Enter who won it. Its awards are paid after that.")
        yield NextStep(_("Record the side pool’s result"), sentence, "tournament:desk_side_pools", "desk")
    if count := facts.count_open_cases(AttentionItemKind.PRIZE):
        label = ngettext("Pay the prize", "Pay %(count)s prizes", count) % {"count": count}
        yield NextStep(
            label, _("Print the payout list, and have each prize signed for."), "tournament:desk_prizes", "direct"
        )
    if count := facts.count_open_cases(AttentionItemKind.UNPAID):
        sentence = ngettext("%(count)s entrant still owes.", "%(count)s entrants still owe.", count)
        yield NextStep(
            _("Collect the fees"), sentence % {"count": count}, "tournament:desk_checkin", "desk", query="?only=owes"
        )
    if count := facts.count_open_cases(AttentionItemKind.MONEY_TO_RETURN):
        sentence = ngettext("%(count)s entrant paid too much.", "%(count)s entrants paid too much.", count)
        yield NextStep(_("Refund the money"), sentence % {"count": count}, "tournament:desk_checkin", "direct")
    is_over = not any(facts.open_case_counts.values())
    text = _("Every prize is paid. This event is done.") if is_over else _("Today lists what still needs attention.")
    yield NextStep(_("See the results"), text, "pairing:desk_results")
    yield NextStep(_("See the results"), text, "tournament:desk_prizes")


# --- The step as pages show it ---------------------------------------------------------------------------------------


def make_next_step_context(request: ActorRequest, event: Event) -> dict[str, Any]:
    """Return the context for `components/next_step.html` with the event's next step."""
    return make_step_context(
        choose_next_step(load_next_step_facts(event, timezone.now()), request.acts), event, request.acts
    )


def make_step_context(step: NextStep, event: Event, acts: frozenset[str]) -> dict[str, Any]:
    """Return the context for `components/next_step.html` with this step."""
    instead = step.instead if step.instead is not None and step.instead.is_allowed_for(acts) else None
    return {
        "label": step.label,
        "text": step.text,
        "url": _make_step_url(step, event),
        "posts": step.posts,
        "is_mine": step.is_allowed_for(acts),
        "instead": {"label": instead.label, "url": _make_step_url(instead, event)} if instead is not None else None,
    }


def _make_step_url(step: NextStep, event: Event) -> str:
    place = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse(step.page, kwargs=place | ({"step": step.setup_step} if step.setup_step else {})) + step.query
