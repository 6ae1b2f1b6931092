"""Operations of torch: those that multiply and add, with formulas where torch has none, and those that cannot be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count

Shape = Sequence[int]
Operation = tuple[str, tuple[tuple[int, ...], ...]]
"""The name of an operation, and the shapes of the tensors that it was given."""


def _product(*factors: Any, out_val: Any = None, **_: Any) -> int:
    """Of two matrices, the last of the factors; of a sparse one only the numbers that it has."""
    one, other = [factor for factor in factors if isinstance(factor, Tensor)][-2:]
    if any(isinstance(factor, FakeTensor) and factor.layout in _SPARSE for factor in (one, other)):
        raise RuntimeError("the numbers of a sparse matrix must be there to be counted")
    inner = one._nnz() / one.shape[0] if one.layout in _SPARSE else one.shape[-1]
    if other.layout in _SPARSE:
        inner = inner * other._nnz() / prod(other.shape)
    return round(2 * one.shape[0] * inner * other.shape[-1])


_product._get_raw = True  # type: ignore[attr-defined] # it is given tensors rather than their shapes
_SPARSE = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc)


def _attention(query: Any, key: Any, value: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
    return int(sdpa_flop_count(query, _all_heads(key, query), _all_heads(value, query)))  # type: ignore[no-untyped-call]


def _attention_backward(gradient: Any, query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    keys, values = _all_heads(key, query), _all_heads(value, query)
    return int(sdpa_backward_flop_count(gradient, query, keys, values))  # type: ignore[no-untyped-call]


def _all_heads(shape: Any, query: Any) -> Any:
    """Keys or values that several heads of queries share, as if each had its own."""
    return torch.Size((*shape[:-3], query[-3], *shape[-2:]))


def _recurrent(steps: Shape, inward: Shape, onward: Shape, *_: Any, **__: Any) -> int:
    """Every weight once for each step of each example; steps are (steps, batch, values)."""
    return int(2 * steps[0] * steps[1] * (inward[0] * inward[1] + onward[0] * onward[1]))


def _recurrent_backward(steps: Shape, inward: Shape, onward: Shape, *_: Any, **__: Any) -> int:
    return 2 * _recurrent(steps, inward, onward)


def _of_vector(matrix: Shape, *_: Any, **__: Any) -> int:
    return 2 * prod(matrix)


def _added_to_vector(_vector: Shape, matrix: Shape, *_: Any, **__: Any) -> int:
    return 2 * prod(matrix)


def _outer(one: Shape, other: Shape, *_: Any, **__: Any) -> int:
    return 2 * prod(one) * prod(other)


def _outer_added(_matrix: Shape, one: Shape, other: Shape, *_: Any, **__: Any) -> int:
    return _outer(one, other)


def _matrices_added_up(_start: Shape, one: Shape, other: Shape, *_: Any, **__: Any) -> int:
    return 2 * prod(one) * other[-1]


def _trilinear(
    one: Shape,
    two: Shape,
    three: Shape,
    expand1: Sequence[int],
    expand2: Sequence[int],
    expand3: Sequence[int],
    *_: Any,
    **__: Any,
) -> int:
    """All products of three tensors, which are first given axes of length 1 at the places that `expand` names."""
    axes = len(one) + len(expand1)
    spread = [_with_axes(shape, places, axes) for shape, places in ((one, expand1), (two, expand2), (three, expand3))]
    return int(2 * prod(max(sizes) for sizes in zip(*spread, strict=True)))


def _with_axes(shape: Shape, places: Sequence[int], axes: int) -> list[int]:
    left = iter(shape)
    return [1 if axis in places else next(left) for axis in range(axes)]


def _over_time(steps: Shape, kernel: Shape, *_: Any, out_shape: Shape = (), **__: Any) -> int:
    """A convolution with the time first: steps are (steps, batch, channels), the kernel (width, channels, outputs)."""
    return 2 * prod(out_shape) * kernel[0] * kernel[1]


def _over_time_backward(gradient: Shape, steps: Shape, kernel: Shape, *_: Any, **__: Any) -> int:
    return 2 * _over_time(steps, kernel, out_shape=gradient)


def _distances(one: Shape, other: Shape, *_: Any, out_shape: Shape = (), **__: Any) -> int:
    """A difference and its power for each pair of vectors and each of their numbers."""
    return 2 * prod(out_shape) * other[-1]


def _distances_within(rows: Shape, *_: Any, out_shape: Shape = (), **__: Any) -> int:
    return 2 * prod(out_shape) * rows[-1]


_NEIGHBORS = {0: 2, 1: 0, 2: 4}
"""Pixels along each side between which a sample lies, by the mode: bilinear, nearest, bicubic."""


def _sampled(_values: Shape, grid: Shape, mode: int = 0, *_: Any, out_shape: Shape = (), **__: Any) -> int:
    return 2 * prod(out_shape) * int(_NEIGHBORS[mode] ** grid[-1])


def _grouped(rows: Shape, weights: Shape, *_: Any, **__: Any) -> int:
    """Each row times the matrix of its group; weights are (groups, values, outputs)."""
    return 2 * prod(rows) * weights[-1]


def _plain_product(one: Shape, other: Shape, *_: Any, out_shape: Shape = (), **__: Any) -> int:
    return 2 * prod(out_shape) * one[-1]


def _packets() -> Iterator[tuple[str, Callable[..., int]]]:
    for names, formula in (
        ("_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable", _attention),
        ("_scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention", _attention),
        ("_scaled_dot_product_flash_attention_for_cpu_backward", _attention_backward),
        ("mkldnn_rnn_layer", _recurrent),
        ("mkldnn_rnn_layer_backward", _recurrent_backward),
        ("mm addmm _sparse_addmm", _product),
        ("mv dot vdot", _of_vector),
        ("addmv addmv_", _added_to_vector),
        ("ger", _outer),
        ("addr addr_", _outer_added),
        ("addbmm addbmm_", _matrices_added_up),
        ("_trilinear", _trilinear),
        ("conv_tbc", _over_time),
        ("conv_tbc_backward", _over_time_backward),
        ("_cdist_forward _euclidean_dist", _distances),
        ("_pdist_forward", _distances_within),
        ("grid_sampler_2d grid_sampler_3d", _sampled),
        ("_grouped_mm", _grouped),
        ("_int_mm _weight_int8pack_mm _addmm_activation", _plain_product),
    ):
        for name in names.split():
            yield name, formula


FORMULAS: dict[Any, Callable[..., int]] = {
    getattr(torch.ops.aten, name): formula for name, formula in _packets() if hasattr(torch.ops.aten, name)
}
"""Of operations for which torch 2.13 has none, and would count nothing."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FREE = _names(
    """
    _adaptive_avg_pool2d _adaptive_avg_pool3d _add_relu _assert_async _assert_tensor_metadata _batch_norm_no_update
    _batch_norm_with_update _batch_norm_with_update_functional _chunk_cat _conj _embedding_bag
    _embedding_bag_forward_only _foreach_norm _functional_assert_async _fused_dropout _jagged_to_padded_dense_forward
    _linalg_check_errors _local_scalar_dense _log_softmax _masked_scale _native_batch_norm_legit
    _native_batch_norm_legit_functional
    _native_batch_norm_legit_no_training _pack_padded_sequence _padded_dense_to_jagged_forward _pin_memory _prelu_kernel
    _reshape_alias _reshape_copy _resize_output _safe_softmax _softmax _sparse_coo_tensor_with_dims_and_tensors
    _standard_gamma _thnn_fused_gru_cell _thnn_fused_lstm_cell _to_copy _to_dense _unique _unique2 _unsafe_index
    _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate _unsafe_view _weight_norm_interface abs
    adaptive_max_pool2d adaptive_max_pool3d affine_grid_generator alias_copy all amax amin aminmax any argmax argmin
    as_strided as_strided_copy as_strided_scatter avg_pool2d avg_pool3d bernoulli binary_cross_entropy
    binary_cross_entropy_with_logits bincount block_diag bucketize cat cauchy channel_shuffle col2im complex
    constant_pad_nd copy copysign count_nonzero cudnn_batch_norm cummax cummin cumprod cumsum dense_dim diag_embed
    diagonal_copy diagonal_scatter dist embedding embedding_renorm empty_like eq expand_copy exponential fill flip
    floor_divide fractional_max_pool2d fractional_max_pool3d full_like gather gcd ge gelu geometric glu gt hardswish
    heaviside histc huber_loss im2col index index_add index_copy index_fill index_put index_reduce index_select
    is_coalesced is_pinned is_same_size isin item kthvalue lcm le lift lift_fresh lift_fresh_copy linalg_cross
    linalg_vector_norm log_normal log_sigmoid_forward logcumsumexp logsumexp lt masked_fill masked_scatter masked_select
    max max_pool2d_with_indices max_pool3d_with_indices max_unpool2d max_unpool3d mean median min miopen_batch_norm mish
    mode mse_loss multi_margin_loss multilabel_margin_loss_forward multinomial nanmedian nansum narrow_copy
    native_batch_norm native_dropout native_group_norm native_layer_norm ne new_empty new_empty_strided new_full new_ones
    new_zeros nll_loss2d_forward nll_loss_forward nonzero nonzero_static norm normal ones_like permute_copy pixel_shuffle
    pixel_unshuffle poisson polar prod rand_like randint_like randn_like reflection_pad1d reflection_pad2d
    reflection_pad3d renorm repeat replication_pad1d replication_pad2d replication_pad3d resize resize_as roll rot90
    rrelu_with_noise rrelu_with_noise_functional scatter scatter_add scatter_reduce searchsorted segment_reduce
    select_scatter set slice_scatter smooth_l1_loss soft_margin_loss sort sparse_dim split_with_sizes_copy squeeze_copy
    stack std std_mean sum t t_copy take threshold topk trace transpose transpose_copy tril triu unbind_copy unfold_copy
    uniform unique_consecutive unique_dim unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy
    upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d
    upsample_trilinear3d var var_mean view_copy where zero zeros_like
    _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d _fused_rms_norm _ctc_loss _cudnn_ctc_loss alias detach diagonal expand movedim narrow permute
    reshape select slice split squeeze swapaxes swapdims unbind view
    """
)
"""Operations that move, compare, look up, add up or scale numbers: no products of matrices, which alone are counted."""
_FREE_TAGS = {tag for name in ("pointwise", "reduction", "view_copy") if (tag := getattr(torch.Tag, name, None))}


