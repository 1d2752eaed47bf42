"""The page of annotators, used by keys alone: what is pressed is in the log."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import browsers
import pytest
import servers
from marks import thorough
from page_cases import HOSTILE

import nlgauge
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.files.merging import merge
from nlgauge.annotate.log import current
from nlgauge.annotate.pages import offline_page
from nlgauge.annotate.protocols import RESERVED, protocol_of
from nlgauge.corpus import Corpus

pytest.importorskip("uvicorn", reason="needs the extra web")
from nlgauge.annotate.server import serve

_SYSTEMS = ("Alpha", "Beta")


def texts(count: int = 6, systems: tuple[str, ...] = _SYSTEMS, words: str = "") -> Corpus:
    """Sources and outputs with an emoji before the first word: offsets of JavaScript differ from ours."""
    return Corpus.read(
        {
            system: [
                words or f"😀 The cat sat on the red mat {number} of {place}." for number in range(count)
            ]
            for place, system in enumerate(systems)
        },
        None,
        [words or f"Die Katze saß auf der roten Matte {number}." for number in range(count)],
        ids=[f"seg-{number}" for number in range(count)],
    )


@pytest.fixture(scope="module", autouse=True)
def _servers_stop() -> Iterator[None]:
    with servers.stopped():
        yield


def served(campaign: Campaign, **options: Any) -> dict[str, str]:
    """Addresses by role."""
    found: list[dict[str, str]] = []
    started = threading.Event()

    def ready(addresses: dict[str, str]) -> None:
        found.append(addresses)
        started.set()

    options = {"per_minute": 100_000, "port": 0, **options}
    threading.Thread(target=serve, args=(campaign,), kwargs={"ready": ready, **options}, daemon=True).start()
    assert started.wait(600)
    return found[0]


def campaign_of(tmp_path: Path, protocol: str, corpus: Corpus | None = None, **options: Any) -> Campaign:
    made = texts() if corpus is None else corpus
    return new(tmp_path / "campaign", made, protocol_of(protocol), ["ana", "ben"], **options)


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def events(campaign: Campaign) -> list[dict[str, Any]]:
    """The events of the log, but those of pages that were opened."""
    return [record for record in campaign.records() if record["kind"] != "opened"]


def saved(page: Any, campaign: Campaign, count: int) -> list[dict[str, Any]]:
    """The ratings in the log, as soon as there are this many."""
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
    for _ in range(30_000):  # only what hangs takes so long
        if len(events(campaign)) >= count:
            break
        page.wait_for_timeout(20)
    assert len(events(campaign)) == count
    return events(campaign)


def test_errors_are_marked_and_scored_by_keys_alone(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "esa")
    shown = opened(served(campaign)["ana"])
    page = shown.page
    assert "token" not in page.url
    # "cat sat" is minor; "red" was minor, is undone, redone, and becomes major; something is missing.
    press(page, "ArrowRight ArrowRight Shift+ArrowRight 1 ArrowRight ArrowRight ArrowRight 1 u U 2 m m")
    press(page, "Enter")
    assert "How good" in page.locator("#needed").inner_text()
    assert page.evaluate("() => document.activeElement.id") == "scale-esa"
    press(page, "6 7 Enter")
    assert page.locator(".rate-value").inner_text() == "67"
    press(page, "PageUp ArrowLeft Enter")
    (record,) = saved(page, campaign, 1)
    item = campaign.items[record["item"]]
    assert record["annotator"] == "ana"
    assert record["answers"] == {"esa": 76}
    words = [item.outputs[0][span["start"] : span["end"]] for span in record["spans"] if "start" in span]
    assert words == ["cat sat", "red"]
    assert [span["severity"] for span in record["spans"]] == ["minor", "major", "major"]
    assert 0 < record["active"] <= record["seconds"] + 0.1
    # Back, and a change: the marks are there, the last rating counts.
    press(page, "b")
    assert shown.texts("mark.rate-mark") == ["cat sat", "red"]
    page.locator("#scale-esa").focus()
    press(page, "Home Enter")
    assert saved(page, campaign, 2)[1]["answers"] == {"esa": 0}
    assert len(current(campaign.records())) == 1
    assert shown.errors == []


def test_a_low_score_without_marks_is_questioned_once(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "esa")
    page = opened(served(campaign)["ana"]).page
    page.locator("#scale-esa").focus()
    press(page, "Home Enter")
    assert "nothing is marked" in page.locator("#needed").inner_text()
    assert events(campaign) == []
    press(page, "Enter")
    assert saved(page, campaign, 1)[0]["answers"] == {"esa": 0}


def test_four_dimensions_are_answered_by_digits(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "likert")
    page = opened(served(campaign)["ben"]).page
    press(page, "4 5 1 Enter")
    assert "succinctness" in page.locator("#needed").inner_text()
    press(page, "2 Enter")
    (record,) = saved(page, campaign, 1)
    assert record["answers"] == {"informativeness": 4, "factualness": 5, "fluency": 1, "succinctness": 2}


@pytest.mark.parametrize(
    ("protocol", "keys", "answers"),
    [
        ("pairwise", "3", {"preferred": 1}),
        ("bws", "3 1", {"best": 2, "worst": 0}),
        *thorough(("pairwise", "2", {"preferred": "tie"}), ("yes_no", "2", {"acceptable": False})),
    ],
)
def test_choices_by_digits(
    tmp_path: Path, opened: Callable[..., Any], protocol: str, keys: str, answers: dict[str, Any]
) -> None:
    campaign = campaign_of(tmp_path, protocol, texts(6, ("Alpha", "Beta", "Gamma", "Delta")))
    page = opened(served(campaign)["ana"]).page
    press(page, f"{keys} Enter")
    assert saved(page, campaign, 1)[0]["answers"] == answers


_RANKING = """
name = "ranking"
side_by_side = 3
[[questions]]
id = "rank"
text = "Rank the texts."
kind = "order"
ties = TIES
"""


@pytest.mark.parametrize(
    ("ties", "keys", "wanted", "then", "answer"),
    [
        ("false", "2 1 1", "Text 2 has no rank", "3", [2, 3, 1]),
        *thorough(("true", "1 1 3", "No text has the rank 2", "2", [2, 1, 3])),
    ],
)
def test_texts_are_ranked_by_keys_alone(
    tmp_path: Path,
    opened: Callable[..., Any],
    ties: str,
    keys: str,
    wanted: str,
    then: str,
    answer: list[int],
) -> None:
    file = tmp_path / "ranking.toml"
    file.write_text(_RANKING.replace("TIES", ties), "utf-8")
    campaign = campaign_of(tmp_path, str(file), texts(4, ("Alpha", "Beta", "Gamma")))
    shown = opened(served(campaign)["ana"], bypass_csp=True, viewport={"width": 390, "height": 844})
    page = shown.page
    press(page, f"{keys} Enter")
    assert wanted in page.locator("#needed").inner_text()
    press(page, f"{then} u U")
    page.evaluate(browsers.axe())
    assert browsers.faults(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.locator("#next").focus()
    press(page, "Enter")
    (record,) = saved(page, campaign, 1)
    assert record["answers"] == {"rank": answer}
    assert shown.errors == []


_KEYED = """
name = "keyed"
[[questions]]
id = "tone"
text = "How polite is the text?"
low = 1
high = 5
labels = { 1 = "rude", 5 = "polite" }
keys = ["a", "d", "f", "g", "+"]
[[questions]]
id = "clear"
text = "Is it clear?"
kind = "yes_no"
keys = ["j", "k"]
[[questions]]
id = "length"
text = "Is it short?"
kind = "yes_no"
[spans]
severities = ["minor", "major"]
"""


def test_keys_of_a_protocol_give_the_answers(tmp_path: Path, opened: Callable[..., Any]) -> None:
    file = tmp_path / "keyed.toml"
    file.write_text(_KEYED, "utf-8")
    campaign = campaign_of(tmp_path, str(file))
    shown = opened(served(campaign)["ana"], bypass_csp=True, viewport={"width": 390, "height": 844})
    page = shown.page
    assert shown.texts("[data-question=tone] kbd") == ["a", "d", "f", "g", "+"]
    assert shown.texts("[data-question=length] kbd") == ["1", "2"]
    press(page, "Enter")
    assert (
        page.locator("#needed").inner_text()
        == "Answer “How polite is the text?” (keys a d f g +), then Next."
    )
    press(page, "?")
    keys = [tuple(row.split("\n")) for row in shown.texts("#keys dl div")]
    assert ("a", "How polite is the text? 1 rude") in keys and ("k", "Is it clear? no") in keys
    assert any(key == "1 to 9" for key, _ in keys)
    page.evaluate(browsers.axe())
    assert browsers.faults(page) == []
    # In the text, digits mark and the keys of questions answer; the place in the text stays.
    page.locator("#text-target").focus()
    press(page, "ArrowRight 1 g")
    assert page.evaluate("() => document.activeElement.id") == "text-target"
    press(page, "ArrowRight 2 k")
    # Elsewhere the focus moves on to the next open question, as with digits; Caps Lock does not matter.
    page.locator("#next").focus()
    press(page, "J")
    assert page.evaluate("() => document.activeElement.name") == "length"
    press(page, "2 Enter")
    (first,) = saved(page, campaign, 1)
    assert first["answers"] == {"tone": 4, "clear": True, "length": False}
    assert [span["severity"] for span in first["spans"]] == ["minor", "major"]
    # A digit answers the question without keys, wherever it is; + is typed with Shift on many keyboards.
    page.locator("#next").focus()
    press(page, "1 k Shift++ Enter")
    assert saved(page, campaign, 2)[1]["answers"] == {"tone": 5, "clear": False, "length": True}
    assert shown.errors == []


@pytest.mark.parametrize(
    ("kind", "side_by_side", "pressed", "answer"),
    [
        ('kind = "order"\nkeys = ["d", "f", "g"]', 3, "f d g", [2, 1, 3]),
        *thorough(
            ('kind = "output"\nties = true\nkeys = ["d", "e", "f"]', 2, "e", "tie"),
            ('kind = "output"\nties = true\nkeys = ["d", "e", "f"]', 2, "f", 1),
            ('kind = "choice"\nlabels = { a = "x", b = "y" }\nkeys = ["d", "f"]', 1, "f", "b"),
        ),
    ],
)
def test_keys_choose_among_texts(
    tmp_path: Path, opened: Callable[..., Any], kind: str, side_by_side: int, pressed: str, answer: Any
) -> None:
    file = tmp_path / "keyed.toml"
    file.write_text(
        f'name = "keyed"\nside_by_side = {side_by_side}\n[[questions]]\nid = "q"\ntext = "Which?"\n{kind}\n',
        "utf-8",
    )
    campaign = campaign_of(tmp_path, str(file), texts(4, ("Alpha", "Beta", "Gamma")))
    page = opened(served(campaign)["ana"]).page
    press(page, f"{pressed} Enter")
    assert saved(page, campaign, 1)[0]["answers"] == {"q": answer}


def test_reserved_keys_are_those_of_the_page() -> None:
    code = (Path(nlgauge.__file__).parent / "show/web/rate/rate.js").read_text("utf-8")
    keys = set(re.findall(r'event\.key === "(.)"', code))
    assert {key.lower() for key in keys} == set(RESERVED)


def test_an_item_is_skipped_and_taken_back_by_keys_alone(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "yes_no", texts(2))
    address = served(campaign)["ana"]
    shown = opened(address, bypass_csp=True, viewport={"width": 390, "height": 844})
    page = shown.page
    press(page, "x")
    assert page.evaluate("() => document.activeElement.id") == "reason"
    page.evaluate(browsers.axe())
    assert browsers.faults(page) == []
    # Letters of the reason are no keys of the page; Escape leaves everything as it was.
    page.keyboard.type("bunx ?1")
    press(page, "Escape")
    assert page.evaluate("() => document.activeElement.id") == "skip"
    assert page.locator("#skipping").is_hidden()
    assert "1 of 2, 0 done" in page.locator("#place").inner_text()
    press(page, "Enter Control+a")
    page.keyboard.type("no text 😀")
    press(page, "Enter")
    (record,) = saved(page, campaign, 1)
    assert (record["kind"], record["reason"], record["item"]) == (
        "skip",
        "no text 😀",
        campaign.order("ana")[0],
    )
    assert 0 < record["active"] <= record["seconds"] + 0.1
    assert page.locator("#place").inner_text() == "2 of 2, 1 done, 1 of them skipped"
    press(page, "2 Enter")
    saved(page, campaign, 2)
    assert page.locator("#needed").inner_text().startswith("All items are done")
    # Back: Next does not rate a skipped item, Undo takes the skip back.
    press(page, "b")
    assert "You skipped this item: no text 😀" in page.locator("#needed").inner_text()
    assert page.locator("#skip").is_disabled()
    page.locator("#next").focus()
    press(page, "Enter x u")
    saved(page, campaign, 3)
    assert page.locator("#place").inner_text() == "1 of 2, 1 done"
    # A reason is not needed, and an answer replaces the skip.
    page.locator("#skip").focus()
    press(page, "Enter Enter")
    saved(page, campaign, 4)
    again = opened(None)
    again.page.context.add_cookies(page.context.cookies())
    page = again.goto(address.partition("?")[0])
    press(page, "b")
    assert "You skipped this item. Undo" in page.locator("#needed").inner_text()
    press(page, "1 u U Enter")
    *_, undo, skip, rating = saved(page, campaign, 5)
    assert (undo["kind"], skip["reason"], rating["answers"]) == ("undo", "", {"acceptable": True})
    assert (shown.errors, again.errors) == ([], [])
    assert [each["request"].endswith(".open") for each in campaign.records() if each["kind"] == "opened"] == [
        True
    ] * 2


def test_categories_of_marks_are_required(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "mqm")
    shown = opened(served(campaign)["ana"])
    page = shown.page
    press(page, "ArrowRight 4 s ArrowRight 2 Enter")
    assert "category" in page.locator("#needed").inner_text()
    page.keyboard.type("accuracy/m")
    press(page, "Enter")
    page.keyboard.type("style")
    press(page, "Enter")
    (record,) = saved(page, campaign, 1)
    item = campaign.items[record["item"]]
    found = [(span.get("side", "target"), span["severity"], span["category"]) for span in record["spans"]]
    assert found == [("target", "critical", "accuracy/mistranslation"), ("source", "minor", "style/awkward")]
    source = next(span for span in record["spans"] if span.get("side") == "source")
    assert item.source is not None
    assert item.source[source["start"] : source["end"]] == "Katze"
    assert shown.errors == []


def test_claims_have_answers_and_evidence(tmp_path: Path, opened: Callable[..., Any]) -> None:
    read = texts(3)
    claims = {system: (["The cat sat.", "It was a dog."],) * 3 for system in _SYSTEMS}
    campaign = campaign_of(tmp_path, "claims", replace(read, system_fields={"claims": claims}))
    page = opened(served(campaign)["ana"]).page
    page.locator("[data-question=claims] input").first.focus()
    press(page, "1 2")
    page.locator("#text-source").focus()
    press(page, "ArrowRight 1 Enter")
    (record,) = saved(page, campaign, 1)
    assert record["answers"] == {"claims": ["yes", "no"]}
    (span,) = record["spans"]
    assert (span["severity"], span["side"], span["note"]) == ("evidence", "source", "claim 2")


def test_a_rating_survives_a_cut_network(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "yes_no")
    shown = opened(served(campaign)["ana"], alone=True)
    page = shown.page
    page.context.set_offline(True)
    press(page, "1 Enter 2 Enter")
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Not saved yet')")
    assert events(campaign) == []
    page.context.set_offline(False)
    records = saved(page, campaign, 2)
    assert [record["answers"]["acceptable"] for record in records] == [True, False]


def test_time_counts_up_to_a_minute_without_a_sign_of_work(
    tmp_path: Path, opened: Callable[..., Any]
) -> None:
    campaign = campaign_of(tmp_path, "yes_no")
    shown = opened(None, alone=True)
    shown.page.clock.install()
    page = shown.goto(served(campaign)["ana"])
    page.clock.fast_forward(20_000)
    press(page, "Tab")
    page.clock.fast_forward(600_000)
    press(page, "1 Enter")
    (record,) = saved(page, campaign, 1)
    assert 80 <= record["active"] < 90
    assert 620 <= record["seconds"] < 630


def test_texts_without_spaces_are_walked_by_words_or_characters(
    tmp_path: Path, opened: Callable[..., Any]
) -> None:
    campaign = campaign_of(tmp_path, "esa", texts(3, words="天气很好。"))
    page = opened(served(campaign)["ana"]).page
    # The first word has two characters.
    press(page, "Home Alt+ArrowRight 1 Alt+ArrowRight Alt+Shift+ArrowRight 2")
    page.locator("#scale-esa").focus()
    press(page, "End Enter")
    (record,) = saved(page, campaign, 1)
    assert [(span["start"], span["end"]) for span in record["spans"]] == [(2, 3), (3, 5)]


def test_a_full_disk_keeps_the_rating_in_the_page(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "yes_no")
    shown = opened(served(campaign)["ana"])
    page = shown.page
    full = "The disk of the server is full or cannot be written."
    page.route("**/api/rate", lambda route: route.fulfill(status=507, body=full))
    press(page, "1 Enter")
    page.wait_for_function(
        "() => document.getElementById('saved').textContent.startsWith('Not saved: The disk')"
    )
    assert events(campaign) == []
    page.unroute("**/api/rate")
    (record,) = saved(page, campaign, 1)
    assert record["answers"] == {"acceptable": True}


@pytest.mark.parametrize("protocol", ["mqm", *thorough("esa", "likert", "pairwise")])
def test_every_control_is_reached_by_tab(tmp_path: Path, opened: Callable[..., Any], protocol: str) -> None:
    campaign = campaign_of(tmp_path, protocol)
    page = opened(served(campaign)["ana"]).page
    if page.locator(".rate-target").count():
        press(page, "ArrowRight 1 m")
    controls = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, summary, [tabindex='0']")]
          .filter(each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility())
          .map((each, place) => { each.dataset.number = place; return each.name && each.type === "radio" ? each.name : String(place); })"""
    )
    reached = set()
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    for _ in range(len(controls) + 5):
        press(page, "Tab")
        reached.add(
            page.evaluate(
                "() => { const at = document.activeElement; return at.type === 'radio' ? at.name : at.dataset.number; }"
            )
        )
    assert set(controls) <= reached


