"""Archives, honest and malicious: whatever they hold, nothing is written."""

from __future__ import annotations

import contextlib
import io
import random
import stat
import tarfile
import zipfile

import pytest

from archives import tar_of
from cladebench.datasets import DatasetError
from cladebench.datasets.archives import read_members

GOOD = {"images/a.txt": b"first", "images/b.txt": b"second", "readme": b"unwanted"}


def make_zip(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in members:
            package.writestr(name, content)
    return buffer.getvalue()


def tar_xz(members):
    return tar_of(members, "w:xz")


@pytest.fixture(autouse=True)
def nothing_is_written(tmp_path, monkeypatch):
    """The current folder lies inside a guarded one, which must be as empty afterwards as before."""
    inner = tmp_path / "guard" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    yield
    assert [p for p in (tmp_path / "guard").rglob("*")] == [inner]


@pytest.mark.parametrize("make", [tar_of, tar_xz, make_zip], ids=["tar", "tar.xz", "zip"])
def test_wanted_members_are_read(make):
    archive = make([("./" + name if make is tar_of else name, content) for name, content in GOOD.items()])
    wanted = ["images/b.txt", "images/a.txt"]
    assert read_members(archive, wanted) == {name: GOOD[name] for name in wanted}
    assert list(read_members(archive, lambda name: name.startswith("images/"))) == [
        "images/a.txt",
        "images/b.txt",
    ]


@pytest.mark.parametrize("make", [tar_of, make_zip], ids=["tar", "zip"])
@pytest.mark.parametrize(
    "name", ["../evil.txt", "images/../../evil.txt", "/evil.txt", "..\\evil.txt", "C:\\evil.txt"]
)
def test_a_name_outside_the_folder_is_refused_even_when_unwanted(make, name):
    archive = make([*GOOD.items(), (name, b"evil")])
    for wanted in ([name], ["readme"], lambda member: True):
        with pytest.raises(DatasetError, match=r"toy\.archive: member .*outside its folder"):
            read_members(archive, wanted, name="toy.archive")


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "../../secret"),
        (tarfile.LNKTYPE, "readme"),
        (tarfile.CHRTYPE, ""),
        (tarfile.FIFOTYPE, ""),
        (tarfile.DIRTYPE, ""),
    ],
    ids=["symlink", "hardlink", "device", "fifo", "folder"],
)
def test_a_wanted_tar_member_must_be_a_regular_file(kind, target):
    archive = tar_of(GOOD.items(), odd=(kind, target))
    with pytest.raises(DatasetError, match="'odd' is not a regular file"):
        read_members(archive, ["odd"])
    assert read_members(archive, ["readme"]) == {"readme": b"unwanted"}


def test_a_wanted_zip_member_must_be_a_regular_file():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        package.writestr(link, "/secret")
        package.mkdir("folder")
    for name in ("link", "folder"):
        with pytest.raises(DatasetError, match="is not a regular file"):
            read_members(buffer.getvalue(), [name])


@pytest.mark.parametrize("make", [tar_of, make_zip], ids=["tar", "zip"])
def test_a_bomb_is_stopped_at_the_limit(make):
    archive = make([("a", bytes(60_000)), ("b", bytes(60_000)), ("c", b"")])
    assert len(read_members(archive, ["a", "c"], size_limit=60_000)["a"]) == 60_000
    with pytest.raises(DatasetError, match="more than 100000 bytes"):
        read_members(archive, ["a", "b"], size_limit=100_000)


@pytest.mark.parametrize("make", [tar_of, make_zip], ids=["tar", "zip"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_missing_and_double_members_are_errors(make):
    archive = make([("a", b"1"), ("a", b"2")])
    with pytest.raises(DatasetError, match="'a' occurs twice"):
        read_members(archive, ["a"])
    with pytest.raises(DatasetError, match="expected member 'b'"):
        read_members(archive, ["b"])


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"no archive at all",
        tar_of(GOOD.items())[:700],
        tar_of([("readme", bytes(range(256)) * 40)], "w:gz")[:-40],
        tar_of([("readme", bytes(2000))])[:1024],
        make_zip(GOOD.items())[:-10],
    ],
    ids=["empty", "text", "cut tar", "cut tar.gz", "cut member", "cut zip"],
)
def test_damage_is_an_error(archive):
    with pytest.raises(DatasetError):
        read_members(archive, ["readme"])


