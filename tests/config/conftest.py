"""Fixtures for tests that request every URL of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.test import override_settings

if TYPE_CHECKING:
    from tests.config.hall import Hall


@pytest.fixture(scope="module")
def hall(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    from tests.config.hall import Hall  # there are no models when this file is read

    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")):
        yield Hall()
