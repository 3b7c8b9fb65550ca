"""`makemessages` that also finds what the pure folders say by `worded`."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=worded", "--keyword=worded_plural:1,2"]  # noqa: RUF012
