"""Functions of other languages: what is found, and what each row says."""

from pathlib import Path

import pytest

from recodeh.curation import foreign_grammars
from recodeh.curation.foreign import foreign_functions
from recodeh.curation.functions import Function
from recodeh.curation.inventory import Skipped, inventory
from recodeh.curation.mask import mask
from recodeh.curation.ranking import rank
from recodeh.curation.select import chosen
from recodeh.curation.tags import splice
from recodeh.curation.twins import twins
from recodeh.data.errors import InputError
from recodeh.data.regions import fill

FILES = {
    "r": b"""\
#' Drift of a path
#' @param x a path
drift <- function(x, by = 2) {
  # why
  y <- stats::sd(x)

  y + gauge$of(x)
}
Box <- R6Class("Box", public = list(step = function(z) { z }))
square <- \\(x) x^2
setMethod("area", "Box", function(o) { o@x })
""",
    "julia": b'''\
module M
"""Drift of a path"""
function drift(x::Int; by=2)::Int where T
    #= y = 1
    y = 2 =#
    g(x)
    Base.sum(x)
end
square(x) = x^2
square(x::Int) = x * x
half = x -> x / 2
Base.show(io::IO, a::A) = print(io, a)
struct A
    x
    A(x) = new(x)
end
end
''',
    "matlab": b"""\
classdef Box < handle
  methods
    function o = step(o, x)
      % Drift of a path
      % along x
      o.y = sum(x);  % why
      %{
      o.y = 1;
      %}
      o.y = g(x);
    end
  end
end
""",
    "c": b"""\
/* Drift
 * of a path */
static int *drift(int x, double (*cb)(int)) {
  /* a block
     of words */
  return g(x);
}
#ifdef A
int half(void) { return 1; }
#endif
int declared(int x);
""",
    "cpp": b"""\
namespace n {
/// Drift of a path
template <class T>
class Box {
 public:
  Box() : x(1) {}
  // Along x
  T step(T a) const {
    return std::max<T>(a, x);
  }
};
}
template <class T>
T &n::Box<T>::go(T a) { return a.run(f(1)); }
""",
    "cuda": b"""\
// Drift
__global__ void drift(float *x, int n) {
  x[0] = __expf(x[0]);
}
void launch() { drift<<<1, 2>>>(a, 3); }
""",
    "rust": b"""\
mod m {
    /// Drift of a path
    #[inline]
    pub fn drift<T>(x: T) -> T where T: Copy {
        g(x)
    }
    impl<T> Show for Box<T> {
        fn step(&self) -> u8 { self.x.go(); m::h() }
    }
    trait Q { fn given(&self) { } fn wanted(&self); }
}
""",
}
SYMBOLS = {
    "r": ["drift", "Box.step", "square", "area"],
    "julia": ["M.drift", "M.square@1", "M.square@2", "M.half", "M.Base.show", "M.A.A"],
    "matlab": ["Box.step"],
    "c": ["drift", "half"],
    "cpp": ["n.Box.Box", "n.Box.step", "n.Box.go"],
    "cuda": ["drift", "launch"],
    "rust": ["m.drift", "m.Box.step", "m.Q.given"],
}
FIRST = {
    "r": ("drift <- function(x, by = 2)", "Drift of a path\n@param x a path", 2,
          ("stats.sd", "gauge.of")),
    "julia": ("function drift(x::Int; by=2)::Int where T", "Drift of a path", 2, ("g", "Base.sum")),
    "matlab": ("function o = step(o, x)", "Drift of a path\nalong x", 2, ("sum", "g")),
    "c": ("static int *drift(int x, double (*cb)(int))", "Drift\nof a path", 1, ("g",)),
    "cpp": ("Box() : x(1)", "", 0, ()),
    "cuda": ("__global__ void drift(float *x, int n)", "Drift", 1, ("__expf",)),
    "rust": ("pub fn drift<T>(x: T) -> T where T: Copy", "Drift of a path", 1, ("g",)),
}  # fmt: skip


@pytest.fixture
def grammars() -> None:
    """The grammars are an extra; without them there is nothing here to try."""
    pytest.importorskip("tree_sitter_language_pack", reason="the extra `langs` is not installed")


def rows(language: str, data: bytes) -> list[Function]:
    found = foreign_functions(data, "f", "f", language)
    assert found is not None
    assert found.error is None
    return found.functions


