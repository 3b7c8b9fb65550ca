"""Fair turns: clients are served one after the other, no matter how many requests each has sent.

A client with four hundred connections waits longer for its own requests, and nobody else does.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.front.lanes import PageProcess

    Turn = asyncio.Future[PageProcess]


class Line:
    """Waiting requests by client. A turn may be in several clients' queues, and the first that is served takes it."""

    def __init__(self) -> None:
        self._of_client: OrderedDict[str, deque[Turn]] = OrderedDict()

    def add(self, turn: Turn, client: str) -> None:
        self._of_client.setdefault(client, deque()).append(turn)

    def waiting_of(self, client: str) -> int:
        return sum(not turn.done() for turn in self._of_client.get(client, ()))

    def __len__(self) -> int:
        return sum(map(self.waiting_of, self._of_client))

    def __bool__(self) -> bool:
        """Return whether anybody still waits, and drop requests that gave up or were served through another client."""
        while self._of_client:
            client, turns = next(iter(self._of_client.items()))
            while turns and turns[0].done():
                turns.popleft()
            if turns:
                return True
            del self._of_client[client]
        return False

    def take(self) -> Turn:
        """Return the next turn, and move its client with its other requests to the end of the line."""
        assert self
        client, turns = self._of_client.popitem(last=False)
        turn = turns.popleft()
        if turns:
            self._of_client[client] = turns
        return turn


class Askers:
    """The clients that wait for one page. More may join if the page is the same for all of them."""

    def __init__(self, client: str) -> None:
        self.first = client
        self._clients = {client}
        self._place: tuple[Line, Turn] | None = None

    def join(self, client: str) -> None:
        if client not in self._clients:
            self._clients.add(client)
            if self._place is not None:
                line, turn = self._place
                line.add(turn, client)

    def stand_in(self, line: Line, turn: Turn) -> None:
        self._place = line, turn
        for client in self._clients:
            line.add(turn, client)
