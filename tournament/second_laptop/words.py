"""The texts of *When the laptop dies*, the sheet of paper that lies with the cash box during an event.

`docs/when-the-laptop-dies.md` has the same texts. A test compares the two.
"""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournament.core.selectors.program import format_command


@dataclass(frozen=True, slots=True)
class SheetSection:
    """A section of the sheet: a paragraph before its steps, the steps, and paragraphs after them.

    `is_numbered` is true if the steps are done one after the other. If `starts_side` is true, the section begins the
    second side of the sheet.
    """

    title: str | Promise
    before: str | Promise = ""
    steps: tuple[str | Promise, ...] = ()
    after: tuple[str | Promise, ...] = ()
    is_numbered: bool = True
    starts_side: bool = False


SHEET_TITLE: Final = gettext_lazy("When the laptop dies")

SHEET_SECTIONS: Final = (
    SheetSection(
        gettext_lazy("Before the event"),
        steps=(
            gettext_lazy(
                "A second laptop, if you have one: install the same version of the program on it, and connect both "
                "laptops to the same network. If one uses “HTTPS=1”, the other must, too. On the first laptop, open "
                "“Setup → Backups → Second laptop”, and click “Add a second laptop”. Start the program on the second "
                "laptop, and open the address that it prints after “To follow another laptop”. Enter the address and "
                "the six words there. After about a minute, the first laptop says “The second laptop has everything”. "
                "If the second laptop has tournaments, sign in on it first. They are replaced, but kept in the folder "
                "“replaced”."
            ),
            gettext_lazy(
                "A USB stick, in any case: plug it into the first laptop. Open “Setup → Backups”, choose the stick, "
                "and click “Copy new backups there”. When the page shows “Last copied”, leave the stick plugged in."
            ),
        ),
        is_numbered=False,
    ),
    SheetSection(
        gettext_lazy("During the event"),
        gettext_lazy("If “Today” warns about the second laptop or the backups:"),
        (
            gettext_lazy(
                "Read the reason on “Setup → Backups → Second laptop”, or on the second laptop's own screen. It says "
                "what to do."
            ),
            gettext_lazy(
                "Check that both laptops are on, and in the same network. If the first laptop's address has changed, "
                "enter the new one on the second laptop's own screen. If a disk is full, delete files there. If a "
                "clock is wrong, correct it. The second laptop then catches up automatically."
            ),
            gettext_lazy(
                "If it still does not work, go on with the stick. The newest backup is at most 15 minutes old."
            ),
        ),
        (
            gettext_lazy(
                "If the first laptop is only slow, do not take over. Make a backup (“Back up now”), and restart the "
                "program on the first laptop."
            ),
        ),
    ),
    SheetSection(
        gettext_lazy("The first laptop is dead, and there is a second one"),
        steps=(
            gettext_lazy(
                "On the second laptop's own screen, open any page. At the top, click “Take over on its own screen”."
            ),
            gettext_lazy(
                "Click “Take over now”. After about a minute, the second laptop records everything. Sign in with the "
                "link that the program prints. Other staff sign in again, too."
            ),
            gettext_lazy(
                "Phones with an open page switch to it within seconds, and send the hands that they could not send "
                "before. Nobody has to scan anything."
            ),
            gettext_lazy(
                "Posters still show the first laptop's address. Give the second laptop that address, or print new "
                "posters. Its page “This laptop” explains how."
            ),
            gettext_lazy("Ask who entered something in the last minute, and check that it is recorded."),
        ),
        after=(
            gettext_lazy(
                "If the first laptop comes back, it records nothing anymore. If it has something that the second "
                "laptop lacks, “Today” says so. Click “Decide what to add”, begin at the top, and choose “Add” or "
                "“Leave out” for each line. If something can no longer be added, the page shows why, and you enter it "
                "by hand. What you add keeps its private link and receipt number. If somebody else has that number by "
                "now, the page says what to print again. After that, the old laptop can become the second one: click "
                "“Add a second laptop” again."
            ),
        ),
        starts_side=True,
    ),
    SheetSection(
        gettext_lazy("The first laptop is dead, and there is only a USB stick"),
        steps=(
            gettext_lazy(
                "Take any computer that has the same version of the program, and no tournaments except for the demo. "
                "Start the program there, and plug in the stick."
            ),
            gettext_lazy(
                "On its own screen, open the address that the program prints after “To follow another laptop”. Click "
                "“Take over from a file”. The newest file is at the top."
            ),
            gettext_lazy(
                "Click “Take over from this file”, and then “Take over now”. After about a minute, this computer "
                "continues from the state in the file. Sign in with the link that the program prints. Choose the "
                "stick again under “Setup → Backups”, so that it gets the new backups, too. If there was a second "
                "laptop, add it again."
            ),
            gettext_lazy(
                "Give this computer the old laptop's address, or print new posters. Leave the old laptop switched off."
            ),
            gettext_lazy(
                "Everything that was recorded after the time in the file's name is missing. Enter it again from signed "
                "paper cards, receipts, and the players' phones."
            ),
        ),
        after=(
            gettext_lazy(
                "If no page opens, run this command in a terminal, with the name of the newest file (its time is in "
                "UTC):"
            ),
        ),
    ),
)


def format_takeover_command() -> str:
    """Return the command that continues from a backup if no page opens. It is printed at the end of the sheet."""
    return format_command("take_over_from_file", "/media/…/gin-rummy-backups/….backup.zip")
