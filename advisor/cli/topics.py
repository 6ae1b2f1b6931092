"""The texts of `advisor help TOPIC`: what many commands share, each on one screen of 80 columns."""

from __future__ import annotations

TOPICS = {
    "answers": """\
ANSWERS: what you know, in a file or on the command line

A file of answers is YAML, one fact a line, as many as you know:

    task.kind: classify
    data.modality: image        # picture and photo mean the same
    data.examples: 20k          # 50k, 2M, 300 MB, 16 GiB, 3 h are understood
    task.outputs: unknown       # or leave the line out

    advisor recommend my.yaml                 the same as --answers my.yaml
    advisor recommend --set data.examples=2M  one fact; it outranks the file
    advisor recommend my.yaml pictures/       answers and data together

Every command that plans or measures takes them so: recommend, explain, probe,
try, starter, wizard, compare. A file that ends with .yaml, .yml or .json holds
answers, any other file or folder data. Your file is never rewritten.

`advisor glossary --all` lists all facts, `advisor glossary NAME` explains one.
""",
    "data": """\
DATA: what is found in your files becomes facts

    advisor inspect pictures/                  look only
    advisor recommend --data table.csv --target price
    advisor try table.csv --target price       train on a part, judge the rest
    advisor try table.csv --target price --save model      keep the winner, too
    advisor apply model --data new.csv --output said.csv   and predict with it

--data PATH (or PATH alone) is a file or a folder: tables, arrays, a folder of
pictures or sounds for each class, texts, series, graphs. --target names the
column to predict. What you state outranks what is found; if they contradict
each other, the plan says so. Files are read, never changed or sent anywhere.
""",
    "models": """\
MODELS: a network that exists already

    advisor models list                           those known by name
    advisor models show resnet50
    advisor recommend --model resnet50 --set task.kind=classify

--model takes a name of the list, timm:NAME, a config.json, a file that ends
with .safetensors, or FILE.py:FUNCTION. Such a function is run: name only files
that you trust. --input 3x224x224 says what it takes for one example, --python
names the interpreter in which its code works.
""",
    "machines": """\
MACHINES: where it will be trained

    --machine auto        this one, and what was measured on it (the usual)
    --machine none        nothing is assumed
    --machine l4          a device; `advisor profiles list` names them
    --machine lab         measured before with `advisor probe --save lab`
    --machine FILE        facts in YAML, or what `advisor profiles export` wrote

Only the machine here can be measured: `advisor probe` and `advisor try` are for
auto. `advisor doctor` checks that GPU, driver and PyTorch work together.
""",
    "measuring": """\
MEASURING: bets are settled on your machine

    advisor probe my.yaml --budget 60s         speed and memory, on this machine
    advisor try table.csv --target y           quality, on your data

A probe times alternatives side by side, such as one thread against four, in a
process of its own; it ends within the budget. What it finds is kept and counts
for later plans of the same network on this machine. `decided` means that the
95 % interval leaves no doubt; within 3 % is `no difference that matters`.
Ctrl-C keeps what is finished: the same command goes on from there.
""",
    "output": """\
OUTPUT: forms and files

    --output plan.html    the ending is the format: .txt .json .md .html
    --format json         to stdout, or into a file of any other ending
    --force               replace a file that exists

stdout carries data only, messages go to stderr. JSON names its schema; ignore
keys that you do not know. `advisor report plan.json` makes a report of a saved
plan. NO_COLOR and COLUMNS are respected.
""",
    "exit-codes": """\
EXIT CODES

    0    done (a probe run of which only a part failed, too)
    1    the work failed: nothing could be measured, or nothing written
    2    wrong usage or bad input: a message says what, where and the remedy
    130  interrupted by Ctrl-C (143 by SIGTERM, 129 by SIGHUP)
""",
    "statuses": """\
STATUSES: how sure a recommendation is

    settled         the same whatever the answers that are still missing
    leaning         leads now; some missing answer or assumption would change it
    open            nothing leads yet
    measured        decided by an experiment on this machine, or on your data
    simulated       decided by simulating your cluster; nothing was measured
    not applicable  means nothing for this plan
    silent          this school says nothing on it

`advisor explain TOPIC` lists the answers that would change it.
""",
    "rules": """\
RULES: the knowledge, and your own on top

    advisor rules list --topic network.type
    advisor rules show network.type.visual-cnn   with its sources
    advisor recommend my.yaml --rules house/     your own rules on top
    advisor recommend my.yaml --school survey    the survey of 2018 as written
""",
}
"""By name; `exit codes` and `exit-codes` are the same."""


def text_of(name: str) -> str | None:
    """The text of a topic, or None where there is none of this name."""
    return TOPICS.get(name.strip().casefold().replace(" ", "-").replace("_", "-"))
