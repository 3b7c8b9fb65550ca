"""Console pages that send messages, list players to call, and distribute private links."""

import io
import re
import uuid
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.following import follow_topics
from tournament.core.pages.responses import (
    domain_errors_as_form_errors,
    find_site_url,
    list_submitted_fields,
    make_event_url,
    make_private_link,
    render_confirmation,
)
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.permissions import require_permission
from tournament.core.selectors.copies import sends_email
from tournament.core.selectors.events import load_last_paper_size
from tournament.errors import DomainError
from tournament.messages.pdf import LinkSlip, write_link_slips
from tournament.messages.selectors import RECIPIENT_GROUPS, has_email, list_current_player_names, load_link_recipients
from tournament.messages.services import (
    AUDIENCE_LABELS,
    AUDIENCES,
    MessageDraft,
    record_phone_call,
    record_printed_slips,
    resend_emails,
    send_message,
    send_private_links,
)
from tournament.models import Entrant, Event, LinkRequest, Message, MessageCopy
from tournament.models.topic import DESK_TOPIC
from tournament.registration.selectors.people import load_undecided_link_requests
from tournament.registration.services.people import approve_link_request, reject_link_request
from tournament.spreadsheets.names import parse_number


class MessageForm(IdempotentForm):
    audience = forms.ChoiceField(label=gettext_lazy("To"), choices=list(AUDIENCES.items()))
    numbers = forms.CharField(
        label=gettext_lazy("Numbers"),
        required=False,
        help_text=gettext_lazy("For “Only these numbers”, such as 3, 12, 40"),
        max_length=2000,
    )
    subject = forms.CharField(label=gettext_lazy("Subject"), max_length=200)
    body = forms.CharField(label=gettext_lazy("Text"), widget=forms.Textarea(attrs={"rows": 6}), max_length=10_000)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("audience") == "chosen" and not re.search(r"\d", cleaned.get("numbers", "")):
            self.add_error("numbers", gettext_lazy("Enter the numbers of the entrants."))
        return cleaned

    def make_draft(self) -> MessageDraft:
        facts = self.cleaned_data
        numbers = tuple(int(number) for number in re.findall(r"\d{1,6}", facts["numbers"]))
        return MessageDraft(facts["subject"], facts["body"], facts["audience"], numbers)


class PrivateLinksForm(IdempotentForm):
    who = forms.ChoiceField(label=gettext_lazy("For"), choices=list(RECIPIENT_GROUPS.items()))
    paper = forms.ChoiceField(
        label=gettext_lazy("Paper"), choices=[(name, paper.name) for name, paper in PAPER_SIZES.items()]
    )


@staff_event_view("desk")
def write_message(request: ActorRequest, event: Event) -> HttpResponse:
    form = MessageForm(request.POST or None, initial={"numbers": request.GET.get("to", "")})
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            facts, letter = form.cleaned_data, form.make_draft()
            if "sure" not in request.POST:
                return _confirm_sending(request, event, letter)
            message = send_message(event, letter, by=request.actor, key=facts["key"], site=find_site_url(request))
            if event.tournament.is_copy:
                messages.success(request, _("Recorded. Nothing was sent, because this is a copy."))
            else:
                messages.success(request, _("Sent. The message is on their pages now."))
            return _redirect_to_message(event, message)
    to_tell = Count("copies", filter=Q(copies__channel="phone") & ~Q(copies__state="told"))
    sent = event.messages.annotate(number=Count("copies"), to_tell=to_tell)
    rows = [
        {"message": message, "to": AUDIENCE_LABELS.get(message.audience, message.audience)} for message in sent[:50]
    ]
    return render(
        request, "tournament/messages/console.html", {"form": form, "rows": rows, "mail": sends_email(event.tournament)}
    )


def _confirm_sending(request: ActorRequest, event: Event, letter: MessageDraft) -> HttpResponse:
    """Ask for confirmation before sending, because a sent message cannot be recalled."""
    to = dict(MessageForm.base_fields["audience"].choices)[letter.audience]  # type: ignore[attr-defined]
    words = {"subject": letter.subject, "to": to, "numbers": ", ".join(map(str, letter.numbers))}
    title, label = _("Send “%(subject)s”?") % words, _("Send “%(subject)s”") % words
    text = _("To: %(to)s %(numbers)s. A message that was sent cannot be called back.") % words
    if event.tournament.is_copy:
        title, label = _("Record “%(subject)s”?") % words, _("Record “%(subject)s”") % words
        text = _("To: %(to)s %(numbers)s. This is a copy, so nothing is sent.") % words
    return render_confirmation(
        request,
        title=title,
        text=text,
        happens=(letter.body,),
        label=label,
        fields=(*list_submitted_fields(request), {"name": "sure", "value": "1"}),
        back=make_event_url(event, "tournament:desk_messages"),
    )


