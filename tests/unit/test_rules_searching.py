"""The pure rules of search: readers and moments as words, the query text, and the pieces that show a match."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, new_id
from graph.rules.highlights import FRAGMENT, highlights
from graph.rules.limits import MessageLimits
from graph.rules.moments import ALPHABET, LAST_PLACE, MILLISECOND, Window, moments, place, place_of
from graph.rules.readers import delivered_token, reader_tokens, sent_token
from graph.rules.searching import readable_by, saying, search_terms, spellings, within

LIMITS = MessageLimits()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = st.timedeltas(timedelta(0), timedelta(days=366 * 8_000)).map(lambda after: EPOCH + after)
IDS = TIMES.map(lambda time: new_id(Prefix.MESSAGE, time))
PLACES = st.integers(0, LAST_PLACE)


def first_id(place: int) -> str:
    """Return how the ids of a place begin."""
    (word,) = Window(place, 1).words
    return f"msg_{word}"


def test_readers_are_the_sender_and_every_mailbox_each_once() -> None:
    assert reader_tokens("@ada", ["@bea", "role:x", "@bea", "@ada"]) == sorted(
        ["s40616461", "d40626561", "d40616461", "d" + b"role:x".hex()]
    )


@given(st.text(min_size=1), st.text(min_size=1))
def test_every_reader_and_way_of_having_a_message_has_a_token_of_its_own(one: str, other: str) -> None:
    one, other = one.encode(errors="ignore").decode(), other.encode(errors="ignore").decode()
    assert sent_token(one) != delivered_token(other)
    assert (sent_token(one) == sent_token(other)) == (one == other)
    assert re.fullmatch("[sd][0-9a-f]*", sent_token(one))


@given(IDS)
def test_an_id_s_words_are_its_beginnings(message: str) -> None:
    assert all(message.startswith(f"msg_{word}") for word in moments(message))
    assert message.startswith(first_id(place(message)))


@given(TIMES)
def test_a_moment_s_place_is_that_of_the_ids_made_then(time: datetime) -> None:
    # An id holds whole milliseconds of the time as a float, which now and then falls into the next one to it.
    assert -MILLISECOND <= place(new_id(Prefix.MESSAGE, time)) - place_of(time) < 2 * MILLISECOND


def test_before_1970_there_is_one_place() -> None:
    early = datetime(1965, 5, 5, tzinfo=UTC)
    assert place_of(early) == place_of(early + timedelta(days=1)) == 0
    assert place(new_id(Prefix.MESSAGE, early)) < MILLISECOND


@given(IDS, IDS)
def test_places_lie_as_ids_sort(one: str, other: str) -> None:
    if place(one) < place(other):
        assert one < other
    assert (first_id(place(one)) <= other) == (place(one) <= place(other))


@given(PLACES, st.integers(0, 60), IDS)
def test_a_window_has_a_few_words_of_which_every_message_in_it_has_one(top: int, bits: int, message: str) -> None:
    window = Window(top, 1 << bits)
    words = window.words
    # With the words of the text and the readers they stay below what the index takes in one query.
    assert 0 < len(words) == len(set(words)) <= 450
    found = set(moments(message)) & set(words)
    assert len(found) == (window.bottom <= place(message) <= window.top)
    assert window.bottom <= max(0, top - (1 << bits) + 1)


@given(PLACES, st.integers(0, 60), st.integers(-5_000, 5_000))
def test_a_window_ends_exactly_at_its_top(top: int, bits: int, beside: int) -> None:
    at = min(max(top + beside, 0), LAST_PLACE)
    window = Window(top, 1 << bits)
    found = set(moments(first_id(at))) & set(window.words)
    assert bool(found) == (window.bottom <= at <= top)


@given(PLACES, st.integers(0, 60), st.integers(1, 64))
def test_windows_follow_each_other_without_a_gap(top: int, bits: int, widened: int) -> None:
    window = Window(top, 1 << bits)
    for word in window.words:
        assert Window.of(word).words == [f"{word}{end}" for end in ALPHABET[::-1]] or len(word) == 12
        assert window.bottom <= Window.of(word).bottom <= Window.of(word).top <= window.top
    assert window.words == sorted(window.words, reverse=True)
    if window.bottom:
        assert window.below(widened).top == window.bottom - 1


@given(PLACES, st.integers(0, 60))
def test_a_whole_window_needs_words_of_one_length(top: int, bits: int) -> None:
    window = Window(top, 1 << bits)
    whole = window.whole
    assert whole.bottom <= window.bottom <= window.top <= whole.top
    assert len({len(word) for word in whole.words}) == 1
    assert len(whole.words) <= 2 * 128
    assert whole.top - window.top < whole.span


@given(PLACES, PLACES)
def test_a_window_between_two_places_holds_both(one: int, other: int) -> None:
    low, high = sorted((one, other))
    window = Window.between(low, high)
    assert window.bottom <= low
    assert window.top == high


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", ()),
        ("  \n ", ()),
        ('""', ()),
        ("tide table tide", ("tide", "table")),
        ('"high  water" at six', ("high water", "at", "six")),
        ('an "open phrase', ("an", "open", "phrase")),
        ('a"b c"d', ("a", "b c", "d")),
        ("readers:x AND NOT *", ("readers:x", "AND", "NOT", "*")),
    ],
)
def test_the_terms_of_what_somebody_wrote(query: str, terms: tuple[str, ...]) -> None:
    assert search_terms(query, LIMITS) == terms


def test_a_long_query_is_refused_by_a_published_limit() -> None:
    for query in ("x" * 5_000, " ".join(map(str, range(33)))):
        with pytest.raises(Refused) as refused:
            search_terms(query, LIMITS)
        assert (refused.value.refusal, refused.value.field) == (RefusalCode.LIMIT_EXCEEDED, "query")
    assert len(search_terms(" ".join(map(str, range(32))), LIMITS)) == 32
    with pytest.raises(Refused, match="NUL"):
        search_terms("a\x00b", LIMITS)


@given(st.text(max_size=60))
def test_whatever_is_written_stays_between_its_quotation_marks(query: str) -> None:
    """The index must never read an operator, a pattern or a field's name in a caller's text (DESIGN §2)."""
    try:
        terms = search_terms(query, LIMITS)
    except Refused:
        return
    quoted = re.compile(r'"(?:[^"\\]|\\["\\])*"')
    each = [" ".join(["subject:Q bodyText:Q"] * len(spellings(term))) for term in terms]
    assert re.sub(r"\s+", " ", quoted.sub("Q", saying(terms))) == " ".join(
        [*(f"+({one})^0" for one in each), f"+({' '.join([*each, 'readers:none'])})^0"]
    )


def test_more_mailboxes_than_a_query_has_words_become_patterns() -> None:
    few, many = readable_by("@ada", ["@ada", "@bea"]), readable_by("@ada", [f"@m{number}" for number in range(1_200)])
    assert few == "+readers:(s40616461 d40616461 d40626561)^0"
    assert re.fullmatch(r"\+readers:\((/[sd][0-9a-f]+(\|d[0-9a-f]+){0,499}/ ?){3}\)\^0", many)


def test_a_newer_word_of_a_window_ranks_higher() -> None:
    assert within(["01c", "01b", "01a"]) == "+moments:(/01c/^3 /01b/^2 /01a/^1)"


def test_a_piece_of_the_text_shows_what_was_found() -> None:
    """LESSONS, JMAP: search snippets are the field ``highlights``."""
    before, after = "Nothing of note. " * 20, " Nothing more." * 20
    subject, body = highlights(["TIDE", "high water"], "The tide, the Tide", f"{before}High  water; a tide.{after}")
    assert (subject.field, subject.fragment) == ("subject", "The tide, the Tide")
    assert [subject.fragment[span.start : span.end] for span in subject.matches] == ["tide", "Tide"]
    assert body.field == "bodyText"
    assert len(body.fragment) <= FRAGMENT
    assert [body.fragment[span.start : span.end] for span in body.matches] == ["High  water", "tide"]


@pytest.mark.parametrize(
    ("term", "text", "matches"),
    [
        ("tide", "The tides tidetide untidy", []),
        ("foo-bar", "A foo, bar and a foo-bar", ["foo, bar", "foo-bar"]),
        ("潮汐", "今日の潮汐表", ["潮汐"]),
        ("🌊", "A 🌊🌊 rolls", ["🌊", "🌊"]),
        ("istanbul", "İstanbul, ISTANBUL", ["İstanbul", "ISTANBUL"]),
        ("---", "a --- b", []),
        ("don't", "I don't", ["don't"]),
    ],
)
def test_a_match_is_a_whole_word(term: str, text: str, matches: list[str]) -> None:
    found = highlights([term], text, "")
    assert [one.fragment[span.start : span.end] for one in found for span in one.matches] == matches


def test_the_piece_is_where_most_terms_meet() -> None:
    text = f"lamp {'x ' * 200} oil {'x ' * 200} the lamp needs oil {'x ' * 200}"
    (found,) = highlights(["lamp", "oil"], "", text)
    assert "lamp needs oil" in found.fragment


def test_a_phrase_longer_than_the_piece_is_marked_as_far_as_it_goes() -> None:
    phrase = "the lamp needs oil " * 12
    (found,) = highlights([phrase.strip()], "", phrase)
    assert found.matches[-1].end == len(found.fragment) == FRAGMENT


@given(st.lists(st.text(max_size=5), max_size=4), st.text(max_size=400))
def test_matches_lie_apart_within_their_piece(terms: list[str], text: str) -> None:
    for found in highlights([*terms, text[100:103]], text, text):
        assert found.fragment in text
        assert 0 < len(found.fragment) <= FRAGMENT
        edges = [edge for span in found.matches for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        assert found.matches
        assert all(0 <= span.start < span.end <= len(found.fragment) for span in found.matches)


def test_a_text_that_nearly_matches_a_million_times_is_not_read_to_its_end() -> None:
    assert highlights(["a"], "", "aa" * 500_000 + " a") == []
