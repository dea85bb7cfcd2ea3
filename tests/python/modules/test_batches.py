# SPDX-License-Identifier: Apache-2.0
"""posenc.torch.Batches: tensors where ids are read, the same for any ranks and workers, and after a stop."""

import copy
import os
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import posenc
import posenc.torch as pt
import pytest
import torch
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils.data import DataLoader
from torch_shared import MOST, expect_at_most

pa = pytest.importorskip("pyarrow", reason="posenc.torch.Batches needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from posenc.ray import Corpus, Tokenize  # noqa: E402
from posenc.text import Tokenizer  # noqa: E402

pytestmark = pytest.mark.torch
WEIGHT = torch.from_numpy(posenc.seeded_rows(3072, 16, seed=7, init="scaled"))
COUNT = 103
CORPUS = Corpus(Tokenizer("bpe").identity, posenc.Convention("transformer"), "sqrt_dim", dropout=0.25, seed=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of several row groups; the ids of rows are no numbers of records."""
    path = tmp_path_factory.mktemp("ids")
    texts = ["to be or not to be " * (i % 7) for i in range(COUNT)]
    table = Tokenize("bpe")(pa.table({"row": [1000 + 3 * i for i in range(COUNT)], "text": texts}))
    table = table.select(["row", "first", "ids"]).replace_schema_metadata(CORPUS.metadata())
    for name, begin, end in (("a", 0, 40), ("b", 40, 41), ("c", 41, COUNT)):
        pq.write_table(table.slice(begin, end - begin), path / f"{name}.parquet", row_group_size=16)
    return path


def batches(folder, **options):
    return pt.Batches(folder, **{"batch": 8, "rows": WEIGHT, "rank": 0, "world": 1, **options})


def content(batch):
    """All that a batch has, as bytes."""
    made = b"" if batch.input is None else batch.input.view(torch.uint8).numpy().tobytes()
    return batch.row.tolist(), batch.tokens.tolist(), batch.ids.tolist(), made, batch.state


def loaded(dataset, **options):
    return [content(batch) for batch in DataLoader(dataset, batch_size=None, **options)]


def test_a_batch_is_what_an_input_stage_makes(folder):
    stage = posenc.InputStage(WEIGHT, "transformer", scale="sqrt_dim")
    rows = []
    for batch in batches(folder):
        rows += batch.row.tolist()
        for i, count in enumerate(batch.tokens.tolist()):
            ids = batch.ids[i, :count]
            assert torch.equal(batch.input[i, :count], torch.from_numpy(np.asarray(stage.encode(ids, range(count)))))
            assert not batch.input[i, count:].any() and not batch.ids[i, count:].any()
        assert batch.ids.shape[1] == max(1, int(batch.tokens.max()))
    assert rows == [1000 + 3 * i for i in range(COUNT)] and batches(folder).records == COUNT


@pytest.mark.filterwarnings("ignore:This DataLoader will create")  # more workers than CPUs
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_order_does_not_depend_on_workers(folder, workers):
    assert loaded(batches(folder), num_workers=workers) == loaded(batches(folder))


@pytest.mark.parametrize("world, workers", [(2, 0), (3, 2)])
def test_ranks_and_workers_share_no_row_and_leave_none(folder, world, workers):
    alone = dict(enumerate(loaded(batches(folder))))
    of_ranks = [loaded(batches(folder, rank=rank, world=world), num_workers=workers) for rank in range(world)]
    for rank, made in enumerate(of_ranks):
        assert [each[:4] for each in made] == [alone[k][:4] for k in range(rank, len(alone), world)]


def test_it_goes_on_exactly_where_it_stood(folder):
    whole = loaded(batches(folder, train=True))
    for stop in (1, 5, len(whole) - 1):
        first = batches(folder, train=True)
        begun = iter(first)
        seen = [content(next(begun)) for _ in range(stop)]
        again = batches(folder, train=True)
        again.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
        assert seen + loaded(again) == whole
        by_state = batches(folder, train=True)
        by_state.load_state_dict(seen[-1][-1])
        assert seen + loaded(by_state, num_workers=2) == whole


def test_it_goes_on_with_other_ranks_workers_and_sizes(folder):
    def rows(made):
        return [row for batch in made for row in batch[0]]

    two = [loaded(batches(folder, rank=rank, world=2))[:3] for rank in range(2)]
    seen = rows(two[0]) + rows(two[1])
    rest = batches(folder, batch=5)
    rest.load_state_dict(two[0][-1][-1])
    assert two[0][-1][-1] == two[1][-1][-1]
    assert sorted(seen + rows(loaded(rest, num_workers=2))) == [1000 + 3 * i for i in range(COUNT)]


def test_each_worker_goes_on_from_its_own_state(folder):
    """What a loader does that asks its workers themselves: each has a copy of the dataset."""
    whole = [each[:4] for each in loaded(batches(folder))]
    states = []
    for worker in range(2):
        each = batches(folder)
        with as_worker(worker, 2):
            begun = iter(each)
            seen = [content(next(begun))[:4] for _ in range(3 - worker)]
            states.append(each.state_dict())
        assert seen == whole[worker::2][: 3 - worker]
    for worker, state in enumerate(states):
        again = batches(folder)
        again.load_state_dict(state)
        with as_worker(worker, 2):
            assert [content(batch)[:4] for batch in again] == whole[worker::2][3 - worker :]


WORKERS = {"no worker": {}, "two": {"num_workers": 2}, "two that stay": {"num_workers": 2, "persistent_workers": True}}
every_loader = pytest.mark.parametrize("workers", WORKERS.values(), ids=WORKERS)


def epochs(loader, dataset, numbers):
    """As a loop of training has them."""
    made = []
    for number in numbers:
        dataset.set_epoch(number)
        made.append([content(batch) for batch in loader])
    return made


@every_loader
def test_epochs_behind_one_that_was_resumed_are_whole(folder, workers):
    undisturbed = batches(folder, train=True)
    whole = epochs(undisturbed, undisturbed, range(4))
    for stop in (3, len(whole[1])):
        resumed = batches(folder, train=True)
        resumed.load_state_dict(whole[1][stop - 1][-1])
        made = epochs(DataLoader(resumed, batch_size=None, **workers), resumed, (1, 2, 3, 2, 2))
        assert made == [whole[1][stop:], whole[2], whole[3], whole[2], whole[2]]


@every_loader
def test_a_state_of_another_epoch_is_left_by_set_epoch(folder, workers):
    dataset = batches(folder, train=True)
    whole = epochs(dataset, dataset, range(2))
    dataset.load_state_dict({"epoch": 0, "record": 24})
    loader = DataLoader(dataset, batch_size=None, **workers)
    assert epochs(loader, dataset, (1, 0)) == [whole[1], whole[0]]
    dataset.load_state_dict({"epoch": 0, "record": 24})
    assert [content(batch) for batch in loader] == whole[0][3:]


@pytest.mark.parametrize("workers", list(WORKERS.values())[1:], ids=list(WORKERS)[1:])
def test_workers_do_not_guess_an_epoch(folder, workers):
    resumed = batches(folder)
    resumed.load_state_dict({"epoch": 1, "record": 24})
    for dataset in (resumed, batches(folder, train=True)):
        loader = DataLoader(dataset, batch_size=None, **workers)
        assert len(list(loader)) in (10, 13)
        with pytest.raises(posenc.PosencError, match="set_epoch must be called before every epoch where workers read"):
            list(loader)
    evaluated = DataLoader(batches(folder), batch_size=None, **workers)
    assert [content(batch) for batch in evaluated] == [content(batch) for batch in evaluated]


def test_epochs_follow_each_other_without_workers(folder):
    dataset = batches(folder, train=True)
    whole = epochs(dataset, dataset, range(3))
    dataset.load_state_dict({"epoch": 1, "record": 24})
    assert [[content(batch) for batch in dataset] for _ in range(2)] == [whole[1][3:], whole[2]]
    dataset.load_state_dict({"epoch": 1, "record": 24})
    next(iter(dataset))
    assert [content(batch) for batch in dataset] == whole[1]  # one that was left begins again


def test_a_pickle_has_an_epoch_of_its_own(folder):
    dataset = batches(folder, train=True)
    whole = epochs(dataset, dataset, range(3))
    dataset.set_epoch(1)
    other = pickle.loads(pickle.dumps(dataset))
    other.set_epoch(2)
    assert [content(batch) for batch in dataset] == whole[1]
    loader = DataLoader(other, batch_size=None, num_workers=2, persistent_workers=True)
    assert epochs(loader, other, (2, 0)) == [whole[2], whole[0]]


def test_what_a_worker_is_told_it_alone_is_told_until_all_are(folder):
    """By a loader that keeps each worker's state: its copy has what all share."""
    whole = [each[:4] for each in loaded(batches(folder, train=True))]
    dataset = batches(folder, train=True)
    with as_worker(0, 2):
        mine = copy.copy(dataset)
        mine.load_state_dict({"epoch": 0, "record": 32})
        assert [content(batch)[:4] for batch in mine] == whole[4::2]
        assert mine.state_dict() == {"epoch": 1, "record": 0}
    assert dataset.state_dict() == {"epoch": 0, "record": 0}
    dataset.set_epoch(0)
    with as_worker(0, 2):
        assert [content(batch)[:4] for batch in mine] == whole[::2]


class as_worker:
    def __init__(self, worker, workers):
        self._info = torch.utils.data._utils.worker.WorkerInfo(id=worker, num_workers=workers, seed=0, dataset=None)

    def __enter__(self):
        torch.utils.data._utils.worker._worker_info = self._info

    def __exit__(self, *_):
        torch.utils.data._utils.worker._worker_info = None


def test_a_mask_is_that_of_row_and_epoch_alone(folder):
    one = batches(folder, train=True, length=64)
    first, second = (torch.cat([batch.input for batch in one]) for _ in range(2))
    assert one.state_dict() == {"epoch": 2, "record": 0}
    assert not torch.equal(first, second)
    other = batches(folder, train=True, length=64, batch=13)
    assert torch.equal(torch.cat([batch.input for batch in other]), first)
    other.set_epoch(1)
    assert torch.equal(torch.cat([batch.input for batch in other]), second)
    stage = posenc.InputStage(WEIGHT, "transformer", scale="sqrt_dim", dropout=0.25, seed=5 + 1)
    ids = Tokenizer("bpe").encode("to be or not to be " * 3).astype(np.int64)
    made = stage.encode(ids[None], range(len(ids)), train=True, call=1009)
    assert torch.equal(second[3, : len(ids)], torch.from_numpy(np.asarray(made))[0])


def test_the_last_rows_are_left_out_on_request(folder):
    made = [loaded(batches(folder, rank=rank, world=2, drop_last=True)) for rank in range(2)]
    assert len(made[0]) == len(made[1]) == COUNT // 16
    assert all(len(batch[0]) == 8 for each in made for batch in each)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_the_input_has_the_type_of_rows_and_may_be_left_out(folder, dtype):
    assert next(iter(batches(folder, rows=WEIGHT.to(dtype)))).input.dtype == dtype
    assert next(iter(batches(folder, rows=None))).input is None
    of_type = WEIGHT.to(dtype)
    frozen = batches(folder, rows=torch.nn.Parameter(of_type, requires_grad=False))
    assert content(next(iter(frozen))) == content(next(iter(batches(folder, rows=of_type))))


@pytest.fixture(params=[0, 1])
def rank_of_two(request):
    """A process group of two ranks, of which this process is one, and the other is not there."""
    group = torch.distributed
    group.init_process_group("fake", store=FakeStore(), rank=request.param, world_size=2)
    yield request.param
    group.destroy_process_group()


@pytest.mark.timeout(120)  # a worker that is spawned imports torch
@pytest.mark.parametrize("start, workers", [(None, 0), ("fork", 2), ("spawn", 2), ("forkserver", 1)])
def test_it_takes_the_rank_of_torch_distributed(start, workers, rank_of_two, folder):
    mine = loaded(batches(folder, rank=rank_of_two, world=2))
    before = pickle.loads(pickle.dumps(pt.Batches(folder, batch=8, rows=WEIGHT)))
    assert loaded(before, num_workers=workers, multiprocessing_context=start) == mine


def test_a_pickle_does_not_keep_the_rank_of_who_wrote_it(folder):
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=1, world_size=2)
    written = pickle.dumps(pt.Batches(folder, batch=8, rows=WEIGHT))
    torch.distributed.destroy_process_group()
    for workers in (0, 1):
        assert loaded(pickle.loads(written), num_workers=workers) == loaded(batches(folder))


def other_metadata(folder, tmp_path):
    table = pq.read_table(folder / "a.parquet")
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table.replace_schema_metadata(CORPUS._replace(seed=6).metadata()), tmp_path / "b.parquet")
    return batches(tmp_path)


