import pytest
from hypothesis import given
from hypothesis import strategies as st

from seed.mail.markup import html_to_text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<ul><li>x</li><li>y</li></ul>", "- x\n- y"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("a  \n  b", "a b"),
        ("x &lt;y&gt; &amp; z", "x <y> & z"),
        ('<a href="https://example.org/">here</a>', "here <https://example.org/>"),
        ("<a href='https://example.org/'>https://example.org/</a>", "https://example.org/"),
        ('<img src=x alt="A chart">', "[A chart]"),
        ("<style>p{}</style><script>1<2</script><title>t</title>z", "z"),
        ("<!-- no -->a<!doctype html>b", "ab"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\tb"),
        ("1 < 2 and <3", "1 < 2 and <3"),
        # What never closes ends the text and takes no time.
        ("a<!-- never", "a"),
        ("", ""),
    ],
)
def test_what_a_reader_sees(source: str, expected: str) -> None:
    assert html_to_text(source) == expected


@pytest.mark.parametrize("piece", ["<!--", "<a ", "<a href='", "</", "<", "<script>", "<a b=", "<p>", "&#x"])
def test_endless_malformed_markup_ends(piece: str) -> None:
    # A quadratic scanner would need minutes here and run into the suite's own timeout.
    html_to_text(piece * 200_000)


@given(st.text(alphabet=st.sampled_from("<>/!-ab p=\"'&;\n"), max_size=200))
def test_no_markup_makes_it_raise(source: str) -> None:
    html_to_text(source)