@staff_event_view("desk")
def show_message(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Show a message with its email recipients and the entrants to call."""
    found = get_object_or_404(event.messages, pk=pk)
    copies = list(
        found.copies.select_related("entrant")
        .prefetch_related("entrant__members__player", "entrant__members__replaced_by")
        .order_by("entrant__number")
    )
    mails = [copy for copy in copies if copy.channel == MessageCopy.Channel.EMAIL]
    unsent = [copy for copy in mails if copy.state == MessageCopy.State.WAITING]
    unsent += [copy for copy in copies if copy.state == MessageCopy.State.FAILED]
    context = {
        "message": found,
        "to": AUDIENCE_LABELS.get(found.audience, found.audience),
        "calls": [copy for copy in copies if copy.channel == MessageCopy.Channel.PHONE],
        "mails": mails,
        "unsent_in_copy": event.tournament.is_copy and bool(unsent),
        "unsent": sends_email(event.tournament) and bool(unsent),
        "left": sum(copy.channel == "phone" and copy.state != "told" for copy in copies),
    }
    return render(request, "tournament/messages/message.html", context)


@require_POST
@staff_event_view("desk")
def mark_recipient_phoned(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    copy = get_object_or_404(
        MessageCopy.objects.select_related("message__event__tournament"), pk=pk, message__event=event
    )
    record_phone_call(copy, request.POST.get("told") == "1", by=request.actor)
    here = _redirect_to_message(event, copy.message)
    here["Location"] += f"#copy-{copy.pk}"
    return here


@require_POST
@staff_event_view("desk")
def resend_message(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    found = get_object_or_404(event.messages.select_related("event__tournament"), pk=pk)
    number = resend_emails(found, by=request.actor, site=find_site_url(request))
    messages.success(request, _("Emails on the way: %(n)s.") % {"n": number})
    return _redirect_to_message(event, found)


def _redirect_to_message(event: Event, message: Message) -> HttpResponse:
    return redirect("tournament:desk_message", tournament=event.tournament.slug, event=event.slug, pk=message.pk)


# --- Private links ---------------------------------------------------------------------------------------------------


@staff_event_view("links")
def send_or_print_links(request: ActorRequest, event: Event) -> HttpResponse:
    form = PrivateLinksForm(request.POST or None, initial={"paper": load_last_paper_size(event.tournament)})
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        with domain_errors_as_form_errors(form):
            if request.POST.get("act") == "print":
                receivers = load_link_recipients(event, facts["who"])
                record_printed_slips(event, receivers, by=request.actor)
                return _print_slips(request, event, receivers, facts["paper"])
            letter = send_private_links(
                event, facts["who"], by=request.actor, key=facts["key"], site=find_site_url(request)
            )
            messages.success(request, _("The links are on their way."))
            return _redirect_to_message(event, letter)
    everybody = load_link_recipients(event)
    context = {
        "form": form,
        "mail": sends_email(event.tournament),
        "everybody": len(everybody),
        "without": sum(not has_email(entrant) for entrant in everybody),
    }
    return render(request, "tournament/messages/links.html", context, status=422 if form.errors else 200)


@staff_event_view("desk")
def review_link_requests(request: ActorRequest, event: Event) -> HttpResponse:
    """List requests for lost private links. The desk approves or rejects them after seeing the player."""
    follow_topics(request, event, DESK_TOPIC)
    if request.method != "POST":
        waiting = load_undecided_link_requests(event, timezone.now())
        return render(request, "tournament/messages/link_requests.html", {"waiting": waiting, "key": uuid.uuid4().hex})
    found = get_object_or_404(
        LinkRequest.objects.select_related("event__tournament"),
        event=event,
        pk=parse_number(request.POST.get("request", "")),
    )
    act, key = request.POST.get("act"), request.POST.get("key", "")[:100]
    if act == "refuse":
        reject_link_request(found, by=request.actor, key=key)
        messages.success(request, _("Refused. The page of %(name)s says so.") % {"name": found.name})
        return _redirect_to_requests(event)
    if act == "print":
        require_permission(request.actor, "links", event.tournament)
    answer = approve_link_request(
        found, _find_chosen_entrant(request, event), renew="renew" in request.POST, by=request.actor, key=key
    )
    entrant = cast(Entrant, answer.entrant)
    if act == "print":
        record_printed_slips(event, [entrant], by=request.actor)
        return _print_slips(request, event, [entrant], load_last_paper_size(event.tournament))
    messages.success(request, _("Approved. %(name)s can open their page on their phone now.") % {"name": entrant.name})
    return _redirect_to_requests(event)


def _find_chosen_entrant(request: ActorRequest, event: Event) -> Entrant:
    """Return the entry whose number the user typed, or else the suggested entry that they chose."""
    number = parse_number(request.POST.get("number", "")) or parse_number(request.POST.get("entry", ""))
    entrant = event.entrants.filter(number=number).first() if number is not None else None
    if entrant is None:
        raise DomainError("no-such-entry", _("Choose the player, or enter the number of an entry of this event."))
    return entrant


def _redirect_to_requests(event: Event) -> HttpResponse:
    return redirect(make_event_url(event, "tournament:desk_link_requests"))


def _print_slips(request: ActorRequest, event: Event, receivers: Sequence[Entrant], paper: str) -> HttpResponse:
    slips = [
        LinkSlip(name, entrant.number, make_private_link(request, entrant), entrant.sign_code)
        for entrant in receivers
        for name in list_current_player_names(entrant)
    ]
    target = io.BytesIO()
    write_link_slips(target, f"{event.name}, {event.tournament.name}", slips, paper=paper)
    response = HttpResponse(target.getvalue(), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{event.slug}-private-links.pdf"'
    response["Cache-Control"] = "private, no-store"
    return response
