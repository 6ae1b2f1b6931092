"""Clusters that were measured, in the list of profiles: a line each, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.cluster.profile import ClusterProfile
from advisor.cluster.report import cluster_words
from advisor.report.page import Look, Page, Style, cells


def clusters_page(clusters: Mapping[str, ClusterProfile], look: Look) -> str:
    """A line for each, the newest first; empty where there is none.

    Args:
        clusters: by the name under which each is kept.
    """
    page = Page(look)
    if not clusters:
        return ""
    width = max(map(cells, clusters))
    for name, profile in sorted(clusters.items(), key=lambda named: named[1].date, reverse=True):
        slow = f"; slow parts: {len(profile.findings):,}" if profile.findings else ""
        first = [(f"{name:<{width}}  ", Style.STRONG)]
        page.add(f"{cluster_words(profile)}; measured on {profile.date[:10]}{slow}", first=first)
    page.apart(
        "Clusters measured from this host. --machine NAME plans for one; `advisor profiles show NAME` has its page."
    )
    return page.text()


def cluster_json(name: str, profile: ClusterProfile) -> dict[str, Any]:
    """A measured cluster in the list of profiles."""
    return {
        "kind": "cluster",
        "name": name,
        "title": cluster_words(profile),
        "date": profile.date,
        "nodes": len(profile.nodes),
        "ranks": len(profile.ranks),
        "findings": [one.says for one in profile.findings],
    }