def test_proposed_items_follow_without_a_reload(tmp_path: Path, opened: Callable[..., Any]) -> None:
    words = [f"reference {number}" for number in range(12)]
    result = nlgauge.score({"Alpha": words, "Beta": words[::-1]}, words, metrics=["chrf"])
    campaign = new(tmp_path / "campaign", result, protocol_of("yes_no"), ["ana"], segments=7, proposals=True)
    shown = opened(served(campaign)["ana"])
    page = shown.page
    for _ in range(10):
        press(page, "1 Enter")
    page.wait_for_function(
        "() => document.getElementById('place').textContent.startsWith('11 of 14, 10 done')"
    )
    for _ in range(4):
        press(page, "2 Enter")
    records = [record for record in saved(page, campaign, 15) if record["kind"] == "rating"]
    assert len({record["item"] for record in records}) == 14
    page.wait_for_function(
        "() => document.getElementById('needed').textContent.startsWith('All items are rated')"
    )
    assert shown.errors == []


def test_nothing_about_systems_and_others_is_sent(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "esa", overlap=1.0)
    with campaign.rating() as rater:
        for key in campaign.order("ben"):
            rater.rate("ben", key, {"esa": 41})
    addresses = served(campaign)
    shown = opened(None)
    bodies: list[bytes] = []
    shown.page.on(
        "response", lambda answer: bodies.append(answer.body()) if "/api/work" in answer.url else None
    )
    page = shown.goto(addresses["ana"])
    press(page, "Tab Tab")
    everything = b"".join(bodies) + page.content().encode()
    assert len(bodies) == 1
    assert not [name for name in (*_SYSTEMS, "seg-", "ben", "41") if name.encode() in everything]


