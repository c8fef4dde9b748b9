"""Bringing in messages of another system, one JSON object a line (see docs/importing-jsonl.md)."""
