"""Files of weights: packed ones are unpacked to be counted or refused, what is no weight is left out, and headers are checked."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.models.named import named_model
from tests.cli.program import advisor

BYTES = {"F32": 4, "F16": 2, "BF16": 2, "U8": 1, "I8": 1, "I32": 4, "U32": 4, "I64": 8, "F8_E4M3": 1, "BOOL": 1}
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]


def entries(tensors: Shapes) -> dict[str, dict[str, Any]]:
    """One behind the other, as safetensors writes them."""
    found, end = {}, 0
    for name, (kind, shape) in tensors.items():
        begin, count = end, 1
        for size in shape:
            count *= size
        end += count * BYTES[kind]
        found[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}
    return found


def written(path: Path, header: str | Mapping[str, Any], content: bytes) -> Path:
    raw = (header if isinstance(header, str) else json.dumps(header)).encode()
    path.write_bytes(struct.pack("<Q", len(raw)) + raw + content)
    return path


def file(folder: Path, tensors: Shapes, content: bytes | None = None) -> Path:
    header = entries(tensors)
    size = max(entry["data_offsets"][1] for entry in header.values())
    return written(folder / "model.safetensors", header, bytes(size) if content is None else content)


def counted(folder: Path, tensors: Shapes, content: bytes | None = None) -> int:
    return named_model(str(file(folder, tensors, content))).parameters


ROW = ("F16", (256,))
PACKED: dict[str, Shapes] = {
    "bitsandbytes in 4 bits": {
        "a.weight": ("U8", (32_768, 1)), "a.weight.absmax": ("U8", (1024,)), "a.weight.quant_map": ("F32", (16,)),
        "a.weight.nested_absmax": ("F32", (4,)), "a.weight.nested_quant_map": ("F32", (256,)),
        "a.weight.quant_state.bitsandbytes__nf4": ("U8", (180,)),
    },
    "bitsandbytes in 4 bits, stored as bfloat16": {
        "a.weight": ("BF16", (16_384, 1)), "a.weight.absmax": ("F32", (1024,)), "a.weight.quant_map": ("F32", (16,)),
        "a.weight.quant_state.bitsandbytes__fp4": ("U8", (90,)),
    },
    "bitsandbytes in 8 bits": {"a.weight": ("I8", (256, 256)), "a.SCB": ("F32", (256,)), "a.weight_format": ("U8", ())},
    "MLX in 4 bits": {"a.weight": ("U32", (256, 32)), "a.scales": ("F16", (256, 4)), "a.biases": ("F16", (256, 4))},
    "MLX in 8 bits": {"a.weight": ("U32", (256, 64)), "a.scales": ("F16", (256, 4)), "a.biases": ("F16", (256, 4))},
    "MLX in MXFP4": {"a.weight": ("U32", (256, 32)), "a.scales": ("U8", (256, 8))},
    "GPTQ": {
        "a.qweight": ("I32", (32, 256)), "a.qzeros": ("I32", (2, 32)), "a.scales": ("F16", (2, 256)), "a.g_idx": ("I32", (256,)),
    },
    "GPTQ in 3 bits": {"a.qweight": ("I32", (24, 256)), "a.qzeros": ("I32", (2, 24)), "a.scales": ("F16", (2, 256))},
    "AWQ": {"a.qweight": ("I32", (256, 32)), "a.qzeros": ("I32", (2, 32)), "a.scales": ("F16", (2, 256))},
    "MXFP4 of gpt-oss": {"a_blocks": ("U8", (4, 64, 8, 16)), "a_scales": ("U8", (4, 64, 8))},
    "NVFP4 of compressed-tensors": {
        "a.weight_packed": ("U8", (256, 128)), "a.weight_scale": ("F8_E4M3", (256, 16)), "a.weight_global_scale": ("F32", (1,)),
    },
    "NVFP4 of ModelOpt": {
        "a.weight": ("U8", (256, 128)), "a.weight_scale": ("F8_E4M3", (256, 16)), "a.weight_scale_2": ("F32", ()),
        "a.input_scale": ("F32", ()),
    },
    "8 bits of compressed-tensors": {"a.weight": ("I8", (256, 256)), "a.weight_scale": ("BF16", (256, 1))},
    "FP8 of DeepSeek": {"a.weight": ("F8_E4M3", (256, 256)), "a.weight_scale_inv": ("F32", (2, 2))},
}  # fmt: skip


@pytest.mark.parametrize("name", PACKED)
def test_packed_weights_are_counted_as_they_were_before(name: str, tmp_path: Path) -> None:
    assert counted(tmp_path, {"norm.weight": ROW, **PACKED[name]}) == 256 * 256 + 256


@pytest.mark.parametrize(("bits", "columns"), [(4, 32), (8, 64)])
def test_the_shape_beside_packed_weights_is_read(bits: int, columns: int, tmp_path: Path) -> None:
    tensors = {
        "a.weight_shape": ("I64", (2,)),
        "a.weight_packed": ("I32", (256, columns)),
        "a.weight_scale": ("BF16", (256, 2)),
    }
    content = struct.pack("<qq", 256, 256) + bytes(4 * 256 * columns + 2 * 512)

    assert counted(tmp_path, tensors, content) == 256 * 256


@pytest.mark.parametrize(
    ("tensors", "what"),
    [
        ({"a.qweight": ("I32", (512, 4096))}, "a.qweight holds weights packed in 4 bits"),
        ({"a.weight": ("U8", (256, 64)), "a.weight_scale": ("BF16", (1,))}, "a.weight holds whole numbers .U8."),
        ({"a.weight": ("I32", (256, 64))}, "a.weight holds whole numbers .I32."),
        ({"a.W_q": ("U8", (128, 256)), "a.scale": ("F16", (256, 4))}, "HQQ"),
        ({"a._weight_qdata": ("I8", (256, 128)), "a._weight_scale": ("F16", (256, 4))}, "torchao"),
        ({"a.Qidxs": ("I64", (256, 32))}, "QuIP"),
        ({"a.weight_packed": ("I32", (256, 32))}, "weight_shape beside it"),
        ({"a_blocks": ("U8", (4, 64, 8, 16))}, "blocks"),
        (
            {"a.weight": ("U32", (999, 32)), "a.scales": ("F16", (999, 4)), "a.biases": ("F16", (999, 4))},
            "nothing beside it says in how many bits",
        ),
    ],
)
def test_packed_weights_that_cannot_be_counted_are_refused_by_name(tensors: Shapes, what: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=what):
        counted(tmp_path, tensors)


def test_a_configuration_beside_the_file_says_how_mlx_packed(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"quantization": {"group_size": 32, "bits": 8}}')
    tensors = {"a.weight": ("U32", (999, 32)), "a.scales": ("F16", (999, 4)), "a.biases": ("F16", (999, 4))}

    assert counted(tmp_path, tensors) == 999 * 128


BESIDE: Shapes = {
    "h.0.attn.bias": ("F32", (1, 1, 32, 32)), "h.0.attn.masked_bias": ("F32", ()), "bn.running_mean": ("F32", (8,)),
    "bn.running_var": ("F32", (8,)), "bn.num_batches_tracked": ("I64", ()), "embeddings.position_ids": ("I64", (1, 512)),
    "rotary.inv_freq": ("F32", (32,)), "rope.cos_cached": ("F32", (64, 8)), "attn.relative_position_index": ("I64", (49, 49)),
    "blocks.1.attn_mask": ("F32", (64, 49, 49)), "alphas_cumprod": ("F32", (1000,)), "freqs_cis": ("F32", (64, 8)),
    "optimizer.state.0.exp_avg": ("F32", (8, 8)), "layer.exp_avg_sq": ("F32", (8, 8)), "causal": ("BOOL", (8, 8)),
    "ema.layer.weight": ("F32", (8, 8)),
}  # fmt: skip


def test_what_is_kept_beside_weights_is_left_out_and_said(tmp_path: Path) -> None:
    weights = {
        "layer.weight": ("F32", (8, 8)),
        "layer.bias": ("F32", (8,)),
        "head.relative_attention_bias.weight": ("F32", (32, 4)),
    }

    model = named_model(str(file(tmp_path, {**weights, **BESIDE})))

    assert model.parameters == 64 + 8 + 128
    assert model.remarks == (f"{len(BESIDE)} tensors hold no weights and are not counted, such as h.0.attn.bias.",)


def test_an_average_of_weights_that_are_not_there_is_the_network(tmp_path: Path) -> None:
    assert counted(tmp_path, {"ema.layer.weight": ("F32", (8, 8))}) == 64


def one(**changes: Any) -> dict[str, Any]:
    return {"a": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64], **changes}}


@pytest.mark.parametrize(
    ("header", "content", "what"),
    [
        (one(shape=[1_000_000, 1_000_000]), 64, "a says 1000000 x 1000000 of F32, .* and has 64 of the file"),
        (one(), 0, "cut off: its header says 64 bytes of numbers, and 0 are there"),
        (one(), 63, "cut off"),
        (one(), 65, "1 bytes follow the last of its tensors"),
        (one(dtype="EVIL"), 64, "type 'EVIL', which the format does not have"),
        (one(dtype=None), 64, "which the format does not have"),
        (one(data_offsets=[-64, 0]), 64, "no two whole numbers"),
        (one(data_offsets=[0]), 64, "no two whole numbers"),
        (one(data_offsets=None), 64, "no two whole numbers"),
        (one(data_offsets=[0, 2**70]), 64, "no two whole numbers"),
        (one(data_offsets=[64, 0]), 64, "has -64 of the file"),
        (one(data_offsets=[8, 72]), 72, "leaves a gap behind the header"),
        ({**one(), "b": {"dtype": "F32", "shape": [4], "data_offsets": [56, 72]}}, 72, "b overlaps a"),
        ({**one(), "b": {"dtype": "F32", "shape": [4], "data_offsets": [72, 88]}}, 88, "b leaves a gap behind a"),
        ('{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "a": {"dtype": "F32", "shape": [1], '
         '"data_offsets": [0, 4]}}', 4, "names a twice"),
        ("[]", 4, "cut off, or no JSON"),
    ],
)  # fmt: skip
def test_a_header_that_does_not_fit_its_content_is_refused(
    header: Any, content: int, what: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "model.safetensors", header, bytes(content))

    with pytest.raises(InputError, match=what):
        named_model(str(path))


def test_packed_weights_and_their_scales_may_lie_in_two_files(tmp_path: Path) -> None:
    parts = {"one": {"a_blocks": ("U8", (4, 64, 8, 16))}, "two": {"a_scales": ("U8", (4, 64, 8))}}
    for name, tensors in parts.items():
        file(tmp_path, tensors).rename(tmp_path / f"{name}.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    places = {tensor: f"{name}.safetensors" for name, tensors in parts.items() for tensor in tensors}
    index.write_text(json.dumps({"weight_map": places}))

    assert named_model(str(index)).parameters == 256 * 256


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        file(tmp_path, {"a": ("F32", (4,))}).rename(tmp_path / f"{name}.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}))

    with pytest.raises(InputError, match=r"a is in one\.safetensors too"):
        named_model(str(index))


@pytest.mark.parametrize("name", ["two.safetensors", "~", "a\nb", "\x00", "x" * 300])
def test_a_file_that_an_index_names_and_that_is_not_there_is_refused_by_the_name_of_the_index(
    name: str, tmp_path: Path
) -> None:
    file(tmp_path, {"a": ("F32", (4,))}).rename(tmp_path / "one.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "one.safetensors", "b": name}}))

    with pytest.raises(InputError, match=r"model\.safetensors\.index\.json: it names .*, which is not beside it"):
        named_model(str(index))


def test_what_weights_alone_do_not_show_is_not_known(tmp_path: Path) -> None:
    path = file(tmp_path, {"a.weight": ("F32", (8, 4)), "b.weight": ("F16", (4,))})
    told = json.loads(advisor("models", "show", path, "--format", "json").out)
    assert told["parameters"] == 36
    for name in ("multiply_adds_per_example", "kept_values_per_example", "kept_bytes_per_example"):
        assert told[name] is None, name
    for name in ("multiply_adds", "kept_values", "kept_bytes", "moved_values"):
        assert [layer[name] for layer in told["layers"]] == [None, None], name
    shown = advisor("models", "show", path).out
    assert "a: 32 parameters\n" in shown
    assert "Multiply-adds: not known" in shown
    assert "kept" not in shown
