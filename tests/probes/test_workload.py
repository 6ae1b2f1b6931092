from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.plain import decode, encode
from advisor.probes.workload import Device, Precision, Workload

COUNTS = st.integers(1, 10**9)
WORKLOADS = st.builds(
    Workload,
    network=st.sampled_from(["ffn", "cnn", "lstm", "gan"]),
    modality=st.sampled_from(["tabular", "image", "text"]),
    inputs=COUNTS,
    outputs=COUNTS,
    hidden_units=st.lists(COUNTS, max_size=5).map(tuple),
    sequence_length=st.none() | COUNTS,
    batch_size=COUNTS,
    precision=st.sampled_from(Precision),
    threads=st.none() | COUNTS,
    device=st.sampled_from(Device),
)
DIGITS = Workload("cnn", "image", 64, 10, (32, 64))


@given(WORKLOADS)
def test_json_gives_the_same_workload_back(workload: Workload) -> None:
    assert decode(Workload, json.loads(json.dumps(encode(workload)))) == workload


@given(WORKLOADS)
def test_the_name_is_the_network_without_batch_size_precision_and_threads(workload: Workload) -> None:
    other = replace(workload, batch_size=7, precision=Precision.FP8, threads=3)
    assert other.describe() == workload.describe()


@pytest.mark.parametrize(
    ("workload", "name"),
    [
        (DIGITS, "cnn 64-[32,64]-10"),
        (Workload("ffn", "tabular", 8, 1), "ffn 8-[256,256,256]-1"),
        (Workload("lstm", "time_series", 8, 1, (256, 256), 52), "lstm 52x8-[256,256]-1"),
        (Workload("transformer", "text", 30000, 2, (256, 1024), 128), "transformer text 128x30000-[256,1024]-2"),
        (Workload("vae", "image", 3072, 3072, (32,)), "vae image 3072-[32]-3072"),
        (replace(DIGITS, normalization="batch_norm", dropout=0.2), "cnn 64-[32,64]-10 batch_norm dropout 0.2"),
    ],
)
def test_names_are_short_and_tell_networks_apart(workload: Workload, name: str) -> None:
    assert workload.describe() == name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": 0}, "inputs: 0 is no whole number"),
        ({"inputs": True}, "inputs: a whole number is expected, not True"),
        ({"hidden_units": [8, -1]}, r"hidden_units\[1\]: -1 is no whole number"),
        ({"hidden_units": [1] * 1001}, "hidden_units: 1001 layers are more than 1000"),
        ({"hidden_units": "64"}, "hidden_units: a list is expected"),
        ({"precision": "fp64"}, "precision: one of fp32, tf32, .* is expected, not 'fp64'"),
        ({"device": 1}, "device: one of cpu, cuda is expected, not 1"),
        ({"loss": 5}, "loss: text is expected, not 5"),
        ({"dropout": 1.0}, "dropout: 1.0 is no share from 0 to below 1"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(Workload, {**encode(DIGITS), **changes}, "workload")
