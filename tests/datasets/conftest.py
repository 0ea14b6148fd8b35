"""Folders and a loopback server in place of the user's cache, mirrors and the network."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cladebench.datasets import RemoteFile, fetch
from cladebench.datasets.own.own_files import OwnData, read_own_data

CONTENT = b"1.0,2.0,0\n3.0,4.0,1\n"
NAME = "toy/toy.data"


@dataclass
class Places:
    cache: Path
    mirror: Path

    def put(self, folder: Path, content: bytes = CONTENT, name: str = NAME) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    """An empty cache and an empty mirror; no test of this folder touches the user's."""
    folders = Places(tmp_path / "cache", tmp_path / "mirror")
    folders.mirror.mkdir()
    monkeypatch.setenv("CLADEBENCH_CACHE", str(folders.cache))
    monkeypatch.setenv("CLADEBENCH_MIRROR", str(folders.mirror))
    monkeypatch.delenv("CLADEBENCH_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    fetch._failed.clear()
    yield folders
    fetch._failed.clear()


@dataclass
class Server:
    url: str
    routes: dict[str, tuple[int, bytes]]
    requests: list[str] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    pause_before: dict[str, float] = field(default_factory=dict)
    declared_length: dict[str, int] = field(default_factory=dict)


@pytest.fixture
def server() -> Iterator[Server]:
    """An HTTP server on the loopback: ``routes`` says what each path answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append(self.path)
            if self.path in state.pause_before:
                state.release.wait(state.pause_before[self.path])
            status, body = state.routes.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(state.declared_length.get(self.path, len(body))))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Keep the tests' output clean."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Server(f"http://127.0.0.1:{httpd.server_address[1]}", {})
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield state
    state.release.set()
    httpd.shutdown()
    httpd.server_close()
    thread.join()


@pytest.fixture
def make_file() -> Callable[..., RemoteFile]:
    """Make a registry entry of the toy file at the given addresses."""

    def make(*urls: str, name: str = NAME, content: bytes = CONTENT, **changes: object) -> RemoteFile:
        fields = {
            "name": name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "size": len(content),
            "urls": urls,
        }
        return RemoteFile(**(fields | changes))

    return make


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., OwnData]:
    """Write a file and read it as the data set ``own``."""

    def write_and_read(content: str | bytes, name: str = "own.csv", **entry: object) -> OwnData:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return read_own_data("own", {"file": name, **entry}, tmp_path)

    return write_and_read
