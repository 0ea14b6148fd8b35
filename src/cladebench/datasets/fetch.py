"""Get the bytes of a registered file.

Sources are the cache, mirrors, the bundled copy, the official address and public copies. Whatever the source, the
sha256 of the very bytes that are handed out has been compared with the registry.
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
from cladebench.datasets.packed import SUFFIX, Damaged, read_copy, size_of_copy
from cladebench.datasets.settings import CACHE, MIRROR, OFFLINE, DataPlaces, current
from cladebench.files import write_atomically

#: Seconds until a server must have answered (name look-up, connection and all).
START_TIMEOUT = 10.0
#: Seconds of silence in the middle of a transfer.
READ_TIMEOUT = 15.0
#: Seconds for one whole transfer.
TOTAL_TIMEOUT = 900.0
#: Bytes read at a time.
CHUNK = 8 * 1024
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


def local_paths(file: RemoteFile, settings: DataPlaces | None = None) -> Iterator[tuple[str, Path]]:
    """Yield (source, path) of local copies, unchecked, by preference.

    A mirror may have a packed copy; a plain one beside it comes first.
    """
    settings = settings or current()
    copies = [("cache", settings.cache / file.name)]
    for mirror in settings.mirrors:
        copies += [("mirror", mirror / file.name), ("mirror", mirror / (file.name + SUFFIX))]
    for source, path in copies:
        if os.path.isfile(path):  # False too in a folder that may not be entered, where Path.is_file raises
            yield source, path


def sha256(content: bytes) -> str:
    """sha256 of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def expected(file: RemoteFile) -> str:
    """Describe the registered bytes of a file."""
    return f"{file.size} bytes with sha256 {file.sha256}"


def wrong_size(file: RemoteFile, size: int) -> str | None:
    """Describe a wrong size, None for the right one.

    Only one byte more is read of a file that is too long.
    """
    if size == file.size:
        return None
    return f"{size} bytes" if size < file.size else f"more than {file.size} bytes"


def fault(file: RemoteFile, content: bytes) -> str | None:
    """Say what is wrong with bytes, None if nothing is."""
    wrong = wrong_size(file, len(content))
    if wrong:
        return wrong
    digest = sha256(content)
    return None if digest == file.sha256 else f"sha256 {digest}"


def _read(file: RemoteFile, path: Path) -> tuple[bytes, str | None]:
    """Read a copy, but not much of one too long.

    Second comes what is wrong with it.
    """
    try:
        content = read_copy(path, file.name, file.size + 1)
    except Damaged as error:
        return b"", str(error)
    return content, fault(file, content)