def test_a_zip_member_that_fails_its_checksum_is_an_error():
    archive = bytearray(make_zip([("readme", bytes(range(256)))]))
    archive[60] ^= 0xFF
    with pytest.raises(DatasetError, match="cannot be read"):
        read_members(bytes(archive), ["readme"])


def test_a_tar_that_ends_with_a_zip_is_read_as_a_tar():
    archive = tar_of([("readme", b"text"), ("inner.zip", make_zip([("inner", b"text")]))])
    assert list(read_members(archive, lambda name: True)) == ["readme", "inner.zip"]


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz", "zip"])
def test_a_flipped_bit_gives_the_right_bytes_or_an_error_in_words(mode):
    members = [("a", bytes(range(256)) * 4 + b"a" * 3000)]
    good = make_zip(members) if mode == "zip" else tar_of(members, mode)
    refused = 0
    for place in range(0, len(good), 3):
        bad = bytearray(good)
        bad[place] ^= 4
        try:
            read_members(bytes(bad), lambda name: True)
        except DatasetError:
            refused += 1
    assert refused > 0


def zip_with_nameless(name):
    """A zip whose second member has this name; zipfile itself writes none without."""
    archive = make_zip([("readme", b"unwanted"), ("?" * max(1, len(name)), b"evil")])
    if name:
        return archive.replace(b"?" * len(name), name.encode())
    for head, size, rest in (
        (b"PK\x03\x04", 30, 26),
        (b"PK\x01\x02", 46, 28),
    ):  # both headers have the length
        at = archive.rindex(head)
        archive = (
            archive[: at + rest] + b"\0\0" + archive[at + rest + 2 : at + size] + archive[at + size + 1 :]
        )
    end = archive.rindex(b"PK\x05\x06")
    begin = archive.index(b"PK\x01\x02")
    sizes = (end - begin).to_bytes(4, "little") + begin.to_bytes(4, "little")
    return archive[: end + 12] + sizes + archive[end + 20 :]


@pytest.mark.parametrize("name", ["", ".", "./."])
@pytest.mark.parametrize("make", [zip_with_nameless, lambda name: tar_of([("readme", b""), (name, b"evil")])])
def test_a_file_without_a_name_is_refused_even_when_unwanted(make, name):
    for wanted in (["readme"], lambda member: True, lambda member: member.split("/")[-1][0] == "r"):
        with pytest.raises(DatasetError, match=r"toy\.archive: member .* has no name"):
            read_members(make(name), wanted, name="toy.archive")


def test_the_folder_itself_may_be_in_its_archive():
    archive = tar_of([("./readme", b"text")], **{"./": (tarfile.DIRTYPE, "")})
    assert read_members(archive, lambda name: True) == {"readme": b"text"}


@pytest.mark.parametrize(
    "archive",
    [make_zip(GOOD.items()), tar_of(GOOD.items()), tar_of([("é" * 90 + "/a", b"1" * 99), ("b", b"")])],
    ids=["zip", "tar", "long names"],
)
def test_changed_headers_give_an_error_in_words_or_what_the_archive_says(archive):
    choose = random.Random(7)
    for _ in range(400):
        bad = bytearray(archive)
        for _ in range(choose.choice((1, 1, 2, 4))):
            bad[choose.randrange(len(bad))] = choose.choice((0, 255, 46, 47, choose.randrange(256)))
        with contextlib.suppress(DatasetError):
            read_members(bytes(bad), lambda name: True, size_limit=10**6)
