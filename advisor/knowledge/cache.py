"""Cache of checked rule bases as JSON, so that a start need not parse and check the YAML again.

The key is a digest of every file's content and of the program's version; a cache that is missing or damaged, or that
somebody else could have made, is made anew, and nothing depends on it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from advisor.files.private import make_folder, read_private, save_private
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge
from advisor.plain import decode, encode
from advisor.resources import rules_folder

FORMAT = "advisor/knowledge-cache/6"
KEEP = 8
MAX_BYTES = 64_000_000


def cache_folder() -> Path:
    """The folder where checked rule bases are remembered; ADVISOR_CACHE overrides it."""
    override = os.environ.get("ADVISOR_CACHE")
    if override:
        return Path(override)
    from platformdirs import user_cache_dir  # 5 ms

    return Path(user_cache_dir("advisor"))


@functools.cache
def knowledge_for(packs: tuple[Path, ...] = ()) -> Knowledge:
    """The rule base that ships, with these packs on top, loaded once. Raises InputError as `loader.load` does."""
    return load_cached(rules_folder(), packs)


def load_cached(base: Path, packs: Sequence[Path] = ()) -> Knowledge:
    """The rule base, from the cache where its files are unchanged. Raises InputError as `loader.load` does."""
    files = loader.read_files(base, packs)
    digest = loader.digest(files)
    path = cache_folder() / f"knowledge-{digest}.json"
    places = [str(path) for _, path, _ in files]
    try:
        checksum, _, payload = read_private(path, MAX_BYTES).partition(b"\n")
        if checksum.decode("ascii") != hashlib.sha256(payload).hexdigest():
            raise ValueError("damaged")
        document = json.loads(payload)
        if document["format"] == FORMAT and document["files"] == places and document["digest"] == digest:
            return decode(Knowledge, document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # no usable cache: it is made anew below
    knowledge = loader.build(files)
    try:
        make_folder(path.parent)
        payload = json.dumps({"format": FORMAT, "files": places, **encode(knowledge, brief=True)}).encode()
        save_private(path, hashlib.sha256(payload).hexdigest().encode("ascii") + b"\n" + payload)
        _forget_old(path.parent)
    except OSError:
        pass  # a home that is read-only, or that others may write, costs time only
    return knowledge


def _forget_old(folder: Path) -> None:
    found = sorted(folder.glob("knowledge-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[KEEP:]:
        path.unlink(missing_ok=True)
