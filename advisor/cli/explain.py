def explain() -> None:
    raise NotImplementedError
