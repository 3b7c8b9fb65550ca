"""Django settings.

The defaults suit one laptop in a hall, and environment variables configure larger setups (docs/operations.md).
"""

import socket
from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured

from config.broker import find_running_broker, make_redis_url
from config.environment import BASE_DIR, IS_CHECKOUT, VAR_DIR, env, lazy_secret, read_build
from config.front.clients import parse_trusted_proxies, read_site_host
from config.languages import find_languages
from config.process import raise_gc_thresholds
from tournament import __version__

raise_gc_thresholds()  # every process reads the settings before it imports most of its modules

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = lazy_secret("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
SEAL_SECRET = lazy_secret("SEAL_SECRET")
"""The secret from which the signing key of sealed records is derived."""
SEAL_SECRET_FALLBACKS = env.list("SEAL_SECRET_FALLBACKS", default=[])
"""Earlier seal secrets. Seals made with them are still accepted."""
CHECK_SECRETS_AT_START = True
"""Whether a web process checks its secrets at startup, and exits if the database was set up with different ones."""

COMMAND_FORMATTER = "laptop.command.format_command"
"""The function that formats a management command for messages."""

# --- Where the site is reached -------------------------------------------------------------------------------------

HTTPS = env.str("HTTPS", default="0").lower() in {"1", "true", "yes", "on", "y", "ok", "proxy"}
OWN_CERTIFICATE = env.str("OWN_CERTIFICATE", default="")
"""The root certificate made by `gin-rummy run` with HTTPS=1, or "" if a proxy provides HTTPS or the site has none."""
TRUST_URL = env.str("TRUST_URL", default="")
"""The plain HTTP address of the page that helps users trust the certificate."""
_BEHIND_PROXY = HTTPS and not OWN_CERTIFICATE
SITE_URL = env.str("SITE_URL", default="").rstrip("/")
"""The site's base URL for links made outside of a request, or "" if it is unknown."""

_HOSTNAME = socket.gethostname().lower()
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", _HOSTNAME, f"{_HOSTNAME}.local"]
ALLOWED_HOSTS += env.list("ALLOWED_HOSTS", default=[]) + env.list("HALL_HOST", default=[])
ALLOWED_HOSTS += [read_site_host(SITE_URL)] if SITE_URL else []
TRUSTED_PROXIES = parse_trusted_proxies(env.list("TRUSTED_PROXIES", default=[]))
"""The proxies whose X-Forwarded-For header is trusted when the client's address is determined for rate limits."""
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[]) + ([SITE_URL] if SITE_URL else [])

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# Separate names, because a plain page cannot replace a cookie set by https, and a laptop may run both ways.
SESSION_COOKIE_NAME = "__Host-sessionid" if HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
# Off with an own certificate, because HSTS would block the plain page that helps phones trust it.
SECURE_HSTS_SECONDS = 3600 * 24 * 30 if _BEHIND_PROXY else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _BEHIND_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin" if HTTPS else None  # browsers log an error for it on plain http
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "worker-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }
}

# --- Apps, middleware and templates --------------------------------------------------------------------------------

INSTALLED_APPS = [
    "scoring",
    "pairing",
    "tournament",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "crispy_forms",
    "crispy_bootstrap5",
    "csp",
    "django_htmx",
    "django_tables2",
]

MIDDLEWARE = [
    "config.pages.monitoring.MonitoringMiddleware",
    "config.front.clients.ClientAddressMiddleware",
    "config.pages.hosts.AllowLocalAddressMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "tournament.core.middleware.PrivatePagesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "tournament.core.middleware.BodySizeLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tournament.core.middleware.SignedInCookieMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "tournament.core.middleware.ReadOnlyRequestMiddleware",
    "tournament.core.middleware.CalledOffHeaderMiddleware",
    "tournament.core.middleware.DomainErrorMiddleware",
    "tournament.second_laptop.middleware.KeepUnconfirmedRequestsMiddleware",
    "tournament.second_laptop.middleware.ReadOnlyLaptopMiddleware",
]

ROOT_URLCONF = "config.urls"
CSRF_FAILURE_VIEW = "config.pages.error_pages.csrf_failure"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.navigation.base_template_context",
            ],
            "libraries": {  # tags and filters of one room
                "conduct": "scoring.disputes.tags",
                "lines": "scoring.card_state.tags",
                "open_words": "tournament.money.tags",
            },
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
CRISPY_ALLOWED_TEMPLATE_PACKS = CRISPY_TEMPLATE_PACK = "bootstrap5"
DJANGO_TABLES2_TEMPLATE = "django_tables2/bootstrap5.html"
IMPORT_EXPORT_ESCAPE_FORMULAE_ON_EXPORT = True

# --- Language and time ---------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGES = find_languages(LOCALE_PATHS[0])
USE_TZ = True
TIME_ZONE = "UTC"

# --- Storage -------------------------------------------------------------------------------------------------------

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
if "DATABASE_URL" in env:
    if env.str("DATABASE_URL").partition("://")[0] not in env.DB_SCHEMES:
        raise ImproperlyConfigured("DATABASE_URL must begin as in postgres://user:password@host/name")
    DATABASES = {"default": env.db_url("DATABASE_URL")}
