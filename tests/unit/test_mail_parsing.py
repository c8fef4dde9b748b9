import random
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seed.mail import DateSource, ParseLimits, Problem, parse_mail

PLAIN = b"""From: Ann A. <A@Example.org>
To: list@example.org
Subject: Hello
Message-ID: <1@example.org>
Date: Thu, 12 Sep 2002 01:43:58 -0400 (EDT)

One line.
"""

NESTED = b"""Received: from a by b; Thu, 12 Sep 2002 13:39:47 +0100 (IST)
From: =?iso-8859-1?q?J=FCrgen?= <b@example.org>
Subject: =?utf-8?b?w6TDtg==?= =?utf-8?q?=C3=BC?=
Message-ID: <2@example.org>
In-Reply-To: Message from A <a@example.org> of "Thu" <1@example.org>
References: <0@example.org>
\t<1@example.org>
Date: Thu, 12 Sep 2002 13:40:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="out"

--out
Content-Type: multipart/alternative; boundary="in"

--in
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

w6TDtsO8
--in
Content-Type: text/html; charset=utf-8

<p>not shown</p>
--in--
--out
Content-Type: application/pdf; name="plan.pdf"
Content-Disposition: attachment; filename="plan.pdf"

%PDF
--out
Content-Type: text/plain

footer of the list
--out--
"""


def mail(headers: str, body: bytes = b"text\n") -> bytes:
    return headers.encode("utf-8", "surrogateescape") + b"\n\n" + body


def test_a_plain_mail_is_read_whole() -> None:
    parsed = parse_mail("one.eml", PLAIN)
    assert parsed.message_id == "1@example.org"
    assert parsed.in_reply_to is None
    assert parsed.references == ()
    assert (parsed.sender_name, parsed.sender_address) == ("Ann A.", "a@example.org")
    assert parsed.date == datetime(2002, 9, 12, 5, 43, 58, tzinfo=UTC)
    assert parsed.date_source is DateSource.HEADER
    assert (parsed.subject, parsed.body_text) == ("Hello", "One line.\n")
    assert parsed.problems == ()


def test_parts_are_chosen_joined_and_named() -> None:
    parsed = parse_mail("two.eml", NESTED)
    assert parsed.subject == "äöü"
    assert parsed.sender_name == "Jürgen"
    assert parsed.in_reply_to == "1@example.org"
    assert parsed.references == ("0@example.org", "1@example.org")
    assert parsed.attachments == ("plan.pdf (application/pdf)",)
    assert parsed.body_text == ("äöü\n\nfooter of the list\n\n[Attachment not imported: plan.pdf (application/pdf)]\n")
    assert parsed.problems == ()


def test_an_envelope_line_changes_neither_digest_nor_made_up_id() -> None:
    bare = mail("Subject: x")
    framed = b"From a@example.org Thu Sep 12 13:39:47 2002\n" + bare
    first, second = parse_mail("a", bare), parse_mail("b", framed)
    assert first.digest == second.digest
    assert first.message_id == second.message_id == f"sha256.{first.digest}@no-message-id.invalid"
    assert first.date is None
    assert first.date_source is None
    assert second.date == datetime(2002, 9, 12, 13, 39, 47, tzinfo=UTC)
    assert second.date_source is DateSource.ENVELOPE
    assert set(first.problems) == {Problem.MISSING_MESSAGE_ID, Problem.MISSING_DATE, Problem.MISSING_SENDER}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("<1@example.org>", "1@example.org"),
        ("1@example.org", "1@example.org"),
        # Folding broke the id in two.
        ("<1@exam\n ple.org>", "1@example.org"),
        ("<x@example.org>; from c@example.org on Thu", "x@example.org"),
        ('Message from C <c@example.org> of "Thu, 1 Jan 2004" <y@example.org>', "y@example.org"),
        # A sentence with the address of the one who is answered, and no id at all.
        ("Message from C <c@example.org> of Thu", None),
        ("c@example.org's message of Thu", None),
        ("<>", None),
        ("", None),
    ],
)
def test_in_reply_to_is_found_among_junk(header: str, expected: str | None) -> None:
    raw = mail(f"From: a@example.org\nTo: C@example.org\nIn-Reply-To: {header}")
    assert parse_mail("m", raw).in_reply_to == expected


