"""Claims that cannot be judged as they are meant are refused in a line: file, claim, key, value, what is allowed."""

import pytest

from audit_records import cells, claims_of, frame, judged
from cladebench.audit import ClaimsError
from cladebench.measures import with_own
from claim_texts import BETTER, MEASURE, ORDER, PRINTED, SECOND, TABLE, claim_text

VALUE = ORDER.replace("kind: order", "kind: value").replace(f"    expects: {BETTER}\n", "")
VARIANTS = ORDER.replace("quote: q", 'quote: "q {variant}"\n    for_each: E')


def refused(tmp_path, text):
    with pytest.raises(ClaimsError) as error:
        claims_of(tmp_path, text)
    said = str(error.value)
    assert "claims.yaml" in said and "\n" not in said
    return said


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        (ORDER, "kind: order", "kind: ordr", "claim 'a': kind: 'ordr' is not allowed; did you mean 'order'"),
        (ORDER, "    kind: order\n", "", "claim 'a': missing key 'kind'"),
        (ORDER, "is: better", "is: beter", "claim 'a': expects.is: 'beter'"),
        (ORDER, "is: better", "is: same", "claim 'a': expects.margin: missing; expected the largest difference"),
        (ORDER, "is: better", "is: better, then: 1", "expects.then: unknown key 'then'; did you mean 'than'"),
        (ORDER, "quote: q", "quote: q\n    qoute: q", "qoute: unknown key 'qoute'; did you mean 'quote'"),
        (ORDER, "    quote: q\n", "", "claim 'a': missing key 'quote'"),
        (ORDER, ", metric: m", "", "claim 'a': measure: names no metric"),
        (ORDER, "dataset: d, metric: m, ", "", "claim 'a': measure: names no dataset, no metric"),
        (ORDER, ", direction: higher", "", "claim 'a': measure: missing key 'direction'"),
        (ORDER, "metric: m, direction: higher", "metric: arri", "called 'arri' and has it; did you mean 'ari'?"),
        (ORDER, "direction: higher", "direction: up", "claim 'a': measure.direction: 'up' is not allowed"),
        (ORDER, f"    expects: {BETTER}\n", "", "claim 'a': missing key 'expects'"),
        (ORDER, "id: a", "id: A b", "A b"),
        (ORDER, "{method: B}", "{best_of: [B, B]}", "expects.than.best_of: ['B', 'B'] has an entry twice"),
        (ORDER, "{method: A}", "{worst_of: [B, B]}", "expects.left.worst_of: ['B', 'B'] has an entry twice"),
        (ORDER + SECOND, "id: b", "id: a", "claim 'a': id: given twice"),
        (ORDER + SECOND, "quote: q", "quote: q\n    main: true", "main: a, b; expected one claim"),
        (ORDER, "quote: q", "quote: q\n    family: aa", "claim 'a': family: no other claim is of 'aa'"),
        (VALUE, "quote: q", "quote: q", "claim 'a': missing key 'published'"),
        (VALUE, "quote: q", "quote: q\n    published: half", "'half' is not a printed number"),
        (VALUE, "quote: q", 'quote: q\n    published: "0.5"', "claim 'a': measure: names no method"),
        (TABLE, '["-", "5.2"]', '["5.2"]', "table 't': rows.B.printed: 1 entries, expected 2"),
        (TABLE, '"94.40"', '"94,4x"', "table 't': rows.A.printed: '94,4x'"),
        (TABLE, "d-time: B}", "d-time: C}", "table 't': best: unknown 'C'; allowed: A, B"),
        (TABLE, "not_testable: times of another machine", "not_tested: x", "unknown key 'not_tested'"),
        (TABLE, "claims: []", "", "missing key 'claims'"),
        (VARIANTS, "E", "{varient: [N, L]}", "for_each.varient: the claim has no {varient}; did you mean 'variant'?"),
        (VARIANTS, "E", "{varient: ['{varient}', L]}", "for_each.varient: the claim has no {varient}; did you mean"),
        (
            VARIANTS,
            "E",
            "{variant: [d], " + ", ".join(f"k{i}: &l{i} [a, b, c, d, e, f, g, h, i, j]" for i in range(10)) + "}",
            "claim 'a': for_each: 10,000,000,000 claims, expected at most 10,000",
        ),
    ],
)  # fmt: skip
def test_errors_name_file_claim_key_and_value(tmp_path, text, old, new, said):
    assert old in text
    assert said in refused(tmp_path, text.replace(old, new))


