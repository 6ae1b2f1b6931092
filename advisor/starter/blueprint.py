"""The blueprint of a generated project: every choice of the plan as a plain value that templates can print."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Never

from advisor.models.model import Model
from advisor.networks.counts import counted
from advisor.networks.description import NetworkSpec, UnbuildableError
from advisor.networks.family import Answer, Family, flat
from advisor.networks.registry import find, losses
from advisor.networks.spec import Description
from advisor.starter.members import Member
from advisor.starter.named import Adaptation, Library, Named

OPERATIONS = 3e9
"""Of one step of a trial: some tenths of a second for one core of a processor."""
SMALLEST = 2
"""Examples of a batch, so that there is something to normalise and to tell apart."""
CLASSICAL = ("gradient_boosting", "random_forest", "linear", "svm", "knn", "naive_bayes", "ensemble", "statistical")
"""The models of a plan that are no networks."""
STATISTICAL = "statistical"
"""The one of them that forecasts a series, and stores nothing that was fitted."""


def _nothing(spec: NetworkSpec, *_: object) -> Never:
    raise UnbuildableError(f"{spec.network} is no network.")


NO_NETWORK = Family(name="", hidden_units=(), layout=flat, count=_nothing, build=_nothing, dropout=0.0)
"""Stands for the family of those."""


class Layout(StrEnum):
    """The shape of one example; each has a reader in templates/data."""

    TABLE = "table"  # (columns,)
    PICTURE = "picture"  # (channels, height, width)
    SERIES = "series"  # (steps, values)
    SOUND = "sound"  # (steps, values), read from WAV files
    TOKENS = "tokens"  # (steps,) of token numbers
    TREE = "tree"  # (nodes, 3): token, left and right child of each node
    GRAPH = "graph"  # a node of the one graph that all examples share


LAYOUT_OF = {
    "tabular": Layout.TABLE,
    "image": Layout.PICTURE,
    "audio": Layout.SOUND,
    "video": Layout.SERIES,
    "text": Layout.TOKENS,
    "time_series": Layout.SERIES,
    "graph": Layout.GRAPH,
    "tree": Layout.TREE,
}
"""By the modality of the data."""
_MODALITY = {layout: modality for modality, layout in LAYOUT_OF.items()}


class Targets(StrEnum):
    """The targets that are learned for an example."""

    CLASS = "class"  # one class number
    FLAGS = "flags"  # zeros and ones, (outputs,)
    NUMBERS = "numbers"  # (outputs,)
    MASK = "mask"  # a class for every pixel, (height, width)
    NEXT_TOKEN = "next token"  # noqa: S105 - (steps,): the same text one step later
    ITSELF = "itself"  # none: the inputs are all there is


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of an example; dimensions that a layout does not have are 1."""

    values: int
    """Columns, values of a step, features of a node, or different tokens."""
    steps: int = 1
    """Steps of a series, sound or text; nodes of the largest tree."""
    channels: int = 1
    height: int = 1
    width: int = 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """The training of the network."""

    loss: str
    optimizer: str
    learning_rate: float
    schedule: str
    batch_size: int
    """Of a process."""
    accumulation: int
    """Parts of a batch that are processed one after the other."""
    precision: str
    epochs: int
    patience: int | None
    """Epochs without improvement after which training ends; None for never."""
    weight_decay: float
    l1: float
    label_smoothing: float
    warm_up: float
    """The share of all steps over which the learning rate rises."""
    clip_norm: float | None
    recompute: bool
    """True where activations are computed again in the backward pass, to save memory."""
    checkpoint_seconds: int | None
    """Between two checkpoints, besides the one after each epoch."""
    log_every: int = 50
    """Steps between two lines of the metrics."""
    share: float = 0.9
    """Of the targets, that the quantile loss wants below the answer."""


