"""The profile: where this user's server is and which key opens it, so that neither has to be said each time.

A TOML file with ``url`` and one of ``key`` and ``key_file``, all optional.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from pydantic import SecretStr

from graph.errors import ConfigurationError

_NAMES = ("url", "key", "key_file")


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profile says. ``path`` is the file, which need not exist."""

    path: Path
    url: str | None = None
    key: SecretStr | None = None


def profile_path() -> Path:
    """Return where this user's profile is looked for."""
    return platformdirs.user_config_path("heliograph") / "profile.toml"


def read_profile(path: Path) -> Profile:
    """Return the profile, an empty one when there is no file.

    Raises ConfigurationError, naming the file and the entry, for one that cannot be used.
    """
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Profile(path)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The profile {path} cannot be read ({error}): correct or remove it.") from error
    for name, value in said.items():
        if name not in _NAMES:
            raise ConfigurationError(f"The profile {path} has {name!r}; it may have {', '.join(_NAMES)}: remove it.")
        if not isinstance(value, str) or not value:
            raise ConfigurationError(f"The profile {path} has {value!r} for {name!r}: give text in quotes.")
    if "key" in said and "key_file" in said:
        raise ConfigurationError(f"The profile {path} has both 'key' and 'key_file': keep one of them.")
    key = SecretStr(said["key"]) if "key" in said else None
    if "key_file" in said:
        # Relative to the profile, so that it means the same from every working folder.
        key = read_key_file(path.parent / Path(said["key_file"]).expanduser())
    return Profile(path, said.get("url"), key)


def read_key_file(path: Path) -> SecretStr:
    """Return the key that a file holds. Raises ConfigurationError when it cannot be read or holds none."""
    try:
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The key file {path} cannot be read ({error}): give a file that holds a key alone, as "
            "`heliograph key create HANDLE > FILE` writes it."
        ) from error
    if not key:
        raise ConfigurationError(f"The key file {path} is empty: give one that holds a key.")
    return SecretStr(key)
