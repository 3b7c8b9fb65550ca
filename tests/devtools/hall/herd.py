"""The herd: the desk starts play, and in the same second everybody's match is on their page."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from tests.devtools.hall.book import Spread, spread_of
from tests.devtools.hall.phones import Phone
from tests.devtools.hall.writers import Desk, Hall

PATIENCE: Final = 60.0
SHOWN: Final = b"match-opponent"


class Herd:
    def __init__(self, hall: Hall, phones: list[Phone]) -> None:
        self.hall, self.book = hall, hall.book
        self.phones = [phone for phone in phones if phone.kind == "my match"]

    async def start_play(self) -> dict[str, Spread]:
        """From the desk's answer until each player sees whom they play; pages that went blank are loaded again."""
        desk = Desk(self.hall, self.hall.known["sign_in"][0])
        await desk.open()
        page = await desk.browser.get("page rules", f"{self.hall.desk}/rules/")
        self.book.times.clear()
        fields = {"csrfmiddlewaretoken": page.csrf}
        answer = await desk.browser.post("write start of play", f"{self.hall.desk}/start-play/", fields)
        began = time.monotonic()
        if not answer.goes_to:
            self.book.fail("write start of play", f"{answer.status} and no way on")
        shown = await self._wait(began)
        await desk.close()
        asked = [
            time for kind, times in self.book.times.items() if kind.startswith(("panel", "page")) for time in times
        ]
        return {"herd: match shown": spread_of(shown), "herd: every answer": spread_of(asked)}

    async def _wait(self, began: float) -> list[float]:
        waiting, shown = set(self.phones), []
        while waiting and time.monotonic() < began + PATIENCE:
            await asyncio.sleep(0.02)
            done = {phone for phone in waiting if SHOWN in phone.body}
            waiting -= done
            shown += [time.monotonic() - began] * len(done)
        if waiting:
            self.book.fail("herd", f"{len(waiting)} phones never showed their match")
        return shown
