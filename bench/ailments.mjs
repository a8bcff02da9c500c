/**
 * Does a run say what it suffers from, and nothing else, and is a healthy one silent?
 *
 *   npm run bench -- ailments [--only beta] [--seeds 3,4,11] [--json FILE]
 *
 * A healthy run and twelve planted ailments, some in two forms, each of a few seconds on one thread. A case is named where
 * what it says at the end (`advise`), or before its first step, has the right word; what else it says has to be a true
 * symptom of that ailment.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { describeMachine, fail, readFlags, table, writeJson } from './command.mjs';

const COMMAND = new URL('../dist/cli/main.js', import.meta.url).pathname;
const flags = readFlags({ further: { only: { type: 'string' }, seeds: { type: 'string', default: '3' } } });

const REWARDS = {
  // Looks for tags that nobody writes.
  'tags.ts': '(/<answer>(.*)<\\/answer>/.exec(text)?.[1] === answer ? 1 : 0)',
  // Pays a letter of the word however often it is written.
  'letters.ts': '[...text].filter((letter) => answer.includes(letter)).length / 5',
};

/** Different words of 3 to 5 letters, the same each time. */
function words(count) {
  let state = 7;
  const next = (most) => {
    state = (1103515245 * state + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  const found = new Set();
  while (found.size < count) found.add(Array.from({ length: 3 + next(3) }, () => 'abcdef'[next(6)]).join(''));
  return [...found];
}

const WORDS = words(500);
const reversed = (word) => [...word].reverse().join('');
const asked = (word, answer = reversed(word), end = ':') => ({ question: `Reverse ${word}${end}`, answer });

const FILES = {
  'train.jsonl': WORDS.slice(0, 300).map((word) => asked(word)),
  'few.jsonl': WORDS.slice(0, 80).map((word) => asked(word)),
  // Demonstrations of the plain answer, where the verifier looks for what follows ####.
  'marked.jsonl': WORDS.slice(0, 400).map((word) => ({
    ...asked(word, `${reversed(word)} #### ${reversed(word)}`),
    completion: reversed(word),
  })),
  'spaces.jsonl': [
    ...WORDS.slice(0, 120).flatMap((word) => [asked(word), asked(word)]),
    ...WORDS.slice(0, 40).map((word) => asked(word, word, ' :')),
  ],
  'contradict.jsonl': [
    ...WORDS.slice(0, 200).map((word) => asked(word)),
    ...WORDS.slice(0, 20).map((word) => asked(word, word)),
  ],
  'leak.jsonl': WORDS.slice(240, 360).map((word) => asked(word)),
  'leak_space.jsonl': WORDS.slice(200, 300).map((word) => asked(word, reversed(word), ': ')),
};

const REVERSE = { name: 'reverse_text', min_length: 3, max_length: 5, letter_noise: 0.2 };
const WARM = {
  stage: 'sft',
  max_steps: 250,
  per_device_train_batch_size: 64,
  learning_rate: 2e-3,
  warmup_steps: 20,
  eval_strategy: 'no',
};
const LEARN = {
  ...{
    stage: 'grpo',
    max_steps: 80,
    num_generations: 16,
    generation_batch_size: 128,
    learning_rate: 5e-4,
    warmup_steps: 5,
  },
  ...{ loss_type: 'dr_grpo', scale_rewards: 'group', eval_steps: 20 },
};
const drawn = (changes) => ({ task: REVERSE, stages: [WARM, { ...LEARN, ...changes }] });
const ofRows = (knobs, sft = {}) => ({
  task: { name: 'dataset', prompt: 'question', answer: 'answer', ...knobs },
  stages: [
    { stage: 'sft', max_steps: 250, per_device_train_batch_size: 32, learning_rate: 2e-3, ...sft },
    {
      stage: 'grpo',
      max_steps: 60,
      num_generations: 8,
      generation_batch_size: 128,
      learning_rate: 5e-4,
      eval_steps: 20,
    },
  ],
});

/** `says`: the right word, a diagnosis or what is printed before the first step; `with`: symptoms that are true of it. */
const CASES = [
  { name: 'healthy', run: drawn({}) },
  { name: 'rate too high', says: 'policy-lost', with: ['nothing-to-learn'], run: drawn({ learning_rate: 8e-3 }) },
  { name: 'rate forgotten', says: 'small-rate', run: drawn({ learning_rate: undefined }) },
  {
    name: 'reward never fires',
    says: 'constant-reward',
    with: ['nothing-to-learn'],
    run: drawn({ reward_funcs: ['./tags.ts'] }),
  },
  {
    name: 'reward hacked',
    says: 'pays-wrong',
    with: ['held-out-falls'],
    run: drawn({ reward_funcs: ['./letters.ts'], learning_rate: 1e-3, max_steps: 120 }),
  },
  {
    name: 'groups of 2',
    says: 'few-live-groups',
    with: ['below-best'],
    run: drawn({ num_generations: 2, generation_batch_size: 16 }),
  },
  { name: 'answers do not fit', says: 'short-limit', run: drawn({ max_completion_length: 4 }) },
  {
    name: 'biased sampling',
    says: 'combination',
    with: ['few-live-groups', 'below-best', 'policy-lost', 'reward-collapse', 'all-dead', 'nothing-to-learn'],
    run: drawn({ top_p: 0.3, learning_rate: 1e-3 }),
  },
  { name: 'beta too strong', says: 'beta-outweighs', run: drawn({ beta: 2 }) },
  {
    name: 'wrong extract',
    says: 'right-refused',
    with: ['nothing-to-learn'],
    run: ofRows({ train: 'marked.jsonl', extract: 'hash' }),
  },
  {
    name: 'contradicts in spaces',
    says: /rows have the prompt of an earlier one but for spaces, and another answer/,
    with: ['held-out-gap'],
    run: ofRows({ train: 'spaces.jsonl' }),
  },
  {
    name: 'contradicts',
    says: /its prompt is that of contradict\.jsonl:1, its answer another/,
    run: ofRows({ train: 'contradict.jsonl' }),
  },
  {
    name: 'held out is trained on',
    says: /60 rows are also in held_out and not trained on/,
    with: ['held-out-gap'],
    run: ofRows({ train: 'train.jsonl', held_out: 'leak.jsonl' }),
  },
  {
    name: 'held out in spaces',
    says: /100 have other spaces there/,
    with: ['held-out-gap'],
    run: ofRows({ train: 'train.jsonl', held_out: 'leak_space.jsonl' }),
  },
  {
    name: 'memory',
    says: 'memorised',
    with: ['nothing-to-learn', 'gradient-spike'],
    run: ofRows({ train: 'few.jsonl' }, { max_steps: 2500 }),
  },
];

const chosen = CASES.filter(({ name }) => flags.only === undefined || name.includes(flags.only));
if (chosen.length === 0) fail(`--only ${flags.only} — no case; there are ${CASES.map(({ name }) => name).join(', ')}.`);
const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-ailments-'));
const results = [];
try {
  for (const [name, rows] of Object.entries(FILES))
    writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  for (const [name, score] of Object.entries(REWARDS)) {
    const each = `completions.map((text, i) => { const answer = items[i]?.answer ?? ''; return ${score}; })`;
    writeFileSync(
      join(folder, name),
      `export default { name: '${name}', score: ({ completions, items }) => ${each} };\n`,
    );
  }
  for (const seed of flags.seeds.split(',').map(Number)) {
    for (const one of chosen) {
      results.push({ ...one, seed, ...(await examined(one, seed)) });
      process.stdout.write(`${rowOf(results.at(-1)).join('  ')}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(
  `\n${table(['planted', 'seed', 'right word', 'said', 'also said', 'wrong'], results.map(rowOf))}\n`,
);
const planted = results.filter(({ says }) => says !== undefined);
const silent = results.filter(({ says, codes }) => says === undefined && codes.length === 0).length;
process.stdout.write(
  `${planted.filter(({ isNamed }) => isNamed).length} of ${planted.length} named, ${results.filter(({ wrong }) => wrong.length > 0).length} with a wrong word, ` +
    `${silent} of ${results.length - planted.length} healthy silent\n`,
);
if (flags.json !== undefined) {
  const cases = results.map(({ name, seed, says, codes, isNamed, wrong }) => {
    return { name, seed, says: String(says ?? 'nothing'), codes, isNamed, wrong };
  });
  writeJson(flags.json, 'ailments', { machine: describeMachine(), cases });
}

async function examined({ name, says, with: symptoms = [], run }, seed) {
  const place = join(folder, `${name.replaceAll(' ', '-')}-${seed}`);
  mkdirSync(place);
  const model = {
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 176,
    initializer_range: 0.05,
  };
  writeFileSync(`${place}.yaml`, stringify({ ...run, model, seed, adam_beta2: 0.95 }));
  const told = await call('--config', `${place}.yaml`, '--output', place, '--threads', '1');
  const advice = await call('advise', '--run', place, '--json');
  const codes = advice.startsWith('{') ? [...new Set(JSON.parse(advice).advice.map(({ code }) => code))] : [];
  const isNamed = says === undefined || (says instanceof RegExp ? says.test(told) : codes.includes(says));
  return { codes, isNamed, wrong: codes.filter((code) => code !== says && !symptoms.includes(code)) };
}

/** What a command prints; a run that has nothing to learn from ends with a code of its own. */
function call(...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { cwd: folder }, (_, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
}

function rowOf({ name, seed, says, codes, isNamed, wrong }) {
  const word = says instanceof RegExp ? 'a note before step 1' : (says ?? 'nothing');
  const beside = codes.filter((code) => code !== says && !wrong.includes(code));
  return [name, seed, word, isNamed ? 'yes' : 'no', beside.join(', ') || '–', wrong.join(', ') || '–'];
}
