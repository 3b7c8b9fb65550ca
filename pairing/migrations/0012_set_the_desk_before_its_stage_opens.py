import django.db.models.deletion
from django.db import migrations, models


def name_the_stages(apps, schema_editor):
    for found in apps.get_model("pairing", "DeskSettings").objects.select_related("stage__draw__commitment"):
        found.event_id, found.number = found.stage.draw.commitment.event_id, found.stage.number
        found.save(update_fields=["event", "number"])


def find_the_stages(apps, schema_editor):
    """Those made before their stage was opened had no place before."""
    stages = apps.get_model("pairing", "Stage").objects
    for found in apps.get_model("pairing", "DeskSettings").objects.all():
        opened = stages.filter(draw__commitment__event_id=found.event_id, number=found.number)
        stage = opened.order_by("pk").last()
        if stage is None:
            found.delete()
        else:
            found.stage_id = stage.pk
            found.save(update_fields=["stage"])


class Migration(migrations.Migration):
    dependencies = [
        ("pairing", "0011_seal_stages_and_record_lots"),
        ("tournament", "__first__"),
    ]

    operations = [
        migrations.AddField(
            model_name="desksettings",
            name="event",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="desk_settings",
                to="tournament.event",
            ),
        ),
        migrations.AddField(
            model_name="desksettings", name="number", field=models.PositiveSmallIntegerField(null=True)
        ),
        migrations.AlterField(
            model_name="desksettings",
            name="stage",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="desk_settings",
                to="pairing.stage",
            ),
        ),
        migrations.RunPython(name_the_stages, find_the_stages),
        migrations.RemoveField(model_name="desksettings", name="stage"),
        migrations.AlterField(
            model_name="desksettings",
            name="event",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="desk_settings",
                to="tournament.event",
            ),
        ),
        migrations.AlterField(model_name="desksettings", name="number", field=models.PositiveSmallIntegerField()),
    ]