else:
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": VAR_DIR / "db.sqlite3"}}
READ_ONLY_DATABASE = env.bool("READ_ONLY_DATABASE", default=False)
"""Whether this database is read-only because another laptop writes. `make run` sets this on a second laptop."""
if READ_ONLY_DATABASE:
    SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A new connection reads the whole schema again, which takes a fifth of the time of a short page.
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "cached_statements": 512,
        # With `synchronous=NORMAL`, a power failure would lose the last commits, which were acknowledged.
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
        + ("PRAGMA query_only=ON;" if READ_ONLY_DATABASE else ""),
    }
else:
    DATABASES["default"]["ENGINE"] = "config.postgres"
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    DATABASES["default"]["OPTIONS"] = {
        "connect_timeout": 10,
        # A server whose cable was pulled never closes its connections.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
        **DATABASES["default"].get("OPTIONS", {}),
    }
    _pool = env.int("DB_POOL", default=8)
    if _pool:  # `manage.py` sets 0, because a command needs one connection and should not wait for it
        # `config.postgres` asks the pool again, so that a page waits through a restart of PostgreSQL.
        _each_second = {"timeout": 1.0, "reconnect_timeout": 1.0}
        DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": _pool, **_each_second}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STATIC_IS_COLLECTED = not DEBUG
"""Whether static files have hashed names and are precompressed (`collectstatic`)."""

SERVESTATIC_USE_BROTLI = False
"""Brotli is off because it would delay each start by three seconds, and phones do not accept it over plain HTTP."""

MEDIA_ROOT = VAR_DIR / "files"
"""The folder in which earlier releases stored files. Files in it are still served."""
S3_BUCKET = env.str("S3_BUCKET", default="")
_IN_S3 = {
    "BACKEND": "config.storage.in_s3.S3FileStorage",
    "OPTIONS": {
        "bucket_name": S3_BUCKET,
        "endpoint_url": env.str("S3_ENDPOINT", default="") or None,
        "file_overwrite": False,
        "default_acl": None,
    },
}
_STATIC_STORAGE = (
    "config.storage.static_files.CollectedStaticFilesStorage"
    if STATIC_IS_COLLECTED
    else "config.storage.static_files.PlainStaticFilesStorage"
)
STORAGES = {
    "default": _IN_S3 if S3_BUCKET else {"BACKEND": "config.storage.in_database.DatabaseFileStorage"},
    "staticfiles": {"BACKEND": _STATIC_STORAGE},
}

# --- Backups -------------------------------------------------------------------------------------------------------

LINK_PORT = env.int("LINK_PORT", default=env.int("PORT", default=8000) + 2)
"""The port on which this computer listens for a second laptop."""
SECOND_LAPTOP_ACK_FILE = VAR_DIR / "second-laptop" / "ack"
BACKUP_DIR = VAR_DIR / "backups"
AUTOMATIC_BACKUPS = env.bool("BACKUPS", default=True)
"""Whether the worker makes backups automatically, and pages warn if there are none."""
BACKUP_EVERY = timedelta(minutes=env.int("BACKUP_EVERY_MINUTES", default=15))
"""The maximum time between a write and the next backup. A milestone is backed up immediately."""
BACKUP_OLD_AFTER = timedelta(minutes=30)
"""Pages show a warning if a write that is older than this is not in any backup."""
BACKUP_KEEP_ALL = timedelta(hours=env.int("BACKUP_KEEP_ALL_HOURS", default=2))
BACKUP_KEEP_HOURLY = timedelta(hours=env.int("BACKUP_KEEP_HOURLY_HOURS", default=24))
BACKUP_KEEP_DAILY = timedelta(days=env.int("BACKUP_KEEP_DAILY_DAYS", default=30))
BACKUP_COPY_DIR = env.str("BACKUP_COPY_DIR", default="")
"""A folder that also receives each backup, or "" if there is none."""
IS_SUPERVISED = env.bool("SUPERVISED", default=False)
"""Whether this process was started by `laptop.run`, which also restores backups that a director requests."""
PREVIOUS_VERSION = env.str("PREVIOUS_VERSION", default="")
"""The version from before the last update if `gin-rummy run --previous` can start it, and otherwise ""."""
STARTED_AT = env.str("STARTED_AT", default="")
"""When `laptop.run` started, in ISO form, or "" if another program started this process."""
HAS_FIRST_START_PAGE = env.bool("SETUP", default=not IS_CHECKOUT)
"""Whether the first administrator sets up the program on the page *Welcome*, instead of using a sign-in link."""
START_COMMAND = env.str("START_COMMAND", default="")
"""The command with which people start the program, or "" for the usual one."""
BUILD = read_build()
IS_EARLIER_VERSION = BASE_DIR.is_relative_to((VAR_DIR / "versions").resolve())
"""Whether this program is a copy of an earlier version, which `gin-rummy run --previous` started."""
BACKUP_MOUNT_FOLDERS = ["/media/*", "/media/*/*", "/run/media/*/*", "/mnt/*", "/Volumes/*"]
"""Glob patterns of the folders where a USB stick is mounted. On Windows, every drive is searched instead."""

DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
"""The size limit of a form or JSON body in bytes.

Views that accept files set their own limits (`tournament/intake.py`).
"""
DATA_UPLOAD_MAX_NUMBER_FILES = 5
INTAKE_PRELOAD = [
    "openpyxl",
    "psutil",
    "pypdf._codecs._codecs",
    "pypdf.filters",
    "scoring.disputes.services.photos",
    "scoring.seals.selectors.p12_files",
    "scoring.verification.pdf.sealed_files",
    "tournament.spreadsheets",
]
"""Modules that the file-reading process (`tournament/intake`) loads in advance. None of them needs Django.

On Windows, each of these processes loads only what its file needs.
"""

# --- Broker, cache and tasks ---------------------------------------------------------------------------------------

REDIS_URL = env.str("REDIS_URL", default="") or find_running_broker()
"""The URL of the broker: from the environment, or of the broker that `make run` started, or "" if none is running."""

CELERY_APP = "config.celery.app"

CACHES = {
    "default": {
        "BACKEND": "config.cache.FallbackRedisCache",
        "LOCATION": make_redis_url(REDIS_URL, database=1),
        # Servers of two versions share a cache during an update, and must not read each other's values.
        "KEY_PREFIX": env.str("CACHE_PREFIX", default=__version__),
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # The `{% cache %}` tag uses this one, in the memory of the process.
    "template_fragments": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "fragments"},
}

_SERVERS_SHARE = "DATABASE_URL" in env and bool(env.str("REDIS_URL", default=""))
PAGES_FROM_MEMORY = env.bool("PAGES_FROM_MEMORY", default=_SERVERS_SHARE or "DATABASE_URL" not in env)
"""Whether public pages are served from memory while their marks (version stamps) are unchanged."""
MARKS_URL = make_redis_url(REDIS_URL, database=1) if _SERVERS_SHARE else ""
"""The Redis database in which several servers share marks (version stamps), or "" if a single server uses a file."""
MARKS_KEY = env.str("CACHE_PREFIX", default="") + "marks"
MARKS_FILE = VAR_DIR / "marks"
WORKER_HEARTBEAT_FILE = VAR_DIR / "worker-heartbeat"
"""The file that a worker touches regularly, so that pages know that it is running."""
LANES = env.bool("LANES", default=False)
"""Whether separate processes render pages. Otherwise the front process does."""

# --- Payments by card ----------------------------------------------------------------------------------------------

CARD_PROVIDER = env.str("CARD_PROVIDER", default="")
"""The card payment provider, or "" if there is none. `console` charges nothing and is for development."""
if CARD_PROVIDER == "console" and not DEBUG:
    raise ImproperlyConfigured("CARD_PROVIDER=console takes no money: use it with DEBUG=1 only.")
CARD_WEBHOOK_SECRET = lazy_secret("CARD_WEBHOOK_SECRET")
"""The secret that authenticates the provider's webhook messages."""

# --- Mail ----------------------------------------------------------------------------------------------------------

EMAIL_URL = env.str("EMAIL_URL", default="")
MAIL_IS_SET = bool(EMAIL_URL)
"""Whether email can be sent. Without email, the program shows sign-in links and codes on the screen."""

if MAIL_IS_SET:
    vars().update(env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("MAIL_FROM", default=f"tournament@{_HOSTNAME}")

# --- Accounts ------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "tournament.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "config.accounts.AccountAdapter"
ACCOUNT_FORMS = {"login": "config.accounts.NameOrEmailLoginForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if MAIL_IS_SET else "none"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = MAIL_IS_SET
ACCOUNT_LOGIN_BY_CODE_ENABLED = MAIL_IS_SET
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Verification protects against signing up with another person's address. Without email nobody can sign up.
MFA_ALLOW_UNVERIFIED_EMAIL = not MAIL_IS_SET
MFA_TOTP_ISSUER = "Gin rummy tournaments"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = DEBUG

# --- Logs and metrics ----------------------------------------------------------------------------------------------

LOG_FORMAT = env.str("LOG_FORMAT", default="text")
"""The format of log lines: `text`, or `json` for log collectors."""
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured("LOG_FORMAT must be text or json.")
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
"""The token with which Prometheus reads /metrics. Without a token, /metrics does not exist."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "{levelname} {name}: {message}", "style": "{"},
        "json": {"()": "config.logs.JsonLogFormatter"},
    },
    "filters": {
        "outages": {"()": "config.outages.OutageFilter"},
        "errors": {"()": "config.logs.ErrorMessageFilter"},
        "links": {"()": "config.outages.PrivateLinkFilter"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["outages", *(["errors"] if LOG_FORMAT == "json" else []), "links"],
        }
    },
    "loggers": {
        "psycopg.pool": {"level": "ERROR"},  # it logs a warning for each try to connect
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # refused, and not worth a log line
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="WARNING")},
}