def no_metadata(folder, tmp_path):
    pq.write_table(pa.table({"row": [0], "first": [0], "ids": [[1]]}), tmp_path / "a.parquet")
    return batches(tmp_path)


def no_column(folder, tmp_path):
    table = pq.read_table(folder / "a.parquet")
    pq.write_table(table.drop_columns(["first"]), tmp_path / "a.parquet")
    return batches(tmp_path)


def parts(tmp_path, *numbers, count=3):
    """A folder with those parts of a dataset."""
    table = pa.table({"row": [0], "first": [0], "ids": pa.array([[1, 2]], pa.list_(pa.int32()))})
    for i, number in enumerate(numbers):
        of = None if number is None else (number, count)
        pq.write_table(table.replace_schema_metadata(CORPUS.metadata(of)), tmp_path / f"{i}.parquet")
    return tmp_path


def test_a_folder_with_all_its_parts_and_a_list_of_some_are_read(tmp_path):
    folder = parts(tmp_path, 2, 0, 1)
    assert batches(folder).records == 3 and batches([folder / "0.parquet"]).records == 1
    assert batches(folder / "0.parquet").records == 1


def test_only_row_groups_with_rows_of_a_batch_are_decoded(folder, monkeypatch):
    """Groups of 16 rows: files of 40, 1 and 62 have 3, 1 and 4."""
    decoded = []
    plain = pq.ParquetFile.read_row_group

    def counted(file, i, *rest, **options):
        decoded.append(i)
        return plain(file, i, *rest, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    list(batches(folder))
    assert len(decoded) == 8
    decoded.clear()
    assert len(list(batches(folder, rank=3, world=4))) == 3  # rows 24-31, 56-63, 88-95
    assert decoded == [1, 0, 1, 2, 3]


def slow_to_return(kept):
    """The object, with time for other threads between what it keeps and what it returns of it."""

    def keep(self, value):
        self.__dict__["kept"] = value
        time.sleep(0.002)

    kept.__dict__["kept"] = kept.__dict__.pop("_last")
    kept.__class__ = type("Slow", (type(kept),), {"_last": property(lambda self: self.__dict__["kept"], keep)})
    return kept


def test_threads_share_a_dataset(folder):
    """Each reads its own row groups and has masks of its own key: none gets what another one keeps."""
    dataset = batches(folder, train=True)
    whole = dataset._records.read(0, COUNT).row.tolist()
    keys = [2**32 * i for i in range(4)]
    masks = {key: dataset._stages._of(key, 0).encode([[1, 2]], range(2), train=True).tobytes() for key in keys}
    records, stages = slow_to_return(dataset._records), slow_to_return(dataset._stages)

    def look(thread):
        for i in range(12):
            at, key = (31 * i + 16 * thread) % COUNT, keys[(i + thread) % len(keys)]
            assert records.read(at, 1).row.tolist() == [whole[at]]
            assert stages._of(key, 0).encode([[1, 2]], range(2), train=True).tobytes() == masks[key]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look, range(4)))


