"""The languages of the site: English, and every language with a compiled catalog."""

from pathlib import Path
from typing import Final

from django.conf.locale import LANG_INFO

ENGLISH: Final = ("en", "English")


def find_languages(folder: Path) -> list[tuple[str, str]]:
    """Return the code and the native name of each language, English first.

    >>> find_languages(Path("nowhere"))
    [('en', 'English')]
    """
    folders = folder.iterdir() if folder.exists() else ()
    names = sorted(each.name for each in folders if (each / "LC_MESSAGES" / "django.mo").exists())
    codes = [name.lower().replace("_", "-") for name in names]
    known = {code: LANG_INFO.get(code) or LANG_INFO.get(code.partition("-")[0]) or {} for code in codes}
    return [ENGLISH, *((code, str(known[code].get("name_local", code))) for code in codes if code != ENGLISH[0])]
