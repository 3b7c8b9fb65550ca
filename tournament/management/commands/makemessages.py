"""The command `makemessages`. It also extracts `lazy_text` messages, and skips tests and installed packages."""

from typing import Any, Final

from django.core.management.commands import makemessages

IGNORED_FOLDERS: Final = [".venv", "tests", "var"]


class Command(makemessages.Command):
    xgettext_options = [  # noqa: RUF012
        *makemessages.Command.xgettext_options,
        "--keyword=lazy_text",
        "--keyword=lazy_plural:1,2",
    ]

    def handle(self, *args: Any, **options: Any) -> None:
        options["ignore_patterns"] += IGNORED_FOLDERS
        super().handle(*args, **options)
