"""Everything that is set from outside, as one typed object read from the environment.

The four ``NEO4J_*`` variables have the names that every Neo4j tool uses; all others start with ``HELIOGRAPH_``.
A variable that is set to nothing counts as not set, so that compose files may pass empty ones on.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.errors import ConfigurationError

ENV_PREFIX = "HELIOGRAPH_"
_URI_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


class Settings(BaseSettings):
    """The settings of one process, immutable. Each field's description says what a good value is."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
    )

    home: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("heliograph"),
        description="give the path of a folder that Heliograph may create and write, and keep its data in",
    )
    neo4j_uri: str | None = Field(
        default=None,
        validation_alias="NEO4J_URI",
        description=f"give an address such as neo4j://host:7687 (schemes: {', '.join(_URI_SCHEMES)}) without user or "
        "password in it, or unset it to use the embedded server",
    )
    neo4j_username: str = Field(
        default="neo4j",
        validation_alias="NEO4J_USERNAME",
        description="give the name of a user of the Neo4j server",
    )
    neo4j_password: SecretStr | None = Field(
        default=None,
        validation_alias="NEO4J_PASSWORD",
        description="give the password of NEO4J_USERNAME",
    )
    neo4j_database: str = Field(
        default="neo4j",
        validation_alias="NEO4J_DATABASE",
        description="give the name of a database of the server, as SHOW DATABASES lists it",
    )
    engine_heap: str = Field(
        default="1g",
        pattern=r"^[1-9][0-9]*[mMgG]$",
        description="give the embedded server's Java heap as a whole number of MiB or GiB, such as 512m or 2g",
    )
    engine_lock: Path | None = Field(
        default=None,
        description="give the path of a jgo lock file with the jars of another Neo4j (5.26 or later), "
        "or unset it to use the packaged one",
    )
    engine_port: int = Field(
        default=0,
        ge=0,
        le=65535,
        description="give the embedded server's Bolt port, 1 to 65535, or 0 to have a free one chosen",
    )
    sweep_seconds: float = Field(
        default=30,
        ge=1,
        le=86400,
        description="give how often tasks whose time is over are ended, in seconds from 1 to 86400",
    )
    sends_together: int = Field(
        default=64,
        ge=1,
        le=1000,
        description="give how many messages that are sent at the same time may share a transaction, 1 to 1000; "
        "1 gives each its own",
    )
    pepper: SecretStr | None = Field(
        default=None,
        description="give the secret that API keys are hashed with, or unset it to keep one in the home folder",
    )

    analyst_cypher: bool = Field(
        default=False,
        description="give true to let keys of scope analyst run reading Cypher of their own, by which they can read "
        "everything in the graph, or false",
    )
    auto_tagging: bool = Field(
        default=False,
        description="give true to have messages tagged with the registered concepts that they name, after they were "
        "sent, or false",
    )

    @field_validator("home", "engine_lock")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        """Make a path independent of the working folder, with ``~`` resolved."""
        try:
            return None if path is None else path.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    @field_validator("neo4j_uri")
    @classmethod
    def _supported_uri(cls, uri: str | None) -> str | None:
        """Refuse what the driver cannot connect to, before anything is started."""
        if uri is None:
            return None
        parts = urlsplit(uri)
        if parts.scheme not in _URI_SCHEMES or not parts.hostname or "@" in parts.netloc:
            raise ValueError("not the address of a Neo4j server")
        return uri


def load_settings(**overrides: object) -> Settings:
    """Return the settings of the environment, with the given fields (by their names) set over it.

    Raises ConfigurationError, naming each unusable variable, its value (masked for secrets) and what to do.
    """
    values: dict[str, Any] = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**values)
    except ValidationError as error:
        raise ConfigurationError("\n".join(_explain(detail) for detail in error.errors())) from None


def variable_name(field: str) -> str:
    """Return the environment variable that sets the field of that name."""
    alias = Settings.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else ENV_PREFIX + field.upper()


def _explain(detail: ErrorDetails) -> str:
    """Say in one sentence which variable is wrong, what it holds, and what it should hold."""
    place = str(detail["loc"][0])
    fields = {variable_name(field): field for field in Settings.model_fields}
    field = fields.get(place, place)
    if field not in Settings.model_fields:
        return f"{place} is not a setting: remove it. Settings are {', '.join(sorted(Settings.model_fields))}."
    info = Settings.model_fields[field]
    secret = "SecretStr" in str(info.annotation)
    value = "********" if secret else repr(_without_credentials(str(detail["input"])))
    return f"{variable_name(field)} is {value}, which cannot be used: {info.description}."


def _without_credentials(value: str) -> str:
    """Mask what stands between ``//`` and ``@`` in an address, where people put passwords by mistake."""
    scheme, separator, rest = value.partition("://")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{separator}********@{host}" if separator and at else value
