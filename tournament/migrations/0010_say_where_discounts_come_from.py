from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_what_was_awarded(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """A finished event keeps the pool by which its prizes were awarded: there discounts came off the fee."""
    apps.get_model("tournament", "Event").objects.filter(state="finished").update(discounts_from="fee")


class Migration(migrations.Migration):
    dependencies = [
        ("tournament", "0009_let_a_ruling_eliminate"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="discounts_from",
            field=models.CharField(
                choices=[
                    ("expenses", "From the expenses: the prize pool is as if the whole fee had been paid"),
                    ("fee", "From the fee before it is split: the prize pool and the expenses both get less"),
                ],
                default="expenses",
                max_length=10,
            ),
        ),
        migrations.RunPython(keep_what_was_awarded, migrations.RunPython.noop),
    ]