@dataclass(frozen=True, slots=True)
class Computing:
    """The machine that it is trained on."""

    device: str
    """cpu, gpu, multi_gpu or cluster."""
    threads: int | None
    workers: int
    """Loader processes; 0 loads in the training process."""
    prefetch: int
    pinned: bool
    cached: bool
    """True where decoded examples stay in memory."""
    gpus: int
    """Of one machine."""
    nodes: int
    hours: float | None
    compiled: bool = False
    """True where torch.compile was measured to be faster, the time to compile included."""
    channels_last: bool = False
    """True where images with the channels of a pixel side by side were measured to be faster."""
    fused: bool = False
    """True where an update of all weights in one kernel was measured to be faster."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The start of several processes, on one machine or on many, and again when some of them fail."""

    nodes: int
    least_nodes: int
    """Machines with which training goes on; fewer than `nodes` where they may leave and come back."""
    processes: int
    """Of one machine: one for each GPU."""
    cpus: int
    """Cores of one machine that these and their loaders keep busy."""
    gpus: int
    """Of one machine; 0 where processors train."""
    gpu_resource: str | None
    """The name under which Kubernetes counts such GPUs; None where their maker is not known."""
    accelerator: str | None
    """The name that SkyPilot has for such a GPU; None where the plan does not know one that it has."""
    memory_gib: int | None
    """Of one machine, less what its system needs; None where it is not known."""
    backend: str | None
    """nccl or gloo, for exchanging gradients; None where the plan says neither."""
    spot: bool
    """True for machines that are taken away at times."""
    restarts: int
    """Failures after which the whole training starts again."""
    worker_restarts: int
    """Failures after which the processes of the machines that are there start again."""
    notice_seconds: int
    """Before an announced end, so that a checkpoint can be written."""
    hours: int | None
    """The time that it may take; None where there is no limit."""

    @property
    def cluster(self) -> bool:
        return self.nodes > 1

    @property
    def elastic(self) -> bool:
        """True where training goes on with fewer machines."""
        return self.least_nodes < self.nodes


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column of a table that the model is given."""

    name: str
    holds: str
    """number, yes or no, category, text, or date and the form in which it is written."""


@dataclass(frozen=True, slots=True)
class Reads:
    """The columns of data that were looked at, as the trials read them."""

    columns: tuple[ReadColumn, ...]
    time: str | None
    """The column of the time, where the last rows are held out."""
    time_holds: str
    group: str | None
    """The column of what several rows belong to, where whole groups are held out; of series what tells them apart."""
    season: int | None = None
    """Of a series the steps after which values may repeat by the calendar."""
    keys: tuple[str, ...] = ()
    """Columns that name each row, and stand beside its prediction."""
    asked: bool = False
    """True where somebody asked the trials for a split by this time or these groups."""


@dataclass(frozen=True, slots=True)
class Masks:
    """The values of masks, as `datasets.media.mask_folders` found them."""

    values: tuple[int, ...]
    """Of each class, in the order of their numbers; of masks in colours 65536 red + 256 green + blue."""
    void: int | None
    """Of pixels that belong to no class."""
    colored: bool
    blurred: bool
    """True where values between two stand for the nearer one."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """Everything that the templates of code see. Its texts are names of the rule base, but for the target and the data path."""

    network: str
    layout: Layout
    targets: Targets
    shape: Shape
    outputs: int
    examples: int
    """Made-up ones, where no data are given."""
    hidden_units: tuple[int, ...]
    activation: str
    normalization: str
    init: str
    init_deviation: float
    """Of small_normal."""
    dropout: float
    augmentation: bool
    kind: str
    """The task, as in task.kind."""
    recipe: Recipe
    computing: Computing
    target: str | None
    """The target column, where it was named."""
    data: str | None
    """The path of the data, where it was named."""
    differences: tuple[str, ...]
    """Differences from the plan, with reasons; sentences for the README."""
    delimiter: str = ","
    """Between the columns of a table of text."""
    named: Named | None = None
    """The network that somebody named, where it is not built here."""
    members: tuple[Member, ...] = ()
    """The models of scikit-learn; empty of a network and of a statistical model."""
    reads: Reads | None = None
    """None where no table was looked at."""
    target_words: tuple[str, ...] = ("None", "none", "-")
    """Classes that are called as missing values are."""
    variant: str = ""
    """The name of a statistical model, see `training.ladder.variants`; empty for the usual one, and of all other models."""
    launch: Launch | None = None
    """None where a single process trains."""
    array: str | None = None
    """The array of the examples in an NPZ, where one was looked at."""
    masks: Masks | None = None
    """Of images that were looked at."""
    mirrors: bool = False
    """True where augmentation mirrors images, which changes what some of them mean."""
    features: tuple[str, ...] = ()
    """Of the nodes of a graph that was looked at, the columns of numbers."""
    packed: bool = False
    """True where images are packed into a few large files, and read from these."""
    seed: int = 0
    """The seed of the trials on these data, so that the same rows are held out."""
    strategy: str = "synchronous"
    """Of several processes, as `train.py --strategy` takes it."""

    @property
    def weighted(self) -> bool:
        """True where examples of a rare class count more."""
        return any("class_weight" in member.parameters for member in self.members)

    @property
    def is_network(self) -> bool:
        return self.network not in CLASSICAL

    @property
    def family(self) -> Family:
        return family_of(self.network)

    @property
    def has_own_loss(self) -> bool:
        """True for a loss that belongs to this type of network, which learns from inputs alone and makes new ones."""
        return self.named is None and self.recipe.loss in self.family.own_losses

    @property
    def writes(self) -> bool:
        """True where it learns to write texts, word by word."""
        return self.named is None and self.targets is Targets.NEXT_TOKEN and self.kind == "generate"

    @property
    def subwords(self) -> bool:
        """True where texts are cut into tokens that are learned from them, and packed into windows."""
        return self.writes

    @property
    def one_class(self) -> bool:
        """True where each example has one class of several."""
        return self.targets in (Targets.CLASS, Targets.MASK) or (self.targets is Targets.FLAGS and self.outputs == 1)

    @property
    def counts_classes_of_texts(self) -> bool:
        return self.layout is Layout.TOKENS and self.targets in (Targets.CLASS, Targets.FLAGS)

    @property
    def grows(self) -> bool:
        """True for a model of trees, to which more can be added."""
        return len(self.members) == 1 and self.members[0].grows

    @property
    def libraries(self) -> tuple[str, ...]:
        """Those of boosted trees that are not scikit-learn's."""
        return tuple(dict.fromkeys(member.library for member in self.members if member.library))

    @property
    def after_linear(self) -> bool:
        """True where boosted trees grow on what a linear model leaves."""
        return any(member.after_linear for member in self.members)

    @property
    def answered(self) -> bool:
        """True where each example has an answer: a class, several, or numbers."""
        return self.targets in (Targets.CLASS, Targets.FLAGS, Targets.NUMBERS)

    @property
    def predicts(self) -> bool:
        """True where it learns an answer to each example, which predict.py then gives for new ones."""
        return self.answered and not self.has_own_loss

    @property
    def restores(self) -> bool:
        """True where it learns to restore its examples, and predict.py tells how badly it does with new ones."""
        able = self.is_network and self.named is None and (not self.has_own_loss or self.network == "vae")
        restored = self.targets is Targets.ITSELF and self.recipe.loss != "info_nce"
        return able and restored and self.layout in (Layout.TABLE, Layout.PICTURE, Layout.SERIES)

    @property
    def as_tried(self) -> bool:
        """True where it holds out the rows that trials on the same data are tested on."""
        found = self.predicts or not self.is_network or self.layout is Layout.TABLE
        return found and self.layout not in (Layout.GRAPH, Layout.TREE)

    @property
    def by_columns(self) -> bool:
        """True where columns beside texts say which rows are held out."""
        texts = self.layout is Layout.TOKENS and self.as_tried
        return texts and self.reads is not None and (self.reads.time or self.reads.group) is not None

    @property
    def by_time(self) -> bool:
        """True where windows are cut out of rows that follow one another in the time of a column."""
        windows = self.kind == "forecast" or self.targets is Targets.ITSELF
        timed = self.reads is not None and self.reads.time is not None and self.reads.time_holds != "category"
        return self.layout is Layout.SERIES and windows and timed

    @property
    def learns_again(self) -> bool:
        """True for a small network on one device, which can learn once more from all examples when it has been scored."""
        return self.is_network and self.predicts and self.named is None and self.computing.device in ("cpu", "gpu")

    @property
    def tokenized(self) -> bool:
        """True where the texts become the tokens of a published network."""
        return self.named is not None and self.named.library is Library.TRANSFORMERS and self.layout is Layout.TOKENS

    @property
    def can_shard(self) -> bool:
        """True where each process can hold a share of the weights: FSDP gathers layers when the whole network is called.

        Losses of a network's own call its parts. Steps of LARS and LAMB need norms of whole layers, and so does L1.
        """
        recipe, named = self.recipe, self.named
        packed = named is not None and named.adaptation is Adaptation.QLORA
        whole = recipe.optimizer in ("lbfgs", "lars", "lamb") or recipe.l1 > 0 or recipe.precision == "fp16"
        return self.is_network and not (self.has_own_loss or self.learns_again or packed or whole)

    @property
    def frozen(self) -> bool:
        """True where a part of the weights is not trained."""
        return self.named is not None and self.named.adaptation is not Adaptation.FULL

    @property
    def answers_in_files(self) -> bool:
        """True where the targets stand in a table or an array beside the examples, and not in names of folders alone."""
        supervised = self.targets in (Targets.CLASS, Targets.FLAGS, Targets.NUMBERS) and self.kind != "forecast"
        return supervised and self.layout not in (Layout.SOUND, Layout.TREE)

    @property
    def reads_lines(self) -> bool:
        """True where every line of the data is a text, whatever a table would make of it."""
        return self.layout is Layout.TOKENS and self.targets in (Targets.NEXT_TOKEN, Targets.ITSELF)

    @property
    def translates(self) -> bool:
        return self.named is None and self.targets is Targets.NEXT_TOKEN and self.kind == "translate"

    @property
    def restarts(self) -> bool:
        """True where a training is expected to be stopped, and to go on from its last checkpoint."""
        return self.is_network and (self.launch is not None or self.recipe.checkpoint_seconds is not None)

    @property
    def elastic(self) -> bool:
        """True where other processes may go on with a training than those that began it."""
        return self.launch is not None and self.launch.elastic

    @property
    def trial_batch(self) -> int | None:
        """Examples of a batch with which a first trial of the project is over in seconds.

        None where the plan's own batch is quick enough, or stays what it is. An example takes two operations for each
        multiply-add forwards and four backwards (Kaplan et al. 2020, section 2.1).
        """
        recipe = self.recipe
        if not self.is_network or recipe.optimizer == "lbfgs":
            return None
        fitting = max(SMALLEST, int(OPERATIONS / (6 * self._macs() * recipe.accumulation)))
        return fitting if fitting < recipe.batch_size // recipe.accumulation else None

    def _macs(self) -> int:
        """Multiply-add operations of one example, forwards; roughly, where the advisor builds no such network itself."""
        if self.named is not None:
            return max(1, self.named.multiply_adds)
        model = self.model
        if model is not None:
            return model.multiply_adds
        shape = self.shape
        widths = pairwise((shape.values * shape.channels, *self.hidden_units))
        return 9 * shape.steps * shape.height * shape.width * sum(before * after for before, after in widths)

    @property
    def model(self) -> Model | None:
        """The network that is built here, as the advisor counts it for such examples; None where it cannot be counted."""
        shape = self.shape
        inputs = shape.values * shape.channels * shape.height * shape.width
        restores = self.targets is Targets.ITSELF and self.family.restores
        every_input = self.targets is Targets.NEXT_TOKEN or self.family.answer is Answer.PICTURE or restores
        description = Description(
            network=self.network,
            modality=_MODALITY[self.layout],
            inputs=inputs,
            outputs=inputs if every_input else self.outputs,
            hidden_units=self.hidden_units,
            sequence_length=shape.steps,
            loss=self.recipe.loss if self.recipe.loss in losses() else "mse",
            activation=self.activation,
            normalization=self.normalization,
            dropout=self.dropout,
        )
        try:
            return counted(description)
        except UnbuildableError:  # such as a picture that cannot be halved without remainder
            return None


def family_of(network: str) -> Family:
    return find(network) or NO_NETWORK


def counts_words(network: str) -> bool:
    """True for a network that sees how often each word occurs in a text, and can restore that."""
    family = family_of(network)
    return bool(family.restores or family.own_losses or family.answer is Answer.PICTURE)
