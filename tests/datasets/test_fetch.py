"""Sources in their order, and every way in which one of them can be bad."""

from __future__ import annotations

import gzip
import os
import pickle
import socket
import subprocess
import sys
import threading
import time

import pytest

from cladebench.datasets import CacheUnwritable, ChecksumMismatch, DataUnavailable, fetch

CONTENT = b"1.0,2.0,0\n3.0,4.0,1\n"
NAME = "toy/toy.data"
ALTERED = CONTENT.replace(b"4.0", b"4.1")
TRUNCATED = CONTENT[:-5]
NOWHERE = "http://127.0.0.1:9/toy.data"  # the discard port: nothing listens there


def tree(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


# --- order of the sources -----------------------------------------------------------------------------------------


def test_cache_comes_before_mirror_and_network(places, server, make_file):
    places.put(places.cache)
    places.put(places.mirror)
    got = fetch.obtain(make_file(server.url + "/toy"))
    assert (got.content, got.source, got.place) == (CONTENT, "cache", str(places.cache / NAME))
    assert server.requests == []


def test_mirror_is_read_in_place_and_before_the_network(places, server, make_file):
    places.put(places.mirror)
    got = fetch.obtain(make_file(server.url + "/toy", bundled=lambda: CONTENT))
    assert (got.source, got.place) == ("mirror", str(places.mirror / NAME))
    assert server.requests == [] and not places.cache.exists()


def test_several_mirrors_are_asked_in_their_order(places, tmp_path, monkeypatch, make_file):
    second = tmp_path / "second"
    monkeypatch.setenv("CLADEBENCH_MIRROR", os.pathsep.join([str(places.mirror), str(second)]))
    places.put(second)
    assert fetch.obtain(make_file(NOWHERE)).place == str(second / NAME)
    places.put(places.mirror)
    assert fetch.obtain(make_file(NOWHERE)).place == str(places.mirror / NAME)


def test_bundled_bytes_come_before_the_network_and_are_checked(server, make_file):
    assert fetch.obtain(make_file(server.url + "/toy", bundled=lambda: CONTENT)).source == "bundled"
    with pytest.raises(ChecksumMismatch, match="bundled copy"):
        fetch.obtain(make_file(server.url + "/toy", bundled=lambda: ALTERED))
    assert server.requests == []


def test_official_address_is_fetched_into_the_cache_once(places, server, make_file):
    server.routes["/toy"] = (200, CONTENT)
    file = make_file(server.url + "/toy", server.url + "/copy")
    assert fetch.obtain(file).source == "official"
    assert (places.cache / NAME).read_bytes() == CONTENT
    assert fetch.obtain(file).source == "cache"
    assert server.requests == ["/toy"]
    assert tree(places.cache) == [NAME]  # no partial files


def test_a_mirror_may_have_a_packed_copy(places, server, make_file):
    packed = places.put(places.mirror, gzip.compress(CONTENT, mtime=0), name=f"{NAME}.gz")
    file = make_file(server.url + "/toy")
    got = fetch.obtain(file)
    assert (got.content, got.source, got.place) == (CONTENT, "mirror", str(packed))
    for sizes_only in (True, False):
        (copy,) = fetch.check_local(file, sizes_only)
        assert (copy.source, copy.path, copy.fault) == ("mirror", packed, None)
    plain = places.put(places.mirror)
    assert fetch.obtain(file).place == str(plain) and server.requests == []
    # A registered file that is packed itself is handed out as it is, and the cache has what was fetched.
    own = gzip.compress(CONTENT, mtime=0)
    assert fetch.obtain(make_file(NOWHERE, name=f"{NAME}.gz", content=own)).content == own
    for path in (packed, plain):
        path.unlink()
    places.put(places.cache, gzip.compress(CONTENT, mtime=0), name=f"{NAME}.gz")
    with pytest.raises(DataUnavailable, match="not in the cache"):
        fetch.obtain(make_file(NOWHERE))


@pytest.mark.parametrize(
    ("packed", "message", "seen_by_size"),
    [
        (gzip.compress(ALTERED, mtime=0), "found sha256", False),
        (gzip.compress(TRUNCATED, mtime=0), "found 15 bytes", True),
        (gzip.compress(CONTENT + bytes(10**7), mtime=0), "found more than 20 bytes", True),
        (gzip.compress(CONTENT, mtime=0)[:-9], "found not the whole of a gzip file", True),
        (
            gzip.compress(CONTENT, mtime=0)[:-8] + bytes(4) + (20).to_bytes(4, "little"),
            "not the whole of a gzip file",
            False,
        ),
        (CONTENT, "not the whole of a gzip file", True),
        (b"", "found 0 bytes", True),
    ],
    ids=["altered", "short", "long", "cut", "checksum", "plain", "empty"],
)
def test_a_bad_packed_copy_is_an_error_that_names_it_and_leaves_it(
    places, make_file, packed, message, seen_by_size
):
    path = places.put(places.mirror, packed, name=f"{NAME}.gz")
    with pytest.raises(
        ChecksumMismatch, match=rf"toy\.data\.gz: expected 20 bytes.*{message}.*repair the mirror"
    ):
        fetch.obtain(make_file(NOWHERE))
    (copy,) = fetch.check_local(make_file(NOWHERE))
    assert message.removeprefix("found ") in copy.fault and path.exists()
    assert (fetch.check_local(make_file(NOWHERE), sizes_only=True)[0].fault is not None) == seen_by_size


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, b"gone"), (503, b"later"), (200, b"\n<!DOCTYPE html><html>moved</html>")],
    ids=["404", "503", "page"],
)
def test_dead_official_address_leaves_the_pinned_copies(places, server, make_file, status, body):
    server.routes |= {"/toy": (status, body), "/copy": (200, CONTENT)}
    content = CONTENT + b"\n" * 100  # room for the page
    server.routes["/copy"] = (200, content)
    file = make_file(server.url + "/toy", server.url + "/copy", content=content)
    assert fetch.obtain(file).source == "copy"
    assert server.requests[-1] == "/copy"