def test_an_overlong_id_is_the_same_wherever_it_is_written() -> None:
    long = "x" * 2000 + "@example.org"
    assert parse_mail("m", mail(f"Message-ID: <{long}>")).message_id == (
        parse_mail("n", mail(f"In-Reply-To: <{long}>")).in_reply_to
    )


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("a@example.org", (None, "a@example.org")),
        ("a@example.org (Ann)", ("Ann", "a@example.org")),
        ('"Ann, A" <A@EXAMPLE.ORG>', ("Ann, A", "a@example.org")),
        # The archives of mailing lists hide addresses so.
        ("a at example.org (Ann)", ("Ann", "a@example.org")),
        ("Ann <a@example.org", ("Ann", "a@example.org")),
        ("=?utf-8?q?=C3=84nn?= <a@example.org>", ("Änn", "a@example.org")),
        ("Ann", ("Ann", None)),
        ("(" * 5000, ("(" * 200, None)),
        ("", (None, None)),
    ],
)
def test_senders(header: str, expected: tuple[str | None, str | None]) -> None:
    parsed = parse_mail("m", mail(f"From: {header}"))
    assert (parsed.sender_name, parsed.sender_address) == expected
    assert (Problem.MISSING_SENDER in parsed.problems) == (expected[1] is None)


@pytest.mark.parametrize(
    ("headers", "expected", "source", "problem"),
    [
        ("Date: Thu, 1 Jan 2004 00:00:00 +0100", datetime(2003, 12, 31, 23, tzinfo=UTC), DateSource.HEADER, None),
        ("Date: 1 Jan 04 10:00:00", datetime(2004, 1, 1, 10, tzinfo=UTC), DateSource.HEADER, None),
        ("Date: Thu, 1 Jan 1904 00:00:00 +0000", None, None, Problem.BAD_DATE),
        ("Date: Thu, 1 Jan 2204 00:00:00 +0000", None, None, Problem.BAD_DATE),
        ("Date: Thu, 41 Jan 2004 00:00:00 +0000", None, None, Problem.BAD_DATE),
        ("Date: Thu, 1 Jan 2004 00:00:00 +9999", None, None, Problem.BAD_DATE),
        ("Date: yesterday", None, None, Problem.BAD_DATE),
        (
            # The newest hop counts, not the topmost line.
            "Received: by a; Thu, 1 Jan 2004 10:00:00 +0000\nReceived: by b; Thu, 1 Jan 2004 12:00:00 +0000 (UTC)",
            datetime(2004, 1, 1, 12, tzinfo=UTC),
            DateSource.RECEIVED,
            Problem.MISSING_DATE,
        ),
    ],
)
def test_dates(headers: str, expected: datetime | None, source: DateSource | None, problem: Problem | None) -> None:
    parsed = parse_mail("m", mail(f"Message-ID: <1@example.org>\nFrom: a@example.org\n{headers}"))
    assert (parsed.date, parsed.date_source) == (expected, source)
    assert parsed.problems == ((problem,) if problem else ())


def test_the_future_begins_where_the_caller_says() -> None:
    limits = ParseLimits(latest_date=datetime(2002, 1, 1, tzinfo=UTC))
    assert Problem.BAD_DATE in parse_mail("m", PLAIN, limits=limits).problems


@pytest.mark.parametrize(
    ("content_type", "body", "expected", "repaired"),
    [
        ("text/plain; charset=iso-8859-1", b"f\xfcr", "für", False),
        ("text/plain; charset=iso-8859-1", b"\x93so\x94", "\u201cso\u201d", False),
        ("text/plain; charset=utf-8", b"f\xfcr", "f\ufffdr", True),
        ("text/plain; charset=us-ascii", b"f\xc3\xbcr", "für", True),
        ("text/plain; charset=us-ascii", b"f\xfcr", "für", True),
        ("text/plain", b"f\xfcr", "für", True),
        ("text/plain; charset=klingon", b"plain", "plain", True),
        # Python's own codecs are no charsets; some of them even warn or raise.
        ("text/plain; charset=idna", b"a\xff", "aÿ", True),
        ("text/plain; charset=zlib", b"a", "a", True),
        ("text/plain; charset=unicode_escape", b"\\d", "\\d", True),
        ("text/plain; charset=utf-8", b"a\x00b\r\nc\rd", "ab\nc\nd", False),
    ],
)
def test_charsets(content_type: str, body: bytes, expected: str, repaired: bool) -> None:
    parsed = parse_mail("m", mail(f"Content-Type: {content_type}", body))
    assert parsed.body_text == expected
    assert (Problem.BAD_CHARSET in parsed.problems) == repaired


