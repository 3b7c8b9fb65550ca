import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def _fact(stage_name: str) -> list[tuple[str, models.Field]]:
    return [
        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
        ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
        ("by_name", models.CharField(max_length=200)),
        ("reason", models.TextField(blank=True)),
        (
            "by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        (
            "stage",
            models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name=stage_name, to="pairing.stage"),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("pairing", "0010_add_draws_of_partners"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StageSeal",
            fields=[
                *_fact("seals"),
                ("draw_id", models.CharField(max_length=120)),
                ("commitment", models.CharField(max_length=64)),
                ("secret", models.CharField(max_length=64)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.CreateModel(
            name="StageLots",
            fields=[*_fact("lots"), ("order", models.JSONField())],
            options={"ordering": ["pk"]},
        ),
    ]
