"""Who this client is, found in a fixed order: the first source that says anything applies (DESIGN §7).

A key proves who one is. ``HELIOGRAPH_IDENTITY`` and the login of ``gh`` are claims: they tell a program which identity
is meant, and the server takes no notice of them.
"""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import SecretStr

from cli.profile import Profile
from graph.errors import ConfigurationError, Refused
from graph.rules.addresses import check_handle

KEY_VARIABLE = "HELIOGRAPH_KEY"
IDENTITY_VARIABLE = "HELIOGRAPH_IDENTITY"
GH_SECONDS = 1.5


class IdentitySource(StrEnum):
    """Where the client's identity comes from, in the order in which they are asked."""

    OPTION = "option"
    KEY_VARIABLE = "environment-key"
    PROFILE = "profile"
    IDENTITY_VARIABLE = "environment-identity"
    GH = "gh"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """What the client knows of itself. ``handle`` is a claim and None where a key speaks for itself."""

    source: IdentitySource
    detail: str
    key: SecretStr | None = None
    handle: str | None = None

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data, without the key."""
        return {
            "source": self.source.value,
            "detail": self.detail,
            "handle": self.handle,
            "hasKey": self.key is not None,
        }


def identify(
    *,
    given: SecretStr | None,
    environment: Mapping[str, str],
    profile: Profile,
    gh_login: Callable[[], str | None],
) -> ClientIdentity:
    """Return the identity of the first source that has one; source NONE when none has.

    ``given`` is the key of an option of the command. ``gh_login`` is asked last, and only when all else is silent.
    Raises ConfigurationError when HELIOGRAPH_IDENTITY cannot be a handle.
    """
    if given is not None:
        return ClientIdentity(IdentitySource.OPTION, "the key that was given by an option", key=given)
    if key := environment.get(KEY_VARIABLE, "").strip():
        return ClientIdentity(IdentitySource.KEY_VARIABLE, f"the key in {KEY_VARIABLE}", key=SecretStr(key))
    if profile.key is not None:
        return ClientIdentity(IdentitySource.PROFILE, f"the key of the profile {profile.path}", key=profile.key)
    if claimed := environment.get(IDENTITY_VARIABLE, "").strip():
        return ClientIdentity(
            IdentitySource.IDENTITY_VARIABLE, f"{IDENTITY_VARIABLE}, without a key", handle=_claimed(claimed)
        )
    if login := gh_login():
        return ClientIdentity(IdentitySource.GH, "the login of gh, without a key", handle=f"@{login.lower()}")
    return ClientIdentity(IdentitySource.NONE, "nothing says who this client is")


def _claimed(written: str) -> str:
    try:
        return check_handle(written, IDENTITY_VARIABLE)
    except Refused as refused:
        raise ConfigurationError(refused.message) from refused


def ask_gh(seconds: float = GH_SECONDS) -> str | None:
    """Return the login that GitHub's ``gh`` is signed in with; None when it is absent, not signed in, or too slow."""
    try:
        done = subprocess.run(
            ["gh", "api", "user", "--jq", ".login"],  # noqa: S607 (which gh is meant is for the user's PATH to say)
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"},
            stdin=subprocess.DEVNULL,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    login = done.stdout.strip()
    return login if done.returncode == 0 and login.isprintable() and login and " " not in login else None
