"""The operator's own title and description, wherever the service names itself."""

from __future__ import annotations

from tests.services.in_process import services


async def test_the_site_is_called_what_its_operator_calls_it(database_url: str) -> None:
    env = {
        "DAMS_DATABASE_URL": database_url,
        "DAMS_COLLECTION_SCHEMAS": "public",
        "DAMS_SITE_TITLE": "Roads & paths",
        "DAMS_SITE_DESCRIPTION": "All of them.",
    }
    async with services() as running:
        common, viewer = await running.start("common", env), await running.start("viewer", env)
        landing = await common.json("/", f="json")
        assert (landing["title"], landing["description"]) == ("Roads & paths", "All of them.")
        info = (await common.json("/internal/part"))["openapi"]["info"]
        assert info["title"] == "Roads & paths"
        assert info["description"].startswith("All of them. Coordinates are longitude, latitude")
        # the merge wants one title of all
        assert (await viewer.json("/internal/part"))["openapi"]["info"]["title"] == "Roads & paths"
        for client, path in ((common, "/?f=html"), (common, "/nowhere?f=html"), (viewer, "/map"), (viewer, "/docs")):
            page = (await client.get(path, headers={"Accept": "text/html"})).body.decode()
            assert "Roads &amp; paths" in page, path
            assert "Disaster" not in page, path
        listed = await common.get("/collections", headers={"Accept": "text/html"})
        other = await running.start("common", env | {"DAMS_SITE_TITLE": "Paths"})
        headers = {
            "Accept": "text/html",
            "If-None-Match": listed.headers["ETag"],
            "Host": common.base.removeprefix("http://"),
        }
        assert (await other.get("/collections", headers=headers)).status == 200
        assert (await common.get("/collections", headers=headers)).status == 304
        assert "All of them." in (await viewer.get("/map")).body.decode()
