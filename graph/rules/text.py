"""What text may hold: Unicode without NUL or lone surrogates, within a published size."""

import unicodedata

from graph.errors import RefusalCode, Refused


def check_text(
    value: str, field: str, *, characters: int | None = None, octets: int | None = None, empty: bool = False
) -> str:
    """Return ``value`` unchanged when it may be stored.

    ``characters`` and ``octets`` (UTF-8) bound its size; ``empty`` allows text that is blank. Raises Refused with
    INVALID_INPUT or LIMIT_EXCEEDED, naming ``field``.
    """
    if not empty and is_blank(value):
        raise Refused(RefusalCode.INVALID_INPUT, f"{field} is empty; say something in it.", field=field)
    if (position := value.find("\x00")) >= 0:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} holds a NUL character at position {position}; remove it.",
            field=field,
        )
    if characters is not None and len(value) > characters:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} has {len(value)} characters; at most {characters} are allowed.",
            field=field,
        )
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} holds a lone surrogate at position {error.start}; send whole Unicode characters.",
            field=field,
        ) from error
    if octets is not None and size > octets:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} has {size} bytes in UTF-8; at most {octets} are allowed.",
            field=field,
        )
    return value


def is_blank(value: str) -> bool:
    """Tell whether text shows nothing: spaces, control characters and invisible marks at most."""
    # Nearly all text begins with a letter or a digit, and no category has to be looked up.
    return not value[:1].isalnum() and all(
        unicodedata.category(character) in {"Zs", "Zl", "Zp", "Cc", "Cf"} for character in value
    )


def is_one_line(value: str) -> bool:
    """Tell whether text has no control characters and no line breaks. Joiners and other invisible marks are letters."""
    return value.isprintable() or not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in value)


def shown(value: str, most: int = 80) -> str:
    """Return ``value`` quoted for a message: cut at ``most`` characters, with nothing in it that breaks a line."""
    cut = value if len(value) <= most else value[:most] + "…"
    return ascii(cut) if not cut.isprintable() else f"'{cut}'"
