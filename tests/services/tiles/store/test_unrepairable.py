from services.tiles.rendering.invalid_rows import Unrepairable


def test_a_column_is_remembered() -> None:
    columns = Unrepairable()
    assert ("a.b", "geom") not in columns
    columns.add("a.b", "geom")
    assert ("a.b", "geom") in columns
    assert ("a.b", "place") not in columns
    assert ("a.c", "geom") not in columns


def test_it_is_forgotten_in_time() -> None:
    columns = Unrepairable(seconds=0)
    columns.add("a.b", "geom")
    assert ("a.b", "geom") not in columns
