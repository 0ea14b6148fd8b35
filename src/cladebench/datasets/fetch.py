"""Getting the bytes of a registered file: cache, mirrors, bundled copy, official address, public copies.

Whatever the source, the sha256 of the very bytes that are handed out has been compared with the registry.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cladebench.datasets.base import CacheUnwritable, ChecksumMismatch, DataUnavailable, RemoteFile
from cladebench.datasets.settings import CACHE, MIRROR, OFFLINE, Settings, current

#: Seconds until a server must have sent its first byte (name look-up, connection and all).
START_TIMEOUT = 10.0
#: Seconds of silence in the middle of a transfer.
READ_TIMEOUT = 15.0
#: Seconds for one whole transfer.
TOTAL_TIMEOUT = 900.0
#: Attempts at an address that answers but breaks off. One that does not answer is asked once.
ATTEMPTS = 2

# What failed is not asked again in this process: a dead network costs one wait, not one per cell.
_failed: dict[str, str] = {}


@dataclass(frozen=True)
class Obtained:
    """Checked bytes of a file and where they came from.

    Parameters
    ----------
    content : bytes
    source : str
        cache, mirror, bundled, official or copy.
    place : str
        Path or address.
    """

    content: bytes
    source: str
    place: str


def local_paths(file: RemoteFile, settings: Settings | None = None) -> Iterator[tuple[str, Path]]:
    """Yield (source, path) of the copies of a file on this machine, unchecked, in the order of preference."""
    settings = settings or current()
    folders = [("cache", settings.cache), *(("mirror", m) for m in settings.mirrors)]
    for source, folder in folders:
        path = folder / file.name
        if path.is_file():
            yield source, path


def sha256(content: bytes) -> str:
    """sha256 of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def obtain(file: RemoteFile) -> Obtained:
    """Get the checked bytes of a file from the first source that has it.

    Parameters
    ----------
    file : RemoteFile

    Returns
    -------
    Obtained

    Raises
    ------
    ChecksumMismatch
        The first source that has the file has other bytes. A cached or downloaded file is removed; a mirror,
        which is not ours, is left as it is.
    DataUnavailable
        No source has it; the message gives the reason for each.
    """
    settings = current()
    reasons: list[str] = []
    for source, path in local_paths(file, settings):
        try:
            content = path.read_bytes()
        except OSError as error:
            reasons.append(f"{source} {path}: {error.strerror}")
            continue
        if sha256(content) != file.sha256:
            remark = "repair the mirror or leave it out" if source == "mirror" else _discard(path)
            raise ChecksumMismatch(
                file.name, str(path), file.sha256, sha256(content), _size(file, content) + remark
            )
        return Obtained(content, source, str(path))
    if file.bundled is not None:
        content = file.bundled()
        if sha256(content) != file.sha256:
            remark = _size(file, content) + "the installed package has other data"
            raise ChecksumMismatch(file.name, "the bundled copy", file.sha256, sha256(content), remark)
        return Obtained(content, "bundled", "bundled")
    reasons.append(f"not in the cache {settings.cache}")
    for mirror in settings.mirrors:
        reasons.append(f"not in the mirror {mirror}" + ("" if mirror.is_dir() else " (no such folder)"))
    if not settings.mirrors:
        reasons.append(f"no mirror is set ({MIRROR})")
    if settings.offline:
        reasons.append(f"the network is switched off ({OFFLINE})")
        raise DataUnavailable(f"{file.name}: " + "; ".join(reasons))
    for source, url in zip(["official"] + ["copy"] * len(file.urls), file.urls, strict=False):
        try:
            return Obtained(_download(file, url, settings.cache), source, url)
        except _Unreachable as error:
            reasons.append(f"{url}: {error}")
    raise DataUnavailable(f"{file.name}: " + "; ".join(reasons))


def _discard(path: Path) -> str:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"the file cannot be removed ({error.strerror}): remove it by hand"
    return "the file was removed: run again to fetch it anew"


def _size(file: RemoteFile, content: bytes) -> str:
    return "" if len(content) == file.size else f"{len(content)} bytes where {file.size} were expected; "


class _Unreachable(Exception):
    """An address that does not give the file; the next one may."""


class _Sink:
    """File object that a download writes to: bounded in size, and closed to a transfer that was given up."""

    def __init__(self, limit: int) -> None:
        self.content = bytearray()
        self.started = threading.Event()
        self.given_up = False
        self.limit = limit

    def write(self, chunk: bytes) -> int:
        if self.given_up:
            raise TimeoutError("given up")
        self.started.set()
        self.content += chunk
        if len(self.content) > self.limit:
            raise OverflowError
        return len(chunk)

    def flush(self) -> None:
        """Nothing is buffered."""


