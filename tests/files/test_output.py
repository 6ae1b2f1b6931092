"""Files that users ask for follow the umask, go where links lead, and keep the rights of what they replace."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.files.output import check_output, write_text
from advisor.wording import printable, shell_path, shell_word

from ..cli.program import PROGRAM, advisor, environment, refused

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs rights and links as on Unix")
as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can act as two users")
NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def with_umask(umask: str, folder: Path, *arguments: str) -> None:
    command = ["/bin/sh", "-c", f'umask {umask}; exec "$@"', "sh", *PROGRAM, *arguments]
    subprocess.run(command, cwd=folder, env=environment(), check=True, capture_output=True, timeout=300)


@pytest.mark.parametrize(
    ("umask", "of_file", "of_folder"), [("077", 0o600, 0o700), ("027", 0o640, 0o750), ("002", 0o664, 0o775)]
)
@pytest.mark.some(1)
def test_the_umask_counts(umask: str, of_file: int, of_folder: int, tmp_path: Path) -> None:
    with_umask(umask, tmp_path, "recommend", "--machine", "none", "--output", "plan.md")
    stated = ["--set", "data.modality=tabular", "--set", "task.kind=classify", "--machine", "none"]
    with_umask(umask, tmp_path, "starter", *stated, "--output", "project")
    assert mode(tmp_path / "plan.md") == of_file
    assert mode(tmp_path / "project") == of_folder
    for path in (tmp_path / "project").rglob("*"):
        assert mode(path) == (of_folder if path.is_dir() else of_file), path


@pytest.mark.parametrize("before", [0o600, 0o640, 0o444, 0o755])
def test_what_is_replaced_keeps_its_rights(before: int, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("old")
    path.chmod(before)
    write_text(path, "new", force=True)
    assert (path.read_text(), mode(path)) == ("new", before)


@as_root
def test_what_root_replaces_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("old")
    os.chown(path, NOBODY, NOBODY)
    write_text(path, "new", force=True)
    assert (path.stat().st_uid, path.stat().st_gid) == (NOBODY, NOBODY)


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "plan.md").write_text("old")
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    second.symlink_to("disk/plan.md")
    first.symlink_to("second.md")
    with pytest.raises(InputError, match="the file exists"):
        write_text(first, "new")
    write_text(first, "new", force=True)
    assert first.is_symlink()
    assert second.is_symlink()
    assert (tmp_path / "disk" / "plan.md").read_text() == "new"


def test_a_link_to_nothing_makes_what_it_leads_to(tmp_path: Path) -> None:
    link = tmp_path / "plan.md"
    link.symlink_to("later.md")
    write_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "later.md").read_text() == "new"
    link.unlink()
    link.symlink_to("plan.md")
    with pytest.raises(InputError, match="symbolic links"):
        write_text(link, "new")


@as_root
def test_a_link_that_another_user_has_laid_in_an_open_folder_is_not_followed(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    link = shared / "plan.md"
    link.symlink_to(tmp_path / "precious")
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(InputError, match="another user's symbolic link"):
        write_text(link, "new", force=True)
    assert not (tmp_path / "precious").exists()


@pytest.mark.parametrize("name", ["x" * 255, "-", "a\nb", "caf\udce9", "ü"])
def test_any_name_of_a_file_will_do(name: str, tmp_path: Path) -> None:
    write_text(tmp_path / name, "new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_could_not_be_written_afterwards_is_told_before(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    for name, what in (
        ("there", "the file exists"),
        ("none/plan.md", "there is no such folder"),
        ("", "this is a folder"),
    ):
        with pytest.raises(InputError, match=what):
            check_output(tmp_path / name, force=False)
    check_output(tmp_path / "there", force=True)
    check_output(Path("/dev/stdout"), force=False)


def test_a_current_folder_that_is_gone_is_told() -> None:
    words = ["/bin/sh", "-c", 'folder=$(mktemp -d); cd "$folder"; rmdir "$folder"; exec "$@"', "sh", *PROGRAM]
    for command in (["probe", "--budget", "3s"], ["recommend"], ["inspect", "x.csv"], ["doctor"]):
        done = subprocess.run(
            [*words, *command], env=environment(), capture_output=True, text=True, check=False, timeout=300
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "There is no current folder" in done.stderr


NAMES = [
    "plain.csv",
    "my data.csv",
    "it's.csv",
    "a\nb.csv",
    "\x1b[31m.csv",
    "caf\udce9 \\n.csv",
    "-x.csv",
    "$(touch x).csv",
    "ü 漢.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_a_command_means_the_same_file_in_a_shell(name: str, tmp_path: Path) -> None:
    if not Path("/bin/bash").exists():
        pytest.skip("needs bash")
    for word in (shell_word(name), shell_path(name)):
        assert printable(word).splitlines() == [word]
    (tmp_path / name).write_text("here")
    shown = subprocess.run(
        ["/bin/bash", "-c", f"cat {shell_path(name)}"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "here"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a\nb c.csv", "caf\udce9.csv"])
def test_the_commands_that_are_shown_name_such_data(name: str, tmp_path: Path) -> None:
    data = tmp_path / name
    data.write_text("a,b,y\n" + "".join(f"{n},{n % 7},{'xz'[n % 2]}\n" for n in range(60)))
    inspected = advisor("inspect", data, "--target", "y")
    assert f"advisor recommend --data {shell_path(str(data))} --target y" in inspected.out
    project = tmp_path / "project"
    made = advisor("starter", "--machine", "none", "--data", data, "--target", "y", "--output", project)
    assert made.code == 0, made.err
    assert f"python train.py --data {shell_path(str(data))}\n" in (project / "README.md").read_text()


def test_a_profile_of_a_newer_version_is_told_by_its_name(tmp_path: Path) -> None:
    state = {"ADVISOR_STATE": str(tmp_path / "state")}
    kept = Path(advisor("profiles", "path", env=state).out.strip())
    (kept / "lab.json").write_text('{"schema": "advisor/machine-profile/9", "name": "lab", "outcomes": []}')
    for command in (["recommend", "--machine", "lab"], ["profiles", "show", "this"]):
        assert "lab.json: it is a machine profile of another version of this program" in refused(*command, env=state)
