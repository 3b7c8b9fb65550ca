from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.forms.rule_sheets import RuleSheetForm, variant_choices
from scoring.rules.variants import VARIANTS
from scoring.selectors.rule_sheets import current_sheet, in_words, is_frozen, load_versions, unsaved_sheet
from scoring.services.rule_sheets import save_rules, start_play
from tournament.errors import DomainError
from tournament.models import Event
from tournament.views.access import ActorRequest, console_event


@console_event("look")
def rules(request: ActorRequest, event: Event) -> HttpResponse:
    sheet = current_sheet(event) or unsaved_sheet(event)
    wanted = request.POST.get("variant") or request.GET.get("variant") or sheet.variant
    variant = wanted if wanted in VARIANTS else sheet.variant
    frozen = is_frozen(event)
    form = RuleSheetForm(request.POST or None, variant=variant, sheet=sheet, frozen=frozen)
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        reason = cleaned.get("reason", "")
        try:
            saved = save_rules(
                event, form.chosen(), by=request.actor, reason=reason, key=cleaned["key"], seen=cleaned["seen"]
            )
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Rule sheet, version %(v)s, is saved.") % {"v": saved.version})
            return redirect(request.path)
    context = {
        "form": form,
        "variant": variant,
        "variants": variant_choices(),
        "sheet": sheet,
        "rules": in_words(sheet),
        "frozen": frozen,
        "versions": load_versions(event),
        "can_start": event.state == Event.State.DRAWN,
    }
    return render(request, "scoring/console/rules.html", context, status=422 if form.errors else 200)


@require_POST
@console_event("direct")
def start(request: ActorRequest, event: Event) -> HttpResponse:
    start_play(event, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Play has started. The rule sheet is frozen and published."))
    return redirect("scoring:desk_cards", tournament=event.tournament.slug, event=event.slug)
