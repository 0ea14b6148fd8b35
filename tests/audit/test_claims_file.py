from dataclasses import replace

import pytest

from audit_records import claims_of
from cladebench.audit import ClaimsError
from cladebench.audit.claim_tables import published_table, ratios_table
from cladebench.audit.claim_types import Claim
from cladebench.audit.table_parts import slug
from cladebench.audit.verdict.verdict_types import Rules
from cladebench.measures import with_own
from cladebench.paper.printed import parse_printed
from claim_texts import ORDER, SECOND, TABLE


def test_a_table_gives_one_claim_for_each_number(tmp_path):
    found = claims_of(tmp_path, TABLE, with_own({"sp": {"unit": "%"}}))
    assert list(found.claims) == ["t/d-sp/a", "t/d-time/a", "t/d-time/b", "t/bold/d-time", "t/best/d-time"]
    first, last = found.claims["t/d-sp/a"], found.claims["t/d-time/b"]
    assert first.published.value == 94.4
    assert dict(first.measure) == {
        "direction": "higher",
        "dataset": "d",
        "metric": "sp",
        "scale": 100.0,
        "method": "A",
    }
    assert first.place_text() == "Table 1, row A, column d sp"
    assert last.measure["where"] == {"k": 3}
    assert found.claims["t/best/d-time"].expects["tie"] == 0.0
    assert (last.measure["direction"], last.measure["scale"]) == ("lower", 1.0)
    assert last.not_testable == "times of another machine"
    table = published_table(found)
    assert list(table.claim) == ["t/d-sp/a", "t/d-time/a", "t/d-time/b"]
    assert list(table.value) == [94.4, 1986.9, 5.2]


def test_a_row_may_say_for_single_columns_why_they_cannot_be_tested(tmp_path):
    text = TABLE.replace("A: {method: A,", "A: {method: A, not_testable: {d sp: printed once}, ", 1)
    found = claims_of(tmp_path, text)
    said = {name: claim.not_testable for name, claim in found.claims.items() if claim.kind == "value"}
    machine = "times of another machine"
    assert said == {"t/d-sp/a": "printed once", "t/d-time/a": machine, "t/d-time/b": machine}
    assert found.claims["t/best/d-time"].not_testable == machine
    with pytest.raises(ClaimsError, match=r"table 't': rows.A.not_testable: unknown column 'd s'.*'d sp'"):
        claims_of(tmp_path, text.replace("{d sp:", "{d s:"))
    text = TABLE.replace("A: {method: A,", "A: {method: A, seeds_alone: [d s],", 1)
    with pytest.raises(ClaimsError, match=r"table 't': rows.A.seeds_alone: unknown column 'd s'.*'d sp'"):
        claims_of(tmp_path, text)


RATIOS = """
claims:
  - id: open
    kind: ratio
    place: {section: "1"}
    quote: q
    measure: {metric: m, dataset: d}
    expects: {of: {method: A, metric: n}, to: {method: B}, at_least: 2}
  - id: closed
    kind: ratio
    place: {section: "1"}
    quote: q
    measure: {metric: m, dataset: d}
    expects: {of: {method: B}, to: {method: A, at: {k: 1}}, at_least: 2, at_most: 3}
  - id: several
    kind: ratio
    place: {section: "1"}
    quote: q
    measure: {metric: m, dataset: d, direction: lower}
    expects: {of: {best_of: [A, B]}, to: {method: A}, at_least: 2}
  - id: shared
    kind: ratio
    place: {section: "1"}
    quote: q
    measure: {metric: m, dataset: d}
    expects: {of: {method: A}, to: {method: B}, same_setting: [k], at_least: 2}
  - id: untested
    kind: ratio
    place: {section: "1"}
    quote: q
    not_testable: no data
"""


def test_claimed_ratios_of_two_methods_are_listed(tmp_path):
    found = claims_of(tmp_path, RATIOS + SECOND)
    table = ratios_table(found)
    assert table.claim.tolist() == ["open", "closed"]
    assert table.claimed.tolist() == ["at least 2", "at least 2 and at most 3"]
    named = [{key: side[key] for key in ("dataset", "method", "metric")} for side in table.of]
    assert named == [dict(dataset="d", method=a, metric=m) for a, m in (("A", "n"), ("B", "m"))]
    assert [(side["method"], side["metric"], side.get("at")) for side in table.to] == [
        ("B", "m", None),
        ("A", "m", {"k": 1}),
    ]


