"""Device profiles: the shipped ones, how they are found, and what is said about broken ones."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.machine.profiles.devices import (
    Bound,
    DeviceKind,
    DeviceProfile,
    Figure,
    Precision,
    pcie_bytes_per_second,
    published_facts,
)
from advisor.machine.profiles.files import find_device, load_devices
from advisor.machine.profiles.published import PublishedFigure, load_tables, published_figures
from advisor.resources import profiles_folder, rules_folder

SHIPPED = load_devices()
RELIED_ON = """
gtx-980 gtx-1080 k80 rtx-3060 rtx-3090 rtx-4090 rtx-5090 rtx-6000-ada rtx-a6000 quadro-rtx-8000 t4 l4 a10 a10g
l40s v100-sxm2-16gb v100-sxm2-32gb a100-pcie-40gb a100-sxm-40gb a100-pcie-80gb a100-sxm-80gb h100-pcie-80gb
h100-sxm-80gb gh200-96gb h200-sxm-141gb b200-sxm mi250x mi300x m1-max m4-max
i7-3820 2x-e5-2630-v3 xeon-8480 epyc-9654
"""


def shipped(name: str) -> DeviceProfile:
    return SHIPPED[name]


def test_the_devices_that_people_name_keep_their_names() -> None:
    assert set(SHIPPED) >= set(RELIED_ON.split())


def test_the_folder_that_a_profile_lies_in_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "maker" / "line").mkdir(parents=True)
    (tmp_path / "maker" / "line" / "card.yaml").write_text(GOOD)
    (tmp_path / "other.yaml").write_text(GOOD.replace("name: card", "name: other"))
    assert list(load_devices(tmp_path)) == ["card", "other"]


def test_rules_ship_beside_the_profiles() -> None:
    assert (rules_folder() / "facts.yaml").is_file()


@pytest.mark.parametrize(
    ("driver_says", "profile"),
    [
        ("a100-sxm-80gb", "a100-sxm-80gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"),
        ("A100-SXM4-80GB", "a100-sxm-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("Tesla T4", "t4"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("GeForce GTX 1080", "gtx-1080"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm-80gb"),
        ("NVIDIA RTX A6000", "rtx-a6000"),
        ("Tesla K80", "k80"),
    ],
)
def test_a_driver_name_finds_its_profile(driver_says: str, profile: str) -> None:
    found = find_device(driver_says)
    assert found is not None
    assert found.name == profile


@pytest.mark.parametrize(
    "other",
    [
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce GTX 1080 Ti",
        "NVIDIA H100 NVL",
        "NVIDIA A100",
        "Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz",
        "RTX",
        "",
    ],
)
def test_a_similar_device_is_another_device(other: str) -> None:
    assert find_device(other) is None


names = st.sampled_from([(name, device.name) for device in SHIPPED.values() for name in (device.name, *device.aliases)])


@settings(deadline=None)
@given(names, st.booleans(), st.sampled_from([" ", "_", "-", "  "]))
def test_case_blanks_and_hyphens_do_not_matter(pair: tuple[str, str], shouted: bool, blank: str) -> None:
    written = pair[0].upper() if shouted else pair[0].lower()
    found = find_device(written.replace(" ", blank), SHIPPED)
    assert found is not None
    assert found.name == pair[1]


def test_every_figure_has_a_source(subtests: pytest.Subtests) -> None:
    for device in SHIPPED.values():
        with subtests.test(device.name):
            figures = [device.memory_bytes_per_second, device.watts, *device.peak_flops.values()]
            assert all(figure is not None and figure.source for figure in figures)
            assert Precision.FP32 in device.peak_flops
            assert (device.backend == "none") == (device.kind is DeviceKind.CPU)
            assert (device.compute_capability is not None) == (device.backend == "cuda")


def between(low: float, figure: Figure | None, high: float) -> bool:
    return figure is None or low <= figure.value <= high


def test_figures_are_of_the_right_magnitude(subtests: pytest.Subtests) -> None:
    """A slip of a prefix (GB for TB, TFLOP/s for GFLOP/s) is caught."""
    for device in SHIPPED.values():
        with subtests.test(device.name):
            assert all(between(0.05e12, peak, 10e15) for peak in device.peak_flops.values())
            assert between(10e9, device.memory_bytes_per_second, 20e12)
            assert between(1e9, device.memory_bytes, 1e12)
            assert between(10e9, device.link_bytes_per_second, 5e12)
            assert between(3, device.pcie_generation, 7)
            assert between(3, device.compute_capability, 20)
            assert between(10, device.watts, 2000)
            assert between(1, device.cores, 1000)


def test_figures_of_a_device_agree_with_each_other(subtests: pytest.Subtests) -> None:
    for device in SHIPPED.values():
        with subtests.test(device.name):
            bandwidth, watts, memory, peaks = (
                device.memory_bytes_per_second,
                device.watts,
                device.memory_bytes,
                device.peak_flops,
            )
            single = peaks[Precision.FP32].value
            assert bandwidth is not None
            assert 2 <= single / bandwidth.value <= 200, "FLOP for each byte"
            assert watts is not None
            assert 1e9 <= single / watts.value <= 1e12, "FLOP for each joule"
            if memory is not None:
                assert 5e-3 <= memory.value / bandwidth.value <= 2, "seconds to read all of the memory"
            if device.link_bytes_per_second is not None:
                assert device.link_bytes_per_second.value < bandwidth.value
            for slow, fast, ratio in PEAKS_OF_ONE_UNIT:
                if slow in peaks and fast in peaks and Precision.TF32 in peaks:
                    assert peaks[fast].value / peaks[slow].value == pytest.approx(ratio, rel=0.03), (slow, fast)


PEAKS_OF_ONE_UNIT = (
    (Precision.TF32, Precision.BF16, 2),
    (Precision.BF16, Precision.FP16, 1),
    (Precision.FP16, Precision.FP8, 2),
)
"""Matrix units work twice as fast on numbers of half the width."""


def test_published_facts_of_a_gpu() -> None:
    assert published_facts(shipped("a100-sxm-80gb")) == {
        "machine.gpu.backend": "cuda",
        "machine.gpu.memory_bytes": 80_000_000_000,
        "machine.gpu.compute_capability": 8.0,
        "machine.gpu.watts": 400,
        "machine.link.host_to_device_bytes_per_second": pytest.approx(31.5e9, rel=1e-3),  # PCIe 4.0 x16
    }


def test_memory_that_depends_on_the_model_bought_is_not_claimed() -> None:
    mac = shipped("m1-max")
    assert mac.memory_bytes is not None
    assert mac.memory_bytes.bound is Bound.AT_MOST
    assert published_facts(mac) == {"machine.gpu.backend": "mps", "machine.gpu.watts": 60}


def test_published_facts_of_a_processor() -> None:
    facts = published_facts(shipped("epyc-9654"))
    assert facts["machine.cpu.physical_cores"] == 96
    assert "machine.gpu.backend" not in facts


def test_the_gtx_1080_is_filled_through_pcie_3() -> None:
    """The corrected figure of the survey's example: 15.75 GB/s, so that 8 GB take 0.508 s."""
    card = shipped("gtx-1080")
    assert card.pcie_bytes_per_second == pytest.approx(15.75e9, rel=1e-3)
    assert card.memory_bytes is not None
    assert card.pcie_bytes_per_second is not None
    assert card.memory_bytes.value / card.pcie_bytes_per_second == pytest.approx(0.508, abs=1e-3)


