"""The page *Take over from a file*. Only a laptop without tournaments shows it, and only on its own screen."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from tzlocal import get_localzone_name

from scoring.archive.selectors.takeovers import TakeoverFile, find_takeover_file, list_takeover_files
from scoring.archive.services.installations import is_installation_empty
from scoring.archive.services.takeovers import request_takeover
from tournament.backups.selectors import BackupUnreadable
from tournament.core.pages.access import is_request_from_this_computer
from tournament.core.pages.responses import render_confirmation
from tournament.errors import DomainError, NotFound
from tournament.templatetags.gin import local_day_time


@require_http_methods(["GET", "POST"])
def take_over_from_file(request: HttpRequest) -> HttpResponse:
    """List the files on USB sticks, and take over from one of them after a confirmation.

    Raises:
        NotFound: the request came from another computer.
    """
    if not is_request_from_this_computer(request):
        message = _("Only the laptop itself shows this page. Open it on that laptop’s own screen.")
        raise NotFound("not-here", message)
    file = find_takeover_file(request.GET.get("file", ""))
    if file is not None and is_installation_empty() and settings.IS_SUPERVISED:
        response = _confirm(request, file)
    else:
        context = {
            "files": [(each, _describe_time(each)) for each in list_takeover_files()],
            "is_empty": is_installation_empty(),
            "is_supervised": settings.IS_SUPERVISED,
            "is_gone": "file" in request.GET and file is None,
        }
        response = render(request, "scoring/archive/take_over.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


def _confirm(request: HttpRequest, file: TakeoverFile) -> HttpResponse:
    problem = ""
    if request.method == "POST":
        try:
            asked = request_takeover(file, request.POST.get("passphrase", ""))
            return redirect("tournament:restore_outcome", pk=asked.pk)
        except DomainError as refusal:
            problem = refusal.message
        except BackupUnreadable as error:
            problem = str(error)
        except OSError as error:
            problem = _("The file could not be copied: %(reason)s. Plug the stick in again, then try again.")
            problem %= {"reason": error.strerror}
    text = _("A backup from %(at)s: %(name)s") if file.is_backup else _("Everything, from %(at)s: %(name)s")
    return render_confirmation(
        request,
        title=_("Take over from this file?"),
        text=text % {"name": file.path.name, "at": _describe_time(file)},
        happens=(
            _("Everything in the file goes on here: links, signing codes, score cards, and money."),
            _("What was recorded after this file was made is missing here."),
            _("The other laptop must record nothing anymore. Switch it off if it still runs."),
            _("The pages here are away for about a minute. Then sign in with the link that the program prints."),
        ),
        label=_("Take over now"),
        danger=True,
        secret=_("The passphrase of the file") if file.is_encrypted else "",
        error=problem,
        back=reverse("scoring:take_over"),
    )


def _describe_time(file: TakeoverFile) -> str:
    """Return a file's time by this computer's clock, and its age. An empty laptop has no venue with a time zone."""
    try:
        zone = get_localzone_name()
    except LookupError:  # the system names no time zone
        zone = "UTC"
    words = {"at": local_day_time(file.made_at, zone), "age": timesince(file.made_at, depth=1)}
    return _("%(at)s by this computer’s clock, %(age)s ago") % words
