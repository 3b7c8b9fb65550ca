"""Which compressed form a client takes, and that each is the page."""

from __future__ import annotations

import asyncio
import gzip

import brotli
import pytest

from config.front.memory import choose_coding, compress_body

ALL = ("br", "gzip", "identity")


@pytest.mark.parametrize(
    ("accepted", "best"),
    [
        ("", "identity"),
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("GZIP", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0,gzip;q=0", "identity"),
        ("br; q=0.2, gzip; q=0.9", "gzip"),
        ("*", "br"),
        ("*;q=0", "identity"),
        ("br;q=0, *", "gzip"),
        ("identity, gzip;q=0.5", "identity"),
        ("identity;q=0.5, gzip", "gzip"),
        ("abridged, bread", "identity"),
        ("gzip;q=", "identity"),
        ("gzip;q=nonsense;x, br;q=nan", "identity"),
        (",;=,;;q=1", "identity"),
        ("x" * 100_000 + ", br", "identity"),
    ],
)
def test_the_form_that_the_client_likes_best(accepted: str, best: str) -> None:
    assert choose_coding(ALL, accepted.encode()) == best


@pytest.mark.parametrize("size", [0, 199, 200, 5_000, 300_000])
def test_each_form_is_the_page(size: int) -> None:
    body = (b"Ada Lovelace beats Alan Turing. " * 10_000)[:size]
    forms = asyncio.run(compress_body(body))
    assert list(forms) == (["br", "gzip", "identity"] if size >= 200 else ["identity"])
    assert forms["identity"] == body
    if size >= 200:
        assert brotli.decompress(forms["br"]) == gzip.decompress(forms["gzip"]) == body