def test_checked_and_recalled_figures_are_told_apart() -> None:
    peaks = shipped("rtx-5090").peak_flops
    assert peaks[Precision.FP32].verified
    assert not peaks[Precision.BF16].verified
    assert not any(peak.verified for peak in shipped("gtx-980").peak_flops.values())


GOOD = """\
name: card
title: A card
kind: gpu
backend: cuda
sources: {sheet: its data sheet}
figures:
  memory_bytes: {value: 8e9, unit: bytes, source: sheet}
peak_flops:
  fp32: {value: 1e12, unit: FLOP/s, verified: true, source: sheet}
"""


def test_a_figure_counts_as_unchecked_unless_it_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "card.yaml").write_text(GOOD)
    card = load_devices(tmp_path)["card"]
    assert card.memory_bytes is not None
    assert not card.memory_bytes.verified
    assert card.memory_bytes.source == "its data sheet"
    assert card.peak_flops[Precision.FP32].verified


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: gpu", "kind: gpv", ["card.yaml:3", "Did you mean gpu?"]),
        ("value: 8e9", "value: 8 GB", ["card.yaml:7", "'8 GB'"]),
        ("value: 8e9", "value: -8e9", ["card.yaml:7", "above zero"]),
        ("value: 8e9", "value: nan", ["card.yaml:7", "must be a number"]),
        ("unit: bytes", "unit: GiB", ["card.yaml:7", "'GiB'", "bytes"]),
        ("source: sheet}\npeak", "source: shed}\npeak", ["card.yaml:7", "no source is called shed"]),
        ("memory_bytes:", "memory_byte:", ["card.yaml:7", "Did you mean memory_bytes?"]),
        ("fp32:", "fp23:", ["card.yaml:9", "fp23"]),
        ("name: card", "name: cart", ["card.yaml:1", "differ"]),
        ("kind: gpu", "kind: gpu\nkind: cpu", ["card.yaml:4", "repeats the key"]),
        ("kind: gpu", "kind: gpu\nfeatures: [avx3]", ["card.yaml:4", "avx3"]),
        (GOOD, "- a list", ["card.yaml:1", "mapping"]),
        (GOOD, "", ["card.yaml:1", "mapping"]),
    ],
)
def test_a_broken_profile_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: list[str]) -> None:
    (tmp_path / "card.yaml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load_devices(tmp_path)
    for words in said:
        assert words in str(caught.value)


def test_the_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("kind: gpu\n")
    (tmp_path / "two.yaml").write_text("kind: cpu\n")
    with pytest.raises(InputError) as caught:
        load_devices(tmp_path)
    assert "one.yaml" in str(caught.value)
    assert "two.yaml" in str(caught.value)


def test_a_name_stands_for_one_device(tmp_path: Path) -> None:
    (tmp_path / "card.yaml").write_text(GOOD)
    (tmp_path / "other.yaml").write_text(GOOD.replace("name: card", "name: other\naliases: [NVIDIA Card]"))
    with pytest.raises(InputError, match="the name card belongs to card already"):
        load_devices(tmp_path)


def test_lanes_and_generation_give_the_speed_of_a_slot() -> None:
    assert pcie_bytes_per_second(4) == pytest.approx(31.5e9, rel=1e-3)
    assert pcie_bytes_per_second(3, lanes=4) == pytest.approx(3.94e9, rel=1e-3)
    assert pcie_bytes_per_second(2) is None


# --- published measurements -----------------------------------------------------------------------------------------

TABLES = {table.name: table for table in load_tables(profiles_folder() / "published")}
STEPS = TABLES["dlbench-table-4"].figures
THROUGHPUTS = TABLES["lambda-pytorch"].figures


def test_every_published_figure_is_of_a_known_device() -> None:
    assert {figure.device for table in TABLES.values() for figure in table.figures} <= set(SHIPPED)
    assert (len(STEPS), len(THROUGHPUTS)) == (270, 160)


def test_no_published_figure_is_there_twice() -> None:
    for table in TABLES.values():
        keys = [(f.network, f.framework, f.device, f.threads, f.precision, f.devices) for f in table.figures]
        assert len(set(keys)) == len(keys)


def step(network: str, framework: str, device: str, threads: int | None = None) -> float | None:
    found = [
        f.value for f in STEPS if (f.network, f.framework, f.device, f.threads) == (network, framework, device, threads)
    ]
    return found[0] if found else None


def test_the_table_gives_the_ratios_that_correct_its_own_text() -> None:
    """Erratum E2: against 16 threads at most 43 times, 13.6 in the geometric mean of 21; against 4 cores at most 112."""
    pairs = sorted({(figure.network, figure.framework) for figure in STEPS})
    against_16, against_4 = [], []
    for pair in pairs:
        gpus = [seconds for card in ("gtx-980", "gtx-1080", "k80") if (seconds := step(*pair, card)) is not None]
        for found, cpu in (
            (against_16, step(*pair, "2x-e5-2630-v3", 16)),
            (against_4, step(*pair, "i7-3820", 4)),
        ):
            if cpu is not None:
                found.append(cpu / min(gpus))
    assert len(against_16) == 21
    assert max(against_16) == pytest.approx(43)
    assert min(against_16) == pytest.approx(0.93, abs=0.005)
    assert statistics.geometric_mean(against_16) == pytest.approx(13.6, abs=0.1)
    assert max(against_4) == pytest.approx(112, abs=0.5)


def test_doubtful_cells_say_why() -> None:
    doubtful = {(f.network, f.framework, f.device, f.value) for f in (*STEPS, *THROUGHPUTS) if f.doubt}
    assert ("alexnet", "TensorFlow", "gtx-1080", 0.012) in doubtful
    assert len(doubtful) == 2


def test_more_cards_give_more_but_never_more_than_their_number_unless_it_is_called_doubtful() -> None:
    one = {(f.network, f.device, f.precision): f.value for f in THROUGHPUTS if f.devices == 1}
    for figure in THROUGHPUTS:
        times = figure.value / one[figure.network, figure.device, figure.precision]
        assert 1 <= times <= figure.devices * 1.02 or figure.doubt


def test_a_device_has_its_own_published_figures() -> None:
    (table,) = published_figures("a100-pcie-40gb")
    assert {figure.device for figure in table.figures} == {"a100-pcie-40gb"}
    assert table.figures[0] == PublishedFigure(
        "resnet50", "PyTorch", "a100-pcie-40gb", None, 360, "fp32/tf32", 1, 882.0, "images/s", ""
    )
    assert table.verified
    assert published_figures("m1-max") == ()


GOOD_TABLE = """\
# title: A table
# source: A paper
# verified: false
network,framework,device,threads,batch,precision,devices,value,unit,doubt
resnet50,PyTorch,t4,,32,fp32,1,100,images/s,
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# title: A table\n", "", ["table.csv", "# title:"]),
        ("# source: A paper", "# sauce: A paper", ["table.csv:2", "sauce"]),
        ("network,framework", "net,framework", ["table.csv:4", "columns must be"]),
        ("100,images/s", "100,cats/s", ["table.csv:5", "cats/s"]),
        ("100,images/s", "-1,images/s", ["table.csv:5", "above zero"]),
        ("100,images/s", "nan,images/s", ["table.csv:5", "above zero"]),
        ("100,images/s", "many,images/s", ["table.csv:5", "many"]),
        ("images/s,", "images/s,,,", ["table.csv:5", "12 cells where 10"]),
        ("resnet50,", ",", ["table.csv:5", "network is empty"]),
    ],
)
def test_a_broken_table_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: list[str]) -> None:
    assert GOOD_TABLE.count(old) == 1
    (tmp_path / "table.csv").write_text(GOOD_TABLE)
    assert len(published_figures("t4", tmp_path)) == 1
    (tmp_path / "table.csv").write_text(GOOD_TABLE.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_tables(tmp_path)
    for words in said:
        assert words in str(caught.value)
