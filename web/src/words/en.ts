// SPDX-License-Identifier: Apache-2.0
// The page's words in English; zh.ts has the same in Chinese.

export const en = {
  code: 'en',
  tag: 'en',
  name: 'English',
  title: 'Where does each token stand?',
  lead: 'Attention sees a bag of words until something tells it where each word stands. Here is how models do it, on your own text, computed by the library itself: each entry of a table is the real number rounded once. Nothing leaves your machine.',
  skip: 'To the panels',
  tools: { language: 'Language', theme: 'Colours', light: 'Light', dark: 'Dark', system: 'System' },
  nav: 'Panels',
  footer: (version: string, presets: number) =>
    `posenc ${version}: ${presets} presets, bit for bit the native library. Apache-2.0. Rows of the vocabulary: OpenAI Whisper base, MIT.`,
  loading: 'The module is loading …',
  fault: 'This cannot be shown: ',
  unprinted: 'This panel is drawn when it is first seen: scroll to it, then print again.',
  table: 'Numbers as a table',
  save: 'Save as',
  keys: 'matrix; arrow keys move the cursor',
  make: { title: 'Make this with a command, C++ or Python', shell: 'Shell', copy: 'Copy', copied: 'Copied' },
  cursor: {
    position: 'Position',
    dimension: 'Column',
    token: 'token',
    positionWrong: 'A position is a whole number from −9,223,372,036,854,775,808 to 9,223,372,036,854,775,807.',
    dimensionWrong: 'A column is a whole number from 0 to 4,095.',
    name: 'Cursor of all panels',
    told: (token: string | undefined, position: string, dimension: string) =>
      `${token === undefined ? '' : `Token “${token}” at `}position ${position}, column ${dimension}: the mark in the panels below; Images marks the column, and a patch of its own.`,
    beyond: (columns: number) => `beyond this table’s ${columns.toLocaleString('en')} columns`,
  },
  presets: {
    biases: 'Added to scores',
    search: 'or by a model’s name',
    unknown: (name: string) => `No convention is called ${name}.`,
    elsewhere: (name: string, preset: string) => `${name} is ${preset}, which is not in this list.`,
  },
  widths: { model: 'Model width d', head: 'Head width' },
  axes: {
    position: 'position',
    dimension: 'column',
    halves: 'column: sines of all pairs, then cosines',
    token: 'token',
    pair: 'pair of columns k',
    period: 'period in tokens',
  },

  text: {
    title: 'Text to tensor',
    look: 'Compare the first three bars of each token: without the factor √d the signal would drown the token; with it they are of comparable size.',
    means:
      'For a model, the two sentences are one bag of words until the signal is added: without it every token gives the same weights to the same tokens in both; with it they part, so “who loves whom” can be learned.',
    meansSame:
      'These two texts are the same tokens in the same order, so no weight can differ. Put them in another order to see what positions do for a model.',
    meansOthers:
      'These two texts are not two orders of the same tokens, so weights differ without positions too: other tokens share the sum. Put the same tokens in another order to see what positions alone do for a model.',
    sources:
      'Vaswani et al., Attention Is All You Need, 2017, sections 3.4 and 3.5: rows times √d, plus the signal, dropout on the sum. Rows and tokens: OpenAI Whisper base, 3,072 tokens, int8 with one scale a row. The mask is Philox4x32-10, addressed by token and column (dropout.h).',
    textA: 'First text',
    textB: 'Second text',
    tokensA: 'Tokens of the first text',
    tokensB: 'Tokens of the second text',
    empty: 'Type a text: without one there is nothing to encode.',
    cut: (count: number) => `The first ${count} tokens are shown and made by the lines below; the tool takes texts of any length.`,
    unlinked: (longest: number) =>
      `A text of more than ${longest.toLocaleString('en')} characters is not in the address.`,
    ids: (id: number, original: number) => `id ${id}; ${original} in Whisper’s own vocabulary`,
    scale: 'times √d',
    train: 'Training: dropout',
    drop: 'Probability',
    seed: 'Seed',
    dropWrong: 'A probability is a number from 0 to below 1.',
    seedWrong: 'A seed is a whole number from 0 to 999,999,999.',
    norms: 'Length of each token’s row (Euclidean norm)',
    norm: 'norm',
    row: 'row',
    scaled: 'row × √d',
    signal: 'signal',
    out: 'what the block reads',
    normSummary: (row: string, scaled: string, signal: string) =>
      `On average a row has length ${row}, with the factor ${scaled}; the signal has ${signal}.`,
    tensor: 'The tensor that the first block reads (first text)',
    tensorSummary: (tokens: number, dropped: number) =>
      `${tokens} tokens, model width d = 512${dropped > 0 ? `; the mask made ${dropped} entries 0 (white)` : ''}.`,
    token: 'Token (place)',
    dimension: 'Column',
    value: 'Value (f32)',
    bits: 'Its bits',
    attention: 'What attention sees',
    head: 'One head without trained projections: queries and keys are the first columns of the rows times √d. All 512 columns would make every token attend to itself alone, with positions or without, and show nothing.',
    columns: 'Columns of the head',
    most: (q: string, k: string, weight: string) => `The largest weight: ${q} to ${k}, ${weight}.`,
    differ: (count: number, of: number) =>
      ` ${count} of ${of} weights differ from the first text’s by more than 0.005${count === 0 ? '' : ': outlined'}.`,
    answers: 'key: who answers',
    asks: 'query: who asks',
    withoutA: 'First text, without positions',
    withoutB: 'Second text in the first one’s order, without positions',
    withA: 'First text, with positions',
    withB: 'Second text in the first one’s order, with positions',
    nothingCompared: 'No token stands once in both texts, so no weights are compared.',
    compared: (without: string, placed: string, columns: number) =>
      `Weights of pairs of tokens that stand once in both texts, in a head of ${columns} columns: at most ${without} apart without positions, ${placed} with them.`,
  },
  signal: {
    title: 'The signal',
    look: 'Look for waves that grow longer from column to column: some columns turn every few positions, others barely move over the whole picture.',
    means:
      'For a model, a row is a fingerprint of its position, and moving by k tokens is the same rotation of every pair, wherever it starts. A hand that never completes a turn in training shows angles at greater lengths that the model has never met: that is why contexts do not grow by themselves, and what scaling mends.',
    sources:
      'Vaswani et al., Attention Is All You Need, 2017, section 3.5; Su et al., RoFormer, 2021; Chen et al., Extending Context Window by Positional Interpolation, 2023; Peng et al., YaRN, 2023. Sources of each preset: docs/conventions.md.',
    preset: 'Convention',
    added: 'Added to rows',
    rotated: 'Turns queries and keys',
    rows: 'Positions shown',
    from: 'First position',
    fromWrong: (rows: string, last: string) => `With ${rows} positions the first one is at most ${last}.`,
    outside: (position: string) => `The cursor is at position ${position}, outside the positions shown.`,
    beginHere: 'Begin at the cursor',
    widthWrong: 'A width is a whole number from 1 to 1,024.',
    heat: 'Every entry of the table',
    ladder: 'The ladder: how many tokens a turn takes',
    clocks: 'A clock for each pair',
    trained: 'Trained length',
    long: 'New length',
    trainedWrong: 'A length is a whole number from 1 to 10,000,000.',
    scaling: 'Scaling for long contexts',
    factor: 'Factor',
    factorWrong: 'A factor is a number from 1 to 1,000.',
    scalings: {
      own: 'the convention’s own',
      none: 'none',
      linear: 'linear',
      ntk: 'NTK',
      yarn: 'YaRN',
      llama3: 'Llama 3',
      longrope: 'LongRoPE',
    } as Record<string, string>,
    asItIs: (preset: string, fields: string) => `Shown is ${preset} as it is: ${fields}.`,
    changed: (preset: string, changed: string, kept: string) =>
      `Shown is ${preset}, changed: ${changed}. ${kept === '' ? 'All else is kept.' : `Kept: ${kept}, and all else.`}`,
    fieldChanged: (path: string, value: string, own: string | undefined) =>
      `${path} ${value}${own === undefined ? '' : `, not ${own}`}`,
    magnitude: (value: string) => `Cosines and sines are multiplied by ${value}.`,
    replaced: (preset: string, width: string) =>
      `LongRoPE’s divisors are those of one model: in place of ${preset}, width ${width}, the whole of rope-longrope is shown, head width 96, in a sequence of more than 4,096 tokens. The factor is not read.`,
    value: 'Value (f32)',
    bits: 'Its bits',
    period: 'A turn takes',
    entry: 'Entry',
    at: (position: string, dimension: number) => `position ${position}, column ${dimension}`,
    tokens: (count: string) => `${count} tokens`,
    constant: 'does not turn',
    heatSummary: (name: string, rows: number, columns: number, from: string, value: string, limit: string) =>
      `${name}: ${rows} positions from ${from} on, ${columns} columns, from −${limit} (blue) over 0 (white) to ${limit} (orange). The entry under the cursor is ${value}.`,
    ladderSummary: (least: string, most: string) => `Periods go from ${least} to ${most} tokens.`,
    reached: (unmet: number, count: number, length: string, longer: string, slower: number | undefined) =>
      `In ${longer} tokens ${unmet} of ${count} pairs reach angles that training on ${length} has not shown.${slower === undefined ? '' : ` ${slower} turn more slowly than in training, by more than 1 %.`}`,
    clockSummary: (position: string, unmet: number, count: number, shown: number, longer: string) =>
      `At position ${position}${shown < count ? `, ${shown} of ${count} clocks shown` : ''}. ${unmet} of ${count} hands reach angles in ${longer} tokens that training has not shown: dashed rings.`,
    trainedRule: (length: string) => `trained length ${length}`,
    plain: 'without scaling',
  },

  which: {
    title: 'Which one is it?',
    look: 'Look at the wires: each leads from a column to the same column of the other convention. If every wire is straight, nothing has to move.',
    means:
      'For a model, a table or a checkpoint in the wrong order is silent damage: shapes fit, nothing fails, and every product of queries and keys is another number.',
    sources:
      'Su et al., RoFormer, 2021 (pairs side by side); transformers, modeling_llama.py, rotate_half (pairs across the halves); Vaswani et al., 2017, section 3.5. How identify proves what it says: docs/referee.md.',
    left: 'Convention A',
    right: 'Convention B',
    across: 'Columns shown',
    wires: 'Which column is which',
    verdict: 'What the referee says',
    working: 'The referee is loading and comparing …',
    raw: 'The referee’s own words',
    rawJson: 'All of it as JSON',
    differences: 'What differs',
    field: 'field',
    firstApart: 'numbers part first at',
    mostApart: 'numbers are farthest apart at',
    equal: (a: string, b: string) => `${a} and ${b} are one table, bit for bit.`,
    differ: (count: number) => `The two differ in ${count} ${count === 1 ? 'field' : 'fields'}.`,
    order: (count: number, moved: number) => `${moved} of ${count} columns stand elsewhere.`,
    noOrder: (reason: string) => `No order of columns makes one of the other: ${reason}`,
    columnOf: (name: string) => `column of ${name}`,
    outside: (column: number, beyond: string) => `Column ${column} is ${beyond}.`,
    file: 'A file of yours',
    drop: 'Drop a table as .npy or .safetensors, or a model’s config.json. It stays on this machine.',
    choose: 'Choose a file',
    sample: 'Or identify the table of the panel “The signal”',
    found: 'What the file holds',
    tensors: 'Tensors of the file',
    reading: (name: string) => `Reading ${name} …`,
    seconds: (count: number) => `${count} s; large tables that nothing fits take half a minute.`,
    stop: 'Stop',
    stopped: (name: string) => `${name}: stopped.`,
    wrongType: (name: string) =>
      `${name} is no .npy, .safetensors or config.json; posenc identify reads .npz and .gguf besides.`,
    tooLarge: 'a file must have at most 512 MiB here; posenc identify has no such limit.',
    rows: (count: string) => `The signal’s ${count} rows`,
    what: (name: string, type: string, shape: string) => `${name}, ${type} ${shape}`,
    identified: (what: string, presets: string, differs: boolean) =>
      `${what}: ${presets === '' ? 'identified' : presets}${differs ? ', but for the fields below' : ''}.`,
    several: (what: string, count: number, presets: string) =>
      `${what}: these entries do not tell ${count} conventions apart: ${presets}.`,
    nearest: (what: string, presets: string, agreement: string, more: boolean) =>
      `${what}: no convention as it stands; nearest is ${presets}, with ${agreement}.${more ? ' What it is:' : ''}`,
    nearestOne: 'The nearest convention',
    begins: (first: string, step: string) =>
      ` Row 0 is position ${first}${step === '1' ? '' : `, and each row ${step} further`}.`,
    foundOf: (place: number, count: number) => `What the file holds, ${place} of ${count} readings`,
    onlyEqual: (equal: string, entries: string) => `${equal} of ${entries} entries equal`,
    allEqual: (entries: string) => `all ${entries} entries equal`,
    someEqual: (equal: string, entries: string, ulps: string, difference: string) =>
      `${equal} of ${entries} entries equal, others off by up to ${ulps} ulp, ${difference}`,
    places: (first: string, step: string | null) =>
      step === null ? `from ${first} on, as they were listed` : `from ${first} in steps of ${step}`,
    fields: {
      presets: 'presets',
      differences: 'but for',
      form: 'form',
      reading: 'axes',
      copies: 'copies',
      extra: 'rows in front',
      width: 'width',
      fitted: 'fitted',
      storage: 'storage',
      exact: 'beside exact numbers',
    },
    statedBy: (model: string) => `Positions of ${model}`,
    roles: {
      role: 'role',
      family: 'family',
      base: 'base',
      head: 'head or row width',
      scaling: 'scaling',
      trained: 'longest trained position',
    },
    more: (count: number) => ` and ${count} more`,
    unknown: (what: string) => `${what}: no convention that posenc knows.`,
    inspected: (name: string) => `${name} states these positions:`,
    missing: (name: string) => `Missing${name === '' ? '' : `, ${name}`}: `,
    listed: (name: string, count: number) =>
      `${name} holds ${count === 1 ? '1 tensor' : `${count} tensors; choose one`}.`,
  },

  distance: {
    title: 'Distance',
    look: 'Look at how the curves fall: from the same vector they fall with distance, oscillating; from random vectors (switch them on) they do not fall at all.',
    means:
      'For a model, “nearer tokens score higher” is a property of equal vectors, not of the rotation: with random queries and keys the mean is zero at every distance. Biases are another matter: ALiBi takes the same amount off for each token of distance, T5 learns one number per bucket and head.',
    sources:
      'Vaswani et al., 2017, section 3.5; Su et al., RoFormer, 2021, section 3.4.3; Press et al., ALiBi, 2022; Raffel et al., T5, 2020, section 2.1. Random vectors: 64 pairs of N(0, 1), seed 16, products over the width.',
    reach: 'Farthest distance',
    slopes: 'Bias by slopes',
    buckets: 'Bias by buckets',
    equalTo: (name: string, other: string) => `${name}: equal to ${other} within 0.0001`,
    ends: (last: string, position: string, reach: string) =>
      `Positions end at ${last}: from ${position} on, products are shown up to a distance of ${reach}.`,
    noShift: (position: string, k: string) =>
      `There is no position ${position} + ${k}: it would be beyond the last one.`,
    lastPair: (column: number, beyond: string) => `Column ${column} is ${beyond}; the last pair is marked.`,
    valuesAt: (k: string, values: string) => `At k = ${k}: ${values}.`,
    reachWrong: 'A distance is a whole number from 8 to 4,096.',
    vectors: 'Queries and keys',
    same: 'the same vector',
    random: 'random vectors',
    products: 'Products of positions p and p + k, as shares of that at k = 0',
    biases: 'Slopes: what is added to a score',
    classes: 'Buckets: the class of a distance',
    distance: 'distance k',
    share: 'share',
    added: 'added',
    number: 'bucket',
    pair: 'pair',
    k: 'Shift k',
    kWrong: 'A shift is a whole number from 0 to 1,000,000.',
    rowsOf: (name: string) => `rows of ${name}`,
    turnedOf: (name: string, random: boolean) => `${random ? 'mean over random pairs, ' : ''}turned by ${name}`,
    single: (number: number) => `one random pair (${number})`,
    head: (number: number) => `head ${number} of 8`,
    productsSummary: (position: string, largest: string, values: string) =>
      `From position p = ${position} on, distances k from 0 to ${largest}; model and head width 128. ${values}`,
    biasSummary: (preset: string, most: string, least: string) =>
      `${preset}: each head has a slope of its own, from ${most} to ${least} a token.`,
    classSummary: (preset: string, count: number, largest: string, last: string) =>
      `${preset} has ${count} buckets for distances k from 0 to ${largest}; the last of them begins at ${last}.`,
    shift: 'The rotation T(k) that takes p to p + k',
    shiftTold: (pair: number, p: string, k: string, c: string, s: string, x: string, y: string, X: string, Y: string) =>
      `Pair ${pair} of transformer, model width 128: T(${k}) is [${c}, ${s}; −${s}, ${c}], whatever p is. It takes (${x}, ${y}) of position ${p} to (${X}, ${Y}) of position ${p} + ${k}, up to the rounding of four f32 numbers.`,
  },
  precision: {
    title: 'Precision',
    look: 'Move the position up and look where the curves leave the floor: the usual recipe forms its angles in f32, whose 24 bits go to whole turns first, so that few are left for the angle within the turn; most positions kept in 16 bits are wrong from 257 (bf16) and 2,049 (f16) on, at first every second one.',
    means:
      'For a model, far tokens get the signal of other positions, or of none: fine in training, where both sides round alike, and wrong as soon as another program, another type or another cut of the sequence computes the same place.',
    sources:
      'f32-exp is the order of roundings of PyTorch’s usual module (recipe.h). Positions in bf16: transformers PR #29285, vLLM #863, candle PR #3520 (position 15,962 becomes 15,936 or 15,968). Angles in 16 bits are not shown: recipes have them in f32 or f64 (recipe.h).',
    recipeLabel: 'Recipe of roundings',
    row: 'How far each column is from the exact number',
    worst: 'The largest difference of a row, up to position 10⁹',
    exact: 'Exact (f32)',
    recipe: 'By the recipe',
    bf16: 'position in bf16',
    f16: 'position in f16',
    apart: 'difference',
    ulps: (count: string) => `${count} ulp`,
    keptAs: (position: string, told: string) => `${position}: ${told}`,
    noF16: 'f16 has no number beyond 65,504',
    noPosition: 'no position of posenc',
    rowsAlone: (asked: string, shown: string) =>
      `Shown is ${shown}: this panel has conventions that are added to rows, and ${asked} is none.`,
    rowSummary: (preset: string, position: string, largest: string, ulps: string, column: number) =>
      `${preset}, model width 512, at position ${position}: the recipe is off by up to ${largest}, ${ulps} ulp, in column ${column}.`,
    worstSummary: (preset: string, recipe: string, position: string | undefined) =>
      position === undefined
        ? `${preset}, model width 512: ${recipe} stays within 0.001 up to 10⁹.`
        : `${preset}, model width 512: of the positions drawn, ${position} is the first at which ${recipe} is off by more than 0.001.`,
  },
  images: {
    title: 'Images',
    look: 'Click a patch: the dark ones have positions like it. A cross along its row and column says that the two axes have columns of their own.',
    means:
      'For a model, patches are a sequence like words; only these numbers say what lies above and what beside. A larger image needs a larger table: made anew it keeps the step between neighbours, resized it halves the step, and the two are different inputs.',
    meansShares:
      'For a model, patches are a sequence like words; only these numbers say what lies above and what beside. This convention divides places by the size of the image: in a larger image made anew, neighbours stand nearer to each other than those it was trained on, as they do in a resized table.',
    sources:
      'He et al., MAE, 2022, util/pos_embed.py; Dosovitskiy et al., ViT, 2021, section 3.2 and transformers, ViTEmbeddings.interpolate_pos_encoding (bicubic resizing). Which axis comes first is each preset’s own: docs/conventions.md.',
    preset: 'Convention',
    height: 'Rows of patches',
    wide: 'Columns of patches',
    row: 'row',
    column: 'column',
    wrong: (least: number, most: number) => `Enter a whole number from ${least} to ${most}.`,
    alike: 'How alike each patch’s position is to the marked one',
    moved: 'Which columns an axis moves',
    anew: 'Twice the patches: made anew',
    resized: 'Twice the patches: resized (bicubic)',
    down: 'one patch down',
    right: 'one patch to the right',
    change: 'change',
    alikeSummary: (row: number, column: number, r: number, c: number, least: string) =>
      `Products with the patch in row ${row}, column ${column}, over its own. The least alike is row ${r}, column ${c}: ${least}.`,
    movedSummary: (down: string, right: string) =>
      `Going down moves columns ${down}; going right moves columns ${right}.`,
    oneScale: (least: string) =>
      `The three pictures of patches have one scale of colours: ${least} is white, 1 the darkest orange.`,
    besideSummary: (now: number, before: number) => {
      const [here, there] = [now.toFixed(4), before.toFixed(4)];
      const relation = here === there ? 'as alike to it as' : now > before ? 'more alike to it than' : 'less alike to it than';
      return `Neighbours of the marked patch are ${relation} before: ${here} on average, ${there} in the smaller grid.`;
    },
    apart: (furthest: string) => `Entries differ from those made anew by up to ${furthest}.`,
  },
};
