"""The command palette: what is done most stands first, the long list of topics last."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hit, Hits, Provider

FIRST = 0.2
"""Added to the match of what stands first, and less the further down it stands: a title that fits better still wins."""


class Ranked(Provider):
    """The commands of the screen and the app in the order in which they name them."""

    async def discover(self) -> Hits:
        for title, does, callback, shown in self.app.get_system_commands(self.screen):
            if shown:
                yield DiscoveryHit(title, callback, help=does)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        commands = list(self.app.get_system_commands(self.screen))
        for place, (title, does, callback, _) in enumerate(commands):
            if (match := matcher.match(title)) > 0:
                rank = match * (1 + FIRST * (1 - place / len(commands)))
                yield Hit(rank, matcher.highlight(title), callback, help=does)