# --- wrong bytes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [ALTERED, TRUNCATED, b""], ids=["altered", "truncated", "empty"])
def test_bad_mirror_file_is_an_error_that_names_it_and_leaves_it(places, server, make_file, bad):
    path = places.put(places.mirror, bad)
    server.routes["/toy"] = (200, CONTENT)
    file = make_file(server.url + "/toy")
    with pytest.raises(ChecksumMismatch) as caught:
        fetch.obtain(file)
    message = str(caught.value)
    found = f"{len(bad)} bytes" if len(bad) < len(CONTENT) else f"sha256 {fetch.sha256(bad)}"
    assert (
        f"mirror {path}: expected {len(CONTENT)} bytes with sha256 {file.sha256}, found {found};" in message
    )
    assert path.read_bytes() == bad and not places.cache.exists() and server.requests == []


@pytest.mark.parametrize("bad", [ALTERED, TRUNCATED], ids=["altered", "truncated"])
def test_bad_cache_file_is_an_error_and_is_not_kept(places, server, make_file, bad):
    path = places.put(places.cache, bad)
    server.routes["/toy"] = (200, CONTENT)
    file = make_file(server.url + "/toy")
    with pytest.raises(ChecksumMismatch, match="was removed"):
        fetch.obtain(file)
    assert not path.exists()
    assert fetch.obtain(file).source == "official"


@pytest.mark.parametrize("bad", [ALTERED, TRUNCATED, CONTENT * 50], ids=["altered", "truncated", "longer"])
def test_bad_download_is_an_error_and_nothing_is_kept(places, server, make_file, bad):
    server.routes |= {"/toy": (200, bad), "/copy": (200, CONTENT)}
    with pytest.raises(
        ChecksumMismatch,
        match=r"/toy: expected 20 bytes with sha256 [0-9a-f]{64}, found (15 bytes|more than 20 bytes|sha256 \w{64});"
        " nothing was kept",
    ):
        fetch.obtain(make_file(server.url + "/toy", server.url + "/copy"))
    assert tree(places.cache) == []


def test_of_a_download_far_too_long_little_is_kept(server):
    server.routes["/toy"] = (200, b"x" * (20 * fetch.CHUNK))
    received = fetch._transfer(server.url + "/toy", len(CONTENT))
    assert len(CONTENT) < len(received) <= len(CONTENT) + fetch.CHUNK


def test_a_mismatch_passes_from_one_process_to_another(places, make_file):
    places.put(places.mirror, ALTERED)
    with pytest.raises(ChecksumMismatch) as caught:
        fetch.obtain(make_file(NOWHERE))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value) and copy.found == f"sha256 {fetch.sha256(ALTERED)}"