@pytest.mark.parametrize(
    ("written", "expected", "repaired"),
    [
        (b"=?utf-8?q?a=C3?= =?utf-8?q?=BC?=", "aü", False),
        (b"Re: =?utf-8?q?a?= b", "Re: a b", False),
        (b"=?utf-8?q?a?= =?iso-8859-1?q?=FC?=", "aü", False),
        (b"=?nope?q?a?=", "a", True),
        (b"=?utf-8?b?!!!?= x", "x", False),
        (b"=?utf-8?b?a?= x", "=?utf-8?b?a?= x", True),
        (b"f\xfcr", "für", True),
        (b"a\x00b\x1b[31m", "a b [31m", False),
        (b"=?utf-8?q?a=0Ab=00?=", "a b", False),
    ],
)
def test_subjects(written: bytes, expected: str, repaired: bool) -> None:
    parsed = parse_mail("m", b"Subject: " + written + b"\n\nx")
    assert parsed.subject == expected
    assert (Problem.BAD_CHARSET in parsed.problems) == repaired


def test_what_is_too_long_is_cut_and_says_so() -> None:
    raw = mail("Subject: " + "s" * 300 + "\nContent-Type: text/plain; charset=utf-8", "ü".encode() * 500)
    parsed = parse_mail("m", raw, limits=ParseLimits(subject_chars=100, body_bytes=300))
    assert len(parsed.subject) == 100
    assert parsed.subject.endswith("… [truncated]")
    assert len(parsed.body_text.encode()) <= 300
    assert "import cut this mail here" in parsed.body_text
    assert Problem.TRUNCATED in parsed.problems


def test_a_mail_without_text_names_what_it_carries() -> None:
    parsed = parse_mail("m", mail("Content-Type: image/png", b"x"))
    assert parsed.body_text == "[Attachment not imported: image/png]\n"
    assert Problem.NO_TEXT in parsed.problems


def test_html_alone_becomes_text_and_a_plain_footer_stays() -> None:
    raw = mail(
        "Content-Type: multipart/mixed; boundary=b",
        b"--b\nContent-Type: text/html\n\n<p>Hello&nbsp;<b>you</b></p>\n--b\n\nfooter\n--b--\n",
    )
    assert parse_mail("m", raw).body_text == "Hello\xa0you\n\nfooter"


def test_a_lost_boundary_still_shows_the_text() -> None:
    parsed = parse_mail("m", mail("Content-Type: multipart/mixed; boundary=b", b"all there is\n"))
    assert parsed.body_text == "all there is\n"
    assert Problem.BROKEN_BODY in parsed.problems


def test_parts_nested_past_any_reason_are_kept_as_raw_text() -> None:
    nest = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    parsed = parse_mail("m", b"Subject: deep\n" + nest + b"\nhello\n")
    assert parsed.subject == "deep"
    assert "hello" in parsed.body_text
    assert Problem.BROKEN_BODY in parsed.problems


def test_no_headers_at_all() -> None:
    parsed = parse_mail("m", b"")
    assert Problem.BROKEN_HEADERS in parsed.problems
    assert Problem.NO_TEXT in parsed.problems


def assert_storable(raw: bytes) -> None:
    parsed = parse_mail("m", raw)
    assert parsed == parse_mail("m", raw)
    texts = [parsed.message_id, parsed.subject, parsed.body_text, *parsed.references, *parsed.attachments]
    texts += [text for text in (parsed.in_reply_to, parsed.sender_name, parsed.sender_address) if text is not None]
    for text in texts:
        assert "\x00" not in text
        text.encode("utf-8")
    assert parsed.message_id
    assert (parsed.date is None) == (parsed.date_source is None)


@given(st.binary(max_size=2000))
@settings(max_examples=200, deadline=None)
def test_no_bytes_make_it_raise(raw: bytes) -> None:
    assert_storable(raw)


@given(
    st.sampled_from([PLAIN, NESTED]),
    st.randoms(use_true_random=False),
    st.integers(min_value=1, max_value=40),
)
@settings(max_examples=300, deadline=None)
def test_no_damage_to_a_real_mail_makes_it_raise(original: bytes, chance: random.Random, blows: int) -> None:
    raw = bytearray(original)
    for _ in range(blows):
        at = chance.randrange(len(raw) + 1)
        # Bytes that mean something in mail do more harm than any others.
        junk = chance.choice([b"\n", b"--in", b"=?", b"?=", b"\x00", b"\xff", b'"', b"<", b";", b"%", b"\xed\xa0\x80"])
        raw[at : at + chance.randrange(4)] = junk
    assert_storable(bytes(raw))


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_content_type_makes_it_raise(charset: str, encoding: str) -> None:
    head = f'Content-Type: text/plain; charset="{charset}"\nContent-Transfer-Encoding: {encoding}\n\n'
    assert_storable(head.encode("utf-8", "surrogatepass") + b"\\d =FC \xff")
