"""Names of concepts in text are found as whole words, and nothing else is (issue 4, automatic tagging)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.rules.vocabulary import Vocabulary, is_letter, plain

MOST = 32
letters = st.text(alphabet="ab_é-.+ \u0301हि#Σ", min_size=1, max_size=12)
names = letters.map(plain).filter(bool)


def named(text: str, *concepts: str, most: int = MOST) -> tuple[str, ...]:
    return Vocabulary.of((name, name) for name in concepts).named_in(plain(text), most)


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("The tide turns.", "tide", True),
        ("TIDE", "tide", True),
        ("(tide)", "tide", True),
        ("a low-tide table", "tide", True),
        ("a low-tide table", "low-tide", True),
        ("tides", "tide", False),
        ("untide", "tide", False),
        ("tide_table", "tide", False),
        ("tide2", "tide", False),
        ("release\n  notes are out", "release notes", True),
        ("release of notes", "release notes", False),
        ("C++ or c", "c++", True),
        ("the .NET one", ".net", True),
        ("Ebbe und Flut, Ürömé", "ürömé", True),
        ("हिन्दी में", "हिन्दी", True),
        ("हिन्दी में", "हिन्द", False),
        ("tid", "tide", False),
        ("", "tide", False),
    ],
)
def test_whole_words_are_found(text: str, name: str, found: bool) -> None:
    assert named(text, name) == ((name,) if found else ())


def test_an_alias_finds_its_concept_once_and_the_first_met_come_first() -> None:
    vocabulary = Vocabulary.of([("database", "database"), ("db", "database"), ("tide", "tide"), ("low tide", "low")])
    assert vocabulary.named_in(plain("Low tide in the DB and the database"), MOST) == ("low", "tide", "database")
    assert vocabulary.named_in(plain("Low tide in the DB and the database"), 2) == ("low", "tide")


@given(text=letters, before=letters, after=letters, name=names)
def test_the_search_finds_what_looking_at_every_place_finds(text: str, before: str, after: str, name: str) -> None:
    for whole in (text, before + name + after, f"{before} {name} {after}"):
        written = plain(whole)
        assert (named(whole, name) == (name,)) is any(
            stands_at(written, name, place) for place in range(len(written))
        ), (written, name)


@given(chosen=st.lists(names, min_size=1, max_size=8, unique=True), most=st.integers(1, 4))
def test_every_name_of_a_text_is_found_up_to_the_limit(chosen: list[str], most: int) -> None:
    # A line break between them is a space, which no name ends or begins with.
    found = named("\n".join(chosen), *chosen, most=most)
    assert len(found) == min(most, len(chosen))
    assert set(found) <= set(chosen)


def stands_at(text: str, name: str, start: int) -> bool:
    end = start + len(name)
    joined_before = start > 0 and is_letter(text[start - 1]) and is_letter(name[0])
    joined_after = end < len(text) and is_letter(text[end]) and is_letter(name[-1])
    return text[start:end] == name and not joined_before and not joined_after