def obtain(file: RemoteFile) -> Obtained:
    """Get a file's checked bytes from the first source.

    The first that has it.

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
            content, problem = _read(file, path)
        except OSError as error:
            reasons.append(f"{source} {path}: {error.strerror}")
            continue
        if problem:
            remark = "repair the mirror or leave it out" if source == "mirror" else _discard(path)
            raise ChecksumMismatch(file.name, f"{source} {path}", expected(file), problem, remark)
        return Obtained(content, source, str(path))
    if file.bundled is not None:
        content = file.bundled()
        problem = fault(file, content)
        if problem:
            remark = "the installed package has other data"
            raise ChecksumMismatch(file.name, "the bundled copy", expected(file), problem, remark)
        return Obtained(content, "bundled", "bundled")
    reasons.append(f"not in the cache {settings.cache}")
    for mirror in settings.mirrors:
        reasons.append(f"not in the mirror {mirror}" + ("" if os.path.isdir(mirror) else " (no such folder)"))
    if not settings.mirrors:
        reasons.append(f"no mirror is set ({MIRROR})")
    if file.urls and settings.offline:
        reasons.append(f"the network is switched off ({OFFLINE})")
    for url in () if settings.offline else file.urls:
        source = "official" if url == file.official_url else "copy"
        try:
            return Obtained(_download(file, url, settings.cache), source, url)
        except _Unreachable as error:
            reasons.append(f"{url}: {error}")
    if not file.urls:
        reasons.append("no public address serves it: put it into a mirror folder")
    if file.made_from:
        reasons.append(f"it is {file.made_from}")
    raise DataUnavailable(f"{file.name}: " + "; ".join(reasons))


def _discard(path: Path) -> str:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"the file cannot be removed ({error.strerror}): remove it by hand"
    return "the file was removed: run again to fetch it anew"


class _Unreachable(Exception):
    """An address that does not give the file; the next one may."""


def _download(file: RemoteFile, url: str, cache: Path) -> bytes:
    """Fetch one address into the cache and return the bytes."""
    host = urlsplit(url).netloc
    known = _failed.get(host) or _failed.get(url)
    if known:
        raise _Unreachable(f"{known} (asked before)")
    target = cache / file.name
    check_writable(target.parent)
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
    problem = fault(file, content)
    if problem:
        # A dead link often answers with a web page; any other wrong bytes are an error.
        if content[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
            _failed[url] = "answers with a web page in place of the file"
            raise _Unreachable(_failed[url])
        raise ChecksumMismatch(file.name, url, expected(file), problem, "nothing was kept")
    write_file(target, content)
    return content


class _NoAnswer(_Unreachable):
    """The host does not answer at all."""


class _BrokenOff(_Unreachable):
    """Report a broken transfer or passing fault, worth another attempt."""


class _Transfer(threading.Thread):
    """Fetch one address into memory.

    It takes at most one chunk too many, and none after it was given up. It runs in a thread of its own, because time
    limits of sockets bound neither the look-up of a name nor a server that sends one byte now and then.
    """

    def __init__(self, url: str, size: int) -> None:
        super().__init__(name="cladebench-download", daemon=True)
        self.url, self.size = url, size
        self.content = bytearray()
        self.failure: Exception | None = None
        self.answered, self.finished = threading.Event(), threading.Event()
        self.given_up = False

    def run(self) -> None:
        try:
            self._fetch()
        except Exception as error:  # for the thread that waits
            self.failure = error
        finally:
            self.answered.set()
            self.finished.set()

    def _fetch(self) -> None:
        import requests

        try:
            with requests.get(
                self.url,
                stream=True,
                timeout=(START_TIMEOUT, READ_TIMEOUT),
                # The registered size and sha256 are those of the file as it is, not as packed for the transfer.
                headers={"Accept-Encoding": "identity"},
                hooks={"response": lambda *_, **__: self.answered.set()},
            ) as response:
                response.raise_for_status()
                for chunk in response.iter_content(CHUNK):
                    self.content += chunk
                    if self.given_up or len(self.content) > self.size:
                        return
        except requests.HTTPError as error:
            status = 0 if error.response is None else error.response.status_code
            raise (_BrokenOff if status >= 500 else _Unreachable)(f"HTTP status {status}") from error
        except requests.RequestException as error:
            name = type(error).__name__
            silent = not self.answered.is_set()
            if silent and isinstance(error, requests.ConnectionError | requests.Timeout):
                raise _NoAnswer(f"cannot connect ({name})") from error
            raise _BrokenOff(f"transfer broke off ({name})") from error


def _transfer(url: str, size: int) -> bytes:
    """Fetch one address, with a bound on every wait.

    What is longer than `size` is cut somewhere beyond it.
    """
    transfer = _Transfer(url, size)
    transfer.start()
    begin = time.monotonic()
    if not transfer.answered.wait(START_TIMEOUT):
        transfer.given_up = True
        raise _NoAnswer(f"no answer within {START_TIMEOUT:g} s")
    if not transfer.finished.wait(max(0.0, TOTAL_TIMEOUT - (time.monotonic() - begin))):
        transfer.given_up = True
        raise _Unreachable(f"not finished within {TOTAL_TIMEOUT:g} s")
    if transfer.failure:
        raise transfer.failure
    return bytes(transfer.content)


def check_writable(folder: Path) -> None:
    """Make the folder and try a file, before anything is downloaded."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".try-"):
            pass
    except OSError as error:
        raise CacheUnwritable(
            f"cannot write to the cache folder {folder}: {error.strerror}; "
            f"set {CACHE} (or cache in the configuration) to a folder that can be written"
        ) from error


def write_file(target: Path, content: bytes) -> None:
    """Write by rename.

    Others see the whole file or none, and two processes may fetch the same one.
    """
    try:
        write_atomically(target, content)
    except OSError as error:
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
        What is wrong with the bytes; None if nothing is.
    """

    file: RemoteFile
    source: str
    path: Path
    fault: str | None


def check_local(file: RemoteFile, sizes_only: bool = False) -> list[Checked]:
    """Compare every local copy of a file with the registry.

    Nothing is removed.

    Parameters
    ----------
    file : RemoteFile
    sizes_only : bool, default=False
        Look at the sizes alone, which costs nothing; a file that was altered but not cut passes. A packed copy
        states its size.
    """
    copies = []
    for source, path in local_paths(file):
        try:
            problem = wrong_size(file, size_of_copy(path, file.name)) if sizes_only else _read(file, path)[1]
        except OSError as error:
            text: str | None = f"cannot be read: {error.strerror}"
        else:
            text = f"{problem}, expected {expected(file)}" if problem else None
        copies.append(Checked(file, source, path, text))
    return copies
