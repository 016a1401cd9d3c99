"""Tags and masks in the comment syntax of other languages."""

import pytest

from recodeh.curation.mask import mask
from recodeh.curation.select import select_lines
from recodeh.curation.tags import parse, splice, strip
from recodeh.data.errors import InputError
from recodeh.data.regions import encoded, fill

FILES = {
    "r": b"f <- function(x) {\n  s <- \"# <snippet name='no'>\n  \"\n  x + 1\n}\n",
    "julia": b"f(x) = begin\n  y = A'  # <not> \n  #=\n  # </snippet>\n  =#\n  y + 1\nend\n",
    "matlab": b"function y = f(A)\n  %{\n  % </snippet>\n  %}\n  B = A';\n  y = 'it''s %';\nend\n",
    "c": b'int f(int x) {\n  /*\n  // </snippet>\n  */\n  char *s = "// x";\n  return x;\n}\n',
    "cpp": b'auto s = R"x(\n// </snippet>\n)x";\nint f() {\n  return 1;\n}\n',
    "cuda": b"__global__ void f(float *x) {\r\n  x[0] = 1;\r\n  x[1] = 2;\r\n}\r\n",
    "rust": b"fn f<'a>(x: &'a str) -> char {\n  let s = r#\"\n// </snippet>\n\"#;\n  '/'\n}\n",
    "cython": b'cdef f(int x):\n    """\n    # </snippet>\n    """\n    y = x\n    return y\n',
}
MARKS = {"r": b"#", "julia": b"#", "matlab": b"%", "cython": b"#"}


@pytest.mark.parametrize("language", FILES)
def test_the_law_holds_in_every_language(language: str) -> None:
    before = FILES[language]
    last = before.count(b"\n") - 1
    chosen = select_lines(before, last, last)
    tagged = splice(before, chosen, "s", language=language)
    masked = mask(tagged, "s", path="f", language=language)

    assert strip(before, language=language) == before
    assert MARKS.get(language, b"//") + b' <snippet name="s">' in tagged
    assert strip(tagged, language=language) == before
    assert masked.snippet.loc == 1
    assert encoded(fill(masked.text, masked.snippet, masked.code), masked.snippet) == before


def test_a_stop_is_put_in_where_the_language_has_one() -> None:
    data = b'f <- function(x) {\n  # <snippet name="s">\n  # why\n  x + 1\n  # </snippet>\n}\n'
    masked = mask(data, "s", path="f.R", language="r")

    assert masked.text == (
        'f <- function(x) {\n  # TODO: implement "s"\n  stop("not implemented")\n}\n'
    )


def test_a_language_that_is_not_known_is_an_error() -> None:
    with pytest.raises(InputError, match="no language 'cobol'"):
        parse(b'# <snippet name="s">\n', language="cobol")
