from django.conf import settings
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.links import site_of
from tournament.core.pages.refusals import refusals_on
from tournament.messages.forms import MessageForm
from tournament.messages.services import AUDIENCES, mark_told, send_letters_again, send_message
from tournament.models import Event, Message, MessageCopy


@console_event("desk")
def write(request: ActorRequest, event: Event) -> HttpResponse:
    form = MessageForm(request.POST or None, initial={"numbers": request.GET.get("to", "")})
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            said = form.cleaned_data
            message = send_message(event, form.letter(), by=request.actor, key=said["key"], site=site_of(request))
            messages.success(request, _("The message is on their pages now."))
            return _to(event, message)
    to_tell = Count("copies", filter=Q(copies__channel="phone") & ~Q(copies__state="told"))
    sent = event.messages.annotate(number=Count("copies"), to_tell=to_tell)
    rows = [{"message": one, "to": AUDIENCES.get(one.audience, one.audience)} for one in sent[:50]]
    return render(
        request, "tournament/messages/console.html", {"form": form, "rows": rows, "mail": settings.MAIL_IS_SET}
    )


@console_event("desk")
def message(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """One message: who has it by e-mail, and who to call."""
    found = get_object_or_404(event.messages, pk=pk)
    copies = list(
        found.copies.select_related("entrant")
        .prefetch_related("entrant__members__player", "entrant__members__replaced_by")
        .order_by("entrant__number")
    )
    context = {
        "message": found,
        "to": AUDIENCES.get(found.audience, found.audience),
        "calls": [copy for copy in copies if copy.channel == MessageCopy.Channel.PHONE],
        "mails": [copy for copy in copies if copy.channel == MessageCopy.Channel.EMAIL],
        "unsent": any(copy.channel == "email" and copy.state == "waiting" for copy in copies),
        "left": sum(copy.channel == "phone" and copy.state != "told" for copy in copies),
    }
    return render(request, "tournament/messages/message.html", context)


@require_POST
@console_event("desk")
def told(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    copy = get_object_or_404(
        MessageCopy.objects.select_related("message__event__tournament"), pk=pk, message__event=event
    )
    mark_told(copy, request.POST.get("told") == "1", by=request.actor)
    here = _to(event, copy.message)
    here["Location"] += f"#copy-{copy.pk}"
    return here


@require_POST
@console_event("desk")
def again(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    found = get_object_or_404(event.messages.select_related("event__tournament"), pk=pk)
    number = send_letters_again(found, by=request.actor, site=site_of(request))
    messages.success(request, _("Emails on the way: %(n)s.") % {"n": number})
    return _to(event, found)


def _to(event: Event, message: Message) -> HttpResponse:
    return redirect("tournament:desk_message", tournament=event.tournament.slug, event=event.slug, pk=message.pk)
