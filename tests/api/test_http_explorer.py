"""The explorer: served to browsers only, whole from this server, and cached as its files allow."""

import re
from collections.abc import AsyncIterator
from urllib.parse import urljoin

import httpx
import pytest
import pytest_asyncio

from api.explorer import WEB
from tests.api.shell import only_error, shell

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
OWN_FILES = ("explorer.html", "explorer.js", "explorer.css")


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the shell."""
    async with shell() as made:
        yield made


def assets_of(page: httpx.Response) -> list[str]:
    """Return the paths of what a page loads, as a browser resolves them."""
    return [urljoin(str(page.url), found) for found in re.findall(r'(?:src|href)="([^"]+)"', page.text)]


async def test_a_browser_gets_the_page_without_any_key(client: httpx.AsyncClient) -> None:
    page = await client.get("/graphql", headers={**BROWSER, "authorization": "Bearer wrong"})
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["vary"] == "accept"
    assert "<title>Heliograph explorer</title>" in page.text


async def test_the_page_may_load_from_this_server_only(client: httpx.AsyncClient) -> None:
    policy = (await client.get("/graphql", headers=BROWSER)).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("name", OWN_FILES)
def test_our_files_name_no_host(name: str) -> None:
    assert not re.search(r"(https?:)?//[a-z0-9]", (WEB / name).read_text().replace("// ", ""), re.IGNORECASE)


def test_styles_load_nothing() -> None:
    sheets = [*WEB.rglob("*.css")]
    assert len(sheets) == 3
    for sheet in sheets:
        text = sheet.read_text()
        assert "@import" not in text
        assert all(found.startswith("data:") for found in re.findall(r"url\(['\"]?([^)]{1,40})", text)), sheet.name


async def test_every_file_that_the_page_names_is_served(client: httpx.AsyncClient) -> None:
    page = await client.get("/graphql", headers=BROWSER)
    assets = assets_of(page)
    assert len(assets) == 10
    for url in assets:
        asset = await client.get(url)
        assert asset.status_code == 200, url
        kept = "immutable" if "/vendor/" in url else "no-cache"
        assert kept in asset.headers["cache-control"], url
        assert asset.headers["x-content-type-options"] == "nosniff"


async def test_an_unchanged_file_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/graphql/assets/explorer.js")
    again = await client.get("/graphql/assets/explorer.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["nosuch.js", "%2e%2e/app.py", "..%2fapp.py", "vendor", ""])
async def test_nothing_else_is_served(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(f"/graphql/assets/{path}")
    assert response.status_code == 404
    assert only_error(response)["extensions"] == {"code": "NOT_FOUND"}


async def test_a_browser_that_opens_a_query_gets_its_answer(client: httpx.AsyncClient) -> None:
    response = await client.get("/graphql", params={"query": "{ id }"}, headers=BROWSER)
    assert response.json() == {"data": {"id": "0"}}


async def test_the_root_leads_to_the_explorer(client: httpx.AsyncClient) -> None:
    response = await client.get("/", headers=BROWSER)
    assert (response.status_code, response.headers["location"]) == (307, "/graphql")


def test_every_vendored_library_is_listed_with_its_licence() -> None:
    listed = (WEB / "vendor" / "README.md").read_text()
    folders = [folder for folder in (WEB / "vendor").iterdir() if folder.is_dir()]
    assert len(folders) == 4
    for folder in folders:
        assert f"`{folder.name}`" in listed
        assert (folder / "LICENSE").exists() or '"license": "MIT"' in (folder / "package.json").read_text()
