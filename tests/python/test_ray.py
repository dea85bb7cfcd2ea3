# SPDX-License-Identifier: Apache-2.0
"""examples/corpus_ray.py and posenc.ray on Ray itself: an actor, a task and a node die, and every row is there once."""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.ray
HERE = pathlib.Path(__file__).resolve().parent


def namespace():
    """The command that starts another in a network namespace; all that it starts ends with it."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray Data is not installed: ./dev python --all -m ray installs it")
    apart = ["--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for command in (["unshare", *apart], ["unshare", "--map-root-user", *apart]):
        if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    pytest.skip("this system gives no network namespace, outside of which Ray would listen to others")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What was made while processes died, beside what one process makes."""
    command = namespace()
    import corpora
    import ray_cluster

    folder = tmp_path_factory.mktemp("ray")
    (folder / "in").mkdir()
    paths, _, bad = corpora.write_inputs(folder / "in")
    alone = ["--out", str(folder / "alone"), "--processes", "1", *ray_cluster.OPTIONS]
    assert corpora.example().main([*paths, *alone]) == 0
    done = subprocess.run(
        [*command, sys.executable, "-B", str(HERE / "ray_cluster.py"), str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, json.loads((folder / "said.json").read_text()), bad


@pytest.mark.timeout(300)  # 45 s where nothing else runs
def test_actors_and_blocks_change_no_bit_of_a_dataset(runs):
    import pyarrow.parquet as pq
    import ray_cluster

    texts, *calls = ray_cluster.calls_of_dataset()
    for call, arguments, options in calls:
        texts = call(*arguments, **options)(texts)
    made = pq.read_table(runs[0] / "dataset.parquet")
    assert made["row"].to_pylist() == list(range(100, 160)) and made.schema.field("encoded").type.shape == [32, 16]
    assert made.combine_chunks().select(texts.column_names).equals(texts.combine_chunks())


@pytest.mark.timeout(300)  # 45 s where nothing else runs
@pytest.mark.parametrize("fault", ["actor", "write", "node"])
def test_every_row_is_there_once_and_bytes_are_equal(runs, fault):
    import corpora

    folder, said, bad = runs
    assert corpora.digests(folder / fault) == corpora.digests(folder / "alone")
    (killed_at,) = said[fault]["killed_at"]
    assert 4 <= killed_at < said[fault]["all"]  # in the middle of the run
    assert said[fault]["rejected"] == bad and said[fault]["there"] == 0


def test_a_fault_in_a_task_is_one_line_and_status_2(runs):
    folder, said, _ = runs
    status, told = said["refused"]
    assert status == 2 and told.count("\n") == 1, told
    assert told.startswith("corpus: error: [Errno 21] Is a directory: ")
    assert str(folder / "out/rejects/part-00000000.jsonl") in told


def test_a_word_that_is_no_address_is_one_line_and_status_2(tmp_path):
    import corpora

    (tmp_path / "a.txt").write_text("to be\n")
    command = [sys.executable, "-B", str(corpora.EXAMPLE), str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]
    done = subprocess.run([*namespace(), *command, "--address", "foo bar"], capture_output=True, text=True)
    said = "corpus: error: [corpus] --address must be that of a cluster that runs, got foo bar: "
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(said), done.stderr
    assert "Traceback" not in done.stderr
