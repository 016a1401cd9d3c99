"""Agents: what turns a task and its history into a submission."""
