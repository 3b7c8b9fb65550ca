"""A browser without JavaScript, for tests that use an installed program from outside."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Final

PATIENCE_S: Final = 400
"""Seconds to wait for a page. Only a test that fails waits so long, even on a busy computer."""


class Director:
    """A browser without JavaScript in which the director is signed in."""

    def __init__(self, port: int) -> None:
        self._site = f"http://127.0.0.1:{port}"
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    def get(self, path: str) -> str:
        """Return a page, or an empty text if there is none at this address yet."""
        try:
            with self._opener.open(self._site + path, timeout=PATIENCE_S) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return ""

    def post(self, path: str, **fields: str) -> str:
        """Submit the form on a page: its hidden fields, and these ones."""
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', self.get(path))
        data = urllib.parse.urlencode({**dict(hidden), **fields}).encode()
        with self._opener.open(self._site + path, data, timeout=PATIENCE_S) as response:
            return str(response.read().decode())