@pytest.mark.parametrize("protocol", ["esa", *thorough("pairwise")])
def test_hostile_texts_stay_texts(tmp_path: Path, opened: Callable[..., Any], protocol: str) -> None:
    corpus = Corpus.read(
        dict.fromkeys(_SYSTEMS, HOSTILE), None, HOSTILE, ids=[str(i) for i in range(len(HOSTILE))]
    )
    campaign = campaign_of(tmp_path, protocol, corpus, title=HOSTILE[0])
    shown = opened(served(campaign)["ana"])
    page = shown.page
    seen = set()
    for _ in range(len(campaign.order("ana"))):
        seen |= set(page.locator(".rate-text").evaluate_all("nodes => nodes.map(node => node.textContent)"))
        press(page, "1" if protocol == "pairwise" else "End Shift+Home 1")
        if protocol == "esa":
            page.locator("#scale-esa").focus()
            press(page, "End")
        press(page, "Enter")
    assert page.evaluate("() => window.pwned") is None
    assert page.locator("main img, main svg, main iframe, main script").count() == 0
    assert len(seen & set(HOSTILE)) > 5
    assert (shown.errors, shown.dialogs) == ([], [])


def test_arrows_follow_the_direction_of_the_text(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "esa", texts(4, words="وافقت اللجنة على الميزانية الجديدة"))
    page = opened(served(campaign)["ana"], viewport={"width": 390, "height": 844}).page
    press(page, "ArrowLeft 1")
    assert page.locator("mark.rate-mark").first.inner_text() == "اللجنة"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    "protocol", ["esa", *thorough("likert", "da", "mqm", "pairwise", "bws", "yes_no", "claims")]
)
def test_no_faults_of_accessibility(tmp_path: Path, opened: Callable[..., Any], protocol: str) -> None:
    corpus = texts(4, ("A", "B", "C", "D"))
    claims = {system: (["The cat sat.", "It was a dog."],) * 4 for system in "ABCD"}
    campaign = campaign_of(tmp_path, protocol, replace(corpus, system_fields={"claims": claims}))
    page = opened(served(campaign)["ana"], bypass_csp=True, viewport={"width": 1280, "height": 860}).page
    page.evaluate(browsers.axe())
    if page.locator(".rate-target").count():
        press(page, "ArrowRight 1 m")
    press(page, "?")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert browsers.faults(page) == [], theme
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert browsers.faults(page) == []


