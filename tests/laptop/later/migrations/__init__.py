"""The program's own migrations, and those in this folder."""

from tournament import migrations

__path__ = [*__path__, *migrations.__path__]
