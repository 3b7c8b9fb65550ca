"""Test how HOST, PORT, HALL_HOST, and HTTPS determine the site's addresses."""

from __future__ import annotations

import pytest
from ifaddr import IP, Adapter

from laptop import reach
from laptop.reach import read_site_addresses

ALL = ("HOST", "PORT", "PLAIN_PORT", "HALL_HOST", "HTTPS")


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ALL:
        monkeypatch.delenv(name, raising=False)


def test_names_of_the_hall_come_before_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALL_HOST", "gin.lan, Hall.Test")
    monkeypatch.setenv("HTTPS", "1")
    reach = read_site_addresses()
    assert reach.addresses[:3] == ["https://127.0.0.1:8000", "https://gin.lan:8000", "https://hall.test:8000"]
    assert (reach.site, reach.trust_page) == ("https://gin.lan:8000", "http://gin.lan:8001/")
    assert {"gin.lan", "hall.test", "localhost", "127.0.0.1"} <= set(reach.list_certified_hosts())


def test_without_https_there_is_one_port_and_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "192.168.1.20")
    monkeypatch.setenv("HTTPS", "proxy")
    reach = read_site_addresses()
    assert (reach.site, reach.ports, reach.load_or_create_certificates()) == ("http://192.168.1.20:8000", [8000], None)
    assert "OWN_CERTIFICATE" not in reach.make_environment(None)


def test_only_addresses_that_phones_can_reach_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {
        "lo": "127.0.0.1",
        "Ethernet": "169.254.3.4",
        "docker0": "172.17.0.1",
        "Hyper-V Virtual Ethernet Adapter": "172.20.0.1",
        "wlan0": "192.168.1.20",
        "eth1": "10.0.0.5",
    }
    adapters = [Adapter(name, name, [IP(address, 24, name)]) for name, address in addresses.items()]
    monkeypatch.setattr(reach.ifaddr, "get_adapters", lambda: adapters)
    monkeypatch.setattr(reach, "_find_outward_address", lambda: "10.0.0.5")
    assert read_site_addresses().phone_hosts == ["10.0.0.5", "192.168.1.20", "169.254.3.4"]


def test_kept_to_this_machine_phones_are_told_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "127.0.0.1")
    monkeypatch.setenv("HALL_HOST", "gin.lan")
    assert read_site_addresses().phone_hosts == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("PORT", "80x", "PORT must be"),
        ("PLAIN_PORT", "8000", "different from PORT"),
        ("PLAIN_PORT", "0", "PLAIN_PORT must be"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str) -> None:
    monkeypatch.setenv("HTTPS", "1")
    monkeypatch.setenv(name, text)
    with pytest.raises(SystemExit, match=said):
        read_site_addresses()