# Twice the size on a screen of 1280 x 800, and the narrowest page that need not be scrolled sideways (WCAG 1.4.10).
SMALL = ({"width": 640, "height": 400}, {"width": 320, "height": 256})


def cut_off(page: Any) -> list[str]:
    """The elements that a narrow page cuts off; tables may be scrolled, and some words are for screen readers."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *")]
          .filter(node => node.checkVisibility() && !node.closest(".rate-scroll, .sr, svg"))
          .filter(node => {
            const { left, right } = node.getBoundingClientRect();
            const hides = getComputedStyle(node).overflowX !== "visible" && !/^(INPUT|SELECT|TEXTAREA)$/.test(node.tagName);
            return right > innerWidth + 1 || left < -1 || (hides && node.scrollWidth > node.clientWidth + 1);
          })
          .map(node => node.outerHTML.slice(0, 120))"""
    )
    wide = page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    return [*found, *(["the page"] if wide else [])]


@pytest.mark.parametrize("protocol", ["mqm", *thorough("esa", "likert", "da", "pairwise", "bws", "claims")])
def test_nothing_is_cut_off_at_twice_the_size(
    tmp_path: Path, opened: Callable[..., Any], protocol: str
) -> None:
    corpus = texts(4, ("A", "B", "C", "D"))
    claims = {system: (["The cat sat.", "It was a dog."],) * 4 for system in "ABCD"}
    campaign = campaign_of(
        tmp_path,
        protocol,
        replace(corpus, system_fields={"claims": claims}),
        title="Supercalifragilistic" * 3,
    )
    page = opened(served(campaign)["ana"], viewport=SMALL[0], device_scale_factor=2).page
    if page.locator(".rate-target").count():
        press(page, "End 2 m")
    press(page, "x Escape ?")
    press(page, "x")
    for size in SMALL:
        page.set_viewport_size(size)
        assert cut_off(page) == [], size
    # Everything can be scrolled to, and the whole page is there at the largest zoom of a browser's text, too.
    page.evaluate("() => { document.documentElement.style.zoom = 2; }")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert cut_off(page) == []
    page.locator("#next").scroll_into_view_if_needed()
    assert page.locator("#next").is_visible()


