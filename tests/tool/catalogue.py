# SPDX-License-Identifier: Apache-2.0
# The catalogue of bad input: each id with where it is refused, or why it does not apply to this release.
#
# C: command line. J: a convention as JSON. H: a model's configuration. I: ids and positions. N: npy and npz. S: safetensors. T: text and vocabulary.
# A row runs the tool: (id, arguments, words of its rule), exit 2. Ids of ELSEWHERE stand as {"ID" in those files, with
# their bytes. The other ids have a reason. catalogue_test.py runs the rows and finds an id that is nowhere.

FAMILIES = {"C": 90, "J": 95, "H": 94, "I": 85, "N": 103, "S": 102, "T": 87}

ELSEWHERE = {
    "J": ["tests/spec/spec_test.cc"],
    "H": ["tests/inspect/catalogue_test.cc"],
    "N": ["tests/io/npy_catalogue_test.cc"],
    "S": ["tests/io/safetensors_catalogue_test.cc"],
    "T": ["tests/text/vocabulary_test.cc", "tests/text/tokenizer_test.cc", "tests/text/plain_test.cc"],
}

BIG = str(2**63 - 1)
OUT = ["--out", "x.npy"]
TABLE = ["table", "--preset", "transformer", "--positions", "0:4", *OUT]
DIM = [*TABLE, "--dim"]
THREADS = [*DIM, "4", "--threads"]
AT = ["table", "--preset", "transformer", "--dim", "4", *OUT, "--positions"]
ENCODE = ["encode", "--text", "hello", *OUT]
SCALE = [*ENCODE, "--scale"]
DROP = [*ENCODE, "--seed", "1", "--dropout"]
CACHE = ["cache", "--set", "stored=complex", "--positions", "0:4", "--tensor", "cos_sin", *OUT, "--preset"]
LEARNED = ["bias", "--preset", "learned", "--set", "rows=512", "--positions"]
GRID = ["grid", "--preset", "mae-2d", "--dim", "8", *OUT]
SEEDED = ["--init", "normal", "--seed", "1", "--dim", "4", *OUT]
IDS = ["encode", "--tokens", "ids", "--vocab-size", "4", *SEEDED]
WORDS = ["encode", "--tokens", "words", *SEEDED]
PLAIN = "must be an integer in plain digits"
RANGE = "a token id must be one of 0 to 3, got '%s' in line 1, column 1 "
NUMBER = "ids must be plain decimal numbers with blanks, commas or newlines between them, got '%s' in line 1, column "