REFUSED = [
    (lambda _, tmp_path: batches(parts(tmp_path, 0, 2)), "all 3 parts of its dataset, 0 to 2"),
    (lambda _, tmp_path: batches(parts(tmp_path, 0, 1)), "all 3 parts of its dataset, 0 to 2"),
    (lambda _, tmp_path: batches(parts(tmp_path, 0, 1, 2, 1)), "each part once"),
    (lambda _, tmp_path: batches(parts(tmp_path, 0, 1, 2, None)), "one of 3 parts"),
    (lambda _, tmp_path: batches(parts(tmp_path, None, 1)), "is no part"),
    (lambda folder, _: batches(folder, rows=WEIGHT.clone().requires_grad_()), "rows are a frozen embedding"),
    (lambda folder, _: batches(folder, world=1, rank=-1), "0 <= rank < world"),
    (lambda folder, _: batches(folder).set_epoch(-1), "epoch must be >= 0"),
    (lambda folder, _: batches(folder).load_state_dict({"epoch": 0, "record": -1}), "record must be >= 0"),
    (lambda folder, _: batches(folder, batch=0), "batch must be >= 1"),
    (lambda folder, _: batches(folder, rank=2, world=2), "0 <= rank < world"),
    (lambda folder, _: batches(folder, rank=0, world=None), "rank and world must come together"),
    (lambda folder, _: batches(folder, rows=WEIGHT[:100]), "a row for each of 3072 ids"),
    (lambda folder, _: batches(folder).load_state_dict({"epoch": 0}), "a state must have epoch and record"),
    (lambda folder, _: next(iter(batches(folder, length=2, batch=COUNT))), "a row must have at most 2 tokens"),
    (lambda _, tmp_path: batches(tmp_path), "a folder must have files"),
    (other_metadata, "all files must have the metadata of"),
    (no_metadata, "a dataset must have the metadata posenc.corpus"),
    (no_column, "a file must have the column first"),
]


