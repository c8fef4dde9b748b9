"""``python -m cli`` is the ``heliograph`` command."""

from cli.main import main

main()
