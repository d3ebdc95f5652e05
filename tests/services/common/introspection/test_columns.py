import pytest

from services.common.introspection.columns import split_comment


@pytest.mark.parametrize(
    ("comment", "parts"),
    [
        (None, (None, None, None)),
        ("", (None, None, None)),
        ("Depth", ("Depth", None, None)),
        ("Depth. Of the hypocentre. [km]", ("Depth", "Of the hypocentre.", "km")),
        ("Depth [km]", ("Depth", None, "km")),
    ],
)
def test_a_comment_is_title_description_and_unit(comment: str | None, parts: tuple[str | None, ...]) -> None:
    assert split_comment(comment) == parts
