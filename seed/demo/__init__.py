"""The demo: the story of a session that hands over to the next, told to a running server over its API.

``load`` it with an operator's key. It is told once: where its people are, it adds nothing.
"""

from seed.demo.calls import DemoFailed
from seed.demo.telling import DemoSummary, Look, load

__all__ = ["DemoFailed", "DemoSummary", "Look", "load"]
