"""When a bot's words are encrypted. 0.0.0.0 leads here, but it is no loopback address."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from bourre.channel import is_loopback

from tests.sdk.scripted import DEAF_PORT, FIRST_LEGAL, PROGRAMS, ScriptedReferee, started

IMPATIENT = PROGRAMS / "impatient.py"
ELSEWHERE = "0.0.0.0:0"


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("localhost:1", True),
        ("LOCALHOST:1", True),
        ("127.0.0.1:1", True),
        ("127.1.2.3:1", True),
        ("[::1]:1", True),
        ("127.0.0.1.example.org:1", False),
        ("127.example.org:1", False),
        ("localhost.example.org:1", False),
        ("0.0.0.0:1", False),
        ("10.0.0.1:1", False),
        ("[::]:1", False),
        ("[2001:db8::1]:1", False),
        ("example.org:1", False),
    ],
)
def test_only_this_machine_is_loopback(address: str, *, loopback: bool) -> None:
    assert is_loopback(address) is loopback


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 0.0.0.0 that nobody else trusts; its key lies beside it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed, which makes the certificate")
    path = tmp_path_factory.mktemp("tls") / "cert.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=test", "-addext", "subjectAltName=IP:0.0.0.0", "-days", "2"),
            *("-keyout", str(path.with_suffix(".key")), "-out", str(path)),
        ],
        check=True,
        capture_output=True,
    )
    return path


@pytest.fixture
def referee(certificate: Path) -> Iterator[ScriptedReferee]:
    """Speaks TLS."""
    pair = (certificate.with_suffix(".key").read_bytes(), certificate.read_bytes())
    with ScriptedReferee(ELSEWHERE, tls=grpc.ssl_server_credentials([pair])) as referee:
        yield referee


def test_a_bot_trusts_the_certificate_that_it_is_given(referee: ScriptedReferee, certificate: Path) -> None:
    with started(FIRST_LEGAL, referee.address, BOURRE_CA=str(certificate)) as bot:
        stream = referee.accept()
        stream.join()
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_a_bot_does_not_trust_just_any_certificate(referee: ScriptedReferee) -> None:
    with started(IMPATIENT, referee.address) as bot:
        code, _, errors = bot.ended()
        assert code == 1
        assert f"bourre: no referee at {referee.address} (UNAVAILABLE: " in errors


def test_a_bot_does_not_talk_in_the_clear_to_another_machine() -> None:
    with ScriptedReferee(ELSEWHERE) as referee, started(IMPATIENT, referee.address) as bot:
        code, _, errors = bot.ended()
        assert code == 1
        assert "UNAVAILABLE" in errors


def test_a_bot_talks_in_the_clear_where_its_author_says_so() -> None:
    said = {"BOURRE_INSECURE": "1"}
    with ScriptedReferee(ELSEWHERE) as referee, started(FIRST_LEGAL, referee.address, **said) as bot:
        stream = referee.accept()
        stream.join()
        stream.finish()
        assert bot.ended() == (0, "", "")


def test_a_certificate_that_is_not_there_is_named() -> None:
    with started(IMPATIENT, f"0.0.0.0:{DEAF_PORT}", BOURRE_CA="nowhere.pem") as bot:
        assert bot.ended() == (1, "", "bourre: BOURRE_CA=nowhere.pem: No such file or directory\n")
