"""Images of textures, and eight features of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cladebench.datasets.base import Content, DatasetInfo, RemoteFile
from cladebench.datasets.image_features.image_features import FEATURE_VIEWS, FEATURES_NOTE
from cladebench.datasets.image_features.image_files import load_classes
from cladebench.datasets.image_features.opencv import LIBRARY

UIUC = RemoteFile(
    name="uiuctex/uiuctex_256px_q92.tar",
    sha256="cfd6f913ca6d799683218dfe0fae6bc2a2e9f22884805669368b89f71d9cf028",
    size=23_132_160,
    urls=(),
    made_from="the 1,000 images of 640 x 480 in 05-Textons/ANSWERS/data of https://github.com/ChaosDonkey06/IBIO4680 "
    "at commit 8048bbb3b7c1740d23120aa8e05fcc6c28250f67, reduced with Pillow 13.0.0 (LANCZOS) to 256 x 192, as grey "
    "JPEG (quality=92, optimize=True) in folders T01_bark1 to T25_plaid, packed with tar --sort=name --mtime=@0 "
    "--owner=0 --group=0 --numeric-owner; the official archives are five of "
    "http://www-cvr.ai.uiuc.edu/ponce_grp/data/texture_database/",
)
OUTEX = RemoteFile(
    name="outex/outex_tc00012_train480_bmp.tar",
    sha256="fc0d09f2a8b8450d57a8b9fd6395abee322d324711aea477c3456547c6e259d3",
    size=15_564_800,
    urls=(),
    made_from="the 480 images that 000/train.txt of Outex_TC_00012 lists, in "
    "https://github.com/SerhanTelatar/CS419-Assignment4 at commit 2f5c5baae7ca222eaefe8780cfaa78c97f9312a9, in a "
    "folder for each class, packed with tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner; the official "
    "address, https://www.outex.oulu.fi, has them among others",
)


def load_uiuc_textures(files: Mapping[str, bytes], draw: int) -> Content:
    """Load 40 images (256 x 192 pixels) of each of 25 textures."""
    return _uiuc(files, 1)


def load_few_uiuc_textures(files: Mapping[str, bytes], draw: int) -> Content:
    """Every fifth image of each texture."""
    return _uiuc(files, 5)


def _uiuc(files: Mapping[str, bytes], every: int) -> Content:
    pattern = r"uiuctex/T\d\d_([a-z]+\d?)/T\d\d_\d\d\.jpg"
    return load_classes(files[UIUC.name], pattern, name=UIUC.name, shape=(192, 256), every=every)


def load_outex_textures(files: Mapping[str, bytes], draw: int) -> Content:
    """Load 20 images (128 x 128 pixels) of each of 24 textures."""
    pattern = r"Outex_TC_00012_train480/([a-z]+\d{3})/\d{6}\.bmp"
    return load_classes(files[OUTEX.name], pattern, name=OUTEX.name, shape=(128, 128))


_UIUC = DatasetInfo(
    name="uiuc-textures",
    title="UIUC textures",
    kind="stand-in",
    stand_in_for="the same 1,000 images at 640 x 480 pixels",
    n_samples=1000,
    n_features=None,
    n_classes=25,
    licence="Research use, to be cited",
    citation="S. Lazebnik, C. Schmid, J. Ponce (2005). A sparse texture representation using local affine regions. "
    "PAMI 27",
    loader=load_uiuc_textures,
    files=(UIUC,),
    images=True,
    views=FEATURE_VIEWS,
    libraries=(LIBRARY,),
    notes="All 1,000 images, but reduced from 640 x 480 to 256 x 192 and compressed once more. Fine structure"
    " is lost, and sparse points are fewer than in the originals. The official archives are not at "
    "hand. ",
)

DATASETS = (
    _UIUC,
    replace(
        _UIUC,
        name="uiuc-textures-8",
        title="UIUC textures, 8 images of each",
        n_samples=200,
        loader=load_few_uiuc_textures,
        notes="Every fifth image of uiuc-textures, for machines in a hurry. Features are computed anew, with "
        f"vocabularies of these images. {FEATURES_NOTE}",
    ),
    DatasetInfo(
        name="outex-textures",
        title="Outex, 24 textures",
        kind="real",
        n_samples=480,
        n_features=None,
        n_classes=24,
        licence="Free for research, to be cited (University of Oulu)",
        citation="T. Ojala, T. Maenpaa, M. Pietikainen, J. Viertola, J. Kyllonen, S. Huovinen (2002). Outex: new "
        "framework for empirical evaluation of texture analysis algorithms. ICPR",
        loader=load_outex_textures,
        files=(OUTEX,),
        images=True,
        views=FEATURE_VIEWS,
        libraries=(LIBRARY,),
        notes="The paper says 24 classes of Outex and no more. These are the training images of the first problem of "
        "Outex_TC_00012 (illuminant inca, 100 dpi, not rotated), 20 of each class. Outex_TC_00000 has as many of the "
        f"same kind; that it is these very images is likely and was not verified. {FEATURES_NOTE}",
    ),
)
