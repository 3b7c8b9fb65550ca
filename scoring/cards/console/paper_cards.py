"""The desk's page for a paper card, for typing alone: the table's number, the totals or the hands, Enter."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card, load_match_cards
from scoring.card_state.selectors.players import load_meeting_at
from scoring.cards.forms.paper_cards import DeskForm, RowFormSet, board_group, fits_rows, fits_totals, row_headings
from scoring.cards.services.paper_cards import BadRows, enter_paper
from scoring.models import StaffEntry
from scoring.posting.selectors.card_list import load_desk_cards, load_last_posted
from scoring.posting.selectors.results import card_in_play
from scoring.posting.services.correction_period import EntryMismatch
from scoring.posting.services.opening import open_card
from scoring.posting.tables.correction_period import differs_in_words
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NeedsReason, NotFound
from tournament.models import Event
from tournament.spreadsheets.names import typed_number

Mark = TypeVar("Mark")


@console_event("desk")
def desk_card(request: ActorRequest, event: Event) -> HttpResponse:
    context: dict[str, Any] = {"last": load_last_posted(event), "table": request.GET.get("table", "")}
    try:
        state = _find_sought_card(event, request.GET, request.actor)
    except DomainError as error:
        return render(request, "scoring/cards/desk_entry/console.html", {**context, "refused": error.message})
    if state is None:
        cards = load_desk_cards(event, "open", timezone.now())
        context |= {"nothing_open": not cards, "nobody_plays": not any(card.state.table for card in cards)}
        return render(request, "scoring/cards/desk_entry/console.html", context)
    if not (fits_rows(state) or fits_totals(state)):  # a line of several hands is entered on the card's own page
        page, token = "scoring:desk_card_lines", state.card.token
        return redirect(page, tournament=event.tournament.slug, event=event.slug, token=token)
    by_rows = fits_rows(state) and (request.GET.get("by") == "hands" or not fits_totals(state))
    data = request.POST or None
    form = DeskForm(data, state=state, by_rows=by_rows, initial={"witness": request.actor.name})
    rows = RowFormSet(data, form_kwargs={"state": state}, prefix="row") if by_rows else None
    if rows is not None:
        rows.extra = len(state.line_names) or rows.extra  # a game of thirteen hands has no fourteenth line
    context |= {"state": state, "card": state.card, "form": form, "rows": rows, "marks": {}, "by_rows": by_rows}
    context |= {"fits_rows": fits_rows(state), "fits_totals": fits_totals(state)}
    if request.method == "POST" and form.is_valid() and (rows is None or rows.is_valid()):
        posted = _enter_paper(request, state, context)
        if posted is not None:
            return redirect(request.path + ("?by=hands" if request.GET.get("by") == "hands" else ""))
    if rows is not None:
        next(iter(rows[0].fields.values())).widget.attrs["autofocus"] = True
        context["lines"] = [(i + 1, row, context["marks"].get(i, "")) for i, row in enumerate(rows)]
        headings, group = row_headings(state), board_group(state)
        context |= {"headings": headings, "row_width": sum(heading["span"] for heading in headings)}
        context |= {"boards": len(rows[0].boards), "board_name": group.label if group else ""}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/desk_entry/console.html", context, status=status)


def _find_sought_card(event: Event, typed: QueryDict, actor: Actor) -> CardState | None:
    """Return the card by its token, or the one in play at a table. Return None if nothing is typed yet."""
    token = typed.get("card")
    if token:
        state = load_card(token)
        if state.card.match.event_id != event.pk:
            raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
        return state
    asked = typed.get("table", "")
    if not asked.strip():
        return None
    table = typed_number(asked)
    if table is None:
        raise DomainError("no-table", _("Enter a table number."))
    meeting = load_meeting_at(event, table)
    cards = load_match_cards(meeting.match.pk, meeting.key)
    return card_in_play(cards) or load_card(open_card(meeting, len(cards) + 1, by=actor).token)


def _enter_paper(request: ActorRequest, state: CardState, context: dict[str, Any]) -> CardState | None:
    """Return the card after entering it, or None if it was refused. Then the context has the reasons."""
    form, rows = context["form"], context["rows"]
    typed = tuple(row.row() for row in rows if row.has_changed()) if rows is not None else ()
    try:
        after = enter_paper(state.card, form.paper(typed), by=request.actor)
    except BadRows as error:
        context["marks"] = _by_form_row(rows, error.data["rows"])
        form.add_error(None, _("Some hands cannot be right. They are marked below."))
    except NeedsReason as error:
        context["warnings"] = error.data["warnings"]
        context["marks"] = _by_form_row(rows, error.data.get("slips", {}))
        for number, letters in _by_form_row(rows, error.data.get("wrong", {})).items():
            # Only the running totals that are wrong are marked, not the rest of their lines.
            for letter in letters:
                rows[number].fields[f"run_{letter}"].widget.attrs["aria-invalid"] = "true"
            rows[number].has_wrong_totals = True
    except EntryMismatch as error:
        form.add_error(None, differs_in_words(state, error))
    except DomainError as error:
        form.add_error(None, error.message)
    else:
        messages.success(request, _entered_message(after))
        return after
    return None


def _entered_message(state: CardState) -> str:
    if StaffEntry.objects.filter(card=state.card, kind=StaffEntry.Kind.CARD, decided__isnull=True).exists():
        return _("Entered. It counts when a second person confirms it under “Entries to confirm”.")
    if state.is_posted:
        return _("Posted: %s.") % state.score.line
    missing = ", ".join(state.signatures.missing_names)
    return _("Entered: %(score)s. Not signed yet: %(missing)s.") % {"score": state.score.line, "missing": missing}


def _by_form_row(rows: Any, marks: Mapping[int, Mark]) -> dict[int, Mark]:
    """Return the marks by row of the form. Empty rows between the hands are not counted in `marks`."""
    if rows is None:
        return {}
    filled = [i for i, row in enumerate(rows) if row.has_changed()]
    return {filled[number]: mark for number, mark in marks.items() if number < len(filled)}
