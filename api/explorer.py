"""The explorer: GraphiQL for a person with a browser, served whole from this package, so that it works offline.

Libraries lie under a folder that names their version and are cached for good; our own page and script are checked
with the server each time.
"""

from http import HTTPStatus
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Match, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).parent / "web"
VENDOR = "vendor/"

# Everything comes from this server. Styles alone may stand in the page too: GraphiQL's dialogs make one.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


class ExplorerRoute(Route):
    """Answers a browser that opens the GraphQL path; any other request falls through to the GraphQL router.

    The page needs no key, so it must be found before the router asks for the request's context.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match a GET without a query from a client that names HTML in its Accept header."""
        match, child = super().matches(scope)
        if match is Match.FULL and (
            "text/html" not in Headers(scope=scope).get("accept", "") or b"query=" in scope.get("query_string", b"")
        ):
            return Match.NONE, {}
        return (match, child) if match is Match.FULL else (Match.NONE, {})


class Assets(StaticFiles):
    """The explorer's files, with how long a browser may keep them."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file at a path under ``api/web``. Raises HTTPException 404 when there is none."""
        response = await super().get_response(path, scope)
        kept = path.replace("\\", "/").startswith(VENDOR) and response.status_code < HTTPStatus.BAD_REQUEST
        response.headers["content-security-policy"] = CONTENT_SECURITY_POLICY
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
        return response


async def _page(_: Request) -> Response:
    headers = {"content-security-policy": CONTENT_SECURITY_POLICY, "cache-control": "no-cache", "vary": "accept"}
    return FileResponse(WEB / "explorer.html", media_type="text/html", headers=headers)


def explorer_routes(path: str = "/graphql") -> list[Route | Mount]:
    """Return the routes of the page at ``path`` and of its files below it, to stand before the GraphQL router."""
    return [
        ExplorerRoute(path, _page, methods=["GET"], include_in_schema=False),
        Mount(f"{path}/assets", Assets(directory=WEB), name="explorer-assets"),
    ]
