"""Commands of `recodeh.curation`."""

import typer

app = typer.Typer()
