from libs.ogc.link import Link


def test_a_link_has_the_members_that_are_set() -> None:
    assert Link("/a", "self", "text/html").to_json() == {"href": "/a", "rel": "self", "type": "text/html"}
    assert Link("/{z}", "item", "image/png", title="A", templated=True).to_json() == {
        "href": "/{z}",
        "rel": "item",
        "type": "image/png",
        "title": "A",
        "templated": True,
    }