@pytest.mark.usefixtures("grammars")
@pytest.mark.parametrize("language", FILES)
def test_definitions_are_found_with_qualified_names(language: str) -> None:
    found = rows(language, FILES[language])
    first = found[0]

    assert [row.address for row in found] == SYMBOLS[language]
    assert (first.signature, first.docstring, first.loc, first.calls) == FIRST[language]
    assert {row.language for row in found} == {language}


@pytest.mark.usefixtures("grammars")
@pytest.mark.parametrize("language", FILES)
def test_spans_are_those_of_the_file_whatever_its_line_endings(language: str) -> None:
    data = FILES[language].replace(b"\n", b"\r\n")
    for plain, row in zip(rows(language, FILES[language]), rows(language, data), strict=True):
        assert (row.start, row.end, row.loc) == (plain.start, plain.end, plain.loc)
        lines = data[row.start_byte : row.end_byte].count(b"\n")
        assert row.end - row.start == lines


@pytest.mark.usefixtures("grammars")
def test_methods_and_bound_lambdas_are_told() -> None:
    kinds = {row.address: row.kind for row in rows("julia", FILES["julia"])}

    assert (kinds["M.half"], kinds["M.A.A"], kinds["M.drift"]) == ("lambda", "method", "function")


@pytest.mark.usefixtures("grammars")
def test_a_faulty_stretch_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "f.R").write_bytes(b"f <- function(x) { x }\ng <- function( { \n")
    found = list(inventory(tmp_path))

    assert [row.symbol for row in found if isinstance(row, Function)][:1] == ["f"]
    assert [row.partial for row in found if isinstance(row, Skipped)] == [True]


def test_without_the_grammars_each_file_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recodeh.curation.foreign.grammar", lambda language: None)
    (tmp_path / "f.jl").write_bytes(FILES["julia"])

    assert list(inventory(tmp_path)) == [
        Skipped("f.jl", f"julia, whose grammar is not installed ({foreign_grammars.MEND})")
    ]


def test_a_language_that_nobody_reads_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "solve.f90").write_text("program solve\nend program\n")
    (tmp_path / "notes.md").write_text("words\n")

    assert list(inventory(tmp_path)) == [Skipped("solve.f90", "Fortran, which is not read")]


@pytest.mark.usefixtures("grammars")
@pytest.mark.parametrize(
    ("language", "symbol", "body"),
    [
        ("r", "drift", b"  # why\n  y <- stats::sd(x)\n\n  y + gauge$of(x)\n"),
        ("julia", "M.drift", b"    #= y = 1\n    y = 2 =#\n    g(x)\n    Base.sum(x)\n"),
        ("c", "drift", b"  /* a block\n     of words */\n  return g(x);\n"),
        ("rust", "m.drift", b"        g(x)\n"),
        ("cpp", "n.Box.step", b"    return std::max<T>(a, x);\n"),
    ],
)
def test_the_body_of_a_symbol_can_be_chosen_and_filled_again(
    language: str, symbol: str, body: bytes
) -> None:
    data = FILES[language]
    selection = chosen(data, symbol=symbol, language=language)
    masked = mask(splice(data, selection, "s", language=language), "s", path="f", language=language)

    assert masked.code.encode() == body
    assert fill(masked.text, masked.snippet, masked.code).encode() == data
    (row,) = [item for item in rows(language, data) if item.symbol == symbol]
    assert masked.snippet.loc == row.loc


@pytest.mark.usefixtures("grammars")
def test_a_body_on_the_line_of_its_header_is_refused_with_a_mend() -> None:
    with pytest.raises(InputError, match="no lines of its own"):
        chosen(FILES["c"], symbol="half", language="c")


@pytest.mark.usefixtures("grammars")
def test_functions_of_other_languages_are_candidates_and_have_twins(tmp_path: Path) -> None:
    body = "  a <- x - mean(x)\n  b <- cumsum(a) / sd(a)\n  s <- max(b) - min(b)\n  s * length(b)\n"
    (tmp_path / "f.R").write_text(f"gauge <- function(x) {{\n{body}}}\n")
    (tmp_path / "g.R").write_text(f"other <- function(x) {{\n{body}}}\n")
    found = rank(inventory(tmp_path), "# Gauge\n\nThe gauge of x.\n", root=tmp_path).candidates

    assert [item.function.symbol for item in found] == ["gauge", "other"]
    copies = twins([found[0].function], tmp_path)[found[0].function]
    assert [(twin.path, twin.start) for twin in copies] == [("g.R", 1)]
