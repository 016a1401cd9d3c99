"""Every record type has plain columns, and rows come back from Parquet as they went in."""

from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.data.arrow import from_table, schema, to_table
from recodeh.data.records import Paper, PaperRow, Record, Source, SourceFile, Verification
from recodeh.data.store import CONFIGS

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PAPERS = st.builds(
    Paper,
    title=TEXT,
    authors=st.lists(TEXT).map(tuple),
    venue=st.none() | TEXT,
    published=st.none() | st.dates(date(1900, 1, 1)),
)
SOURCES = st.builds(
    Source,
    kind=st.sampled_from(["pypi", "git", "folder"]),
    name=TEXT,
    version=TEXT,
    sha256=TEXT,
    url=st.none() | TEXT,
    licence=st.none() | TEXT,
    first_public=st.none() | st.dates(date(1900, 1, 1)),
)
ROWS = st.builds(PaperRow, source_key=TEXT, paper=PAPERS, source=SOURCES, licence_text=TEXT)


@given(st.lists(ROWS, max_size=5))
def test_rows_come_back_as_they_went_in(rows: list[PaperRow]) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(to_table(PaperRow, rows), sink)
    assert list(from_table(PaperRow, pq.read_table(pa.BufferReader(sink.getvalue())))) == rows


@given(st.lists(ROWS, max_size=5))
def test_rows_come_back_from_json_too(rows: list[PaperRow]) -> None:
    assert [PaperRow.model_validate_json(row.model_dump_json()) for row in rows] == rows


def test_bytes_come_back_as_they_went_in(tmp_path: Path) -> None:
    row = SourceFile(source_key="k", path="a/b.npz", content=bytes(range(256)))
    pq.write_table(to_table(SourceFile, [row]), tmp_path / "f.parquet")
    assert list(from_table(SourceFile, pq.read_table(tmp_path / "f.parquet"))) == [row]


@pytest.mark.parametrize("config", CONFIGS)
def test_every_config_has_only_columns_that_all_readers_know(config: str) -> None:
    def plain(kind: pa.DataType) -> bool:
        if pa.types.is_struct(kind):
            return all(plain(kind.field(i).type) for i in range(kind.num_fields))
        if pa.types.is_list(kind):
            return plain(kind.value_type)
        return kind in {
            *(pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.large_binary())
        }

    assert all(plain(field.type) for field in schema(CONFIGS[config]))


def test_a_field_without_a_plain_column_is_an_error() -> None:
    class Odd(Record):
        values: dict[str, int]

    with pytest.raises(TypeError, match="no plain column"):
        schema(Odd)


def test_optional_numbers_stay_empty() -> None:
    row = Verification(reference_passes=3, reference_runs=3, stub_fails=True, seconds=5)
    table = to_table(Verification, [row])
    assert table.column("mutants_total").null_count == 1
    assert next(from_table(Verification, table)).mutants_total is None
