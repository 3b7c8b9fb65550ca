"""Settings for the tests. Each test run stores everything in its own folder, so that runs can overlap.

Processes that a test starts get this folder from TEST_RUN_DIR, the database from TEST_DATABASE, and the collected
static files from TEST_STATIC.
"""

import os
import secrets
import tempfile
from pathlib import Path

RUN_DIR = Path(os.environ.get("TEST_RUN_DIR") or tempfile.mkdtemp(prefix="tournament-tests-"))
_run = RUN_DIR.name[-8:]
_side = os.environ.get("PYTEST_XDIST_WORKER", "")
if _side and RUN_DIR.name != _side:
    RUN_DIR /= _side
    RUN_DIR.mkdir(exist_ok=True)
os.environ["TEST_RUN_DIR"] = str(RUN_DIR)
os.environ["VAR_DIR"] = str(RUN_DIR)
os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(32))
os.environ.setdefault("SEAL_SECRET", secrets.token_urlsafe(32))
os.environ["METRICS_TOKEN"] = "for-the-tests"
os.environ["FONT_FOLDERS"] = ""  # whatever fonts this machine has, papers look the same
for _name in ("DEBUG", "HTTPS", "EMAIL_URL", "SITE_URL", "DJANGO_ALLOWED_HOSTS"):
    os.environ.pop(_name, None)

from config.settings import *  # noqa: E402, F403
from config.settings import ALLOWED_HOSTS, DATABASES, STORAGES  # noqa: E402
from tests.chance import seed_secrets  # noqa: E402

if os.environ.get("TEST_LANGUAGE") == "pseudo":
    from tests.config.pseudo import speak_pseudo

    speak_pseudo()

if "TEST_PROCESS" in os.environ:
    seed_secrets(os.environ["TEST_PROCESS"])

ALLOWED_HOSTS = [*ALLOWED_HOSTS, "hall.test"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

AUTOMATIC_BACKUPS = False
WORKER_HEARTBEAT_FILE = RUN_DIR / f"worker-heartbeat-{os.getpid()}"  # the run's worker is not that of every test
CHECK_SECRETS_AT_START = False  # tests are collected without a database
STATIC_IS_COLLECTED = "TEST_STATIC" in os.environ
if STATIC_IS_COLLECTED:
    STATIC_ROOT = Path(os.environ["TEST_STATIC"])
else:
    STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "config.storage.static_files.PlainStaticFilesStorage"}}

_database = DATABASES["default"]
if _database["ENGINE"] == "django.db.backends.sqlite3":
    # A file: a database in memory is seen by one connection only, and locks as no real one does.
    _test_database = str(RUN_DIR / "test.sqlite3")
    _options = _database["OPTIONS"]
    _options["init_command"] = _options["init_command"].replace("synchronous=FULL", "synchronous=NORMAL")  # faster
else:
    _test_database = f"test_{_database['NAME']}_{_run}"
_database["TEST"] = {"NAME": _test_database}
if "TEST_DATABASE" in os.environ:
    _database["NAME"] = os.environ["TEST_DATABASE"]