def test_an_offline_page_saves_ratings_that_merge_reads(tmp_path: Path, opened: Callable[..., Any]) -> None:
    campaign = campaign_of(tmp_path, "esa")
    file = offline_page(campaign, "ana", tmp_path / "ana.html")
    shown = opened(file)
    page = shown.page
    press(page, "ArrowRight 1")
    page.locator("#scale-esa").focus()
    press(page, "9 0 Enter Enter")
    page.locator("#scale-esa").focus()
    press(page, "End Enter")
    with page.expect_download() as download:
        page.get_by_text("Save ratings as a file").click()
    saved_file = tmp_path / download.value.suggested_filename
    download.value.save_as(saved_file)
    assert saved_file.name == "ana-ratings.jsonl"
    assert merge(campaign, saved_file) == 2
    merged, first, second = campaign.records()
    assert (merged["kind"], merged["file"], merged["events"]) == ("merged", "ana-ratings.jsonl", 2)
    assert (first["answers"], second["answers"]) == ({"esa": 90}, {"esa": 100})
    assert [record["item"] for record in (first, second)] == campaign.order("ana")[:2]
    text = campaign.items[first["item"]].outputs[0]
    assert text[first["spans"][0]["start"] : first["spans"][0]["end"]] == "The"
    assert [
        address for address in shown.requests if not address.startswith(("file:", "data:", "blob:"))
    ] == []
    # The ratings are still there when the page is opened again.
    page = opened(file).page
    assert "2 done" in page.locator("#place").inner_text()
    # A skip, a second skip that is taken back, and the file with all events.
    press(page, "x Enter x Enter")
    press(page, "b u")
    assert "3 done, 1 of them skipped" in page.locator("#place").inner_text()
    with page.expect_download() as download:
        page.get_by_text("Save ratings as a file").click()
    download.value.save_as(saved_file)
    assert merge(campaign, saved_file) == 3
    assert [record["kind"] for record in campaign.records()[3:]] == ["merged", "skip", "skip", "undo"]
    assert [record["kind"] for record in current(campaign.records()).values()] == ["rating", "rating", "skip"]
    assert shown.errors == []


def test_the_page_is_small() -> None:
    from nlgauge.show.report.page import linked, styles

    own = len(linked("rate/rate.js")) + len(
        re.sub(r"base64,[\w+/=]+", "", styles(("base.css", "rate/rate.css")))
    )
    assert own < 120_000
    assert "innerHTML" not in linked("rate/rate.js")
