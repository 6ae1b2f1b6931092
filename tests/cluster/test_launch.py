"""What a process knows of its place, by the variables of torchrun and of Slurm."""

import pytest

from advisor.cluster.launch import Launch, first_host, launch_of
from advisor.errors import InputError

TORCHRUN = {
    "RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "GROUP_RANK": "1", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "29500",
    "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "2",
}  # fmt: skip
SLURM = {
    "SLURM_PROCID": "3", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1", "SLURM_NODEID": "1", "SLURM_JOB_ID": "40017",
    "SLURM_STEP_NODELIST": "node[007-012,20],gpu1",
}  # fmt: skip


def test_torchrun_tells_everything() -> None:
    expected = Launch(5, 8, 1, node=1, address="10.0.0.1", port=29500, meets_at_agent=True, attempt=2)
    assert launch_of(TORCHRUN) == expected


def test_without_a_number_of_the_node_the_name_of_the_host_will_tell() -> None:
    assert launch_of({name: TORCHRUN[name] for name in TORCHRUN if name != "GROUP_RANK"}).node is None


def test_slurm_tells_where_its_first_node_is() -> None:
    assert launch_of(SLURM) == Launch(3, 8, 1, node=1, address="node007", port=20_017)
    assert launch_of({**SLURM, "MASTER_ADDR": "head", "MASTER_PORT": "1234"}).address == "head"


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("node7", "node7"),
        ("a,b", "a"),
        ("node[007-012,20],gpu1", "node007"),
        ("rack[1-2]n[04,06],x", "rack1n04"),
        ("n[3]-ib.cluster.org,n4", "n3-ib.cluster.org"),
    ],
)
def test_the_first_host_of_a_list(nodes: str, first: str) -> None:
    assert first_host(nodes) == first


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "it measures with all processes of a cluster, and this is a single one"),
        ({**TORCHRUN, "WORLD_SIZE": "1"}, "there is a single process, and exchanges take two"),
        ({**TORCHRUN, "RANK": "8"}, "rank 8 is not below 8, the number of processes"),
        ({**TORCHRUN, "WORLD_SIZE": "many"}, "WORLD_SIZE: 'many' is no number"),
        ({**TORCHRUN, "MASTER_ADDR": " "}, "MASTER_ADDR is not set"),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, "SLURM_NODELIST is not set"),
    ],
)
def test_what_is_missing_is_told_with_how_to_start_it(variables: dict[str, str], told: str) -> None:
    with pytest.raises(InputError) as error:
        launch_of(variables)
    assert told in str(error.value)
    assert "torchrun --nnodes=N --nproc-per-node=M" in str(error.value)
