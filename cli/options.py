"""Options that several commands share, declared once."""

from pathlib import Path
from typing import Annotated

import typer

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", help="Folder of the data and secrets. [default: HELIOGRAPH_HOME, else the user's data folder]"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", help="Where the server answers. [default: HELIOGRAPH_URL, the profile's, else http://127.0.0.1:8000]"
    ),
]
KeyFileOption = Annotated[Path | None, typer.Option("--key-file", help="File that holds the key to use.")]