ROWS = [
    ("C02", ["frobnicate"], "the verb must be one of posenc --help, got 'frobnicate'"),
    ("C03", [*TABLE, "--dmi", "512"], "(nearest: --dim)"),
    ("C04", DIM, "--dim must have a value"),
    ("C05", [*TABLE, "--dim="], "--dim must have a value"),
    ("C06", [*DIM, ""], PLAIN), ("C07", [*DIM, "abc"], PLAIN), ("C08", [*DIM, "512abc"], PLAIN),
    ("C09", [*DIM, " 512"], PLAIN), ("C10", [*DIM, "+512"], PLAIN), ("C11", [*DIM, "-512"], PLAIN),
    ("C12", [*DIM, "0"], PLAIN), ("C13", [*DIM, "511"], "width must be even"), ("C14", [*DIM, "512.0"], PLAIN),
    ("C15", [*DIM, "1e3"], PLAIN), ("C16", [*DIM, "0x200"], PLAIN), ("C17", [*DIM, "0512"], PLAIN),
    ("C18", [*DIM, "1_000"], PLAIN), ("C19", [*DIM, "1,000"], PLAIN), ("C20", [*DIM, "18446744073709551616"], PLAIN),
    ("C21", [*AT, "0:" + BIG], f"{BIG} x 4 x 4 bytes"),
    ("C22", [*AT[:3], "--dim", "4294967296", *OUT, "--positions", "0:4294967296"], "width must be 1 to 2^30"),
    ("C23", [*AT[:3], "--dim", "4096", *OUT, "--positions", "0:10000000000"], "149 TiB"),
    ("C24", [*AT, "0:0"], "must lead from A towards B"), ("C25", [*AT, "0:-1"], "must lead from A towards B"),
    ("C26", [*AT, "0:nan"], "each of --positions must be"),
    ("C29", [*SCALE, "nan"], "--scale must be"), ("C30", [*SCALE, "inf"], "--scale must be"),
    ("C31", [*SCALE, "1e400"], "--scale must be"), ("C32", [*SCALE, "1e-400"], "--scale must be"),
    ("C33", [*SCALE, "10000,0"], "--scale must be"), ("C34", [*SCALE, "1e"], "--scale must be"),
    ("C35", [*SCALE, "."], "--scale must be"), ("C36", [*SCALE, "0x1p13"], "--scale must be"),
    ("C37", [*DROP, "1.5"], "[0, 1), got 1.5"), ("C38", [*DROP, "-0.1"], "[0, 1), got -0.1"),
    ("C39", [*DROP, "nan"], "--dropout must be a decimal number"),
    ("C40", [*DROP, "10%"], "--dropout must be a decimal number"),
    ("C41", [*ENCODE, "--dropout", "0.1"], "--dropout must come with --seed"),
    ("C42", [*ENCODE, "--seed", "-1"], "0 to 18446744073709551615"),
    ("C43", [*ENCODE, "--seed", "18446744073709551616"], "0 to 18446744073709551615"),
    ("C44", [*ENCODE, "--seed", "1.5"], "0 to 18446744073709551615"),
    ("C45", [*THREADS, "0"], "--threads must be"), ("C46", [*THREADS, "-4"], "--threads must be"),
    ("C47", [*THREADS, "1000000"], "1 to 1024"), ("C48", [*THREADS, "two"], "--threads must be"),
    ("C53", [*DIM, "4", "--dtype", "float8"], "f32, f64, f16 or bf16"),
    ("C60", [*SCALE, "sqrt_d"], "sqrt, none or a number"),  # sqrt is our word
    ("C61", [*SCALE, "nan"], "sqrt, none or a number"),
    ("C62", [*DIM, "4", "--out", "y.npy"], "--out must be given once, got 'x.npy' and 'y.npy'"),
    ("C63", [*DIM, "512", "--dim", "256"], "got '512' and '256'"),
    ("C65", [*DIM[:-3], "--dim", "4", "--out", "x.unknown"], ".npy or .safetensors"),
    ("C66", ["encode", "--text", "a", "--out", "folder"], "a folder"),
    ("C67", ["encode", "--text", "a", "--out", "missing/dir/x.npy"], "No such file"),
    ("C68", ["encode", "--text", "a", "--out", ""], ".npy or .safetensors"),
    ("C70", ["encode", *OUT], "a text must be given"),
    ("C71", [*IDS, "no.npy"], "No such file"), ("C72", [*IDS, "folder"], "a folder"),
    ("C74", [*IDS, "a" * 5000], "File name too long"), ("C75", [*IDS, "pipe"], "a pipe"),
    ("C77", [*IDS, "-", "-"], "standard input must be named once"),
    ("C78", ["encode", "--text", "a", "--out", "./-"], ".npy or .safetensors"),
    ("C79", ["encode", b"\xff\xfe", *OUT], r"'\xFF\xFE'"), ("C80", ["encode", "a\nb\x1b[31m", *OUT], r"'a\x0Ab\x1B[31m'"),
    ("C81", [*AT, "5:1"], "must lead from A towards B"), ("C82", [*AT, "0:10:0"], "must not be 0"),
    ("C83", [*AT, "0:" + BIG], "at most 2^63 - 1 bytes"), ("C84", [*AT, "1,2,,3"], "at [2]"),
    ("C86", [*DIM, "4", "--", "stray"], "got 'stray'"),
    ("C88", [*WORDS, "--text", "hello"], "must come with --vocab or --save-vocab"),
    ("C89", [*DIM, "4", "--spec", "c.json"], "one of --preset and --spec"),
    ("C90", [*ENCODE, "--weights", "w.safetensors:"], "the tensor of --weights must have a name"),

    ("I01", [*IDS, "--text", ""], "at least one token"), ("I02", [*IDS, "--text=-1"], RANGE % "-1"),
    ("I03", [*IDS, "--text", "4"], RANGE % "4"), ("I04", [*IDS, "--text", "1004"], RANGE % "1004"),
    ("I05", [*IDS, "--text", str(2**31)], RANGE % 2**31), ("I06", [*IDS, "--text", str(2**32)], RANGE % 2**32),
    ("I07", [*IDS, "--text", str(2**32 + 5)], RANGE % (2**32 + 5)), ("I08", [*IDS, "--text", BIG], RANGE % BIG),
    ("I09", [*IDS, f"--text={-2**63}"], RANGE % -(2**63)), ("I10", [*IDS, "million.txt"], "at [2000000]"),
    ("I11", [*IDS, "--text", "9 " * 1000], "at [0]"),  # the first, not how many
    ("I13", [*IDS, "f8.npy"], "ids must be integers"), ("I14", [*IDS, "f4.npy"], "ids must be integers"),
    ("I15", [*IDS, "b1.npy"], "|b1"), ("I16", [*IDS, "c8.npy"], "complex numbers are not read"), ("I17", [*IDS, "S5.npy"], "text is not read, got '|S5'"),
    ("I18", [*IDS, "U5.npy"], "text is not read, got '<U5'"), ("I19", [*IDS, "M8.npy"], "dates and times are not read"), ("I20", [*IDS, "O.npy"], "objects need pickle"),
    ("I21", [*IDS, "struct.npy"], "structured ones are not read"), ("I22", [*IDS, "i1.npy"], "-1 in 'i1.npy' at [0, 0]"),
    ("I23", [*IDS, "scalar.npy"], "[L] or [B, L]"), ("I24", [*IDS, "cube.npy"], "[L] or [B, L]"),
    ("I25", [*IDS, "flat.npy"], "not empty"), ("I26", [*IDS, "hollow.npy"], "the file is cut off: the elements need 8796093022208 bytes"),
    ("I28", [*IDS, "--text", "1 2 x"], NUMBER % "x"), ("I29", [*IDS, "--text", "1,2,,3"], "a comma must stand between two ids"),
    ("I30", [*IDS, "--text", "1;2"], NUMBER % "1;2"), ("I31", [*IDS, "--text", "1.0 2"], NUMBER % "1.0"),
    ("I32", [*IDS, "--text", "1e2"], NUMBER % "1e2"), ("I33", [*IDS, "--text", "0x10"], NUMBER % "0x10"),
    ("I34", [*IDS, "--text", "007"], NUMBER % "007"), ("I35", [*IDS, "--text", "+5"], NUMBER % "+5"),
    ("I36", [*IDS, "--text", "1_000"], NUMBER % "1_000"), ("I37", [*IDS, "--text=--5"], NUMBER % "--5"),
    ("I38", [*IDS, "--text", "3 -"], NUMBER % "-"), ("I39", [*IDS, "--text", "9" * 23], RANGE % ("9" * 23)),
    ("I40", [*IDS, "nul.txt"], r"\x00"), ("I41", [*IDS, "ff.txt"], r"\xFF"), ("I42", [*IDS, "cr.txt"], "a carriage return must end a line"),
    ("I43", [*IDS, "--text", "1 2\t# x"], NUMBER % "#"), ("I44", [*IDS, "elf.txt"], "what begins like an executable"),
    ("I45", [*IDS, "npy.txt"], "what begins like npy"), ("I46", [*IDS, "st.npy"], "must start with the magic bytes"),
    ("I47", [*IDS, "--text", "[[1,2],[3]]"], NUMBER % "[[1"), ("I48", [*IDS, "--text", '[1,"2"]'], NUMBER % "[1"),
    ("I49", [*IDS, "--text", "[1,null]"], NUMBER % "[1"), ("I50", [*IDS, "--text", "[1.5]"], NUMBER % "[1.5]"),
    ("I51", [*IDS, "--text", "[1e2]"], NUMBER % "[1e2]"), ("I52", [*IDS, "--text", "[[[1]]]"], NUMBER % "[[[1]]]"),
    ("I53", [*IDS, "--text", "{}"], NUMBER % "{}"), ("I54", [*IDS, "--text", "[true]"], NUMBER % "[true]"),
    ("I55", [*AT, "nan"], "each of --positions"), ("I56", [*AT, "inf"], "each of --positions"),
    ("I57", [*AT, "-inf"], "each of --positions"), ("I58", [*AT, "1e300"], "at most 2^53 in size"),
    ("I59", [*AT, "9007199254740994.0"], "at most 2^53 in size"),  # integers are exact in all of int64
    ("I63", [*AT, "f2.npy"], "f16"), ("I64", [*AT, "c16.npy"], "complex numbers are not read"),
    ("I68", [*IDS, "--text", "1 1 1 1 1 1 1 1 1 1", "--start", str(2**63 - 2)], "64 bits"),
    ("I70", [*GRID, "--height", "0", "--width", "7"], PLAIN), ("I73", [*GRID, "--height", "-1", "--width", "7"], PLAIN),
    ("I72", [*GRID[:3], "--dim", "1048576", *OUT, "--height", "65536", "--width", "65536"],
     "must fit in the free space of its folder"),

    ("J94", ["encode", "--text", "a", "--weights", "w.safetensors:w", "--out", "./w.safetensors"],
     "--out and --weights must be two files"),

    ("S86", [*ENCODE, "--weights", "line.safetensors:w"], "f32 [4]"),
    ("S87", [*ENCODE, "--weights", "cube.safetensors:w"], "f32 [1, 1, 4]"),
    ("S88", [*ENCODE, "--weights", "w.safetensors:w", "--dim", "8"], "the width of the rows, got 8"),
    ("S89", [*ENCODE, "--weights", "none.safetensors:w"], "f32 [0, 4]"),

    ("T01", ["encode", "--text", "", *OUT], "at least one token"), ("T24", ["encode", "latin.txt", *OUT], r"\xE9"),
    ("T31", [*WORDS, "--vocab", "v.txt", "--lines", "long.txt"], "a line must have at most 16777216 bytes"),
    ("T32", [*WORDS, "--vocab", "v.txt", "--text", "b zebra"], "a word outside the vocabulary needs <unk> in it"),
    ("T35", [*ENCODE, "--max-length", "0"], PLAIN), ("T36", [*ENCODE, "--max-length", "1", "--text", "hello you"], "at most 1 tokens"),
    ("T38", ["encode", "cut.txt", *OUT], "UTF-8"), ("T39", ["encode", "folder", *OUT], "a folder"),
    ("T40", ["encode", "pipe", *OUT], "a pipe"), ("T45", [*WORDS, "--vocab", "space.txt", "--text", "b"], "white space"),
    ("T54", ["encode", "--tokens", "words", "--vocab", "v.txt", "--text", "b", "--weights", "w.safetensors:w", *OUT],
     "2 tokens ('v.txt') and 1 rows"),
    ("T55", [*WORDS, "--vocab", "folder", "--text", "b"], "a folder"),
    ("T57", [*WORDS, "--vocab", "no.txt", "--text", "b"], "No such file"),
    ("T59", [*WORDS, "--vocab", "huge.txt", "--text", "b"], "1073741824"),
    ("T77", ["encode", "--text", "a", "--tokens", "bpe:novocab.json", *SEEDED], "/model/vocab must be stated"),
    ("T78", ["encode", "--text", "a", "--tokens", "bpe:unigram.json", *SEEDED], "Unigram"),
    ("T79", ["encode", "--text", "a", "--tokens", "bpe:unigram.json", *SEEDED], "Unigram"),
    ("T80", ["encode", "--text", "a", "--tokens", "bpe:clash.json", *SEEDED], "/added_tokens/0/id must be an id that is free"),
    ("C57", [*CACHE, "llama", "--dim", "63"], "width must be even, got 63"),
    ("C58", [*CACHE, "llama", "--set", "part=96", "--dim", "64"], "part must be 2 to 64 columns of a head, got 96"),
    ("C59", ["bias", "--preset", "alibi", "--queries", "0:2", "--keys", "0:2", "--heads", "0"], "1 to "),
    ("J77", [*CACHE, "llama"], "--dim must be given"),
    ("J82", [*CACHE[:3], *CACHE[5:], "rope-flux", "--height", "2", "--width", "2", "--extent", "t=1", "--set",
             "sections=8,28,24", "--dim", "128"],
     "sections must have 64 pairs for width 128, got 60"),
    ("J85", ["bias", "--preset", "alibi", "--queries", "0:2", "--keys", "0:2", "--heads", "0"], "--heads must be"),
    ("J95", [*LEARNED, "0:1024"], "rows must be in the table, got position 512 at [512]"),
    ("I61", [*LEARNED, "0.5"], "positions must be integers"),
    ("I62", [*LEARNED, "512"], "rows must be in the table, got position 512"),
    ("T81", ["encode", "--text", "a", "--tokens", "bpe:twice.json", *SEEDED], "the texts of added tokens must differ"),
]

