"""Files that start a project on many machines: sizes of the plan, and nothing that their schedulers would refuse.

The schemas under schemas/ are parts of those that the schedulers have; each says where it is from.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from advisor.inference.plan import Plan
from advisor.starter.planning import blueprint_of
from advisor.starter.project import project_files
from advisor.starter.rendering import CLUSTER_FILES
from advisor.starter.starting import PLACEHOLDER, PLACEHOLDERS
from tests.starter.projects import TABLE, knowledge, plan_of, with_advice

SCHEMAS = Path(__file__).parent / "schemas"
CARDS = "cluster.nodes=4 machine.gpu.count=8 machine.gpu.name=h100-sxm-80gb machine.gpu.backend=cuda"
VARIANTS = {
    "all known": f"{CARDS} machine.memory_bytes=1TB machine.cpu.physical_cores=96 project.hours_available=72h",
    "nothing known": "cluster.nodes=2 machine.gpu.count=3",
    "processors": "cluster.nodes=2 machine.cpu.physical_cores=6",
    "elastic": f"{CARDS} cluster.preemptions_per_day=0.1",
    "elastic, large": "cluster.nodes=40 machine.gpu.count=8 machine.gpu.name=mi300x machine.gpu.backend=rocm",
}
RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
"""Of a failure policy, as the webhook of JobSet 0.12 checks it."""


def plan(variant: str, **advice: Any) -> Plan:
    fault_tolerance = "elastic" if variant.startswith("elastic") else "checkpoint_interval"
    given = {
        "compute.device": "cluster",
        "fault_tolerance": fault_tolerance,
        "data.pipeline": ["workers"],
        "compute.threads": 1,
    }
    return with_advice(plan_of(f"{TABLE} {VARIANTS[variant]}", network_hidden_units=[8]), {**given, **advice})


@cache
def project(variant: str) -> dict[str, str]:
    """The files of a project by their names."""
    made = plan(variant)
    return project_files(made, knowledge(), blueprint_of(made))


def documents(variant: str, name: str) -> dict[str, Any]:
    """The objects of a manifest by their kind."""
    return {document["kind"]: document for document in yaml.safe_load_all(project(variant)[name])}


def schemas(name: str) -> dict[str, Any]:
    kinds: dict[str, Any] = json.loads((SCHEMAS / name).read_text())["kinds"]
    return kinds


def complaints(schema: Any, value: Any) -> list[str]:
    found = jsonschema.Draft202012Validator(schema).iter_errors(value)
    return [f"{list(error.path)}: {error.message}" for error in found]


every_variant = pytest.mark.parametrize("variant", VARIANTS)


# --- which files -------------------------------------------------------------------------------------------


def test_a_cluster_gets_a_file_for_each_scheduler() -> None:
    assert set(CLUSTER_FILES) <= set(project("all known"))


@pytest.mark.parametrize(
    ("advice", "files"),
    [
        ({"compute.device": "multi_gpu"}, {"train.sh"}),
        ({"compute.device": "gpu"}, set()),
        ({"training.optimizer": "lbfgs"}, set()),  # which sees all examples at once
        ({"network.type": "gradient_boosting"}, set()),
    ],
)
def test_others_get_what_they_can_start(advice: dict[str, Any], files: set[str]) -> None:
    made = plan("all known", **advice)
    assert set(project_files(made, knowledge(), blueprint_of(made))) & set(CLUSTER_FILES) == files


def test_no_text_of_a_plan_is_in_them() -> None:
    """The name of a card may be anything that somebody typed."""
    named = plan_of(f"{TABLE} cluster.nodes=2 machine.gpu.count=3 machine.gpu.name=;reboot;$(reboot):#`reboot`")
    hostile = with_advice(
        named, {name: plan("nothing known").recommendations[name].value for name in named.recommendations}
    )
    files = project_files(hostile, knowledge(), blueprint_of(hostile))
    for name in CLUSTER_FILES:
        assert files[name] == project("nothing known")[name]
    assert "reboot" not in "".join(files[name] for name in CLUSTER_FILES)


# --- names that only the reader knows ----------------------------------------------------------------------


@every_variant
def test_each_name_to_fill_in_is_explained_in_one_place_and_no_other(variant: str) -> None:
    files = project(variant)
    used = {word: name for name in CLUSTER_FILES for word in PLACEHOLDER.findall(files[name])}
    told = re.findall(r"(?m)^\| (your-[a-z-]+) \|", files["README.md"])
    assert sorted(told) == sorted(used)
    assert set(used) <= set(PLACEHOLDERS)


def test_what_the_plan_knows_is_not_left_to_fill_in() -> None:
    def left(variant: str) -> set[str]:
        return {word for name in CLUSTER_FILES for word in PLACEHOLDER.findall(project(variant)[name])}

    assert left("nothing known") - left("all known") == {"your-accelerator", "your-resource", "your-time"}


# --- scripts -----------------------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("name", ["train.sh", "train.slurm"])
def test_scripts_are_bash_that_shellcheck_has_nothing_against(variant: str, name: str, tmp_path: Path) -> None:
    script = tmp_path / name
    script.write_text(project(variant)[name])
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    if shutil.which("shellcheck"):
        said = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stdout


def called(variant: str, tmp_path: Path, *arguments: str) -> list[str]:
    """The words with which train.sh calls torchrun."""
    torchrun = tmp_path / "torchrun"
    torchrun.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    torchrun.chmod(0o755)
    (tmp_path / "train.sh").write_text(project(variant)["train.sh"])
    done = subprocess.run(
        ["bash", "train.sh", *arguments], cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_torchrun_is_told_who_meets_where(tmp_path: Path) -> None:
    words = called("all known", tmp_path, "first.local", "2", "--data", "my data")
    assert {"--nnodes=4", "--node-rank=2", "--nproc-per-node=8", "--master-addr=first.local"} <= set(words)
    assert words[-4:] == ["train.py", "--resume", "--data", "my data"]
    assert not any("rdzv" in word for word in words)  # whose store runs what it is sent


def test_where_machines_come_and_go_it_goes_on_with_fewer(tmp_path: Path) -> None:
    words = called("elastic", tmp_path, "first.local", "0")
    assert {"--nnodes=3:4", "--rdzv-endpoint=first.local:29500", "--rdzv-conf=is_host=true"} <= set(words)
    assert "--rdzv-conf=is_host=false" in called("elastic", tmp_path, "first.local", "1")
    assert "--nnodes=36:40" in called("elastic, large", tmp_path, "first.local", "1")


def sbatch(variant: str) -> Iterator[tuple[str, str]]:
    for line in project(variant)["train.slurm"].splitlines():
        if found := re.fullmatch(r"##?SBATCH --([a-z-]+)(?:=(.*))?", line):
            yield found[1], found[2] or ""


@every_variant
def test_slurm_knows_all_options(variant: str) -> None:
    known = json.loads((SCHEMAS / "sbatch.json").read_text())["options"]
    lines = [line for line in project(variant)["train.slurm"].splitlines() if "SBATCH" in line]
    assert len(lines) == len(list(sbatch(variant))) > 8
    assert {name for name, _ in sbatch(variant)} <= set(known)


def test_slurm_is_asked_for_the_sizes_of_the_plan() -> None:
    asked = dict(sbatch("all known"))
    assert (asked["nodes"], asked["gpus-per-node"], asked["time"]) == ("4", "8", "72:00:00")
    assert int(asked["cpus-per-task"]) == 8 * (1 + 4), "a core for each process and each of its loaders"
    assert "requeue" in asked
    assert asked["signal"] == "B:USR1@120"
    assert dict(sbatch("processors"))["cpus-per-task"] == "5"
    assert "gpus-per-node" not in dict(sbatch("processors"))


def test_slurm_may_start_and_go_on_with_fewer_machines() -> None:
    asked = dict(sbatch("elastic"))
    assert asked["nodes"] == "3-4"
    assert "no-kill" in asked
    assert "ntasks-per-node" not in asked, "with which Slurm takes no more machines than it must"
    assert "no-kill" not in dict(sbatch("all known"))


# --- manifests ---------------------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("train.jobset.yaml", ["NetworkPolicy", "JobSet"]),
        ("train.trainjob.yaml", ["NetworkPolicy", "TrainingRuntime", "TrainJob"]),
    ],
)
def test_kubernetes_takes_the_manifests(variant: str, name: str, kinds: list[str]) -> None:
    found = documents(variant, name)
    assert list(found) == kinds
    for kind, document in found.items():
        assert complaints(schemas("kubernetes.json")[kind], document) == []


def test_kubernetes_would_refuse_a_slip() -> None:
    """A schema that takes everything would tell nothing."""
    schema = schemas("kubernetes.json")["JobSet"]
    for path, value in (
        (("spec", "failurePolicy", "restartStrategy"), "Sometimes"),
        (("spec", "failurePolicy", "maxRestart"), 3),
        (("spec", "replicatedJobs", 0, "template", "spec", "parallelism"), "four"),
    ):
        document = documents("all known", "train.jobset.yaml")["JobSet"]
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        assert complaints(schema, document) != [], path


def job(variant: str) -> dict[str, Any]:
    """The job of the JobSet."""
    (replicated,) = documents(variant, "train.jobset.yaml")["JobSet"]["spec"]["replicatedJobs"]
    spec: dict[str, Any] = replicated["template"]["spec"]
    return spec


def test_pods_have_the_sizes_of_the_plan() -> None:
    spec = job("all known")
    (container,) = spec["template"]["spec"]["containers"]
    assert (spec["completions"], spec["parallelism"], spec["completionMode"]) == (4, 4, "Indexed")
    assert container["resources"] == {
        "requests": {"cpu": 40, "memory": "838Gi"},
        "limits": {"nvidia.com/gpu": 8},
    }
    (unknown,) = job("nothing known")["template"]["spec"]["containers"]
    assert unknown["resources"] == {"requests": {"cpu": 15}, "limits": {"your-resource/gpu": 3}}
    (rocm,) = job("elastic, large")["template"]["spec"]["containers"]
    assert rocm["resources"]["limits"] == {"amd.com/gpu": 8}
    trainer = documents("all known", "train.trainjob.yaml")["TrainJob"]["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (4, 8)
    assert trainer["resourcesPerNode"] == container["resources"]


def test_the_first_pod_is_where_the_others_look_for_it() -> None:
    jobset = documents("all known", "train.jobset.yaml")["JobSet"]
    (replicated,) = jobset["spec"]["replicatedJobs"]
    (command,) = replicated["template"]["spec"]["template"]["spec"]["containers"][0]["args"]
    name = jobset["metadata"]["name"]
    assert f"bash train.sh {name}-{replicated['name']}-0-0.{name} " in command, (
        "pods: JobSet, job, its number, their number"
    )


def test_pods_that_fail_start_again_together_and_machines_that_are_taken_away_do_not_count() -> None:
    for name, kind in (("train.jobset.yaml", "JobSet"), ("train.trainjob.yaml", "TrainingRuntime")):
        spec = documents("all known", name)[kind]["spec"]
        spec = spec if kind == "JobSet" else spec["template"]["spec"]
        policy = spec["failurePolicy"]
        assert policy["maxRestarts"] == 3
        (rule,) = policy["rules"]
        assert rule["action"] == "RestartJobSetAndIgnoreMaxRestarts"
        assert RULE_NAME.fullmatch(rule["name"])
        pods = spec["replicatedJobs"][0]["template"]["spec"]
        assert pods["backoffLimit"] == 0
        assert pods["podFailurePolicy"]["rules"][0]["action"] == "FailJob"
        assert pods["template"]["spec"]["restartPolicy"] == "Never", "which a pod failure policy needs"


def test_in_an_elastic_job_pods_are_replaced_one_by_one() -> None:
    spec = job("elastic")
    assert spec["backoffLimitPerIndex"] == 100
    assert "backoffLimit" not in spec
    assert spec["podFailurePolicy"]["rules"][0]["action"] == "Ignore"


@pytest.mark.parametrize(("name", "kind"), [("train.jobset.yaml", "JobSet"), ("train.trainjob.yaml", "TrainJob")])
def test_nothing_but_its_own_pods_reaches_the_training(name: str, kind: str) -> None:
    found = documents("elastic", name)
    own = {"matchLabels": {"jobset.sigs.k8s.io/jobset-name": found[kind]["metadata"]["name"]}}
    assert found["NetworkPolicy"]["spec"] == {
        "podSelector": own,
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": own}]}],
    }


# --- SkyPilot and Ray --------------------------------------------------------------------------------------


def sky(variant: str) -> dict[str, Any]:
    task: dict[str, Any] = yaml.safe_load(project(variant)["train.sky.yaml"])
    return task


@every_variant
def test_skypilot_takes_the_task(variant: str) -> None:
    known, task = schemas("skypilot.json"), sky(variant)
    assert complaints(known["task"], task) == []
    assert complaints(known["resources"], task["resources"]) == []
    assert complaints(known["storage"], task["file_mounts"]["/checkpoints"]) == []
    assert complaints(known["resources"], {**task["resources"], "job_recovery": {"max_restarts_on_errors": -1}}) != []


def test_skypilot_is_asked_for_the_sizes_of_the_plan() -> None:
    assert sky("all known")["num_nodes"] == 4
    assert sky("all known")["resources"] == {
        "accelerators": "H100:8",
        "cpus": "40+",
        "memory": "838+",
        "job_recovery": {"max_restarts_on_errors": 3},
    }
    assert sky("nothing known")["resources"]["accelerators"] == "your-accelerator:3"
    assert "accelerators" not in sky("processors")["resources"]


def test_machines_that_are_taken_away_are_rented_only_where_somebody_said_so() -> None:
    assert sky("elastic")["resources"]["use_spot"] is True
    assert "use_spot" not in sky("elastic, large")["resources"]


def constants(variant: str) -> dict[str, Any]:
    tree = ast.parse(project(variant)["train_ray.py"])
    return {
        node.targets[0].id: ast.literal_eval(node.value)  # type: ignore[attr-defined]
        for node in tree.body
        if isinstance(node, ast.Assign)
    }


def test_ray_is_asked_for_the_sizes_of_the_plan() -> None:
    asked = constants("all known")
    assert (asked["WORKERS"], asked["RESOURCES"], asked["FAILURES"]) == (32, {"CPU": 5, "GPU": 1}, 3)
    assert constants("processors")["RESOURCES"] == {"CPU": 5}
    assert constants("elastic")["WORKERS"] == (24, 32)


# --- the README --------------------------------------------------------------------------------------------


def test_the_readme_says_how_to_start_and_what_goes_on() -> None:
    files = project("elastic")
    text = " ".join((files["README.md"] + files["docs/cluster.md"]).split())
    for line in (
        "sbatch train.slurm PATH",
        "sky jobs launch train.sky.yaml",
        "kubectl apply --filename train.jobset.yaml",
    ):
        assert line in text
    assert "goes on with 3 of 4 machines or more" in text
    assert "which also runs what anybody writes to that store" in text
    assert "machines or more" not in " ".join(project("all known")["docs/cluster.md"].split())