@pytest.mark.parametrize("call, rule", REFUSED)
def test_a_refusal_names_operation_rule_and_value(call, rule, folder, tmp_path):
    with pytest.raises(posenc.PosencError) as refused:
        call(folder, tmp_path)
    assert rule in refused.value.rule and refused.value.operation and refused.value.value


def test_a_gap_is_named(tmp_path):
    with pytest.raises(posenc.PosencError, match=f"got no part 1 in {tmp_path}"):
        batches(parts(tmp_path, 0, 2))


@pytest.mark.parametrize("name", ["batch", "length", "rank", "world"])
@pytest.mark.parametrize("value", [1.0, True, "1"])
def test_a_count_is_an_integer(name, value, folder):
    counts = {"batch": 8, "length": 64, "rank": 0, "world": 2}
    assert next(iter(batches(folder, **{**counts, name: np.int64(1 if name != "length" else 64)})))
    with pytest.raises(TypeError, match=rf"\[batches\] {name} must be an integer, got {type(value).__name__}"):
        batches(folder, **{name: value})
    for call in (lambda of: of.set_epoch(value), lambda of: of.load_state_dict({"epoch": 0, "record": value})):
        with pytest.raises(TypeError, match="must be an integer"):
            call(batches(folder))


def test_a_file_that_is_damaged_is_named(folder, tmp_path):
    plain = (folder / "c.parquet").read_bytes()
    column = pq.read_metadata(folder / "c.parquet").row_group(1).column(2)
    at = column.dictionary_page_offset or column.data_page_offset
    path = tmp_path / "damaged.parquet"
    for damaged in (plain[:-9], plain[:at] + b"\xff" * 16 + plain[at + 16 :]):
        path.write_bytes(damaged)
        with pytest.raises(posenc.PosencError, match=f"a table must be a whole file of Parquet, got {path}: "):
            list(batches(path))


