"""HTML reduced to text, in linear time.

The standard library's ``html.parser`` needs time that grows with the square of some malformed input (60 kB of
``<a `` took 20 seconds), so a hostile mail could hold up an import for hours. This scanner only ever moves forward.
"""

import html
import re

_PARAGRAPHS = frozenset({"blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"})
_LINES = frozenset(
    {"address", "article", "aside", "body", "br", "center", "dd", "div", "dt", "fieldset", "figcaption", "figure"}
    | {"footer", "form", "header", "hr", "html", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr"}
)
_UNSEEN = frozenset({"script", "style", "template", "noscript", "title"})
_TAG_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)")
_HREF = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ALT = re.compile(r"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_MANY_LINES = re.compile(r"\n{3,}")
_ATTRIBUTES_LIMIT = 4096


def html_to_text(source: str) -> str:
    """Return what a reader sees: blocks on lines of their own, list items dashed, link targets in angle brackets."""
    return _Reducer(source).text()


class _Reducer:
    def __init__(self, source: str) -> None:
        self._source = source
        # Searching a lower-cased copy must not move positions, and full lower() may lengthen a string.
        self._folded = source.translate(_ASCII_LOWER)
        self._pieces: list[str] = []
        self._link: str | None = None
        self._preformatted = 0

    def text(self) -> str:
        position = 0
        while (start := self._source.find("<", position)) >= 0:
            self._words(self._source[position:start])
            position = self._markup(start)
        self._words(self._source[position:])
        lines = (line.rstrip(" \t") for line in "".join(self._pieces).split("\n"))
        return _MANY_LINES.sub("\n\n", "\n".join(lines)).strip("\n ")

    def _markup(self, start: int) -> int:
        """Consume the markup at ``start`` and return the position after it; always further on."""
        if self._source.startswith("<!--", start):
            return self._after("-->", start + 4)
        if self._source.startswith(("<!", "<?"), start):
            return self._after(">", start + 2)
        name_match = _TAG_NAME.match(self._source, start + 1)
        if not name_match:
            self._words("<")
            return start + 1
        end = self._after(">", start + 1)
        name = name_match[1].lower()
        closing = self._source[start + 1] == "/"
        if name in _UNSEEN and not closing:
            return self._after(">", self._after(f"</{name}", end))
        self._tag(name, self._source[start : min(end, start + _ATTRIBUTES_LIMIT)], closing=closing)
        return end

    def _after(self, mark: str, start: int) -> int:
        found = self._folded.find(mark, start)
        # What never closes runs to the end, so that no search over the same stretch is repeated.
        return len(self._source) if found < 0 else found + len(mark)

    def _tag(self, name: str, markup: str, *, closing: bool) -> None:
        if name == "a":
            self._anchor(markup, closing=closing)
        elif name == "img" and (alt := _attribute(_ALT, markup)):
            self._words(f"[{alt}]")
        elif name in {"td", "th"} and closing:
            self._pieces.append("\t")
        elif name in _LINES or name in _PARAGRAPHS:
            self._newline(2 if name in _PARAGRAPHS else 1, forced=name == "br")
            if name == "pre":
                self._preformatted = max(0, self._preformatted + (-1 if closing else 1))
            elif name == "li" and not closing:
                self._pieces.append("- ")
            elif name == "hr":
                self._pieces.append("---\n")

    def _anchor(self, markup: str, *, closing: bool) -> None:
        if not closing:
            self._link = _attribute(_HREF, markup)
            return
        target, self._link = self._link, None
        # A link whose words are its address would only say it twice.
        if target and not target.startswith("#") and not self._just_said(target):
            self._pieces.append(f" <{target}>")

    def _just_said(self, target: str) -> bool:
        return bool(self._pieces) and target in self._pieces[-1][-len(target) - 16 :]

    def _newline(self, count: int, *, forced: bool) -> None:
        if forced:
            self._pieces.append("\n")
        elif self._pieces:
            present = 0
            for piece in reversed(self._pieces[-2:]):
                present += len(piece) - len(piece.rstrip("\n"))
                if piece.strip("\n"):
                    break
            self._pieces.append("\n" * max(0, count - present))

    def _words(self, raw: str) -> None:
        if not raw:
            return
        text = html.unescape(raw)
        if self._preformatted:
            self._pieces.append(text)
            return
        text = _BLANKS.sub(" ", text)
        if not self._pieces or self._pieces[-1].endswith(("\n", " ")):
            text = text.lstrip(" ")
        if text:
            self._pieces.append(text)


def _attribute(pattern: re.Pattern[str], markup: str) -> str | None:
    found = pattern.search(markup)
    if not found:
        return None
    return " ".join(html.unescape(found[1] or found[2] or found[3] or "").split()) or None


_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
