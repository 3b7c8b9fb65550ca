import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def to_facts(apps, schema_editor):
    """A pair that was taken off the list becomes a fact of its own, with what the pair's row knew of it."""
    pairs, ends = apps.get_model("pairing", "AvoidPair"), apps.get_model("pairing", "AvoidPairEnded")
    for pair in pairs.objects.filter(was_ended=True):
        ends.objects.create(pair=pair, at=pair.at, by_id=pair.by_id, by_name=pair.by_name, reason="")


def to_flags(apps, schema_editor):
    ended = apps.get_model("pairing", "AvoidPairEnded").objects.values_list("pair_id", flat=True)
    apps.get_model("pairing", "AvoidPair").objects.filter(pk__in=list(ended)).update(was_ended=True)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("pairing", "0004_add_seatings"),
    ]

    operations = [
        migrations.RenameField("AvoidPair", "ended", "was_ended"),
        migrations.CreateModel(
            name="AvoidPairEnded",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("by_name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        blank=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ended", to="pairing.avoidpair"
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.RunPython(to_facts, to_flags),
        migrations.RemoveField("AvoidPair", "was_ended"),
    ]
