from recodeh.cards.licences import hub_id, hub_ids


def test_an_spdx_id_becomes_the_hubs() -> None:
    assert hub_id("MIT") == "mit"
    assert hub_id("GPL-3.0-or-later") == hub_id("GPL-3.0-only") == "gpl-3.0"
    assert hub_id("LicenseRef-scancode-research") == "other"


def test_expressions_give_each_licence_once() -> None:
    found = hub_ids(
        ["MIT", "(MIT OR Apache-2.0) AND BSD-3-Clause", "GPL-2.0-only WITH Classpath-exception-2.0"]
    )
    assert found == ["apache-2.0", "bsd-3-clause", "gpl-2.0", "mit"]


def test_an_unknown_licence_is_other_and_comes_last() -> None:
    assert hub_ids([None, "zlib", "Nonsense-1.0"]) == ["zlib", "other"]
