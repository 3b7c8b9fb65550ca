from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

THREE = ["director", "coordinator", "hotel"]


def ask_by_event(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Where a tournament asked for the three, each of its events does."""
    events = apps.get_model("tournament", "Event").objects
    events.filter(tournament__three_approvals=True).update(approvals=THREE)


def ask_by_tournament(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Back: a tournament one of whose events asks for all three asks for them."""
    events = apps.get_model("tournament", "Event").objects.filter(approvals=THREE)
    tournaments = apps.get_model("tournament", "Tournament").objects
    tournaments.filter(pk__in=list(events.values_list("tournament", flat=True))).update(three_approvals=True)


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0011_let_a_payout_be_undone"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="approvals",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.RunPython(ask_by_event, ask_by_tournament),
        migrations.RemoveField(
            model_name="tournament",
            name="three_approvals",
        ),
    ]
