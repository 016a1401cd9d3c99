"""The two rooms: the judge that holds the tests, and the one that loads the submission."""