def test_broken_off_transfer_is_tried_again_then_left(places, server, make_file):
    server.routes["/toy"] = (200, TRUNCATED)
    server.declared_length["/toy"] = len(CONTENT)
    with pytest.raises(DataUnavailable, match="broke off"):
        fetch.obtain(make_file(server.url + "/toy"))
    assert server.requests == ["/toy"] * fetch.ATTEMPTS
    assert tree(places.cache) == []


# --- no network ---------------------------------------------------------------------------------------------------


def test_offline_never_asks_the_network(places, server, make_file, monkeypatch):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")
    with pytest.raises(DataUnavailable) as caught:
        fetch.obtain(make_file(server.url + "/toy"))
    message = str(caught.value)
    assert NAME in message and str(places.cache) in message and str(places.mirror) in message
    assert "CLADEBENCH_OFFLINE" in message and server.requests == []


def test_reasons_name_a_mirror_folder_that_does_not_exist(monkeypatch, tmp_path, make_file):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", "1")
    monkeypatch.setenv("CLADEBENCH_MIRROR", str(tmp_path / "absent"))
    with pytest.raises(DataUnavailable, match=r"absent.*no such folder"):
        fetch.obtain(make_file(NOWHERE))


@pytest.mark.parametrize("offline", ["0", "1"])
def test_a_file_without_an_address_says_what_it_is_made_from(places, make_file, monkeypatch, offline):
    monkeypatch.setenv("CLADEBENCH_OFFLINE", offline)
    file = make_file(made_from="made from the pixels of https://example.org/toy.tar")
    with pytest.raises(DataUnavailable) as caught:
        fetch.obtain(file)
    message = str(caught.value)
    assert (
        str(places.mirror) in message
        and "no public address serves it: put it into a mirror folder" in message
    )
    assert message.endswith("it is made from the pixels of https://example.org/toy.tar")
    assert "CLADEBENCH_OFFLINE" not in message
    places.put(places.mirror)
    assert fetch.obtain(file).source == "mirror"


def test_without_an_owner_of_the_bytes_every_address_is_a_copy(server, make_file):
    server.routes["/toy"] = (200, CONTENT)
    file = make_file(server.url + "/toy", made_from="a member of an archive")
    assert file.official_url is None and make_file(server.url + "/toy").official_url == server.url + "/toy"
    assert fetch.obtain(file).source == "copy"


def test_refused_connection_is_unavailable(make_file):
    with pytest.raises(DataUnavailable, match="cannot connect"):
        fetch.obtain(make_file(NOWHERE))


def test_dead_host_is_asked_once_in_a_process(server, make_file, monkeypatch):
    calls = []

    def count(url, size):
        calls.append(url)
        raise fetch._NoAnswer("no answer within 10 s")

    monkeypatch.setattr(fetch, "_transfer", count)
    for name in ("toy/a", "toy/b", "toy/a"):
        with pytest.raises(DataUnavailable, match="no answer"):
            fetch.obtain(make_file(f"{server.url}/{name}", "http://other.invalid/toy", name=name))
    assert calls == [server.url + "/toy/a", "http://other.invalid/toy"]


def test_missing_page_is_asked_once_but_its_host_again(server, make_file):
    server.routes["/b"] = (200, CONTENT)
    for _ in range(2):
        with pytest.raises(DataUnavailable, match="404"):
            fetch.obtain(make_file(server.url + "/a", name="toy/a"))
    assert fetch.obtain(make_file(server.url + "/b", name="toy/b")).source == "official"
    assert server.requests == ["/a", "/b"]


def test_silent_server_is_given_up_and_what_comes_late_is_dropped(places, server, make_file, monkeypatch):
    monkeypatch.setattr(fetch, "START_TIMEOUT", 0.2)
    server.routes["/toy"] = (200, CONTENT)
    server.pause_before["/toy"] = 20.0
    with pytest.raises(DataUnavailable, match=r"no answer within 0\.2 s"):
        fetch.obtain(make_file(server.url + "/toy"))
    server.release.set()
    for thread in threading.enumerate():
        if thread.name == "cladebench-download":
            thread.join(10)
    assert tree(places.cache) == []


