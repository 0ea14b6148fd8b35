"""Ask whether the name next to a misspelt one was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def did_you_mean(name: str, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str:
    """Ask whether the nearest name was meant; empty if none is near.

    Small and large letters are the same. Names with two underscores are asked for by programs, which read no answer.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
    synonyms : mapping of str to str, optional
        Names of others, and those that are known for them.

    Examples
    --------
    >>> from cladebench.nearest_name import did_you_mean
    >>> did_you_mean("Ward", ["single", "ward"])
    "; did you mean 'ward'?"
    """
    if name.startswith("__") or len(name) > 80:  # comparing long texts takes minutes
        return ""
    import difflib  # late: nobody needs it as long as names are right

    by_letters = {candidate.lower(): candidate for candidate in known}
    meant = (synonyms or {}).get(name.lower())
    near = [meant] if meant in by_letters else difflib.get_close_matches(name.lower(), by_letters, n=1)
    return f"; did you mean {by_letters[near[0]]!r}?" if near else ""