# (ids as "C45" or "C45-C48", reason)
REASONS = [
    ("C01", "first_words_test: the help on standard error, exit 2"),
    ("C27-C28", "the base is a field of --spec: J74"),
    ("C49-C52", "no option: Highway takes the best instruction set that is there, and all give the same bits"),
    ("C54", "works: first_words_test, words are read in any case"), ("C55", "the layout is a field of --spec: J73"), ("C56", "a preset is a rotation or a grid: no option makes it both"),
    ("C64", "no --format: the name says it"), ("C69", "both are texts of one batch"),
    ("C73", "faults_test: what may not be read"),
    ("C76", "works: - was asked for, so what is typed is read to its end, as every tool does"),
    ("C85", "works: 1e5 is a whole number; I61 is none"), ("C87", "both are texts of one batch"),
    ("H22", "works: a size that no key states is that of the model type, sizes_test"), ("H47", "as H22"),
    ("I12", "ids are checked before a thread has any"), ("I27", "a line end separates ids of one text; --lines pads"),
    ("I60", "works: negative positions are positions"), 
    ("I65-I67", "encode counts its positions from --start"), ("I69", "works: integers are exact in all of int64"),
    ("I71", "grid writes a table; it takes no tokens"), ("I74-I79", "no verb packs: numbering_test"),
    ("I80", "no option: padding follows lengths"), ("I81", "no verb takes a mask; accepted: all but 0 are present, numbering_test"), ("I82", "no verb takes a mask: numbering_test"), ("I83", "rotary_axes_test, RefuseOtherLists"),
    ("I84", "signals_test: a text that changes under the reader"),
    ("I85", "works: a text is written as it is read; a batch is compared with the free space (C23)"),
    ("J59", "width is --dim: C07"), ("J62-J63", "width is --dim: C11, C12"), ("J66-J67", "sizes are options: C21, C23"),
    ("J78", "accepted: a factor below 1 is a frequency; inspect refuses it, H42"),
    ("J79", "accepted; inspect refuses it, H50"), ("J83", "height is an option: I70"),
    ("J84", "width is --dim: refusals_test, grid of odd quarter"),
    ("J86-J89", "dropout and seed are options: C37 to C44"), ("J90-J93", "a convention names no files"),
    ("H14-H20", "inspect reads no vocabulary and no weights"), ("H28-H29", "heads of keys decide no position"),
    ("H37", "accepted: an empty object is none"), ("H61", "a note: catalogue_test, WhatOthersWarnOfIsANote"),
    ("H64-H65", "catalogue_test, ARoleOfSeveralIsNamed"), ("H83-H85", "dropout is none of a position's"),
    ("H90", "catalogue_test, ATextThatIsWantedAndNotThereIsRefused"),
    ("H94", "accepted: inspect_test, a file that auto_map names is not run"),
    ("N82-N103", "npz is not read by this release: its bytes are refused as no npy (N03)"),
    ("S06", "safetensors_catalogue_test, at its end"), ("S43-S45", "safetensors_catalogue_test, at its end"),
    ("S82", "accepted: safetensors_catalogue_test, at its end"), ("S85", "safetensors_catalogue_test, at its end"),
    ("S92-S102", "a shard index is not read by this release"),
    ("T29-T30", "works: U+0000 is a character like any other, and comes back from its ids"),
    ("T33-T34", "not configured: <unk> and <pad> are what the vocabulary calls so"),
    ("T37", "streams_test: standard input closed, exit 3"),
    ("T50", "Vocabulary::check has the limit; the file would have 100 MB"),
    ("T56", "faults_test: what may not be read"),
    ("T58", "file_test: a file that changes under read_file"),
    ("T61-T76", "vocabularies as JSON are not read by this release: one token a line"),
    ("T82", "works: --tokens sentencepiece:FILE reads it"),
    ("T86-T87", "no specification names special tokens"),
]
