"""Prints the schema as SDL; ``make schema`` writes it to ``schema.graphql``, and a test compares the two."""

import sys

from api.limits import Limits
from api.schema import build_schema


def sdl() -> str:
    """Return the schema definition, ending in one newline."""
    return build_schema(Limits()).as_str().rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(sdl())
