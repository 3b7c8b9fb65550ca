"""Names of Gettext functions, and patterns that find translatable texts in templates."""

from __future__ import annotations

import re

GETTEXT = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "npgettext",
    "lazy_text",
    "lazy_plural",
}


TRANSLATE = re.compile(r"""\{%-?\s*translate\s+("(?P<one>[^"]*)"|'(?P<other>[^']*)')|_\("(?P<short>[^"]*)"\)""")


BLOCK = re.compile(r"\{%\s*blocktranslate\b[^%]*%\}(.*?)\{%\s*endblocktranslate\s*%\}", re.DOTALL)
