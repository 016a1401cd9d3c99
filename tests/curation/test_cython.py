"""Cython read as Python: nothing moves, and its functions are found."""

from hypothesis import given
from hypothesis import strategies as st

from recodeh.curation.cython import pythonised
from recodeh.curation.functions import functions_in

SOURCE = b'''\
cimport numpy as np
from libc.math cimport sqrt, exp

cdef extern from "x.h" nogil:
    double foo(double x)

ctypedef fused real:
    float
    double

DEF N = 3


cdef class Box:
    """Doc (of box): x"""
    cdef public int n, m

    def __cinit__(self, double x, int n=2):
        self.x = x

    cdef inline double area(self, double[:, ::1] a, np.ndarray[double, ndim=2] b
                            ) except? -1 nogil:
        """Area: of (x"""
        cdef int i, j = 0
        cdef double s = sqrt(self.x)
        cdef double *p = <double*> malloc(3)
        for i in range(3):
            s += exp(<double>i) + foo(&a[0, 0])
        return s


cpdef list f(x, y, z=None):
    return np.sum(x)

cdef int declared(int x)

def plain(a, b=(1, 2)):
    return 'def no(): # x'
'''


def test_functions_of_every_kind_are_found() -> None:
    found = functions_in(SOURCE, "a.pyx", "a", language="cython")
    rows = {row.symbol: row for row in found.functions}
    area = rows["Box.area"]

    assert (list(rows), found.error) == (["Box.__cinit__", "Box.area", "f", "plain"], None)
    assert (area.start, area.end, area.loc, area.docstring) == (21, 29, 6, "Area: of (x")
    assert area.signature.startswith("cdef inline double area(self, double[:, ::1] a, np.ndarray")
    assert area.calls == ("libc.math.sqrt", "malloc", "range", "libc.math.exp", "foo")
    assert rows["f"].calls == ("numpy.sum",)
    assert {row.language for row in rows.values()} == {"cython"}


PIECES = st.sampled_from(
    ["cdef ", "cpdef ", "def ", "class ", "int ", "f", "(", ")", "[", "]", ":", "\n", "    ", "x",
     " = ", ",", '"', "'''", "#", "<double>", "&", "cimport ", "extern ", "struct ", "\\"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_line_moves_and_no_length_changes(text: str) -> None:
    data = text.encode()
    rewritten = pythonised(data)

    assert len(rewritten) == len(data)
    assert [i for i, c in enumerate(rewritten) if c == 10] == [
        i for i, c in enumerate(data) if c == 10
    ]