def _download(file: RemoteFile, url: str, cache: Path) -> bytes:
    """Fetch one address into the cache and return the bytes."""
    host = urlsplit(url).netloc
    known = _failed.get(host) or _failed.get(url)
    if known:
        raise _Unreachable(f"{known} (asked before)")
    target = cache / file.name
    _check_writable(target.parent)
    for attempt in range(ATTEMPTS):
        try:
            content = _transfer(url, file.size)
            break
        except _Unreachable as error:
            key, again = (
                (host, False) if isinstance(error, _NoAnswer) else (url, isinstance(error, _BrokenOff))
            )
            if not again or attempt == ATTEMPTS - 1:
                _failed[key] = str(error)
                raise
    if sha256(content) != file.sha256:
        # Many a dead link answers with a web page; anything else is other data, and that is an error.
        if content[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
            _failed[url] = "answers with a web page in place of the file"
            raise _Unreachable(_failed[url])
        # A transfer that is too long was stopped there.
        remark = ("at least " if len(content) > file.size else "") + _size(file, content) + "nothing was kept"
        raise ChecksumMismatch(file.name, url, file.sha256, sha256(content), remark)
    _write(target, content)
    return content


class _NoAnswer(_Unreachable):
    """The host does not answer at all."""


class _BrokenOff(_Unreachable):
    """The transfer began or the server had a passing fault: worth another attempt."""


def _transfer(url: str, size: int) -> bytes:
    """Fetch one address into memory, with a bound on every wait.

    The transfer runs in a thread of its own: time limits of sockets bound neither the look-up of a name nor
    a server that sends one byte now and then.
    """
    import pooch
    import requests

    sink = _Sink(limit=size)
    failure: list[BaseException] = []
    finished = threading.Event()

    def work() -> None:
        try:
            timeout = (START_TIMEOUT, READ_TIMEOUT)
            pooch.HTTPDownloader(timeout=timeout, progressbar=False)(url, sink, None)
        except BaseException as error:  # handed to the waiting thread, which judges it
            failure.append(error)
        finally:
            sink.started.set()
            finished.set()

    threading.Thread(target=work, name="cladebench-download", daemon=True).start()
    begin = time.monotonic()
    if not sink.started.wait(START_TIMEOUT):
        sink.given_up = True
        raise _NoAnswer(f"no answer within {START_TIMEOUT:g} s")
    if not finished.wait(max(0.0, TOTAL_TIMEOUT - (time.monotonic() - begin))):
        sink.given_up = True
        raise _Unreachable(f"not finished within {TOTAL_TIMEOUT:g} s")
    if failure:
        error = failure[0]
        if isinstance(error, OverflowError):
            return bytes(sink.content)  # longer than registered: the checksum refuses it
        if isinstance(error, requests.HTTPError) and error.response is not None:
            kind = _BrokenOff if error.response.status_code >= 500 else _Unreachable
            raise kind(f"HTTP status {error.response.status_code}")
        if isinstance(error, requests.ConnectTimeout | requests.ConnectionError) and not sink.content:
            raise _NoAnswer(f"cannot connect ({type(error).__name__})")
        if isinstance(error, requests.RequestException):
            raise _BrokenOff(f"transfer broke off ({type(error).__name__})")
        raise error
    return bytes(sink.content)


def _check_writable(folder: Path) -> None:
    """Make the folder and try a file in it, before anything is downloaded."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".try-"):
            pass
    except OSError as error:
        raise CacheUnwritable(
            f"cannot write to the cache folder {folder}: {error.strerror}; "
            f"set {CACHE} (or cache in the configuration) to a folder that can be written"
        ) from error


def _write(target: Path, content: bytes) -> None:
    """Write by rename: others see the whole file or none, and two that fetch the same one do no harm."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise CacheUnwritable(
            f"cannot write {target}: {error.strerror}; set {CACHE} to another folder"
        ) from error


@dataclass(frozen=True)
class Checked:
    """Result of checking one local copy.

    Parameters
    ----------
    file : RemoteFile
    source : str
        cache or mirror.
    path : Path
    fault : str or None
        What is wrong with the bytes; None when they are the registered ones.
    """

    file: RemoteFile
    source: str
    path: Path
    fault: str | None


def check_local(file: RemoteFile) -> list[Checked]:
    """Compare every local copy of a file with the registry; nothing is removed."""
    found = []
    for source, path in local_paths(file):
        try:
            content = path.read_bytes()
        except OSError as error:
            fault: str | None = f"cannot be read: {error.strerror}"
        else:
            ok = sha256(content) == file.sha256
            fault = None if ok else f"{_size(file, content)}sha256 {sha256(content)}, expected {file.sha256}"
        found.append(Checked(file, source, path, fault))
    return found
