def compare() -> None:
    raise NotImplementedError
