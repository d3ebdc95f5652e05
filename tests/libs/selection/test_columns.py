from libs.catalogue.model import Column
from libs.pg.column_types import Kind
from libs.selection.columns import column_queryable


def test_a_column_of_labels_is_a_queryable_of_them() -> None:
    found = column_queryable(Column("level", "a.levels", "string", enum=("low", "high")))
    assert (found.kind, found.enum) == (Kind.ENUM, ("low", "high"))
