"""Asks a running server over HTTP, as any client does."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from cli.identity import ClientIdentity, ask_gh, identify
from cli.profile import Profile, profile_path, read_key_file, read_profile
from graph.bootstrap import OPERATOR_KEY
from graph.errors import ConfigurationError, HeliographError, Unauthenticated
from graph.settings import load_settings

URL_VARIABLE = "HELIOGRAPH_URL"
DEFAULT_URL = "http://127.0.0.1:8000"
_GRAPHQL = "/graphql"
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


class ServerUnreachable(HeliographError):
    """No Heliograph answers at the URL."""

    code = "SERVER_UNREACHABLE"


class UnexpectedAnswer(HeliographError):
    """Something answers at the URL, but not with what was asked for."""

    code = "UNEXPECTED_ANSWER"


@dataclass(frozen=True, slots=True)
class Remote:
    """A server, without a slash at its end, and who asks it."""

    url: str
    client: ClientIdentity
    profile: Profile

    @property
    def graphql_url(self) -> str:
        """Where GraphQL is answered."""
        return self.url + _GRAPHQL


def find_remote(
    url: str | None, key_file: Path | None, home: Path | None, *, gh_login: Callable[[], str | None] = ask_gh
) -> Remote:
    """Return the server to ask and the identity to ask it with: what the options say, else environment and profile.

    ``home`` means its operator's key. Raises ConfigurationError for what cannot be used.
    """
    profile = read_profile(profile_path())
    chosen = url or os.environ.get(URL_VARIABLE) or profile.url or DEFAULT_URL
    given = read_key_file(_key_path(key_file, home)) if key_file or home else None
    client = identify(given=given, environment=os.environ, profile=profile, gh_login=gh_login)
    return Remote(check_url(chosen), client, profile)


def find_operator(url: str | None, key_file: Path | None, home: Path | None) -> Remote:
    """Return the server and a key for an operator's act: what ``find_remote`` finds, else the key of the usual home.

    That key is for a server of this machine; it is never offered to another. Without a key the client has none.
    """
    # A login without a key cannot act, so nobody waits for gh to name one.
    remote = find_remote(url, key_file, home, gh_login=lambda: None)
    usual = load_settings().home / OPERATOR_KEY
    if remote.client.key is None and is_loopback(remote.url) and usual.exists():
        return find_remote(url, usual, None)
    return remote


def _key_path(key_file: Path | None, home: Path | None) -> Path:
    if key_file and home:
        raise ConfigurationError("Both --key-file and --home name a key: give one of them.")
    return key_file or load_settings(home=home).home / OPERATOR_KEY


def check_url(url: str) -> str:
    """Return a server's URL without ``/graphql`` and without a slash at its end. Raises ConfigurationError."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(f"The URL {url!r} is not one of a server: give one such as {DEFAULT_URL}.")
    return url.rstrip("/").removesuffix(_GRAPHQL).rstrip("/")


def ask(remote: Remote, query: str, variables: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return the data of a GraphQL query.

    Raises ServerUnreachable, Unauthenticated when the server does not take the key, or UnexpectedAnswer.
    """
    response = _post(remote, query, variables)
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or ("data" not in answer and "errors" not in answer):
        raise UnexpectedAnswer(
            f"What answers at {remote.url} is not a Heliograph server (HTTP status {response.status_code}): "
            "give the address that `heliograph up` printed, by --url."
        )
    if errors := answer.get("errors"):
        first = errors[0]
        code = first.get("extensions", {}).get("code", "UNKNOWN")
        message = f"{first.get('message', 'no message')} ({code}, from {remote.url})"
        if code == Unauthenticated.code:
            raise Unauthenticated(f"{message} The key was {remote.client.detail}.")
        raise UnexpectedAnswer(message)
    data: Mapping[str, Any] = answer["data"]
    return data


def _post(remote: Remote, query: str, variables: Mapping[str, Any] | None) -> httpx.Response:
    key = remote.client.key
    headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    try:
        # A proxy that the environment names is for other machines; it cannot reach a server on this one.
        with httpx.Client(timeout=_TIMEOUT, trust_env=not is_loopback(remote.url)) as http:
            return http.post(remote.graphql_url, json={"query": query, "variables": variables}, headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ServerUnreachable(
            f"No Heliograph answers at {remote.url} ({error}): start one with `heliograph up`, or name another with "
            f"--url or {URL_VARIABLE}."
        ) from error


def is_loopback(url: str) -> bool:
    """Tell whether a URL's host is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