@pytest.mark.parametrize("key", ["posenc.corpus", "posenc.part"])
@pytest.mark.parametrize("said", [b"", b"[1", b"3", b"[[], []]", b"\xff"])
def test_metadata_that_are_damaged_are_an_error_of_posenc(key, said, tmp_path):
    table = pa.table({"row": [0], "first": [0], "ids": [[1]]})
    metadata = {**CORPUS.metadata((0, 1)), key.encode(): said}
    pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "a.parquet")
    with pytest.raises(posenc.PosencError, match=f"the metadata {key} must be"):
        batches(tmp_path)


def test_without_pyarrow_it_says_what_brings_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"\[batches\] pyarrow must be installed: posenc\[ray\] brings it"):
        batches(folder)


def test_rows_are_a_tensor(folder):
    with pytest.raises(TypeError, match=r"\[batches\] rows must be a torch.Tensor, got ndarray"):
        batches(folder, rows=WEIGHT.numpy())


def test_a_missing_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(OSError, match="nothing"):
        batches(os.fspath(tmp_path / "nothing.parquet"))


# ---- beside a plain dataset --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [1, 128, 2048])
def test_a_pass_takes_at_most_three_times_as_long_as_a_plain_dataset(tmp_path, tokens):
    table = pa.table({"row": range(32), "first": [0] * 32, "ids": [[i % 3000] * tokens for i in range(32)]})
    types = pa.schema([("row", pa.int64()), ("first", pa.int64()), ("ids", pa.list_(pa.int32()))])
    pq.write_table(table.cast(types).replace_schema_metadata(CORPUS.metadata()), tmp_path / "a.parquet")
    ours = batches(tmp_path)
    signal = torch.from_numpy(posenc.table("transformer", 16, range(tokens)))

    def theirs():
        for batch in pq.ParquetFile(tmp_path / "a.parquet").iter_batches(8, columns=["ids"]):
            ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in batch["ids"].to_pylist()], True)
            torch.nn.functional.embedding(ids, WEIGHT) * 4.0 + signal

    expect_at_most(MOST, f"Batches, {tokens}", lambda: list(ours), theirs)
