"""Text out of bytes: charsets, encoded words, and what a graph property may hold. Pure, total, linear in its input."""

import base64
import binascii
import codecs
import quopri
import re

# Python accepts these as charsets, but they are escapes of its own or need the whole machine's locale.
_NOT_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "mbcs", "oem"})
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,64})\?([bBqQ])\?([^?]*)\?=")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL_RUN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_UNKNOWN_SUFFIX = re.compile(r"[*].*\Z", re.DOTALL)  # RFC 2231: charset*language


def decode_bytes(content: bytes, charset: str | None) -> tuple[str, bool]:
    """Return the text, and whether it had to be repaired. ``charset`` None means that the mail names none."""
    named = _codec(charset) if charset else "ascii"
    if named in {"ascii", "utf-8"} and content.isascii():
        return content.decode("ascii"), False
    for candidate in _candidates(named):
        # Latin-1 read as its superset is no repair; any other codec than the named one is.
        expected = named in {candidate, "iso8859-1"}
        try:
            return content.decode(candidate), not expected
        except (UnicodeError, ValueError, LookupError):
            continue
    # Only a codec that cannot read its own bytes comes here; UTF-8 keeps every character that is whole.
    return content.decode("utf-8" if named == "utf-8" else "cp1252", "replace"), True


def _candidates(named: str | None) -> tuple[str, ...]:
    # Mail that says Latin-1 (or nothing, and has eight bits) mostly means the Windows superset.
    if named == "iso8859-1":
        return ("cp1252", "iso8859-1")
    if named == "utf-8":
        return ("utf-8",)
    if named is None or named == "ascii":
        return ("utf-8", "cp1252", "iso8859-1")
    return (named, "utf-8")


def _codec(charset: str) -> str | None:
    """Return the canonical codec name of a text charset, or None when there is none of that name."""
    try:
        info = codecs.lookup(_UNKNOWN_SUFFIX.sub("", charset.strip().strip("\"'")))
    except (LookupError, ValueError, UnicodeError):
        return None
    name = info.name.replace("_", "-")
    # ``_is_text_encoding`` is how bytes.decode itself tells "utf-8" from "zlib"; old codecs do not set it.
    if name in _NOT_CHARSETS or not getattr(info, "_is_text_encoding", True):
        return None
    return name


def decode_header_text(value: str) -> tuple[str, bool]:
    """Return a raw header value as one line of text, and whether a charset had to be repaired.

    Encoded words are decoded, also where a mailer cut a character in two between neighbouring words. What is not
    a valid encoded word stays as it is written.
    """
    plain, repaired = _raw_text(value)
    pieces: list[str] = []
    pending: tuple[str, bytes] | None = None
    end = 0
    for word in _ENCODED_WORD.finditer(plain):
        gap = plain[end : word.start()]
        content = _word_bytes(word[2], word[3])
        charset = word[1].lower()
        if pending and gap.strip() == "" and content is not None and pending[0] == charset:
            pending, end = (charset, pending[1] + content), word.end()
            continue
        if pending:
            text, bad = decode_bytes(pending[1], pending[0])
            pieces.append(text)
            repaired |= bad
            # White space between two encoded words is only there to fold the line.
            gap = "" if gap.strip() == "" and content is not None else gap
        pieces.append(gap if content is not None else gap + word[0])
        repaired |= content is None
        pending = (charset, content) if content is not None else None
        end = word.end()
    if pending:
        text, bad = decode_bytes(pending[1], pending[0])
        pieces.append(text)
        repaired |= bad
    return one_line("".join(pieces) + plain[end:]), repaired


def _raw_text(value: str) -> tuple[str, bool]:
    # The parser keeps eight-bit header bytes as lone surrogates; they are bytes of a charset nobody named.
    if not _SURROGATE.search(value):
        return value, False
    try:
        return decode_bytes(value.encode("utf-8", "surrogateescape"), None)
    except UnicodeEncodeError:
        return _SURROGATE.sub("", value), True


def _word_bytes(encoding: str, payload: str) -> bytes | None:
    raw = payload.encode("utf-8", "replace")
    if encoding in "qQ":
        return quopri.decodestring(raw.replace(b"_", b"=20"))
    try:
        return base64.b64decode(raw + b"=" * (-len(raw) % 4))
    except (binascii.Error, ValueError):
        return None


def one_line(text: str) -> str:
    """Return the text without lone surrogates and control characters, white space folded to single blanks."""
    return " ".join(_CONTROL_RUN.sub(" ", _SURROGATE.sub("", text)).split())


def clean_body(text: str) -> str:
    """Return the text with LF line ends and without NUL and lone surrogates, which no property can hold."""
    return _SURROGATE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", ""))


def cut_utf8(text: str, limit: int, note: str) -> tuple[str, bool]:
    """Return the text in at most ``limit`` bytes of UTF-8 and whether it was cut; a cut text ends with ``note``."""
    # A character has at most four bytes, so short texts need no encoding to be known to fit.
    if len(text) * 4 <= limit:
        return text, False
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text, False
    kept = encoded[: max(0, limit - len(note.encode("utf-8")))]
    return kept.decode("utf-8", "ignore") + note, True