#: A claim beside which others are judged.
OTHER = claim_text("o", "order", measure=MEASURE, expects=BETTER)


def beside(kind, expects):
    """A claim 'c' beside two printed numbers and an order 'o'."""
    return PRINTED + OTHER + claim_text("c", kind, measure=MEASURE, expects=expects)


#: What an order may say more, by its word.
MORE = {
    **dict.fromkeys(("better", "worse", "higher", "lower"), ("by", "tie")),
    **dict.fromkeys(("no_worse", "same"), ("margin",)),
    **dict.fromkeys(("never_below", "never_above", "once_below", "once_above"), ()),
}


@pytest.mark.parametrize("word", MORE)
def test_an_order_has_what_its_word_needs(tmp_path, word):
    for key in ("by", "margin", "tie"):
        more = {key: 0.1} | ({"margin": 0.2} if word == "same" else {})
        of_both = "".join(f", {name}: {value}" for name, value in more.items())
        text = beside("order", f"{{left: {{method: A}}, is: {word}, than: {{method: B}}{of_both}}}")
        if key in MORE[word]:
            assert "c" in claims_of(tmp_path, text).claims
        else:
            said = f"claim 'c': expects.{key}: not allowed with 'is: {word}'"
            assert said in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("kind", "expects", "said"),
    [
        ("arithmetic", "{left: t/d/a, is: better, than: [t/d/b], margin: 0.1}", "margin: not allowed with"),
        ("arithmetic", "{left: 't/d/*', is: better, than: [t/d/b]}", "left: 't/d/*' is a pattern"),
        ("arithmetic", "{left: t/d/a, is: better, than: [t/d/a]}", "than: t/d/a matches 't/d/a' alone"),
        ("arithmetic", "{average_of: ['c*', t/d/a]}\n    published: '1'", "no claim 'c*' but itself; "),
        ("arithmetic", "{difference_of: ['t/d/*', t/d/b]}\n    published: '1'", "'t/d/*' is a pattern"),
        (
            "arithmetic",
            "{difference_of: [t/a, t/b, t/c]}\n    published: '1'",
            "['t/a', 't/b', 't/c'] is not allowed",
        ),
        (
            "arithmetic",
            "{ratio_of: [t/a, t/b, t/c]}\n    published: '1'",
            "['t/a', 't/b', 't/c'] is not allowed",
        ),
        ("arithmetic", "{ratio_of: [t/d/a, 't/?/b']}\n    published: '1'", "'t/?/b' is a pattern"),
        ("arithmetic", "{left: o, is: higher, than: 3}", "'o' has no published number"),
        ("arithmetic", "{left: t/d/a, is: better, than: [o]}", "'o' has no published number"),
        ("arithmetic", "{left: t/d/a, is: better, than: [t/d/b, o]}", "'o' has no published number"),
        ("sentence", "{at_least: 3, of: ['t/d/*']}", "at_least: 3 of 2 parts"),
        ("sentence", "{at_least: 2, of: ['t/d/*', t/d/a]}", "the part 't/d/a' is named twice"),
        ("sentence", "{all_of: [o, {at_least: 2, of: [t/d/a]}]}", "at_least: 2 of 1 parts"),
        ("sentence", "{all_of: [t/d/a, o, 't/*/a']}", "the part 't/d/a' is named twice"),
        ("sentence", "{any_of: ['t/d/?', t/d/b]}", "the part 't/d/b' is named twice"),
        ("sentence", "{at_least: 2, of: [o, {all_of: [t/d/b, 't/*/b']}]}", "'t/d/b' is named twice"),
        ("sentence", "{at_least: 5, of: [o, 't/d/*', {any_of: [t/d/a]}]}", "at_least: 5 of 4 parts"),
        ("sentence", "{all_of: [o, nothing]}", "no claim 'nothing'"),
        ("sentence", "{at_least: 2}", "missing key 'of'"),
        ("sentence", "{}", "claim 'c': expects"),
        ("sentence", "{certificates: {}}", "certificates: missing key 'topic'"),
    ],
)
def test_what_would_be_judged_otherwise_than_meant_is_refused(tmp_path, kind, expects, said):
    found = refused(tmp_path, beside(kind, expects))
    assert "claim 'c': expects" in found and said in found


