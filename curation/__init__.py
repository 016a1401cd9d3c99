"""From a paper's repository to ranked candidates and tagged, masked snippets."""
