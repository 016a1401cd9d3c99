"""Records ⇄ Arrow tables: the schema follows from a record's annotations, values keep their types.

Only plain columns are used (string, integer, double, bool, date, binary, list, struct), so that
every version of `datasets`, pandas and DuckDB reads them.
"""

import types
from collections.abc import Iterable, Iterator
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from recodeh.data.records import Record

if TYPE_CHECKING:
    import pyarrow as pa

R = TypeVar("R", bound=Record)


def schema(kind: type[Record]) -> "pa.Schema":
    """The Arrow schema of a record type.

    Raises TypeError for an annotation that has no plain column.
    """
    import pyarrow as pa

    return pa.schema(_fields(kind))


def to_table(kind: type[R], rows: Iterable[R]) -> "pa.Table":
    """A table with one row per record, in their order."""
    import pyarrow as pa

    values = [row.model_dump(mode="python") for row in rows]
    return pa.Table.from_pylist(values, schema=schema(kind))


def from_table(kind: type[R], table: "pa.Table") -> Iterator[R]:
    """Yield the records of a table.

    Raises pydantic.ValidationError when a row is not such a record.
    """
    for batch in table.to_batches(max_chunksize=256):
        for row in batch.to_pylist():
            yield kind.model_validate(row)


def _fields(kind: type[Record]) -> "list[pa.Field[Any]]":
    import pyarrow as pa

    return [pa.field(name, _column(info.annotation)) for name, info in kind.model_fields.items()]


def _column(annotation: Any) -> "pa.DataType":
    import pyarrow as pa

    plain: dict[Any, pa.DataType] = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        date: pa.date32(),
        bytes: pa.large_binary(),
    }
    if annotation in plain:
        return plain[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return pa.struct(_fields(annotation))
    return _composed(annotation)


def _composed(annotation: Any) -> "pa.DataType":
    import pyarrow as pa

    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return pa.list_(_column(arguments[0]))
    if origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
        return _column(next(part for part in arguments if part is not type(None)))
    if origin is Literal or (isinstance(annotation, type) and issubclass(annotation, StrEnum)):
        return pa.string()
    raise TypeError(f"no plain column for {annotation!r}")
