"""The commands of the evaluator."""

import typer

from recodeh.eval import commands_play, commands_read

app = typer.Typer()
app.add_typer(commands_play.app)
app.add_typer(commands_read.app)
