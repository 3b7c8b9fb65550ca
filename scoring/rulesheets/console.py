"""The director's page for the rule sheet of an event."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from scoring.models import RuleSheet
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.forms import LengthsForm, RuleSheetForm, preset_values, variant_choices
from scoring.rulesheets.selectors.sheets import (
    current_sheet,
    describe_players,
    describe_rule_set,
    is_frozen,
    load_sheet_versions,
    unsaved_sheet,
    why_not_fit,
)
from scoring.rulesheets.services import save_rules
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import DomainError
from tournament.models import Event


@console_event("look")
def rules(request: ActorRequest, event: Event) -> HttpResponse:
    sheet = current_sheet(event) or unsaved_sheet(event)
    sent = request.POST if request.method == "POST" else request.GET
    variant = sent.get("variant") or sheet.variant
    if variant not in VARIANTS:
        variant = sheet.variant
    preset = sent.get("preset", "")
    values = preset_values(variant, preset)
    frozen = is_frozen(event)
    form = RuleSheetForm(request.POST or None, variant=variant, sheet=sheet, frozen=frozen, values=values)
    lengths = LengthsForm(request.POST or None, variant=variant, sheet=sheet)
    if request.method == "POST" and form.is_valid() and lengths.is_valid():
        saved = _save(request, event, form, lengths)
        if saved is not None:
            messages.success(request, _("Rule sheet version %(v)s is saved.") % {"v": saved.version})
            return redirect(request.path)
    context = _variant_context(event, variant, sheet.options if sheet.variant == variant and values is None else values)
    context |= {
        "form": form,
        "lengths": lengths,
        "preset": preset,
        "is_choosing": not sheet.version and not sent,
        "sheet": sheet,
        "changes_variant": bool(sheet.version) and variant != sheet.variant,
        "before": VARIANTS[sheet.variant].title,
        "frozen": frozen,
        "versions": load_sheet_versions(event),
        "can_start": event.state == Event.State.DRAWN,
    }
    status = 422 if form.errors or lengths.errors else 200
    return render(request, "scoring/rulesheets/console.html", context, status=status)


def _save(request: ActorRequest, event: Event, form: RuleSheetForm, lengths: LengthsForm) -> RuleSheet | None:
    """Save the rule sheet. If it is refused, return None, and the form shows why and keeps everything typed."""
    cleaned = form.cleaned_data
    try:
        chosen, reason = form.chosen(lengths.chosen()), cleaned.get("reason", "")
        return save_rules(event, chosen, by=request.actor, reason=reason, key=cleaned["key"], seen=cleaned["seen"])
    except DomainError as error:
        form.add_error("reason" if error.code == "reason-needed" and "reason" in form.fields else None, error.message)
        last = current_sheet(event)
        if error.code == "rules-changed" and last is not None:
            form.accept_version(last.version)
            text = _(
                "%(who)s saved version %(v)s in the meantime. Your entries are still here; save again to replace it."
            )
            form.add_error(None, text % {"v": last.version, "who": last.by_name})
    return None


def _variant_context(event: Event, name: str, values: Any) -> dict[str, Any]:
    variant = VARIANTS[name]
    options = variant.defaults() if values is None else values
    return {
        "variant": name,
        "variants": variant_choices(event, name),
        "words": describe_rule_set(name, options),
        "players": describe_players(name),
        "presets": variant.presets,
        "why_not": why_not_fit(event, name, options),
        "judges": variant(("",) * variant.fewest_sides, options).knock_rule(None) is not None,
    }
