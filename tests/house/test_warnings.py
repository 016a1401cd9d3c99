"""A warning is one line for a person, without the place in our code."""

import subprocess
import sys


def test_a_warning_is_one_line() -> None:
    program = """
import sys, warnings, recodeh_cli
recodeh_cli.run = lambda arguments: warnings.warn("no wall\\nworks here", stacklevel=1) or 0
recodeh_cli.main([])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == "recodeh: warning: no wall works here\n"
