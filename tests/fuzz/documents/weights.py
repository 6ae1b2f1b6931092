"""Files of weights (safetensors): names, shapes, types, offsets, the header's length, and what is packed beside other tensors."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ..case import Case, Content, Format, Link, Pipe
from ..marks import HOSTILE
from ..trees import mutated as mutated_tree
from ..trees import text
from ..values import texts

_FILE, _INDEX, _CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"
_BYTES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "F8_E4M3": 1,
    "U8": 1,
    "I8": 1,
    "I32": 4,
    "U32": 4,
    "I64": 8,
    "BOOL": 1,
}
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]
_NETWORKS: Sequence[Shapes] = (
    {"layer.weight": ("F32", (8, 4)), "layer.bias": ("F32", (8,)), "norm.running_mean": ("F32", (8,)), "step": ("I64", ())},
    {"a.qweight": ("I32", (8, 16)), "a.qzeros": ("I32", (2, 2)), "a.scales": ("F16", (2, 16)), "a.g_idx": ("I32", (16,))},
    {"a.weight": ("U32", (16, 4)), "a.scales": ("F16", (16, 1)), "a.biases": ("F16", (16, 1)), "n.weight": ("BF16", (32,))},
    {"a_blocks": ("U8", (2, 4, 2, 16)), "a_scales": ("U8", (2, 4, 2)), "b.weight": ("F8_E4M3", (4, 4)),
     "b.weight_scale_inv": ("F32", (1, 1))},
    {"a.weight_shape": ("I64", (2,)), "a.weight_packed": ("I32", (16, 4)), "a.weight_scale": ("BF16", (16, 1))},
    {"a.weight": ("U8", (64, 1)), "a.weight.absmax": ("F32", (2,)), "a.weight.quant_map": ("F32", (16,)),
     "a.weight.quant_state.bitsandbytes__nf4": ("U8", (24,))},
)  # fmt: skip
_SHAPE_AS_NUMBERS = struct.pack("<qq", 16, 32)
"""The contents of `weight_shape`, which is the first tensor of its network."""
_CONFIGURATION = {
    "model_type": "bert", "architectures": ["BertModel"], "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 64, "vocab_size": 100, "max_position_embeddings": 64, "type_vocab_size": 2,
    "quantization": {"bits": 4, "group_size": 32},
}  # fmt: skip
_COMMANDS = (
    ("models", "show", "NAME"),
    ("models", "show", "NAME", "--format", "json"),
    ("recommend", "--machine", "none", "--model", "NAME"),
    ("recommend", "--machine", "none", "--model", "NAME", "--format", "html"),
    ("explain", "compute.device", "--machine", "none", "--model", "NAME"),
)
_LENGTHS = (0, 1, 2, 7, 2**16, 10_000_000, 10_000_001, 2**31, 2**63 - 1, 2**63, 2**64 - 1)
_NO_HEADERS = (
    b"", b"{", b"[]", b"{}", b"null", b"NaN", b'{"a": NaN}', b"[" * 60_000, b'{"a":' * 20_000, b'{"\xff\xfe": {}}',
    b"\xef\xbb\xbf{}",
    b'"' + b"x" * 5_000, b"9" * 5_000, b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}}',
    b'{"__metadata__": ' + b"[" * 900 + b"]" * 900 + b"}", "{}".encode("utf-16"), b"{}" + b" " * 70_000, b"{}\x00\x00",
)  # fmt: skip


def _header(tensors: Shapes) -> dict[str, Any]:
    """One tensor behind the other."""
    end, found = 0, {"__metadata__": {"format": "pt"}}
    for name, (kind, shape) in tensors.items():
        begin, end = end, end + prod(shape) * _BYTES[kind]
        found[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}
    return found


def _body(tensors: Shapes) -> bytes:
    size = sum(prod(shape) * _BYTES[kind] for kind, shape in tensors.values())
    return _SHAPE_AS_NUMBERS + bytes(size - 16) if "a.weight_shape" in tensors else bytes(size)


def _file(header: bytes, body: bytes, length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + body


def _case(
    command: Sequence[str], weights: bytes, index: bytes | None = None, configuration: bytes | None = None
) -> Case:
    files: dict[str, Content] = {
        _FILE: weights,
        _CONFIG: json.dumps(_CONFIGURATION).encode() if configuration is None else configuration,
    }
    name = _FILE
    if index is not None:
        files[_INDEX], name = index, _INDEX
    if configuration is not None:
        name = _CONFIG
    return Case(tuple(name if word == "NAME" else word for word in command), files)


def _index(tensors: Shapes) -> dict[str, Any]:
    return {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(tensors, _FILE)}


def valid() -> Sequence[Case]:
    files = [(tensors, _file(json.dumps(_header(tensors)).encode(), _body(tensors))) for tensors in _NETWORKS]
    alone = [_case(command, file) for _, file in files for command in _COMMANDS[:2]]
    indexed = [_case(command, files[0][1], index=json.dumps(_index(files[0][0])).encode()) for command in _COMMANDS]
    return [*alone, *indexed, *(_case(command, files[0][1]) for command in _COMMANDS)]


@st.composite
def _renamed(draw: DrawFn, tensors: Shapes) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The same with one other name, type or shape, and offsets that follow from it."""
    name = draw(st.sampled_from(sorted(tensors)))
    kind, shape = tensors[name]
    how = draw(st.integers(0, 3))
    put = name
    if how == 0:
        put = draw(texts(name) | st.sampled_from(HOSTILE)).encode("utf-8", "replace").decode()
    elif how == 1:
        kind = draw(st.sampled_from(sorted(_BYTES)))
    else:
        sizes = st.integers(0, 5) | st.sampled_from((1, 8, 16, 64))
        shape = tuple(draw(st.lists(sizes, max_size=4)))
    return {(put if key == name else key): ((kind, shape) if key == name else value) for key, value in tensors.items()}


@st.composite
def mutated(draw: DrawFn) -> Case:
    tensors = draw(st.sampled_from(_NETWORKS))
    command = draw(st.sampled_from(_COMMANDS))
    if draw(st.integers(0, 63)) == 0:
        return _case(
            command, draw(st.sampled_from((Pipe(), Link("/dev/zero"), Link(_FILE), Link("/dev/null"), Link("."))))
        )
    how = draw(st.integers(-6, 9))
    if how < 3:
        tensors = draw(_renamed(tensors))
    header, body = text(_header(tensors)).encode(), _body(tensors)
    length, index, configuration = None, None, None
    if how == 3:
        body = draw(st.binary(min_size=len(body), max_size=len(body)))
    elif how < 6:
        header = text(draw(mutated_tree(_header(tensors), 2))).encode()
    elif how == 6:
        header = draw(st.sampled_from(_NO_HEADERS))
    elif how == 7:
        length = draw(st.sampled_from(_LENGTHS) | st.integers(0, 2 * len(header)))
    elif how == 8:
        at = draw(st.integers(0, len(header) - 1))
        header = header[:at] + draw(st.binary(min_size=1, max_size=3)) + header[at + 1 :]
    whole = _file(header, body, length)
    if how == 9:
        what = draw(st.integers(0, 2))
        if what == 0:
            whole = whole[: draw(st.integers(0, len(whole)))] + draw(st.binary(max_size=9))
        elif what == 1:
            index = text(draw(mutated_tree(_index(tensors), 2))).encode()
        else:
            configuration = text(draw(mutated_tree(_CONFIGURATION, 2))).encode()
    return _case(command, whole, index, configuration)


FORMATS = [Format("safetensors", valid, mutated, accepted_share=0.3)]
