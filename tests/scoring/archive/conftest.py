"""Let the tests of tournament files encrypt files that can be decrypted quickly."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from pyrage import passphrase as age

from tests.scoring.helpers.age import encrypt_quickly


@pytest.fixture(scope="package", autouse=True)
def _quick_encryption() -> Iterator[None]:
    from scoring.archive.selectors import encryption  # there are no models when this file is read

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(encryption, "age", SimpleNamespace(encrypt=encrypt_quickly, decrypt=age.decrypt))
        yield
