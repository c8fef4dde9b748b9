import pytest

from seed.mail.subjects import base_subject


@pytest.mark.parametrize(
    ("subject", "base", "reply"),
    [
        ("Oil", "oil", False),
        ("Re: Oil", "oil", True),
        ("RE :  oil", "oil", True),
        ("re[2]: Oil", "oil", True),
        ("Re: Re: [lamp] Oil (fwd)", "oil", True),
        ("[lamp] Re: Oil", "oil", True),
        ("[lamp] Oil", "oil", False),
        ("Fwd: Re: Oil", "oil", False),
        ("Fw: Oil", "oil", False),
        ("Re: [Fwd: Oil]", "oil", True),
        ("[Fwd: Re: Oil]", "oil", False),
        ("Re: Fwd: Oil", "oil", True),
        ("[lamp]", "[lamp]", False),
        ("Re: [lamp]", "[lamp]", True),
        ("Regarding: Oil", "regarding: oil", False),
        ("Recipe: oil", "recipe: oil", False),
        ("Re:", "", True),
        ("Re: (fwd)", "", True),
        ("", "", False),
    ],
)
def test_the_base_of_a_subject(subject: str, base: str, reply: bool) -> None:
    """RFC 5256, section 2.1."""
    assert base_subject(subject) == (base, reply)


def test_long_rows_of_marks_take_no_time() -> None:
    assert base_subject("Re: " * 249)[0] == ""
    assert base_subject("[" * 998)[0] == "[" * 998
    assert base_subject("[fwd: " * 100 + "]" * 100)[0] == ""