def costs_nothing(operation: Any) -> bool:
    """True for an operation of torch that is known to compute no product of matrices, and for its backward pass."""
    if operation.namespace not in ("aten", "prim", "prims"):
        return False
    if operation.is_view or _FREE_TAGS & set(operation.tags):
        return True
    if not any("Tensor" in str(argument.type) for argument in operation._schema.arguments):
        return True  # it makes a tensor
    name = operation.overloadpacket.__name__
    plain = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    for end in ("_backward", "_backward_data"):
        plain = plain.removesuffix(end)
    forward = ("", "_forward", "_with_indices")
    return operation.namespace != "aten" or any(f"{plain}{end}" in _FREE for end in forward) or plain in _FREE_BACKWARD


_FREE_BACKWARD = _names(
    """
    _embedding_bag_dense _embedding_bag_per_sample_weights _embedding_bag_sparse _thnn_fused_lstm_cell_backward_impl
    embedding_dense embedding_sparse hardsigmoid hardtanh leaky_relu max_pool2d_with_indices native_dropout
    elu logit sigmoid silu softplus softshrink tanh threshold unfold select slice slice_scatter value_selecting_reduction
    evenly_distribute
    """
)


class Uncounted(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the operations below it that neither torch nor we have a formula for. Enter it before FlopCounterMode."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.met: Counter[Operation] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not _is_known(func):
            self.met[_short_name(func), tuple(tuple(one.shape) for one in tensors((args, kwargs or {})))] += 1
        return func(*args, **(kwargs or {}))


def _is_known(func: Any) -> bool:
    packet = getattr(func, "overloadpacket", func)
    if packet in flop_registry or packet in FORMULAS:
        return True
    return isinstance(func, torch._ops.OpOverload) and costs_nothing(func)


def _short_name(func: Any) -> str:
    """`torchvision.roi_align`; of torch's own operations the name alone: `fft_r2c`."""
    packet = getattr(func, "overloadpacket", func)
    name = str(getattr(packet, "__name__", packet))
    place = str(getattr(func, "namespace", "aten"))
    return name.strip("_").removesuffix("_ex") if place in ("aten", "higher_order") else f"{place}.{name}"


def tensors(value: Any) -> Iterator[Tensor]:
    """Those in lists and mappings, at any depth."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from tensors(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from tensors(one)
