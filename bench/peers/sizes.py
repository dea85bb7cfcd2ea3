# SPDX-License-Identifier: Apache-2.0
# The rows that posenc and its peers share: how large each is, and how posenc_bench names it.

BASE = 10000.0
TABLES = [(512, 512), (5000, 512), (131072, 1024)]
LARGE = (131072, 1024)
TABLES_F64 = [(512, 512), (5000, 512)]
GRIDS = [(14, 768), (64, 1152)]
SEQUENCES, LENGTH, VOCABULARY = 32, 512, 32000
IDS = 16384  # of a backward pass
HEADS, POSITIONS, HEAD = 32, 4096, 128  # of queries and keys
ATTENTION, ATTENTION_STEP = (512, 1024, 2048, 4096, 8192), 2048  # tokens; keys that one query reads
ATTENTION_HEADS, ATTENTION_HEAD = 8, 64
TOKENS, MANY_TOKENS, WIDTH, INNER, STEPS = 512, 32768, 512, 2048, 128  # of layers; STEPS: decoded one by one
RECURRENT, RECURRENT_WIDTH = ((1, 512), (32, 64)), 256  # sequences, steps
FILE = (16384, 1024)
FEATURES = (80, 3000)  # 30 seconds, as Whisper reads them
SENTENCE = "мо фардо ба душанбе меравем"
TIMESTEPS, TIMESTEP_WIDTH = (1, 4096), 320
CACHES = (1, 4096)  # tokens


# ---- names, as posenc_bench prints them: operation, two spaces, size


def table_row(rows, width, dtype="f32"):
    return f"table {dtype}  {rows} x {width}"


def grid_row(side, width):
    return f"grid f32  {side} x {side} x {width}"


def input_row(ids, width):
    return f"input, {ids} ids  {SEQUENCES} x {LENGTH} x {width}"


def cache_row(tokens):
    return f"rotary cache f32  2 x {tokens} x {HEAD}"


def timestep_row(count):
    return f"timestep f32  {count} x {TIMESTEP_WIDTH}"


def backward_row(kind, ids):
    return f"backward {kind}, {ids} ids  {IDS} x 512"


def attention_row(tokens):
    return f"attention  {ATTENTION_HEADS} x {tokens} x {ATTENTION_HEAD}"


def causal_row(tokens):
    return f"attention, causal  {ATTENTION_HEADS} x {tokens} x {ATTENTION_HEAD}"


def recurrent_row(kind, batch, steps):
    return f"recurrent {kind}  {batch} x {steps} x {RECURRENT_WIDTH}"


def file_row(kind, way):
    return f"{kind} {way}  {FILE[0]} x {FILE[1]}"


def tokenizer_row(kind):
    return f"tokenizer, {kind}  docs/*.md"


LINEAR_ROW = f"linear  {TOKENS} x {WIDTH} x {INNER}"
NORM_ROWS = [f"norm  {count} x {WIDTH}" for count in (TOKENS, MANY_TOKENS)]
FEED_FORWARD_ROW = f"feed-forward  {TOKENS} x {WIDTH} x {INNER}"
ENCODER_LAYER_ROW = f"encoder layer  {TOKENS} x {WIDTH}"
DECODER_LAYER_ROW = f"decoder layer  {TOKENS} x {WIDTH}"
DECODING_ROW = f"decoding with cache  {STEPS} of {TOKENS} x {WIDTH}"
LAYER_ROWS = [LINEAR_ROW, *NORM_ROWS, FEED_FORWARD_ROW, ENCODER_LAYER_ROW, DECODER_LAYER_ROW, DECODING_ROW]
ATTENTION_STEP_ROW = f"attention step  {ATTENTION_HEADS} x {ATTENTION_STEP} x {ATTENTION_HEAD}"
DROPOUT_ROW = f"input, dropout 0.1  {SEQUENCES} x {LENGTH} x 512"
STEP_ROW = "input step, table  512"
ROTARY_ROWS = {
    "f32": f"rotary f32  2 x {HEADS} x {POSITIONS} x {HEAD}",
    "bf16": f"rotary bf16  2 x {HEADS} x {POSITIONS} x {HEAD}",
}
ROTARY_STEP_ROW = f"rotary step  2 x {HEADS} x {HEAD}"
COLD_ROW = "cold start to a file  5000 x 512"
ENCODER_ROW = f"encoder, Whisper tiny.en  {FEATURES[0]} x {FEATURES[1]}"
LETTERS_ROW = f"transliteration  {len(SENTENCE)} letters"
LETTERS_COLD_ROW = f"transliteration, cold start  {len(SENTENCE)} letters"

# Rows that memory bounds: on two threads their time is another one wherever the system puts the CPUs.
MEMORY_ROWS = [
    *(table_row(*LARGE, dtype) for dtype in ("f32", "bf16", "f16")),
    *(input_row(ids, width) for width in (512, 1024) for ids in ("uniform", "Zipf")),
    DROPOUT_ROW,
    *ROTARY_ROWS.values(),
]
