"""Settings: one laptop without any, many servers by environment variables."""

from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"
SECRET_KEY = ""
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "tournament", "pairing", "scoring"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": VAR_DIR / "db.sqlite3"}}
USE_TZ = True
AUTH_USER_MODEL = "tournament.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
