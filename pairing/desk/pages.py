"""Let any staff page call matches to tables."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.results.forms import TableRangeForm
from pairing.stages.pictures.boxes import format_full_match_name
from pairing.stages.selectors.boards import load_match
from tournament.core.pages.access import ActorRequest
from tournament.errors import DomainError, NotFound
from tournament.models import Event


def run_table_action(request: ActorRequest, event: Event) -> str:
    """Run the submitted action: call all ready matches, call one match to a table, or free its table."""
    if request.POST.get("act") == "all":
        form = TableRangeForm(request.POST)
        if not form.is_valid():
            raise DomainError("bad-range", _("Enter the lower table number first, such as 1 to 32."))
        called = call_ready_matches(event, form.cleaned_data["first"], form.cleaned_data["last"], by=request.actor)
        message = ngettext("One match has a table now.", "%(called)s matches have tables now.", called)
        return message % {"called": called}
    match = load_match(event, request.POST.get("match", ""))
    if match is None:
        raise NotFound("no-match", _("There is no such match in the bracket. Choose a match from the bracket."))
    if request.POST.get("act") == "release":
        call_match_to_table(match, None, by=request.actor)
        return _("The table of %(match)s is free again.") % {"match": format_full_match_name(match)}
    table_form = _TableForm(request.POST)
    if not table_form.is_valid():
        raise DomainError("bad-table", _("Table numbers start at 1. Enter another number."))
    table = table_form.cleaned_data["table"]
    call_match_to_table(match, table, by=request.actor)
    return _("%(match)s has table %(table)s.") % {"match": format_full_match_name(match), "table": table}


class _TableForm(forms.Form):
    table = forms.IntegerField(label=gettext_lazy("Table"), min_value=1, max_value=9999)
