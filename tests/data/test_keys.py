import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recodeh.data.keys import canonical_json, content_key

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False).filter(lambda x: abs(x) != float("inf")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_canonical_json_is_json_of_the_same_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_fields_does_not_matter(value: dict[str, int]) -> None:
    assert content_key(value) == content_key(dict(reversed(value.items())))


def test_another_value_has_another_key() -> None:
    assert content_key({"a": 1}) != content_key({"a": 2})


def test_not_a_number_has_no_key() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        content_key(float("nan"))


def test_half_a_surrogate_pair_has_a_key_all_the_same() -> None:
    assert canonical_json({"text": "\ud800"}) == b'{"text":"?"}'
    assert content_key("\ud800") == content_key("?")