@pytest.mark.parametrize(
    ("kind", "expects"),
    [
        ("order", "{left: {method: A}, is: no_worse, than: {method: B}, margin: 0.1, tie: 0}"),
        ("arithmetic", "{left: t/d/a, is: better, than: ['t/d/*']}"),
        ("sentence", "{at_least: 4, of: [o, 't/d/*', {any_of: [t/d/a, t/d/b]}]}"),
        ("sentence", "{at_least: 2, of: [{all_of: [o]}, {any_of: [o]}]}"),
        ("sentence", "{certificates: {topic: dasgupta-binary, at_least: 3}}"),
    ],
)
def test_what_is_judged_as_meant_passes(tmp_path, kind, expects):
    assert "c" in claims_of(tmp_path, beside(kind, expects)).claims


@pytest.mark.parametrize(
    ("kind", "expects", "needs"),
    [
        *(
            ("order", f"{{left: {{method: A}}, is: {word}, than: {{method: B}}}}", True)
            for word in ("better", "worse", "no_worse")
        ),
        *(
            ("order", f"{{left: {{method: A}}, is: {word}, than: {{method: B}}}}", False)
            for word in ("higher", "never_above")
        ),
        ("order", "{left: {method: A}, is: higher, than: {best_of: [B]}}", True),
        ("order", "{left: {worst_of: [A]}, is: higher, than: {method: B}}", True),
        ("arithmetic", "{left: t/d/a, is: better, than: 3}", True),
        ("arithmetic", "{left: t/d/a, is: lower, than: 3}", False),
    ],
)
def test_a_direction_is_asked_for_where_it_is_read(tmp_path, kind, expects, needs):
    claim = claim_text("c", kind, measure="{dataset: d, metric: m}", expects=expects)
    if needs:
        assert "claim 'c': measure: missing key 'direction'" in refused(tmp_path, PRINTED + claim)
        with_direction = PRINTED.replace("metric: m}", "metric: m, direction: higher}")
        if kind == "arithmetic":  # the printed number that it compares has one
            assert "c" in claims_of(tmp_path, with_direction + claim).claims
    else:
        assert "c" in claims_of(tmp_path, PRINTED + claim).claims


def test_a_claim_that_is_not_judged_may_be_incomplete(tmp_path):
    for kind in ("order", "sentence", "arithmetic"):
        bare = PRINTED + claim_text("c", kind, measure="{dataset: d}")
        assert "claim 'c': missing key 'expects' (or 'not_testable'" in refused(tmp_path, bare)
        found = claims_of(tmp_path, bare + "    not_testable: no data\n").claims["c"]
        assert found.not_testable == "no data"
    for expects in ("{fact: n_classes, dataset: glass}", "{possible_at: 7}"):
        assert "claim 'c': missing key 'published'" in refused(tmp_path, beside("arithmetic", expects))


