"""Submit the forms on a page as a browser without scripts does."""

from __future__ import annotations

from typing import Any

import lxml.html


def read_html(text: str) -> Any:
    return lxml.html.fromstring(text)


def fields_of(form: Any) -> dict[str, str]:
    """Return the fields that a browser would submit, without the buttons.

    Unlike lxml, this function does not replace the empty value of a checked radio button with “on”.
    """
    empty = {each.get("name") for each in form.xpath('.//input[@type="radio"][@checked][@value=""]')}
    return {name: "" if name in empty else value or "" for name, value in form.form_values()}
