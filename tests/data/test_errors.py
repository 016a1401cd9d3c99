from recodeh.data import errors
from recodeh.data.errors import InputError, RecodehError, RoomError


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, RecodehError) and value is not RecodehError
    ]
    assert classes
    for kind in classes:
        line = next(x for x in (errors.__doc__ or "").splitlines() if f"── {kind.__name__} " in x)
        assert line.endswith(f"exit code {kind.exit_code}")


def test_a_message_says_what_where_and_the_mend() -> None:
    error = InputError("no such level", where="--levels 7", mend="levels are 0 to 4")
    assert str(error) == "--levels 7: no such level (levels are 0 to 4)"


def test_without_a_place_and_a_mend_only_what_happened() -> None:
    assert str(RoomError("the judge died")) == "the judge died"
