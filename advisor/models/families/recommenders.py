"""Networks that judge what somebody may like, by rows of large tables."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommender:
    """Rows of tables and layers over numbers, met with each other in products (DLRM, Naumov et al. 2019).

    The products are those of all pairs of vectors, or crosses of low rank (DCN V2, Wang et al. 2021).
    """

    tables: tuple[int, ...]
    """Rows of each table."""
    width: int
    """Of a row."""
    bottom: tuple[int, ...]
    """Widths of the layers over numbers, before one of the width of a row."""
    top: tuple[int, ...]
    """Widths of the layers over products, before the one that gives a score."""
    looked: tuple[int, ...] = ()
    """Rows of each table that an example meets, and that are added up; empty for one."""
    crosses: int = 0
    """Layers that multiply all vectors with what a matrix makes of them; 0 for products of all pairs."""
    rank: int = 0
    """Of these matrices."""
    numbers: int = 13
    """Of the usual example."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.numbers,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return (*self.bottom, self.width, *self.top)

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        with tape.within("bottom"):
            numbers = _layers(tape, tape.given(*input), (*self.bottom, self.width))
        looked = self.looked or (1,) * len(self.tables)
        rows = []
        for number, (size, count) in enumerate(zip(self.tables, looked, strict=True)):
            with tape.within("tables", number):
                rows.append(tape.table("rows", size, self.width, count))
        vectors = tape.joined(numbers, *rows)
        met = self._crossed(tape, vectors) if self.crosses else self._paired(tape, numbers, vectors)
        with tape.within("top"):
            tape.linear("score", _layers(tape, met, self.top), 1)

    def _paired(self, tape: Tape, numbers: Value, vectors: Value) -> Value:
        """Products of all pairs, behind the vector of the numbers."""
        count = vectors.size // self.width
        rows = tape.view(vectors, count, self.width)
        products = tape.products("products", rows, rows)
        return tape.joined(numbers, tape.moved(products, count * (count - 1) // 2, name="pairs"))

    def _crossed(self, tape: Tape, vectors: Value) -> Value:
        x = vectors
        for number in range(self.crosses):
            with tape.within("crosses", number):
                y = tape.linear("narrow", x, self.rank, bias=False)
                x = tape.add(tape.multiply(vectors, tape.linear("widen", y, vectors.size)), x)
        return x


def _layers(tape: Tape, x: Value, widths: tuple[int, ...]) -> Value:
    for number, width in enumerate(widths):
        with tape.within(number):
            x = tape.activation("relu", tape.linear("linear", x, width))
    return x
