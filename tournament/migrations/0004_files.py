import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournament", "0003_secretdigest")]

    operations = [
        migrations.CreateModel(
            name="FilePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255)),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "number"), name="one_part_a_number")],
            },
        ),
    ]
