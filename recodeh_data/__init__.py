"""The records that flow through the project, their files on disk, and the recipes of the splits."""
