# SPDX-License-Identifier: Apache-2.0
# TensorFlow: graphs of tf.function.

import math

import tensorflow as tf

import sizes
import work
from cell import Cell


def tables():
    def table(length, width):
        """The official models' table: sines first, the end of the ladder included."""
        pairs = width // 2
        frequencies = tf.exp(tf.cast(tf.range(pairs), tf.float32) * -(math.log(1.0e4) / (pairs - 1)))
        angles = tf.cast(tf.range(length), tf.float32)[:, None] * frequencies[None]
        return tf.concat([tf.sin(angles), tf.cos(angles)], axis=1)

    for rows, width in sizes.TABLES:
        graph, length = tf.function(lambda n: table(n, width)), tf.constant(rows)
        yield Cell(
            sizes.table_row(rows, width),
            "TensorFlow get_position_encoding",
            lambda: graph(length),
            lambda table: work.table_error(lambda p: table.numpy()[p], rows, width, "halves", "over_gaps"),
        )


def inputs():
    def embed(ids, rows, table):
        return tf.gather(rows, ids) * math.sqrt(rows.shape[1]) + table

    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        w, pe, graph = tf.constant(rows), tf.constant(table)[None], tf.function(embed)
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            x = tf.constant(ids, tf.int32)
            yield Cell(
                sizes.input_row(kind, width),
                "TensorFlow",
                lambda: graph(x, w, pe),
                lambda out: work.input_error(out, rows, ids, table),
            )
            if (kind, width) == ("uniform", 512):
                dropping = tf.function(lambda x, w, pe: tf.nn.dropout(embed(x, w, pe), 0.1))
                yield Cell(sizes.DROPOUT_ROW, "TensorFlow", lambda: dropping(x, w, pe), work.dropped_share)
        if width == 512:
            token, row, step = tf.constant([[1234]]), pe[:, 77:78], tf.function(embed)
            yield Cell(sizes.STEP_ROW, "TensorFlow", lambda: step(token, w, row))


def backward():
    gradient = work.gradients()
    on_device, graph = tf.constant(gradient), tf.function(
        lambda g, ids: tf.math.unsorted_segment_sum(g, ids, sizes.VOCABULARY)
    )
    for kind in ("uniform", "Zipf"):
        ids = work.ids(kind, sizes.IDS)
        x = tf.constant(ids, tf.int32)
        yield Cell(
            sizes.backward_row("dense", kind),
            "TensorFlow unsorted_segment_sum",
            lambda: graph(on_device, x),
            lambda out: work.backward_error(lambda i: out[i].numpy(), ids, gradient),
        )


def tensorflow(threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    for cells in (tables, inputs, backward):
        yield from cells()
