def recommend() -> None:
    raise NotImplementedError
