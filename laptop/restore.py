"""Restore a backup, or take over from another laptop's file, as a director has requested: `python -m laptop.restore`.

All other processes must be stopped.
"""

import os

from config.process import die_with_supervisor


def main() -> None:
    die_with_supervisor()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DB_POOL"] = "0"  # the connections of a pool would count as somebody who uses the database
    import django

    django.setup()
    from scoring.archive.services.takeovers import carry_out_takeover
    from tournament.backups.services import carry_out_restore_request
    from tournament.second_laptop.services.roles import resume_recording_changes

    carry_out_restore_request(carry_out_takeover)
    resume_recording_changes()


if __name__ == "__main__":
    main()
