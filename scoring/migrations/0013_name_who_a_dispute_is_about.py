from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0012_let_the_desk_settle_a_difference")]

    operations = [
        migrations.AddField(model_name="dispute", name="entries", field=models.JSONField(blank=True, default=list)),
    ]
