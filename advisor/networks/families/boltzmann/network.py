"""Boltzmann machines: hidden units that learn without labels what in the data goes together.

The restricted one (rbm) from Smolensky 1986, trained by contrastive divergence (Hinton 2002, Training products of experts
by minimizing contrastive divergence), in the manner of Hinton 2010, A practical guide to training restricted Boltzmann
machines. A deep belief network (dbn) is a stack of them (Hinton, Osindero and Teh 2006, A fast learning algorithm for
deep belief nets): each learns from the hidden units below it, then all together are tuned gently for the task.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from advisor.networks.parts.sizes import GIBBS_STEPS

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many steps are done, and of how many."""
FIRST_DEVIATION = 0.01
"""Of the initial weights (Hinton 2010, section 8)."""


class Contrasted(NamedTuple):
    """Free energies (batch,) of the examples, and of the visible units that the machine reached from them."""

    examples: Tensor
    reached: Tensor


class BoltzmannMachine(nn.Module):
    """(batch, visible) -> (batch, hidden): the probability of each hidden unit to be on.

    Hidden units are on or off. Visible units are on or off too (values from 0 to 1 count as probabilities), or
    `gaussian`: numbers with variance 1 around their mean, for standardised values (Hinton 2010, section 13.2).
    """

    def __init__(self, visible: int, hidden: int, *, gaussian: bool = False, steps: int = GIBBS_STEPS) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden, visible) * FIRST_DEVIATION)
        self.hidden_bias = nn.Parameter(torch.zeros(hidden))
        self.visible_bias = nn.Parameter(torch.zeros(visible))
        self.gaussian, self.steps = gaussian, steps

    def forward(self, visible: Tensor) -> Tensor:
        return self._drive(visible).sigmoid()

    def contrast(self, examples: Tensor) -> Contrasted:
        """(batch, visible) -> the energies that contrastive divergence compares."""
        drive = self._drive(examples)
        with torch.no_grad():
            reached = self._after_steps(drive)
        return Contrasted(self._energy(examples, drive), self._energy(reached, self._drive(reached)))

    def free_energy(self, visible: Tensor) -> Tensor:
        """(batch, visible) -> (batch,): minus the logarithm of the probability, but for a constant."""
        return self._energy(visible, self._drive(visible))

    def down(self, hidden: Tensor) -> Tensor:
        """(batch, hidden) -> (batch, visible): the mean of each visible unit."""
        means = functional.linear(hidden, self.weight.t(), self.visible_bias)
        return means if self.gaussian else means.sigmoid()

    def gibbs(
        self, visible: Tensor, steps: int, generator: Generator | None = None, progress: Progress | None = None
    ) -> Tensor:
        """The visible units after so many steps to the hidden ones and back, every unit drawn at random."""
        for step in range(steps):
            visible = self.draw(self.down(_on_or_off(self(visible), generator)), generator)
            if progress is not None:
                progress(step + 1, steps)
        return visible

    def draw(self, means: Tensor, generator: Generator | None = None) -> Tensor:
        """Random visible units around these means."""
        if self.gaussian:
            return means + torch.randn(means.shape, generator=generator, device=means.device)
        return _on_or_off(means, generator)

    def start(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, visible): units as the visible biases alone would have them."""
        means = self.visible_bias.detach().expand(number, -1)
        return self.draw(means if self.gaussian else means.sigmoid(), generator)

    def sample(
        self,
        number: int,
        generator: Generator | None = None,
        *,
        steps: int = 1000,
        progress: Progress | None = None,
    ) -> Tensor:
        """(number, visible): the means of the visible units at the end of that many Gibbs steps."""
        visible = self.gibbs(self.start(number, generator), steps, generator, progress)
        return self.down(_on_or_off(self(visible), generator))

    def _after_steps(self, drive: Tensor) -> Tensor:
        """Visible means are passed on as they are and hidden units drawn: less noise in the gradient (section 3)."""
        reached = self.down(_on_or_off(drive.sigmoid()))
        for _ in range(self.steps - 1):
            reached = self.down(_on_or_off(self(reached)))
        return reached

    def _drive(self, visible: Tensor) -> Tensor:
        return functional.linear(visible, self.weight, self.hidden_bias)

    def _energy(self, visible: Tensor, drive: Tensor) -> Tensor:
        hidden = functional.softplus(drive.float()).sum(1)
        if self.gaussian:
            return 0.5 * ((visible - self.visible_bias) ** 2).sum(1) - hidden
        return -(visible * self.visible_bias).sum(1) - hidden


class DeepBelief(nn.Module):
    """(batch, values) -> (batch, outputs): up through the machines, their probabilities taken as activations, and a head.

    A single machine is an rbm. Without a head -> Contrasted, the energies of all machines summed: each learns from the
    probabilities below it, of
    which no gradient goes down, so one step of all is a step of each on its own. The paper trains them one after the other.
    """

    def __init__(self, widths: tuple[int, ...], outputs: int | None, *, gaussian: bool = False) -> None:
        super().__init__()
        self.machines = nn.Sequential(
            *(
                BoltzmannMachine(below, above, gaussian=gaussian and number == 0)
                for number, (below, above) in enumerate(pairwise(widths))
            )
        )
        self.head = None if outputs is None else nn.Linear(widths[-1], outputs)

    def forward(self, examples: Tensor) -> Tensor | Contrasted:
        values = examples.flatten(1)
        if self.head is not None:
            result: Tensor = self.head(self.machines(values))
            return result
        *below, top = self.stack()
        examples_energy = reached_energy = torch.zeros(())
        for machine in below:
            contrasted = machine.contrast(values)
            examples_energy, reached_energy = examples_energy + contrasted.examples, reached_energy + contrasted.reached
            with torch.no_grad():
                values = machine(values)
        contrasted = top.contrast(values)
        return Contrasted(examples_energy + contrasted.examples, reached_energy + contrasted.reached)

    def stack(self) -> list[BoltzmannMachine]:
        """The machines from the data upwards."""
        return [machine for machine in self.machines if isinstance(machine, BoltzmannMachine)]

    def restore(self, examples: Tensor) -> Tensor:
        """(batch, ...) -> the same: up to the units of the uppermost machine and down again, without chance."""
        values: Tensor = self.machines(examples.flatten(1))
        for machine in reversed(self.stack()):
            values = machine.down(values)
        return values.view_as(examples)

    def sample(
        self,
        number: int,
        generator: Generator | None = None,
        *,
        steps: int = 1000,
        progress: Progress | None = None,
    ) -> Tensor:
        """(number, values): the uppermost machine runs by itself, then the others pass its units down."""
        *below, top = self.stack()
        values = top.sample(number, generator, steps=steps, progress=progress)
        for machine in reversed(below):
            values = machine.down(_on_or_off(values, generator))
        return values


def contrastive_divergence(contrasted: Contrasted, examples: Tensor) -> Tensor:
    """The energy of the examples above that of the units which the machine reaches from them (Hinton 2002).

    Only its gradient means something: the value wavers around zero.
    """
    return (contrasted.examples - contrasted.reached).mean()


def _on_or_off(probabilities: Tensor, generator: Generator | None = None) -> Tensor:
    return torch.bernoulli(probabilities, generator=generator)