def test_a_printed_spread_needs_its_repetitions(tmp_path):
    text = PRINTED.replace('["1"]', '["1.0 ± 0.1"]') + OTHER
    for given, said in (("", "None"), ("repetitions: 1", "1")):
        expected = f"claim 't/d/a': repetitions: {said}, expected 2 or more"
        assert expected in refused(tmp_path, given + text)
    claims_of(tmp_path, "repetitions: 2" + text)
    claims_of(tmp_path, text.replace("0.1", "0.0"))


def test_a_percentage_is_of_a_measure_in_percent(tmp_path):
    text = (PRINTED + OTHER).replace("metric: m", "metric: ari").replace('["1"]', '["93.0%"]')
    with pytest.raises(ClaimsError, match=r"claim 't/d/a': published: '93.0%' is a percentage; .*ari: {unit"):
        claims_of(tmp_path, text)
    claims_of(tmp_path, text.replace("93.0%", "0.93"))
    claims_of(tmp_path, text, with_own({"ari": {"unit": "%"}}))


@pytest.mark.parametrize(
    ("kind", "expects"),
    [
        ("order", "{left: {method: A}, is: better, than: {method: B, dataset: e}}"),
        ("ratio", "{of: {method: A, dataset: e}, to: {method: B}, at_least: 2}"),
        ("trend", "{points: [{method: A, x: 1}, {method: A, dataset: e, x: 2}], slope: {at_least: 1}}"),
    ],
)
def test_results_on_different_data_are_not_compared(tmp_path, kind, expects):
    with pytest.raises(ClaimsError, match=r"claim 'c': dataset: (d, e|e, d) share no task"):
        claims_of(tmp_path, beside(kind, expects))
    claims_of(tmp_path, beside(kind, expects.replace(", dataset: e", "")))


#: Levels of sentences within sentences.
MAX_DEPTH = 50


def diamonds(depth, base="a"):
    """Sentences of which each names the one before it twice."""
    return [
        (f"s{i}", "{all_of: [%s, {any_of: [%s, b]}]}" % ((f"s{i - 1}" if i else base,) * 2))
        for i in range(depth)
    ]


def sentences(claims):
    return ORDER + SECOND + "".join(claim_text(name, "sentence", expects=text) for name, text in claims)


def test_diamonds_of_sentences_are_read_and_judged_once_each(tmp_path):
    found = claims_of(tmp_path, sentences(diamonds(MAX_DEPTH - 1)))
    records = frame(cells("d", "A", {"m": [2.0, 2.1, 2.2]}), cells("d", "B", {"m": [1.0, 1.1, 1.2]}))
    audit = judged(found, records)
    assert len(audit) == MAX_DEPTH + 1
    assert set(audit.verdict) == {"reproduced"}
    assert set(audit.cells) == {"toy/d/A/default/*; toy/d/B/default/*"}
    assert audit.reason.str.len().max() < 1000


def test_sentences_that_are_too_deep_or_go_round_are_named(tmp_path):
    with pytest.raises(ClaimsError, match=rf"claim 's{MAX_DEPTH - 1}': expects: .* {MAX_DEPTH} deep at most"):
        claims_of(tmp_path, sentences(diamonds(MAX_DEPTH)))
    with pytest.raises(
        ClaimsError, match=r"claim '(s\d+)': expects: refers to itself through \1 -> .* -> \1$"
    ):
        claims_of(tmp_path, sentences(diamonds(1500, base="s1499")))


def test_a_circle_leads_from_the_sentence_to_its_parts(tmp_path):
    round_and_round = [("s", "{all_of: [r]}"), ("r", "{all_of: [q]}"), ("q", "{all_of: [s]}")]
    said = refused(tmp_path, sentences(round_and_round))
    assert "refers to itself" in said and "r -> q" in said


def test_broken_yaml_names_the_line(tmp_path):
    with pytest.raises(ValueError, match=r"claims.yaml, line 3"):
        claims_of(tmp_path, "claims:\n  - {id: [}\n")
