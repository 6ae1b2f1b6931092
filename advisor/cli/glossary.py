def glossary() -> None:
    raise NotImplementedError