FULL = """
repetitions: 5
spread: se
deterministic: [A]
rules: {alpha: 0.01, power: 0.9}
excluded: [{section: "2", quote: q, why: w}]
tables:
  - id: t
    place: {artifact: Table 1, page: 3}
    measure: {metric: m, direction: higher}
    tolerance: {relative: 0.1}
    gap: {absolute: 0.03}
    tie: 0.02
    columns:
      d: {dataset: d, label: Glass, not_testable: no data, one_draw: true}
      e: {dataset: e}
    rows:
      A: {method: A, label: Ours, printed: ["0.5 ± 0.1", " - "]}
      B: {method: B, not_testable: no method, one_draw: false, printed: ["0.6", "0.7"]}
      C: {not_testable: no code, printed: ["0.4", "0.9"]}
      D: {method: D, seeds_alone: [e], printed: ["–", "0.2"]}
    best: {d: B, e: C}
  - {id: u, place: {artifact: Table 2}, measure: {metric: m, method: A}, repetitions: 9, spread: sd,
     columns: {d: {dataset: d}}, rows: {"6": {where: {k: 6}, printed: ["1.0 ± 0.5"]}}}
claims:
  - id: a
    kind: value
    place: {section: "1"}
    quote: "about\n  {dataset} at {k}"
    reading: "of  all"
    published: "0.3 ± 0.1"
    measure: {method: A, metric: m, where: {k: "{k}"}}
    for_each: {dataset: [d e], k: [2]}
    family: b
    repetitions: 3
    spread: sd
    one_draw: true
    tolerance: {absolute: 0.25}
    gap: {relative: 0.5}
    evidence: own code
    inconsistent: "not\n so"
    not_testable: "no\n data"
  - {id: b, kind: value, place: {section: "1"}, quote: q, published: "0.3", measure: {dataset: d, method: A, metric: m}}
"""
MEASURE = {"metric": "m", "direction": "higher"}


def place(row, column):
    return {"artifact": "Table 1", "page": 3, "row": row, "column": column}


def test_a_claim_has_all_that_its_file_says(tmp_path):
    found = claims_of(tmp_path, FULL)
    assert found.rules == Rules(alpha=0.01, power=0.9)
    assert found.deterministic == {"A"}
    assert found.excluded == ({"section": "2", "quote": "q", "why": "w"},)
    assert found.paper == "toy"

    shared = {
        "kind": "value",
        "family": "t",
        "repetitions": 5,
        "spread": "se",
        "tolerance": {"relative": 0.1},
        "gap": {"absolute": 0.03},
    }
    expected = [
        Claim(
            id=f"t/{dataset}/{method.lower()}",
            place=place(label, column),
            quote=text,
            published=parse_printed(text),
            measure=MEASURE | {"dataset": dataset} | ({} if method == "C" else {"method": method}),
            one_draw=one_draw,
            seeds_alone=method == "D",
            not_testable=why,
            **shared,
        )
        for dataset, method, label, column, text, one_draw, why in (
            ("d", "A", "Ours", "Glass", "0.5 ± 0.1", True, "no data"),
            ("d", "B", "B", "Glass", "0.6", False, "no method"),
            ("e", "B", "B", "e", "0.7", False, "no method"),
            ("d", "C", "C", "Glass", "0.4", True, "no code"),
            ("e", "C", "C", "e", "0.9", False, "no code"),
            ("e", "D", "D", "e", "0.2", False, ""),
        )
    ]
    for dataset, left, entry, column, text, others, why in (
        ("d", "B", "t/d/b", "Glass", "0.6", ["A"], "no method"),
        ("e", "", "t/e/c", "e", "0.9", ["B", "D"], "no code"),
    ):
        of_both = {
            "place": place(left or "C", column),
            "quote": f"{text} in bold",
            "measure": MEASURE | {"dataset": dataset},
            "one_draw": False,
        }
        printed = {"left": entry, "is": "better", "than": [f"t/{dataset}/*"]}
        measured = {"left": {"method": left}, "is": "better", "than": {"best_of": others}, "tie": 0.02}
        expected += [
            Claim(f"t/bold/{dataset}", "arithmetic", expects=printed, **of_both),
            Claim(
                f"t/best/{dataset}", "order", expects=measured, family="t/best", not_testable=why, **of_both
            ),
        ]
    expected += [
        Claim(
            "u/d/6",
            "value",
            {"artifact": "Table 2", "row": "6", "column": "d"},
            "1.0 ± 0.5",
            published=parse_printed("1.0 ± 0.5"),
            measure={"metric": "m", "method": "A", "dataset": "d", "where": {"k": 6}},
            family="u",
            repetitions=9,
            spread="sd",
        ),
        Claim(
            "a/d-e/2",
            "value",
            {"section": "1"},
            "about d e at 2",
            reading="of all",
            published=parse_printed("0.3 ± 0.1"),
            measure={"method": "A", "metric": "m", "where": {"k": 2}, "dataset": "d e"},
            family="b",
            repetitions=3,
            spread="sd",
            one_draw=True,
            tolerance={"absolute": 0.25},
            gap={"relative": 0.5},
            evidence="own code",
            inconsistent="not so",
            not_testable="no data",
        ),
        Claim(
            "b",
            "value",
            {"section": "1"},
            "q",
            published=parse_printed("0.3"),
            measure={"dataset": "d", "method": "A", "metric": "m"},
            family="b",
            repetitions=5,
            spread="se",
        ),
    ]
    claims = found.claims.values()
    assert [replace(c, reading="") if "in bold" in c.quote else c for c in claims] == expected
    assert found.claims["t/d/a"].published_sd == pytest.approx(0.1 * 5**0.5)
    assert found.claims["u/d/6"].published_sd == 0.5
    assert found.claims["b"].published_sd is None
    assert found.claims["t/e/c"].allowance == pytest.approx(0.09)
    assert (found.claims["a/d-e/2"].allowance, found.claims["b"].allowance) == (0.25, 0.0)
    assert found.claims["t/d/b"].place_text() == "Table 1, row B, column Glass, page 3"
    assert all(claim.reading for claim in found.claims.values() if "in bold" in claim.quote)


