"""Tensors of a file of weights that are no weights, and weights of which several are packed in one number."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.files.named import read_beginning
from advisor.models.safetensors_header import TITLE, Tensor, wrong
from advisor.wording import shorten

_BUFFERS = frozenset(
    {
        "running_mean", "running_var", "num_batches_tracked", "position_ids", "token_type_ids", "inv_freq",
        "original_inv_freq", "masked_bias", "causal_mask", "attn_mask", "attention_mask", "mask", "tril",
        "relative_position_index", "relative_coords_table", "cos_cached", "sin_cached", "cos_cache", "sin_cache",
        "freqs_cis", "freqs_cos", "freqs_sin", "rope_freqs", "betas", "alphas_cumprod", "alphas_cumprod_prev",
        "sqrt_alphas_cumprod", "sqrt_one_minus_alphas_cumprod", "log_one_minus_alphas_cumprod", "sqrt_recip_alphas_cumprod",
        "sqrt_recipm1_alphas_cumprod", "posterior_variance", "posterior_log_variance_clipped", "posterior_mean_coef1",
        "posterior_mean_coef2", "logvar",
    }
)  # fmt: skip
"""Kept beside what is learned, by the last part of the name."""
_OPTIMIZER = frozenset(
    {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "exp_inf", "momentum_buffer", "square_avg", "acc_delta", "grad_avg"}
)
_OPTIMIZER_PLACE = re.compile(r"^(optim|optimizer|opt_state|lr_scheduler)[._]")
_COPY = re.compile(r"^(model_ema|ema_model|ema)\.")
"""Averages of the weights of the last steps, beside the weights."""
_SCALES = frozenset(
    {
        "weight_scale", "weight_scale_inv", "weight_scale_2", "weight_scales", "weight_zero_point", "weight_global_scale",
        "input_scale", "input_global_scale", "input_zero_point", "output_scale", "output_zero_point", "k_scale", "v_scale",
        "q_scale", "scale_inv", "SCB", "weight_format", "absmax", "quant_map", "nested_absmax", "nested_quant_map",
        "weight_shape", "weight_g_idx", "g_idx",
    }
)  # fmt: skip
"""Book-keeping of packed weights, by the last part of the name."""
_UNREADABLE = {
    "W_q": "HQQ", "Qidxs": "QuIP#", "codebooks": "AQLM", "codes": "AQLM", "q_weight": "EXL2", "_data": "quanto",
    "centroids": "VPTQ", "trellis": "EXL3", "B_int": "Marlin", "B": "Marlin", "packed_weight": "torchao",
    "qdata": "torchao", "_weight_qdata": "torchao", "weight_packed_3bit": "another format",
}  # fmt: skip
_TORCHAO = re.compile(r"(:|_)(qdata|_data|int_data|tensor_impl|packed_weight)$")
_STATE = re.compile(r"\.quant_state\.bitsandbytes__(nf4|fp4)$")
_WHOLE = frozenset({"BOOL", "I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64"})
_NEVER_PACKED = frozenset({"BOOL", "I64", "U64"})
_GROUPS_OF_MLX = ((64, 4), (64, 8), (32, 4), (128, 4), (32, 8), (128, 8), (64, 2), (64, 3), (64, 6), (32, 2), (128, 2),
                  (32, 3), (32, 6), (128, 3), (128, 6), (64, 5), (32, 5), (128, 5))  # fmt: skip
"""Weights that share a scale, and bits of each, the most usual first (mlx.core.quantize)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The number of weights in a tensor, and the way in which they are packed."""

    count: int
    how: str = ""


class PackedWeights:
    """The tensors of a network, in one file or in several, which explain each other."""

    def __init__(self, path: Path, tensors: Mapping[str, Tensor], files: Mapping[str, Path]) -> None:
        self._path = path
        self._tensors = tensors
        self._files = files
        self._states = {_STATE.sub("", name) for name in tensors if _STATE.search(name)}
        self._sides = {side for one in tensors.values() if one.type not in _WHOLE for side in one.shape[:2]}

    def weights(self, tensor: Tensor) -> Weights | None:
        """Those that a tensor holds; None for one that holds none. Raises InputError where that cannot be known."""
        place, _, last = tensor.name.rpartition(".")
        self._refuse_unreadable(tensor, last)
        if tensor.name in self._states:
            return Weights(_in(tensor, 4), "4 bits, bitsandbytes")
        if self._is_beside(tensor, place, last):
            return None
        for rule in (self._gptq, self._compressed, self._mlx, self._blocks, self._modelopt, self._bytes):
            found = rule(tensor, place, last)
            if found is not None:
                return found
        if tensor.type in _NEVER_PACKED or (tensor.type in _WHOLE and (last != "weight" or len(tensor.shape) < 2)):
            return None
        if tensor.type in _WHOLE:
            raise self._unknown(
                tensor, f"whole numbers ({tensor.type}), and nothing beside it says how they are packed"
            )
        return Weights(tensor.numbers, f"8 bits, {tensor.type}" if tensor.type.startswith("F8") else "")

    def _refuse_unreadable(self, tensor: Tensor, last: str) -> None:
        maker = _UNREADABLE.get(last) or ("torchao" if _TORCHAO.search(tensor.name) else None)
        if maker is not None and (tensor.type in _WHOLE or last in ("codebooks", "centroids")):
            raise self._unknown(tensor, f"packed weights ({maker}), which cannot be counted from its shape")

    def _is_beside(self, tensor: Tensor, place: str, last: str) -> bool:
        """True for tensors that are kept beside weights, and for the book-keeping of packed ones."""
        if last in _BUFFERS or last in _OPTIMIZER or last in _SCALES or _OPTIMIZER_PLACE.match(tensor.name):
            return True
        if ".quant_state." in tensor.name or _is_mask(tensor, last):
            return True
        if last in ("scales", "biases", "qzeros") and ({"weight", "qweight"} & self._beside(place)):
            return (
                self._tensors[f"{place}.weight" if f"{place}.weight" in self._tensors else f"{place}.qweight"].type
                in _WHOLE
            )
        if last.endswith("_scales") and f"{tensor.name.removesuffix('_scales')}_blocks" in self._tensors:
            return True
        return _COPY.match(tensor.name) is not None and self._is_copy(tensor)

    def _is_copy(self, tensor: Tensor) -> bool:
        """True for an average of weights that are in the file too."""
        plain = _COPY.sub("", tensor.name)
        names = (
            plain,
            f"model.{plain}",
            f"module.{plain}",
            plain.removeprefix("module."),
            plain.removeprefix("model."),
        )
        others = [self._tensors[name] for name in names if name in self._tensors and name != tensor.name]
        return any(other.shape == tensor.shape for other in others) or plain in (
            "decay",
            "num_updates",
            "initted",
            "step",
        )

    def _beside(self, place: str) -> set[str]:
        names = ("weight", "qweight", "qzeros", "scales", "biases", "SCB", "weight_scale", "weight_scale_2", "weight_scales",
                 "weight_shape", "weight_scale_inv")  # fmt: skip
        return {name for name in names if f"{place}.{name}" in self._tensors}

    def _gptq(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """GPTQ packs along the inputs, AWQ along the outputs; both have a zero point for each group and output."""
        if last != "qweight":
            return None
        scales, zeros = (self._tensors.get(f"{place}.{name}") for name in ("scales", "qzeros"))
        if not scales or not zeros or not len(scales.shape) == len(zeros.shape) == len(tensor.shape) == 2:
            raise self._unknown(tensor, "weights packed in 4 bits, which cannot be counted from its shape")
        outputs = scales.shape[1]
        bits = 32 * zeros.shape[1] / outputs if outputs else 0
        if bits not in (2, 3, 4, 8):
            raise self._unknown(tensor, "packed weights (qweight), and its zero points do not say in how many bits")
        awq = tensor.shape[1] != outputs
        return Weights(_in(tensor, int(bits)), f"{bits:.0f} bits, {'AWQ' if awq else 'GPTQ'}")

    def _compressed(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """compressed-tensors: whole numbers of 32 bits with the shape beside them, or two numbers of 4 bits in a byte."""
        if last != "weight_packed":
            return None
        if tensor.type == "U8":
            return Weights(_in(tensor, 4), "4 bits, compressed-tensors")
        shape = self._tensors.get(f"{place}.weight_shape")
        sizes = self._numbers_of(shape) if shape is not None else []
        count = sizes[0] * sizes[1] if len(sizes) == 2 else 0
        bits = next((bits for bits in (4, 8, 2, 3, 6, 5, 1) if count and _fits(tensor, sizes, bits)), None)
        if bits is None:
            raise self._unknown(
                tensor, "packed weights (compressed-tensors), and weight_shape beside it does not say how many"
            )
        return Weights(count, f"{bits} bits, compressed-tensors")

    def _numbers_of(self, tensor: Tensor) -> list[int]:
        """The numbers of a small tensor of whole numbers."""
        width = {"I64": 8, "I32": 4}.get(tensor.type)
        if width is None or tensor.numbers > 8:
            return []
        path = self._files[tensor.name]
        header = 8 + int.from_bytes(read_beginning(path, 8, TITLE), "little")
        with path.open("rb") as file:
            file.seek(header + tensor.begin)
            raw = file.read(width * tensor.numbers)
        return [int.from_bytes(raw[at : at + width], "little", signed=True) for at in range(0, len(raw), width)]

    def _mlx(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """MLX packs along the inputs, and has a scale for each group of them."""
        scales = self._tensors.get(f"{place}.scales")
        if last != "weight" or tensor.type != "U32" or scales is None or not tensor.shape or not scales.shape:
            return None
        columns, groups = tensor.shape[-1], scales.shape[-1]
        if tensor.shape[:-1] != scales.shape[:-1] or not groups:
            raise self._unknown(tensor, "packed weights (MLX), whose scales have another shape")
        together = 32 * columns / groups  # bits of all that share a scale
        if f"{place}.biases" not in self._tensors and scales.type == "U8":
            bits = {256: 8}.get(int(together), 4)
            return Weights(_in(tensor, bits), f"{bits} bits, MLX")
        told = self._told_bits(place)
        possible = [bits for group, bits in _GROUPS_OF_MLX if group * bits == together and told in (None, bits)]
        likely = [bits for bits in possible if 32 * columns // bits in self._sides] or possible
        if len(set(likely)) != 1:
            what = "packed weights (MLX), and nothing beside it says in how many bits"
            raise self._unknown(tensor, what, 'Put the config.json with its "quantization" beside the file.')
        return Weights(_in(tensor, likely[0]), f"{likely[0]} bits, MLX")

    def _told_bits(self, place: str) -> int | None:
        """Bits of a weight by the config.json beside the file, of this layer or of all."""
        path = self._path.with_name("config.json")
        try:
            told = json.loads(read_beginning(path, 1_000_000, TITLE)).get("quantization")
        except (InputError, ValueError, RecursionError, AttributeError):
            return None
        if not isinstance(told, dict):
            return None
        own = told.get(place)
        bits = own.get("bits") if isinstance(own, dict) else told.get("bits")
        return bits if isinstance(bits, int) else None

    def _blocks(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """MXFP4 as gpt-oss has it: two numbers of 4 bits in a byte, and a scale for each block."""
        if not last.endswith("_blocks") or tensor.type != "U8":
            return None
        if f"{tensor.name.removesuffix('_blocks')}_scales" not in self._tensors:
            raise self._unknown(tensor, "packed weights (blocks), and nothing beside it has their scales")
        return Weights(_in(tensor, 4), "4 bits, MXFP4")

    def _modelopt(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """NVFP4: two numbers of 4 bits in a byte, a scale for each 16, and one for all."""
        if last != "weight" or tensor.type != "U8" or "weight_scale_2" not in self._beside(place):
            return None
        return Weights(_in(tensor, 4), "4 bits, NVFP4")

    def _bytes(self, tensor: Tensor, place: str, last: str) -> Weights | None:
        """A weight in each byte, with a scale for each row or for all."""
        if last != "weight" or tensor.type != "I8":
            return None
        maker = "bitsandbytes" if "SCB" in self._beside(place) else ""
        names = ("SCB", "weight_scale", "weight_scales")
        scales = [self._tensors[f"{place}.{name}"] for name in names if f"{place}.{name}" in self._tensors]
        rows = tensor.shape[0] if tensor.shape else 0
        if not any(scale.numbers == 1 or rows in scale.shape for scale in scales):
            return None
        return Weights(tensor.numbers, f"8 bits{', ' * bool(maker)}{maker}")

    def _unknown(
        self, tensor: Tensor, what: str, remedy: str = "Name the config.json beside it, or the file it was made from."
    ) -> InputError:
        return wrong(str(self._files[tensor.name]), f"{shorten(tensor.name)} holds {what}", remedy)


def _is_mask(tensor: Tensor, last: str) -> bool:
    """True for a mask of what each place may look at, which GPT-2 and its like call `attn.bias`."""
    shape = tensor.shape
    return last == "bias" and len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def _in(tensor: Tensor, bits: int) -> int:
    """Weights of so many bits that a tensor has room for."""
    return tensor.bits // bits


def _fits(tensor: Tensor, sizes: list[int], bits: int) -> bool:
    rows, columns = sizes
    return tensor.shape == (rows, -(-columns * bits // 32)) or tensor.shape == (rows, -(-columns // (32 // bits)))
