# SPDX-License-Identifier: Apache-2.0
"""A Ray cluster of two nodes of one CPU, in a network namespace with loopback alone, on which runs lose a process.

usage: unshare --net --map-root-user python ray_cluster.py FOLDER

It makes FOLDER/in into FOLDER/actor, FOLDER/write and FOLDER/node, while an actor, a task that writes and then a node
are killed, and writes what each run said into FOLDER/said.json. Runs have relative paths, and the processes of the
cluster stand in another folder. Ray listens on the machine's own address, never on loopback, unless there is no other.
"""

import contextlib
import fcntl
import io
import json
import os
import pathlib
import signal
import socket
import struct
import sys
import threading
import time

import corpora
import posenc.corpus

SLOW = 0.15  # seconds of every part, so that there is something to kill


def loopback_up():
    """ip link set lo up, where the package of ip is not installed."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = 0x1 | 0x8 | 0x40  # IFF_UP, IFF_LOOPBACK, IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14s", b"lo", flags, b""))  # SIOCSIFFLAGS
    interfaces = [name for _, name in socket.if_nameindex()]
    assert interfaces == ["lo"], f"not in a namespace of its own: {interfaces}"


def leave_trace(folder, stage):
    """A byte for every call of a stage by this process, for whoever kills it."""
    with open(pathlib.Path(folder) / f"{stage}-{os.getpid()}", "ab") as file:
        file.write(b".")
    time.sleep(SLOW)


def calls(traces, stage):
    return sum(path.stat().st_size for path in traces.glob(f"{stage}-*"))


class SlowTokenize:
    def __init__(self, tokenize, traces):
        self._tokenize, self._traces = tokenize, traces

    def __call__(self, table):
        leave_trace(self._traces, "actor")
        return self._tokenize(table)


def slow(work, traces):
    """Work whose stages say where they are."""

    class SlowWork(type(work)):
        def write(self, table, number, of):
            leave_trace(traces, "write")
            return super().write(table, number, of)

    return SlowWork(*work._replace(tokenize=SlowTokenize(work.tokenize, traces)))


def at_work(traces, stage):
    """The next process that begins that stage."""
    since = time.time()
    while True:
        for path in traces.glob(f"{stage}-*"):
            if path.stat().st_mtime > since:
                return int(path.name.partition("-")[2])
        time.sleep(0.005)


def kill(fault, traces, cluster, killed):
    """In the middle of a run: some parts are through that stage, others are not."""
    stage = "actor" if fault == "actor" else "write"
    while calls(traces, stage) < 4:
        time.sleep(0.01)
    if fault == "node":
        cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
    else:
        os.kill(at_work(traces, stage), signal.SIGKILL)
    killed.append(calls(traces, stage))


def run(module, cluster, folder, fault):
    traces = folder / f"traces-{fault}"
    traces.mkdir()
    paths = sorted(str(path.relative_to(folder)) for path in (folder / "in").iterdir())
    arguments = module.read_arguments([*paths, "--out", fault, *OPTIONS])
    parts = posenc.corpus.parts_of(arguments.inputs, arguments.part_bytes, arguments.key)
    work = slow(module.work_of(arguments, parts), str(traces))
    killed = []
    killer = threading.Thread(target=kill, args=(fault, traces, cluster, killed), daemon=True)
    killer.start()
    began = time.monotonic()
    said = posenc.corpus.run(work, parts, lambda left: module.by_ray(work, left, 2, None), lambda *_: None)
    return {**said, "all": len(parts), "killed_at": killed, "seconds": round(time.monotonic() - began, 1)}


def calls_of_dataset():
    """posenc.ray as it is, on texts, under dropout: the table and the two callables with their arguments."""
    import pyarrow as pa
    from posenc.ray import Encode, Tokenize

    texts = pa.table({"row": range(100, 160), "text": ["to be or not to be " * (i % 4) for i in range(60)]})
    rows = posenc.seeded_rows(3072, 16, seed=7, init="scaled")
    options = {"scale": "sqrt_dim", "length": 32, "dropout": 0.25, "seed": 3, "train": True}
    return texts, (Tokenize, ("bpe",), {}), (Encode, (rows, "transformer"), options)


def by_dataset():
    """Those on actors, in blocks and batches of other sizes."""
    import pyarrow as pa
    import ray

    texts, *calls = calls_of_dataset()
    dataset = ray.data.from_arrow([texts.slice(at, 13) for at in range(0, len(texts), 13)])
    for actors, (call, arguments, options) in zip((2, 1), calls, strict=True):
        dataset = dataset.map_batches(
            call,
            fn_constructor_args=arguments,
            fn_constructor_kwargs=options,
            compute=ray.data.ActorPoolStrategy(size=actors),
            num_cpus=0.25,
            batch_size=7,
            batch_format="pyarrow",
        )
    return pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("row")


def refusal(module, folder):
    """What a run says where a task cannot write, and its status."""
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        status = module.main([str(corpora.write_unwritable(folder)), "--out", str(folder / "out")])
    return [status, told.getvalue()]


def main(folder):
    loopback_up()
    folder = pathlib.Path(folder)
    here = pathlib.Path(__file__).resolve().parent
    own = [str(here), str(here.parents[1] / "examples")]
    sys.path[:0] = own
    os.environ["PYTHONPATH"] = os.pathsep.join([*own, os.environ.get("PYTHONPATH", "")])  # of Ray's processes
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import corpus_ray as module
    import ray
    from ray.cluster_utils import Cluster

    options = {"num_cpus": 1, "object_store_memory": 200 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    cluster.add_node(**options)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    os.chdir(folder)  # the processes of the cluster stand where they were
    import pyarrow.parquet as pq

    pq.write_table(by_dataset(), folder / "dataset.parquet")
    said = {fault: run(module, cluster, folder, fault) for fault in ("actor", "write", "node")}
    said["refused"] = refusal(module, folder)
    (folder / "said.json").write_text(json.dumps(said))
    ray.shutdown()
    cluster.shutdown()


OPTIONS = ["--part-bytes", "3000", "--most", "20", "--longer", "split"]

if __name__ == "__main__":
    main(sys.argv[1])
