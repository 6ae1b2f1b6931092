"""STREAM (McCalpin 1995) in C, built from the source package `hpcc` of Debian, which contains it for clusters.

No code of it stands here: it is unpacked beside a header that takes the place of the cluster's, and compiled for one
process with OpenMP.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

HEADER = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef struct { const char *outFname; int StreamVectorSize; int StreamThreads; } HPCC_Params;
typedef int MPI_Comm;
#define MPI_DOUBLE 0
#define MPI_MIN 0
#define MPI_Comm_size(group, size) (*(size) = 1)
#define MPI_Comm_rank(group, rank) (*(rank) = 0)
#define MPI_Barrier(group)
#define MPI_Abort(group, status) exit(status)
#define MPI_Allreduce(from, to, count, type, operation, group)
#define MPI_Gather(from, count, type, to, to_count, to_type, root, group) memcpy(to, from, (count) * sizeof(double))
#define Mmin(one, other) ((one) < (other) ? (one) : (other))
#define Mmax(one, other) ((one) > (other) ? (one) : (other))
#define HPCC_XMALLOC(type, count) ((type *)aligned_array(sizeof(type) * (size_t)(count)))
#define HPCC_free free
static int array_length;
static void *aligned_array(size_t bytes) {
    void *place = 0;
    return posix_memalign(&place, 64, bytes) ? 0 : place;
}
static int HPCC_LocalVectorSize(HPCC_Params *params, int arrays, size_t size, int power_of_two) { return array_length; }
static double MPI_Wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
"""

PROGRAM = """
#include "stream.c"
int main(int count, char **arguments) {
    HPCC_Params params = {"/dev/stdout", 0, 0};
    double copy, scale, add, triad;
    int failed = 0;
    array_length = count > 1 ? atoi(arguments[1]) : 20000000;
    return HPCC_Stream(&params, 1, 0, 0, &copy, &scale, &add, &triad, &failed) || failed;
}
"""


class MissingError(Exception):
    """Something to compare with is not here; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Triad:
    """What one run of STREAM prints of its triad: bytes per second."""

    best: float
    mean: float


def build(folder: Path) -> Path:
    """The compiled program. Raises MissingError."""
    for tool in ("gcc", "apt-get"):
        if shutil.which(tool) is None:
            raise MissingError(f"{tool} is not installed; or give a compiled STREAM by --stream PATH.")
    subprocess.run(["apt-get", "source", "--download-only", "hpcc"], cwd=folder, capture_output=True, check=False)
    archive = next(folder.glob("hpcc_*.orig.tar.*"), None)
    if archive is None:
        raise MissingError(
            "apt-get source hpcc brought nothing: add a deb-src entry to the sources of apt and update, "
            "or give a compiled STREAM by --stream PATH."
        )
    with tarfile.open(archive) as packed:
        member = next(member for member in packed if member.name.endswith("/STREAM/stream.c"))
        source = packed.extractfile(member)
        assert source is not None
        (folder / "stream.c").write_bytes(source.read())
    (folder / "hpcc.h").write_text(HEADER)
    (folder / "main.c").write_text(PROGRAM)
    program = folder / "stream"
    flags = ["-O3", "-march=native", "-fopenmp", "-w", f"-I{folder}"]
    subprocess.run(["gcc", *flags, str(folder / "main.c"), "-o", str(program), "-lm"], check=True)
    return program


def run(program: Path, length: int, threads: int) -> Triad:
    """One run over arrays of so many numbers, if the program takes their number as an argument."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    command = [str(program), str(length)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    size = re.search(r"Array size = (\d+)", said)
    line = re.search(r"^Triad: +\S+ +(\S+) +(\S+)", said, re.MULTILINE)  # rate, mean and least time
    if size is None or line is None:
        raise MissingError(f"{program} does not print what STREAM prints.")
    moved = 24.0 * int(size[1])
    return Triad(best=moved / float(line[2]), mean=moved / float(line[1]))
