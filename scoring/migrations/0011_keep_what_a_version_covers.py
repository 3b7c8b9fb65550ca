from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0010_add_keeping_seals_clocks_and_rulings")]

    operations = [
        migrations.AddField(model_name="cardversion", name="facts", field=models.JSONField(default=dict)),
    ]
