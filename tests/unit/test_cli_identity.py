"""The client's own identity: which source applies, and that ``gh`` can neither fail nor hold up a command."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.identity import ClientIdentity, IdentitySource, ask_gh, identify
from cli.profile import Profile
from graph.errors import ConfigurationError

NOBODY = Profile(Path("profile.toml"))
WITH_KEY = Profile(Path("profile.toml"), key=SecretStr("hg_profile"))


def not_asked() -> str | None:
    pytest.fail("gh was asked although an earlier source had spoken")


def test_a_key_given_by_an_option_comes_before_everything() -> None:
    found = identify(
        given=SecretStr("hg_given"),
        environment={"HELIOGRAPH_KEY": "hg_env", "HELIOGRAPH_IDENTITY": "@ada"},
        profile=WITH_KEY,
        gh_login=not_asked,
    )
    assert found.source is IdentitySource.OPTION
    assert found.key == SecretStr("hg_given")


def test_then_the_key_in_the_environment() -> None:
    found = identify(given=None, environment={"HELIOGRAPH_KEY": " hg_env\n"}, profile=WITH_KEY, gh_login=not_asked)
    assert (found.source, found.key) == (IdentitySource.KEY_VARIABLE, SecretStr("hg_env"))


def test_then_the_profile() -> None:
    found = identify(given=None, environment={"HELIOGRAPH_IDENTITY": "@ada"}, profile=WITH_KEY, gh_login=not_asked)
    assert (found.source, found.key) == (IdentitySource.PROFILE, SecretStr("hg_profile"))
    assert "profile.toml" in found.detail


@pytest.mark.parametrize("written", ["@ada", "Ada", "AGENT:@ada"])
def test_then_a_claimed_identity_without_a_key(written: str) -> None:
    found = identify(given=None, environment={"HELIOGRAPH_IDENTITY": written}, profile=NOBODY, gh_login=not_asked)
    assert found == ClientIdentity(
        IdentitySource.IDENTITY_VARIABLE, "HELIOGRAPH_IDENTITY, without a key", handle="@ada"
    )


def test_then_the_login_of_gh() -> None:
    found = identify(given=None, environment={}, profile=NOBODY, gh_login=lambda: "Ada-L")
    assert (found.source, found.handle, found.key) == (IdentitySource.GH, "@ada-l", None)


def test_nobody_when_nothing_speaks_and_empty_variables_are_silent() -> None:
    empty = {"HELIOGRAPH_KEY": "", "HELIOGRAPH_IDENTITY": " "}
    assert identify(given=None, environment=empty, profile=NOBODY, gh_login=lambda: None).source is IdentitySource.NONE


def test_an_identity_that_cannot_be_one_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"HELIOGRAPH_IDENTITY '@all'"):
        identify(given=None, environment={"HELIOGRAPH_IDENTITY": "@all"}, profile=NOBODY, gh_login=not_asked)


def test_as_data_it_says_that_there_is_a_key_and_not_which() -> None:
    found = identify(given=SecretStr("hg_given"), environment={}, profile=NOBODY, gh_login=not_asked)
    assert found.as_dict()["hasKey"] is True
    assert "hg_given" not in f"{found.as_dict()} {found}"


@pytest.mark.parametrize(
    ("script", "login"),
    [
        ("echo ada", "ada"),
        ("echo not signed in >&2; exit 4", None),
        ("exit 0", None),
        ("printf 'two words'", None),
        ("printf 'a\\033[31m'", None),
        ("exec sleep 600", None),
    ],
)
def test_gh_is_asked_within_a_budget(
    script: str, login: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gh = tmp_path / "gh"
    gh.write_text(f"#!/bin/sh\n{script}\n")
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert ask_gh(5 if login else 1.5) == login


def test_a_missing_gh_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ask_gh() is None
