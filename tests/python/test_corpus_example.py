# SPDX-License-Identifier: Apache-2.0
"""posenc.corpus and examples/corpus_ray.py without Ray: no text is lost, a stopped run goes on, all engines make the
same bytes."""

import base64
import contextlib
import inspect
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import posenc
import pytest
from conftest import bits

pa = pytest.importorskip("pyarrow", reason="the example needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import posenc.corpus  # noqa: E402
from corpora import EXAMPLE, broken_table, digests, example, write_inputs, write_unwritable  # noqa: E402
from posenc.corpus import _inputs, _parts  # noqa: E402
from posenc.ray import Corpus  # noqa: E402
from posenc.text import Tokenizer  # noqa: E402

RUN = [sys.executable, "-B", str(EXAMPLE)]


@pytest.fixture
def inputs(tmp_path):
    return write_inputs(tmp_path)


def run(paths, out, *options, code=0):
    """In this process: the summary, or what was said of an error."""
    said, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
        try:
            status = example().main([*paths, "--out", str(out), *options])
        except SystemExit as stopped:
            status = stopped.code
    assert status == code, told.getvalue()
    return json.loads(said.getvalue()) if code == 0 else told.getvalue()


def rows_of(out):
    return pa.concat_tables([pq.read_table(path) for path in sorted(out.glob("part-*.parquet"))])


def rejects_of(out):
    texts = [path.read_text(encoding="utf-8") for path in sorted((out / "rejects").iterdir())]
    return [json.loads(line) for text in texts for line in text.split("\n")[:-1]]


def test_every_text_is_a_row_or_a_reject(inputs, tmp_path):
    paths, good, bad = inputs
    said = run(paths, tmp_path / "out", "--processes", "1", "--part-bytes", "3000")
    table = rows_of(tmp_path / "out")
    tokenizer = Tokenizer("bpe")
    assert [tokenizer.decode(ids).decode() for ids in table["ids"].to_pylist()] == good
    assert said["rows"] == len(good) and said["rejected"] == bad and said["parts"] > 8
    assert said["tokens"] == sum(map(len, table["ids"].to_pylist()))
    rejects = rejects_of(tmp_path / "out")
    assert len(rejects) == bad
    rows = table["row"].to_pylist() + [reject["row"] for reject in rejects]
    assert len(set(rows)) == len(rows) == len(good) + bad
    assert table["row"].to_pylist() == sorted(table["row"].to_pylist())
    assert Corpus.of(table.schema.metadata).tokenizer == tokenizer.identity


def test_a_line_that_no_parser_stands_is_a_reject(tmp_path):
    (tmp_path / "deep.jsonl").write_text('{"text": "a"}\n' + "[" * 200_000 + '\n{"text": "b"}\n')
    said = run([str(tmp_path / "deep.jsonl")], tmp_path / "out", "--processes", "1")
    assert (said["rows"], said["rejected"]) == (2, 1)
    assert rejects_of(tmp_path / "out")[0]["text"] == "[" * 200_000


def test_what_readers_would_refuse_is_refused_before_a_text_is_read(inputs, tmp_path):
    paths, _, _ = inputs
    for options, words in (
        (["--seed", "-1"], "seed must be"),
        (["--dropout", "2"], "dropout"),
        (["--convention", "llama"], "convention must be"),
        (["--scale", "abc"], "a scale must be none, sqrt_dim or a number, got 'abc'"),
        (["--rows", "a.npy"], "--rows is of stored tensors"),
    ):
        assert words in run(paths, tmp_path / "out", "--processes", "1", *options, code=2)
    assert "an input must be given once" in run([*paths, paths[0]], tmp_path / "out", "--processes", "1", code=2)
    assert not (tmp_path / "out").exists()


def test_a_run_with_other_inputs_or_rows_does_not_go_on(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("to be\nor not\n")
    run([str(text)], tmp_path / "ids", "--processes", "1")
    text.write_text("TO BE\nor not\n")
    os.utime(text, ns=(1, 1))
    assert "must go on with the inputs" in run([str(text)], tmp_path / "ids", "--processes", "1", code=2)
    rows = tmp_path / "rows.npy"
    tensors = ["--processes", "1", "--materialise", "--most", "4", "--dim", "8", "--rows", str(rows)]
    np.save(rows, np.ones((Tokenizer("bpe").size, 8), np.float32))
    run([str(text)], tmp_path / "tensors", *tensors)
    np.save(rows, np.zeros((Tokenizer("bpe").size, 8), np.float32))
    assert "must go on with the tensors" in run([str(text)], tmp_path / "tensors", *tensors, code=2)


def test_rejects_say_why_and_keep_what_there_was(inputs, tmp_path):
    paths, _, _ = inputs
    run(paths, tmp_path / "out", "--processes", "1")
    rejects = rejects_of(tmp_path / "out")
    latin = [reject for reject in rejects if "base64" in reject]
    assert {base64.b64decode(reject["base64"]) for reject in latin} == {b"caf\xe9 of Latin-1"}
    assert all(reject["reason"].startswith("[bpe_encode] text must be valid UTF-8") for reject in latin)
    said = {reject["reason"].partition(", got")[0] for reject in rejects}
    assert {
        "[corpus] an object must have the text 'text'",
        "[corpus] a line must be a JSON object",
        "[corpus] a text must be of whole characters",
        "[tokenize] text must not be null",
    } <= said
    assert any(reject.get("text") == '{"text": "cut' for reject in rejects)
    data = pathlib.Path(paths[0]).read_bytes()
    assert all(data[reject["row"] :].startswith(b"caf\xe9") for reject in latin)  # a row id is a place


def test_no_byte_depends_on_processes_and_rows_not_on_parts(inputs, tmp_path):
    paths, _, _ = inputs
    options = ["--part-bytes", "3000", "--most", "20", "--longer", "split"]
    run(paths, tmp_path / "one", "--processes", "1", *options)
    command = [*RUN, *paths, "--out", str(tmp_path / "two"), "--processes", "2", *options]
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    options[1] = "500"
    run(paths, tmp_path / "cut", "--processes", "1", *options)
    assert rows_of(tmp_path / "cut").equals(rows_of(tmp_path / "one"))


def begun(tmp_path):
    """A long run on two processes, of which one has written a part: its command, itself, and the ids of its workers."""
    (tmp_path / "a.txt").write_text("to be or not to be\n" * 200_000)
    out = tmp_path / "out"
    command = [*RUN, str(tmp_path / "a.txt"), "--out", str(out), "--processes", "2", "--part-bytes", "20000"]
    main = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 50
    while not list(out.glob("part-*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = pathlib.Path(f"/proc/{main.pid}/task/{main.pid}/children").read_text().split()
    return command, main, [int(c) for c in children if "spawn_main" in pathlib.Path(f"/proc/{c}/cmdline").read_text()]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.timeout(120)
def test_a_process_that_is_killed_ends_the_run_with_a_word(tmp_path):
    command, main, workers = begun(tmp_path)
    os.kill(workers[0], signal.SIGKILL)
    _, told = main.communicate(timeout=50)
    assert main.returncode == 2 and "the same command goes on" in told, told
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert len(rows_of(tmp_path / "out")) == 200_000


@pytest.mark.timeout(120)
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_first(sent, tmp_path):
    _, main, workers = begun(tmp_path)
    assert len(workers) == 2
    main.send_signal(sent)
    _, told = main.communicate(timeout=20)  # nobody else holds its output
    deadline = time.monotonic() + 10
    while any(map(is_alive, workers)):
        assert time.monotonic() < deadline, workers
        time.sleep(0.02)
    if sent != signal.SIGKILL:
        assert main.returncode == 130 and told.endswith("corpus: stopped; the same command goes on\n")
        assert told.count("\n") == told.count("corpus: ") and not list((tmp_path / "out").glob(".part-*"))


def test_a_run_that_was_killed_goes_on(tmp_path):
    paths, _, _ = write_inputs(tmp_path, 20_000)
    options = ["--part-bytes", "20000", "--most", "30"]
    run(paths, tmp_path / "whole", "--processes", "1", *options)
    out = tmp_path / "stopped"
    for _ in range(2):
        began = subprocess.Popen(
            [*RUN, *paths, "--out", str(out), "--processes", "1", *options], stderr=subprocess.DEVNULL
        )
        before = len(list(out.glob("part-*.parquet")))
        while len(list(out.glob("part-*.parquet"))) < before + 3:
            assert began.poll() is None
            time.sleep(0.01)
        began.send_signal(signal.SIGKILL)
        began.wait()
    there = len(list(out.glob("part-*.parquet")))
    said = run(paths, out, "--processes", "1", *options)
    assert said["there"] == there and said["parts"] > 0
    assert digests(out) == digests(tmp_path / "whole")
    again = run(paths, out, "--processes", "1", *options)
    assert again["parts"] == 0 and again["there"] == said["there"] + said["parts"]


def cut_file(path):
    path.write_bytes(path.read_bytes()[:-20])


def miscounted(path):
    table = pq.read_table(path)
    return table.replace_schema_metadata({**table.schema.metadata, b"posenc.rejected": b"some"})


def test_a_part_that_is_not_whole_is_made_again(inputs, tmp_path):
    paths, _, _ = inputs
    options = ["--processes", "1", "--part-bytes", "3000"]
    out = tmp_path / "out"
    there = run(paths, out, *options)["parts"]
    whole = digests(out)
    rejects = sorted((out / "rejects").iterdir())
    for harm in (
        lambda: cut_file(out / "part-00000002.parquet"),
        lambda: (out / "part-00000002.parquet").write_bytes(b""),
        lambda: pq.write_table(pq.read_table(out / "part-00000001.parquet"), out / "part-00000002.parquet"),
        lambda: pq.write_table(pa.table({"row": [1]}), out / "part-00000002.parquet"),
        lambda: pq.write_table(miscounted(out / "part-00000002.parquet"), out / "part-00000002.parquet"),
        lambda: rejects[0].unlink(),
        lambda: rejects[-1].write_bytes(b""),
    ):
        harm()
        assert digests(out) != whole
        said = run(paths, out, *options)
        assert (said["parts"], said["there"]) == (1, there - 1) and digests(out) == whole


def test_a_path_names_the_same_run_and_input_however_it_is_written(inputs, tmp_path, monkeypatch):
    paths, _, _ = inputs
    made = run(paths, tmp_path / "out", "--processes", "1")["parts"]
    monkeypatch.chdir(tmp_path)
    assert run(["a.txt", "./b.jsonl", paths[2]], "out", "--processes", "1")["there"] == made
    for again in ("./a.txt", paths[0], "link.txt"):
        (tmp_path / "link.txt").unlink(missing_ok=True)
        (tmp_path / "link.txt").symlink_to("a.txt")
        assert "an input must be given once, got " in run(["a.txt", again], "twice", "--processes", "1", code=2)


def test_a_part_that_was_made_in_another_folder_is_an_error(inputs, tmp_path):
    paths, _, _ = inputs
    parts = posenc.corpus.parts_of(paths, 3000, "text")
    work = example().work_of(example().read_arguments([*paths, "--out", str(tmp_path / "out")]), parts)
    elsewhere = work._replace(folder=str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere/rejects").mkdir(parents=True)

    def engine(left):
        return (posenc.corpus.whole_part(elsewhere, part) for part in left)

    with pytest.raises(posenc.PosencError, match="all machines must see the folder of a run by one path, got no "):
        posenc.corpus.run(work, parts, engine, lambda *_: None)
    assert not list((tmp_path / "out").glob("part-*"))


def test_a_folder_holds_one_run(inputs, tmp_path):
    paths, _, _ = inputs
    run(paths[:1], tmp_path / "out", "--processes", "1")
    told = run(paths[:1], tmp_path / "out", "--processes", "1", "--most", "5", code=2)
    assert told.startswith("corpus: error: [corpus] a run must go on with the limits that ")
    told = run(paths, tmp_path / "out", "--processes", "1", code=2)
    assert "a run must go on with the inputs" in told
    told = run(paths[:1], tmp_path / "out", "--processes", "1", "--seed", "1", code=2)
    assert "a run must go on with the corpus" in told


def test_lines_that_are_too_long_are_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(_inputs, "MOST_BYTES", 100)
    path = tmp_path / "a.txt"
    path.write_bytes(b"first\n" + b"x" * 100 + b"\n" + b"y" * 1000 + b"\n" + b"last\n" + b"z" * 101)
    rows = []
    for part in posenc.corpus.parts_of([str(path)], 70, "text"):
        rows += posenc.corpus.read_part(part, "text").to_pylist()
    assert [row["text"] for row in rows] == [b"first", b"x" * 100, None, b"last", None]
    assert rows[2]["reason"] == f"[corpus] a line must have at most 100 bytes, got 1001 at byte 107 of {path}"
    assert [row["row"] for row in rows] == [0, 6, 107, 1108, 1113]


def test_a_line_over_many_parts_is_read_once_or_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(_inputs, "MOST_BYTES", 1000)
    path = tmp_path / "a.txt"
    path.write_bytes(b"first\n" + b"x" * 100_000 + b"\nlast\n")
    read = []

    class Counted(io.BufferedReader):
        def readline(self, most):
            read.append(len(line := super().readline(most)))
            return line

    monkeypatch.setattr(_inputs, "open", lambda path, mode: Counted(io.FileIO(path, mode)), raising=False)
    parts = posenc.corpus.parts_of([str(path)], 1000, "text")
    rows = [row for part in parts for row in posenc.corpus.read_part(part, "text").to_pylist()]
    assert [row["text"] for row in rows] == [b"first", None, b"last"] and len(parts) == 101
    assert rows[1]["reason"] == f"[corpus] a line must have at most 1000 bytes, got 100001 at byte 6 of {path}"
    assert sum(read) < 2.5 * path.stat().st_size


def test_tensors_that_are_held_together_are_bounded_by_their_bytes(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("to be\n" * 100)
    options = ["--processes", "1", "--materialise", "--dim", "16", "--most", "4"]
    run([str(path)], tmp_path / "one", *options)
    monkeypatch.setattr(_parts, "GROUP_BYTES", 10 * 4 * 16 * 4 + 5)
    run([str(path)], tmp_path / "many", *options)
    monkeypatch.setattr(_parts, "GROUP_BYTES", 1)
    run([str(path)], tmp_path / "each", *options)
    files = [tmp_path / name / "part-00000000.parquet" for name in ("one", "many", "each")]
    assert [pq.read_metadata(file).num_row_groups for file in files] == [1, 10, 100]
    assert pq.read_table(files[0]).equals(pq.read_table(files[1]))
    assert pq.read_table(files[0]).equals(pq.read_table(files[2]))


def test_every_part_says_how_many_there_are(inputs, tmp_path):
    paths, _, _ = inputs
    said = run(paths, tmp_path / "out", "--processes", "1", "--part-bytes", "3000")
    files = sorted((tmp_path / "out").glob("part-*.parquet"))
    stated = [json.loads(pq.read_schema(file).metadata[b"posenc.part"]) for file in files]
    assert stated == [[number, said["parts"]] for number in range(said["parts"])]


def test_a_row_group_that_is_damaged_costs_its_own_rows_alone(tmp_path):
    path = broken_table(tmp_path)
    options = ["--processes", "1", "--part-bytes", "1"]
    said = run([str(path)], tmp_path / "out", *options)
    assert (said["parts"], said["rows"], said["rejected"]) == (4, 75, 25)
    rejects = rejects_of(tmp_path / "out")
    assert [reject["row"] for reject in rejects] == list(range(25, 50))
    reasons = {reject["reason"] for reject in rejects}
    assert len(reasons) == 1 and reasons.pop().endswith(" in row group 1")
    assert rejects[0]["reason"].startswith(f"[corpus] a table must be a whole file of Parquet, got {path}: ")
    assert rows_of(tmp_path / "out")["row"].to_pylist() == [*range(25), *range(50, 100)]
    assert run([str(path)], tmp_path / "out", *options)["there"] == 4


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_part_that_cannot_be_written_is_one_line_of_error(processes, tmp_path):
    path = write_unwritable(tmp_path)
    command = [*RUN, str(path), "--out", str(tmp_path / "out"), "--processes", processes]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("corpus: error: [Errno 21] Is a directory: ")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_materialised_tensors_are_uncompressed_and_exact(tmp_path, dtype):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {i} of a text\n" for i in range(300)), encoding="utf-8")
    options = ["--materialise", "--dim", "16", "--most", "12", "--dtype", dtype, "--seed", "7"]
    run([str(path)], tmp_path / "out", "--processes", "1", *options)
    (file,) = (tmp_path / "out").glob("part-*.parquet")
    table = pq.read_table(file)
    field = table.schema.field("encoded")
    assert field.metadata[b"posenc.dtype"].decode() == dtype and field.type.shape == [12, 16]
    column = pq.read_metadata(file).row_group(0)
    named = {column.column(i).path_in_schema: column.column(i) for i in range(column.num_columns)}
    encoded = next(of for name, of in named.items() if name.startswith("encoded"))
    assert encoded.compression == "UNCOMPRESSED" and not encoded.has_dictionary_page
    rows = posenc.seeded_rows(3072, 16, seed=7, init="scaled")
    stage = posenc.InputStage(rows if dtype == "float32" else bf16(rows), "transformer", scale="sqrt_dim")
    tensors = table["encoded"].combine_chunks().to_numpy_ndarray()
    for ids, tensor in zip(table["ids"].to_pylist(), tensors, strict=True):
        assert bits(tensor[: len(ids)]) == bits(stage.encode(np.array(ids), range(len(ids))))
        assert not tensor[len(ids) :].any()


def bf16(rows):
    import ml_dtypes

    return rows.astype(ml_dtypes.bfloat16)


def test_actors_never_take_every_cpu():
    of = example().actors_of
    module = example()
    for cpus in (1, 2, 3, 16, 64):
        for actors, left in ((of(None, cpus), max(1, cpus / 2)), (of(2 * cpus, cpus), cpus)):
            assert actors * module.ACTOR_CPUS <= left / 2 and module.TASK_CPUS <= 1 / 2
    for asked, cpus in ((5, 2), (0, 2), (None, 0.5)):
        with pytest.raises(posenc.PosencError):
            of(asked, cpus)


TENSORS = ["--materialise", "--most", "4", "--rows"]
REFUSED = [
    (["missing.txt"], [], "No such file"),
    (["a.doc"], [], "an input must end in .txt, .jsonl, .parquet, got "),
    (["a.txt"], ["--tokens", "wordpiece"], "tokens must be bpe"),
    (["a.txt"], ["--tokens", "bpe:missing.json"], "missing.json"),
    (["a.txt"], ["--convention", "nobody"], "nobody"),
    (["a.txt"], ["--most", "0"], "most must be >= 1, got 0"),
    (["a.txt"], ["--materialise"], "--materialise must come with --most"),
    (["a.txt"], ["--actors", "2"], "--processes is without Ray"),
    (["a.txt"], ["--part-bytes", "0"], "--part-bytes must be >= 1, got 0"),
    (["a.txt"], ["--processes", "0"], "--processes must be >= 1, got 0"),
    (["a.txt"], ["--dim", "-1"], "--dim must be >= 1, got -1"),
    (["a.txt"], [*TENSORS, "words.npy"], "--rows must be an array of floating point, got <U2 in "),
    (["a.txt"], [*TENSORS, "whole.npy"], "--rows must be an array of floating point, got int64 in "),
    (["a.txt"], [*TENSORS, "complex.npy"], "--rows must be an array of floating point, got complex128 in "),
    (["a.txt"], [*TENSORS, "nan.npy"], "--rows must be finite in float32, got nan at [2, 1]"),
    (["a.txt"], [*TENSORS, "large.npy", "--dtype", "float16"], "--rows must be finite in float16, got inf at [2, 1]"),
    (["a.txt"], [*TENSORS, "large.npy", "--dtype", "bfloat16"], "--rows must be finite in bfloat16, got inf at [2, 1]"),
    (["a.txt"], [*TENSORS, "small.npy"], "--rows must have shape [vocabulary, d], a row for each of 3072 ids, got [2]"),
    (["a.txt"], [*TENSORS, "empty.npy"], "--rows must be an .npy file of numbers"),
    (["a.txt"], [*TENSORS, "several.npz"], "--rows must be an array of floating point, got several arrays in "),
    (["c.parquet"], ["--key", "nothing"], "a table must have the column of texts 'nothing', got text"),
    (["numbers.parquet"], [], "the column 'text' must be of texts, got int64 in "),
    (["cut.parquet"], [], "a table must be a whole file of Parquet, got "),
    (["a.txt"], ["--tokens", "words", "--vocab", "vocab.txt"], "of WordPiece the kind ids takes the ids"),
]


def write_rows(folder):
    """Files for --rows that are none."""
    np.save(folder / "words.npy", np.full((3072, 4), "to"))
    np.save(folder / "whole.npy", np.ones((3072, 4), np.int64))
    np.save(folder / "complex.npy", np.ones((3072, 4), complex))
    np.save(folder / "small.npy", np.ones(2))
    for name, value in (("nan", np.nan), ("large", 3.4028235e38)):
        rows = np.ones((3072, 4), np.float32)
        rows[2, 1] = value
        np.save(folder / f"{name}.npy", rows)
    (folder / "empty.npy").write_bytes(b"")
    np.savez(folder / "several.npz", np.ones(2))


@pytest.mark.parametrize("said", ["", "[]", "[1]", '"a"', "\xff"])
def test_a_run_does_not_go_on_where_its_statement_is_damaged(said, inputs, tmp_path):
    paths, _, _ = inputs
    run(paths, tmp_path / "out", "--processes", "1")
    (tmp_path / "out/run.json").write_text(said, encoding="latin-1")
    told = run(paths, tmp_path / "out", "--processes", "1", code=2)
    assert told.startswith("corpus: error: [corpus] the run.json of a folder must be a JSON object, got ")


def test_json_is_read_as_utf_8_alone(tmp_path):
    """And a mark of it at the beginning of a file is of no text."""
    path = tmp_path / "a.jsonl"
    wide = ['{"text": "a"}'.encode(code) for code in ("utf-16-le", "utf-16-be", "utf-32-le")]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join([b'{"text": "a"}', *wide, b'{"text": "caf\xe9"}', b'{"text": "b"}']))
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb")
    rows = []
    for part in posenc.corpus.parts_of([str(path), str(tmp_path / "b.txt")], 1 << 20, "text"):
        rows += posenc.corpus.read_part(part, "text").to_pylist()
    assert [row["text"] for row in rows if row["reason"] is None] == [b"a", b"b", b"a", b"\xef\xbb\xbfb"]
    assert len(rows) == 8 and rows[0]["row"] == 0


@pytest.mark.parametrize("names, options, words", REFUSED)
def test_what_cannot_be_is_one_line_of_error(names, options, words, inputs, tmp_path):
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "numbers.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "c.parquet").read_bytes()[:100])
    (tmp_path / "vocab.txt").write_text("[UNK]\nto\n##ing\n")
    paths = [str(tmp_path / name) for name in names]
    write_rows(tmp_path)
    options = [str(tmp_path / word) if (tmp_path / word).is_file() else word for word in options]
    told = run(paths, tmp_path / "out", "--processes", "1", *options, code=2)
    assert words in told and (told.startswith("usage") or told.count("\n") == 1)
    assert names[0] not in ("numbers.parquet", "cut.parquet") or paths[0] in told


@pytest.mark.parametrize("name", posenc.corpus.__all__)
def test_every_public_name_of_the_package_is_documented(name):
    item = getattr(posenc.corpus, name)
    assert not callable(item) or inspect.getdoc(item).splitlines()[0].endswith("."), name


@pytest.mark.parametrize("module, options", [("ray", []), ("ml_dtypes", [*TENSORS[:-1], "--dtype", "bfloat16"])])
def test_a_package_that_is_missing_is_told_with_what_brings_it(module, options, inputs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    paths, _, _ = inputs
    told = run(paths, tmp_path / "out", *options, *(["--processes", "1"] if options else []), code=2)
    extra = {"ray": "ray", "ml_dtypes": "bfloat16"}[module]
    assert told.startswith("corpus: error: ") and told.count("\n") == 1
    assert module in told and told.endswith(f": posenc[{extra}] brings it\n")


def test_help_shows_how_it_is_called():
    done = subprocess.run([*RUN, "--help"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "120"})
    assert done.returncode == 0 and "--materialise" in done.stdout and "corpus_ray.py books/*.txt" in done.stdout


def test_what_a_killed_writer_left_is_removed_before_its_parent_has_waited_for_it(tmp_path):
    writer = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    writer.kill()
    os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WNOWAIT)  # dead, and not waited for
    for pid, left in ((writer.pid, True), (os.getpid(), False)):
        own = tmp_path / f".part-00000001.parquet.{_parts.machine()}-{pid}.0123"
        own.touch()
        assert _parts.is_left(own) is left
    writer.communicate()
