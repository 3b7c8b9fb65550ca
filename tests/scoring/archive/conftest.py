"""Make the tests of tournament files faster: move a tournament only once for each way, and encrypt quickly."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from pyrage import passphrase as age

from tests.scoring.helpers.age import encrypt_quickly


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that use `moved_once` by the way to move a tournament, so that it is moved once per way.

    The other tests of the file run before them, because they need the rows from before the move.
    """
    for path in {item.path for item in items if _uses_moved_once(item)}:
        places = [place for place, item in enumerate(items) if item.path == path]
        ordered = sorted((items[place] for place in places), key=_get_way)
        for place, item in zip(places, ordered, strict=True):
            items[place] = item


def _uses_moved_once(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "moved_once" in item.fixturenames


def _get_way(item: pytest.Item) -> str:
    return item.callspec.id if isinstance(item, pytest.Function) and _uses_moved_once(item) else ""


@pytest.fixture(scope="package", autouse=True)
def _quick_encryption() -> Iterator[None]:
    from scoring.archive.selectors import encryption  # not at the top, because the models are not loaded yet

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(encryption, "age", SimpleNamespace(encrypt=encrypt_quickly, decrypt=age.decrypt))
        yield
