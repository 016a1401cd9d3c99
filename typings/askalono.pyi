class License:
    name: str
    score: float

def identify(text: str) -> License: ...