def test_what_a_file_leaves_out_is_plain(tmp_path):
    text = FULL.replace("repetitions: 5\nspread: se\n", "").replace("deterministic: [A]\n", "")
    text = text.replace('excluded: [{section: "2", quote: q, why: w}]\n', "").replace(" ± 0.1", "")
    found = claims_of(tmp_path, text)
    assert (found.claims["b"].repetitions, found.claims["b"].spread) == (None, "sd")
    assert (found.claims["t/d/a"].repetitions, found.claims["t/d/a"].spread) == (None, "sd")
    assert (found.deterministic, found.excluded) == (frozenset(), ())


@pytest.mark.parametrize(
    ("text", "slugged"), [("HAC-C", "hac-c"), ("k = 1.5", "k-1.5"), ("(A) b_c.", "a-b-c"), ("É2", "2")]
)
def test_ids_are_made_of_names(text, slugged):
    assert slug(text) == slugged


def test_for_each_gives_one_claim_for_each_combination(tmp_path):
    text = ORDER.replace("quote: q", "quote: q\n    for_each: {variant: [N, L], dataset: [d, e f]}").replace(
        "{method: A}", '{method: "A-{variant}"}'
    )
    found = claims_of(tmp_path, text)
    assert list(found.claims) == ["a/n/d", "a/n/e-f", "a/l/d", "a/l/e-f"]
    claim = found.claims["a/l/e-f"]
    assert claim.expects["left"]["method"] == "A-L"
    assert claim.measure["dataset"] == "e f"
    assert {c.family for c in found.claims.values()} == {"a"}


def test_a_file_has_at_most_so_many_claims(tmp_path, monkeypatch):
    monkeypatch.setattr("cladebench.audit.claims_file.MAX_CLAIMS", 3)
    text = ORDER.replace("quote: q", 'quote: "q {u}"\n    for_each: {u: [a, b, c]}')
    assert len(claims_of(tmp_path, text).claims) == 3
    with pytest.raises(ClaimsError, match="for_each: 4 claims, expected at most 3"):
        claims_of(tmp_path, text.replace("c]", "c, d]"))
    with pytest.raises(ClaimsError, match="claim 'b': expected at most 3 claims in a file"):
        claims_of(tmp_path, text + SECOND)


def test_a_word_is_filled_in_once(tmp_path):
    """A word that holds another key in braces stays as it is; it would double at each key otherwise."""
    each = 'quote: "{u}"\n    reading: "{v}"\n    for_each: {u: ["{v}{v}"], v: ["{u}{u}"]}'
    claim = claims_of(tmp_path, ORDER.replace("quote: q", each)).claims["a/v-v/u-u"]
    assert claim.quote == "{v}{v}"


def test_a_number_stays_a_number_and_an_unknown_key_stays_in_its_braces(tmp_path):
    each = 'quote: "{other}"\n    for_each: {n: [10, 100]}'
    text = ORDER.replace("quote: q", each).replace(
        "direction: higher", 'direction: higher, where: {n: "{n}"}'
    )
    found = claims_of(tmp_path, text).claims
    assert [claim.measure["where"] for claim in found.values()] == [{"n": 10}, {"n": 100}]
    assert {claim.quote for claim in found.values()} == {"{other}"}


def test_a_claim_may_be_of_the_family_of_another(tmp_path):
    found = claims_of(tmp_path, ORDER + SECOND.replace("quote: q", "quote: q\n    family: a"))
    assert found.claims["b"].family == "a"


def test_one_claim_may_be_the_main_one(tmp_path):
    found = claims_of(tmp_path, ORDER + SECOND.replace("quote: q", "quote: q\n    main: true"))
    assert [claim.id for claim in found.claims.values() if claim.main] == ["b"]