def test_hanging_name_lookup_is_given_up(make_file, monkeypatch):
    release = threading.Event()

    def hang(*args, **kwargs):
        release.wait(20)
        raise socket.gaierror("no name server")

    monkeypatch.setattr(fetch, "START_TIMEOUT", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with pytest.raises(DataUnavailable, match="no answer within"):
        fetch.obtain(make_file("http://data.invalid/toy"))
    release.set()


def test_endless_transfer_is_given_up(server, make_file, monkeypatch):
    def drip(response, chunk_size):
        while True:
            yield b"x"
            time.sleep(0.01)

    server.routes["/toy"] = (200, CONTENT)
    monkeypatch.setattr("requests.Response.iter_content", drip)
    monkeypatch.setattr(fetch, "TOTAL_TIMEOUT", 0.1)
    with pytest.raises(DataUnavailable, match="not finished within"):
        fetch.obtain(make_file(server.url + "/toy"))
    time.sleep(0.05)
    assert not any(t.name == "cladebench-download" and t.is_alive() for t in threading.enumerate())


# --- the cache folder ---------------------------------------------------------------------------------------------


def test_unwritable_cache_is_named_before_anything_is_downloaded(
    places, server, make_file, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("a regular file, below which no folder can be made")
    monkeypatch.setenv("CLADEBENCH_CACHE", str(tmp_path / "file" / "cache"))
    server.routes["/toy"] = (200, CONTENT)
    with pytest.raises(CacheUnwritable, match=r"file/cache/toy.*CLADEBENCH_CACHE"):
        fetch.obtain(make_file(server.url + "/toy"))
    assert server.requests == []
    places.put(places.mirror)
    assert fetch.obtain(make_file(server.url + "/toy")).source == "mirror"


def test_full_disk_while_writing_leaves_no_partial_file(places, server, make_file, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    server.routes["/toy"] = (200, CONTENT)
    with pytest.raises(CacheUnwritable, match="No space left"):
        fetch.obtain(make_file(server.url + "/toy"))
    assert tree(places.cache) == []


PROCESS = """
import sys
from cladebench.datasets import RemoteFile, fetch
file = RemoteFile(name=sys.argv[1], sha256=sys.argv[2], size=int(sys.argv[3]), urls=(sys.argv[4],))
got = fetch.obtain(file)
print(got.source, fetch.sha256(got.content) == file.sha256)
"""


def test_two_processes_may_fetch_the_same_file_at_once(places, server, make_file):
    content = bytes(range(256)) * 4000
    server.routes["/toy"] = (200, content)
    server.pause_before["/toy"] = 20.0  # both are in the middle of the transfer when the server goes on
    file = make_file(server.url + "/toy", content=content)
    arguments = [sys.executable, "-c", PROCESS, file.name, file.sha256, str(file.size), file.urls[0]]
    processes = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    deadline = time.monotonic() + 30
    while len(server.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    server.release.set()
    outputs = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert outputs == ["official True"] * 2
    assert tree(places.cache) == [NAME] and (places.cache / NAME).read_bytes() == content


# --- checking what is there ---------------------------------------------------------------------------------------


def test_check_local_reports_each_copy_and_removes_none(places, make_file):
    places.put(places.cache)
    bad = places.put(places.mirror, TRUNCATED)
    good, fault = fetch.check_local(make_file(NOWHERE))
    assert (good.source, good.fault) == ("cache", None)
    assert (fault.source, fault.path) == ("mirror", bad) and f"{len(TRUNCATED)} bytes" in fault.fault
    assert bad.exists()


def test_a_look_at_sizes_finds_what_was_cut_and_not_what_was_altered(places, make_file):
    places.put(places.cache, ALTERED)
    places.put(places.mirror, CONTENT + b"more")
    altered, longer = fetch.check_local(make_file(NOWHERE), sizes_only=True)
    assert altered.fault is None and longer.fault.startswith(
        "more than 20 bytes, expected 20 bytes with sha256"
    )


def test_of_a_file_far_too_long_little_is_read(places, make_file):
    path = places.put(places.mirror)
    os.truncate(path, 2**40)  # sparse: it takes no room on the disk, and has none in memory
    with pytest.raises(ChecksumMismatch, match="found more than 20 bytes; repair the mirror"):
        fetch.obtain(make_file(NOWHERE))
