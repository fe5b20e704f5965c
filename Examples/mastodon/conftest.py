"""What the tests have in common: the process of the host, and clients that have registered accounts."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from mastodon import Mastodon, MastodonAPIError, MastodonNotFoundError

HERE = Path(__file__).resolve().parent
SCOPES = ["read", "write", "follow"]
PASSWORD = "correct horse"


class Host:
    """The process."""

    def __init__(self, store: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.store, self.base = store, f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        program = [sys.executable, "-m", "host", self.store, "--port", str(self.port)]
        self.process = subprocess.Popen(program, cwd=HERE)
        self.wait()

    def wait(self) -> None:
        """Waits until it listens."""
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the host does not listen")

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)

    def client(self, name: str) -> Mastodon:
        """A client that has registered an account."""
        client, secret = Mastodon.create_app("test", api_base_url=self.base, scopes=SCOPES)
        made = Mastodon(client, secret, api_base_url=self.base)
        made.create_account(name, PASSWORD, f"{name}@example.org", agreement=True, scopes=SCOPES)
        return made


@pytest.fixture(scope="module")
def host() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        made = Host(folder + "/store")
        yield made
        made.process.kill()
        made.process.wait()


@pytest.fixture(scope="module")
def people(host: Host) -> dict[str, Mastodon]:
    return {name: host.client(name) for name in ("ann", "bob", "cem", "dee")}


def ids(items: Any) -> list[str]:
    return [str(item.id) for item in items]


def texts(items: Any) -> list[str]:
    return [re.sub("<[^>]*>", "", item.content) for item in items]


def refused(status: int, call: Any, *arguments: Any, **options: Any) -> None:
    with pytest.raises(MastodonAPIError) as caught:
        call(*arguments, **options)
    found = 404 if isinstance(caught.value, MastodonNotFoundError) else caught.value.args[1]
    assert found == status, caught.value
