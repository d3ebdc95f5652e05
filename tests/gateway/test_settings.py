"""The gateway's settings, and the values that it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.settings import Endpoint, GatewaySettings, UnixSocket
from libs.web.settings import SettingsError


def _settings(**environment: str) -> GatewaySettings:
    return GatewaySettings.from_env({"DAMS_GATEWAY_DIR": "/run/gateway", **environment})


def test_what_nobody_says_is_as_it_is_written_down() -> None:
    found = _settings()
    assert (found.host, found.port, found.internal_port, found.tls_port) == ("127.0.0.1", 8080, 8090, 8443)
    # together with the attempt at another process less than the ten seconds that a client may have to wait
    assert found.timeout_seconds == 8.9
    assert (found.requests_per_client, found.requests_per_second) == (200, 0)
    assert (found.tls_certificate, found.tls_key, found.trusted_proxies, found.public_url) == (None,) * 4
    assert {service: [(each.host, each.port) for each in several if isinstance(each, Endpoint)]
            for service, several in found.upstreams.items()} == {
        "common": [("127.0.0.1", 8081)],
        "features": [("127.0.0.1", 8082)],
        "tiles": [("127.0.0.1", 8083)],
        "viewer": [("127.0.0.1", 8084)],
    }  # fmt: skip


def test_where_it_listens_is_read_from_the_environment() -> None:
    found = _settings(
        DAMS_GATEWAY_HOST="10.0.0.1",
        DAMS_GATEWAY_PORT="1",
        DAMS_GATEWAY_INTERNAL_PORT="2",
        DAMS_GATEWAY_TLS_PORT="3",
        DAMS_PUBLIC_URL="http://a/",
    )
    assert (found.host, found.port, found.internal_port, found.tls_port) == ("10.0.0.1", 1, 2, 3)
    assert (found.folder, found.public_url) == (Path("/run/gateway"), "http://a")


@pytest.mark.parametrize(
    ("text", "upstream"),
    [
        ("a.example:80", (Endpoint("a.example", 80),)),
        ("boX:80", (Endpoint("boX", 80),)),
        ("[::1]:1, 10.0.0.1:65535", (Endpoint("::1", 1), Endpoint("10.0.0.1", 65535))),
        ("unix:/run/a.sock, 10.0.0.1:80 backup", (UnixSocket("/run/a.sock"), Endpoint("10.0.0.1", 80, backup=True))),
        ("a:80,,unix:/b backup", (Endpoint("a", 80), UnixSocket("/b", backup=True))),
        (f"unix:/{'a' * 106}", (UnixSocket(f"/{'a' * 106}"),)),
    ],
)
def test_a_service_may_be_at_several_addresses(text: str, upstream: tuple[Endpoint | UnixSocket, ...]) -> None:
    assert _settings(DAMS_TILES_UPSTREAM=text).upstreams["tiles"] == upstream


_NEITHER = "which is neither host:port nor unix:/path"
_NO_PATH = "which needs an absolute path of at most 107 letters, digits and ._/+@-"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (" , ", "names nothing"),
        ("a", f"names 'a', {_NEITHER}"),
        ("b:1,:80", f"names ':80', {_NEITHER}"),
        ("a:http", f"names 'a:http', {_NEITHER}"),
        ("a:0", f"names 'a:0', {_NEITHER}"),
        ("a:65536", f"names 'a:65536', {_NEITHER}"),
        ("unix:run/a.sock", f"names 'unix:run/a.sock', {_NO_PATH}"),
        (f"unix:/{'a' * 107}", f"names 'unix:/{'a' * 107}', {_NO_PATH}"),
        ("unix:/a;b", f"names 'unix:/a;b', {_NO_PATH}"),
        ("10.0.0.1:80 down", "says 'down' of '10.0.0.1:80'; only `backup` may be said of an address"),
        ("a:80, b:80 backup", "names 'b:80' as a backup, which needs an address, not a name"),
        ("10.0.0.1:80 backup", "names a backup and nothing that it is one of"),
    ],
)
def test_an_address_that_is_none_is_refused(text: str, fault: str) -> None:
    with pytest.raises(SettingsError) as refused:
        _settings(DAMS_TILES_UPSTREAM=text)
    assert str(refused.value) == f"DAMS_TILES_UPSTREAM={text!r} {fault}"


def test_paths_are_those_of_where_it_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tls.pem").touch()
    monkeypatch.chdir(tmp_path)
    found = _settings(DAMS_GATEWAY_DIR="run", DAMS_GATEWAY_TLS_CERTIFICATE="tls.pem", DAMS_GATEWAY_TLS_KEY="tls.pem")
    assert (found.folder, found.tls_certificate) == (tmp_path / "run", tmp_path / "tls.pem")
    assert found.tls_key == found.tls_certificate


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("DAMS_GATEWAY_TIMEOUT_SECONDS", "0.1", "600"),
        ("DAMS_GATEWAY_REQUESTS_PER_CLIENT", "0", "65535"),
        ("DAMS_GATEWAY_REQUESTS_PER_SECOND", "0", "65535"),
    ],
)
def test_numbers_have_bounds(name: str, least: str, most: str) -> None:
    for text in (least, most):
        assert _settings(**{name: text})
    for text in (str(float(least) - 0.05) if "." in least else "-1", str(int(most) + 1)):
        with pytest.raises(SettingsError, match=name):
            _settings(**{name: text})


@pytest.mark.parametrize(
    ("text", "codings"),
    [
        ("gzip", ()),
        ("br,gzip", ("br",)),
        ("GZIP", ()),
        ("br,BR,gzip", ("br",)),
        ("", ("br",)),
    ],
)
def test_codings_are_in_the_order_of_preference(text: str, codings: tuple[str, ...]) -> None:
    assert _settings(DAMS_GATEWAY_CODINGS=text).codings == codings


@pytest.mark.parametrize(("text", "fault"), [("zstd", "should be 'br' or 'gzip'"), ("gzip,br", "gzip before others")])
def test_a_coding_that_would_never_be_sent_is_refused(text: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=f"DAMS_GATEWAY_CODINGS.*{fault}"):
        _settings(DAMS_GATEWAY_CODINGS=text)


def test_a_certificate_and_its_key_need_each_other_and_must_be_there(tmp_path: Path) -> None:
    file = tmp_path / "tls.pem"
    file.write_text("secret")
    both = _settings(DAMS_GATEWAY_TLS_CERTIFICATE=str(file), DAMS_GATEWAY_TLS_KEY=str(file))
    assert (both.tls_certificate, both.tls_key) == (file, file)
    for name in ("DAMS_GATEWAY_TLS_CERTIFICATE", "DAMS_GATEWAY_TLS_KEY"):
        with pytest.raises(SettingsError, match="need each other"):
            _settings(**{name: str(file)})
        with pytest.raises(SettingsError, match="cannot be read"):
            _settings(**{name: str(tmp_path / "lost.pem")})


def test_another_way_to_the_service_is_told_where_there_is_one(tmp_path: Path) -> None:
    file = tmp_path / "tls.pem"
    file.touch()
    pair = {"DAMS_GATEWAY_TLS_CERTIFICATE": str(file), "DAMS_GATEWAY_TLS_KEY": str(file)}
    with_http3 = {"DAMS_GATEWAY_HTTP3": "true", **pair}
    assert _settings(**with_http3, DAMS_PUBLIC_URL="https://a.example").alternative_service == 'h3=":443"; ma=86400'
    assert _settings(**with_http3, DAMS_PUBLIC_URL="https://a.example:8443/b").alternative_service == (
        'h3=":8443"; ma=86400'
    )
    assert _settings(**pair, DAMS_PUBLIC_URL="https://a.example").alternative_service == ""
    # the port is known only from the address, and HTTP/3 needs a certificate
    for wrong in (
        with_http3,
        {**with_http3, "DAMS_PUBLIC_URL": "http://a.example"},
        {"DAMS_GATEWAY_HTTP3": "true", "DAMS_PUBLIC_URL": "https://a.example"},
    ):
        with pytest.raises(SettingsError, match="DAMS_GATEWAY_HTTP3 needs"):
            _settings(**wrong)


def test_proxies_are_addresses_and_networks() -> None:
    found = _settings(DAMS_TRUSTED_PROXIES="10.0.0.1, 192.168.1.7/24,,fc00::/7")
    assert found.trusted_proxies == ("10.0.0.1/32", "192.168.1.0/24", "fc00::/7")
    with pytest.raises(
        SettingsError, match=r"is not a list of addresses and networks: 'proxy\.example' does not appear"
    ):
        _settings(DAMS_TRUSTED_PROXIES="10.0.0.1, proxy.example")
