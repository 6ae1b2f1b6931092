def wizard() -> None:
    raise NotImplementedError
