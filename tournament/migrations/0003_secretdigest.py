from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournament", "0002_topics")]

    operations = [
        migrations.CreateModel(
            name="SecretDigest",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
            ],
        ),
    ]
