def report() -> None:
    raise NotImplementedError
