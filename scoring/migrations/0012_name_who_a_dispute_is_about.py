from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0011_keep_what_a_version_covers")]

    operations = [
        migrations.AddField(model_name="dispute", name="entries", field=models.JSONField(blank=True, default=list)),
    ]
