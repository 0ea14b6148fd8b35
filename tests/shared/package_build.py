"""The build of the installed package."""

from pathlib import Path

from doc_examples import ROOT


def package_build() -> Path | None:
    """Where the installed core was compiled from this checkout, or None: its library needs no second compilation."""
    for cache in ROOT.glob("build/*/CMakeCache.txt"):
        text = cache.read_text(encoding="utf-8")
        if f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" in text and "SKBUILD_STATE:STRING=editable\n" in text:
            return cache.parent
    return None
