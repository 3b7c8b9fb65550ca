from __future__ import annotations

from pathlib import Path

import pytest
import redis
from kombu.utils.url import url_to_parts

from config import broker
from config.broker import broker_socket, celery_location, redis_location, socket_location, socket_path


@pytest.mark.parametrize(
    ("url", "spelled"),
    [
        ("redis://hall:6379", "redis://hall:6379/1"),
        ("redis://:pass@hall:6379/0", "redis://:pass@hall:6379/1"),
        ("rediss://hall/0?ssl_cert_reqs=none", "rediss://hall/1?ssl_cert_reqs=none"),
        ("unix:///var/broker.sock", "unix:///var/broker.sock?db=1"),
    ],
)
def test_a_database_is_named(url: str, spelled: str) -> None:
    assert redis_location(url, database=1) == spelled


@pytest.mark.parametrize("folder", ["plain", "with space", "100% # sure?"])
def test_a_folder_may_have_any_name(folder: str) -> None:
    socket = Path("/srv", folder, "broker.sock")
    url = socket_location(socket)
    by_redis = redis.ConnectionPool.from_url(redis_location(url, database=1))
    assert by_redis.connection_kwargs["path"] == str(socket)
    assert f"/{url_to_parts(celery_location(url)).path}" == str(socket)


def test_a_long_path_gets_a_short_socket_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long, other = tmp_path / ("a" * 90), tmp_path / ("b" * 90)
    monkeypatch.setattr(broker, "VAR_DIR", long)
    socket = broker_socket()
    assert len(str(socket)) < 100 and socket.parent == socket_path("")
    assert socket == broker_socket()
    monkeypatch.setattr(broker, "VAR_DIR", other)
    assert broker_socket() != socket
