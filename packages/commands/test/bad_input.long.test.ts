/**
 * Every mistake that a user can make, and all that the command says about it.
 *
 * Each row runs the command in a folder of its own, as the program in `main.ts` does, and expects one message: place,
 * key, value, rule, remedy. `packages/commands/test/e2e/bad_input.long.test.ts` runs a dozen of them through the real command, for exit codes;
 * `packages/zoo/test/config/bad_inputs.test.ts` has every rule of every key.
 */

import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packagedNames } from '../../../src/cli/runs/packaged_configs.ts';
import { messageOf, run } from '../../../test/cli/called.ts';
import { ADDITION } from '../../../test/cli/own_files.ts';
import { fewOf } from '../../../test/support/budget.ts';
import { builtInRewards } from '../../../test/support/everything.ts';
import { eachInOwnFolder, folderOfFile } from '../../../test/support/folders.ts';

const BASE = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1}
max_steps: 2
num_generations: 4
generation_batch_size: 8
num_generations_eval: 1
threads: 1
`;

/** A mistake, and what is said. */
interface Mistake {
  readonly what: string;
  /** Lines behind BASE (from line 8), or with `whole` all of them. */
  readonly yaml?: string;
  readonly whole?: boolean;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Starts from a copy of a finished run in `out/`, changed by this. */
  readonly run?: () => void;
  /** Default: train with my.yaml into out/. */
  readonly words?: readonly string[];
  /** The complete message; `{here}` is the folder. */
  readonly says: string;
}

/** What a policy of a thousand weights earns something for in two steps. */
const LEARNABLE = 'reward_funcs: [positions]\n';
const TRAIN = ['--config', 'my.yaml', '--output', 'out'];
const reward = (body: string): Mistake['files'] => ({
  'mine.mjs': `export default { name: 'mine', score: ${body} };\n`,
});
const task = (change: (text: string) => string): Mistake['files'] => ({ 'addition.ts': change(ADDITION) });
const USES_MINE = 'reward_funcs: [accuracy, ./mine.ts]\n';
const USES_MODULE = 'reward_funcs: [accuracy, ./mine.mjs]\n';
const USES_ADDITION = BASE.replace('{name: sort_digits, digits: 3}', '{name: ./addition.ts, max: 99}');
const GO_ON = 'resume with:\n  npx --no-install rlvr-train --resume --output out';
const START_SAVED = `Everything up to grpo-0 is saved. When the file is corrected, ${GO_ON} --force`;
const NOTHING_SAVED = `No step was saved yet. When the file is corrected, ${GO_ON} --force`;

// biome-ignore format: a table
const FILES: Mistake[] = [
  { what: 'no such config', words: ['--config', 'your.yaml'],
    says: 'your.yaml  no such file; check the path, or copy a shipped config: `configs ls` lists them.' },
  { what: 'a folder for a config', words: ['--config', '.'],
    says: '.  a directory, not a file; give a .yaml file in it.' },
  { what: 'an empty config', yaml: '', whole: true,
    says: 'my.yaml  empty — a run needs a task and max_steps; for example {task: countdown, max_steps: 300}.' },
  { what: 'a binary config', files: { 'my.yaml': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0) },
    says: 'my.yaml  not a text in UTF-8, which a config is; give the .yaml file, or save it as UTF-8.' },
  { what: 'a tab', whole: true, yaml: 'task: countdown\nmodel:\n\thidden_size: 8\n',
    says: 'my.yaml:3  not valid YAML — a tab indents this line; use spaces.' },
  { what: 'a colon without its space', yaml: 'seed:3\nbeta: 0\n',
    says: 'my.yaml:8  not valid YAML — "seed:3" has no space after its colon; write "seed: 3".' },
  { what: 'knobs below the name of the task', whole: true, yaml: 'task: countdown\n  numbers: 3\nmax_steps: 2\n',
    says: 'my.yaml:1  not valid YAML — line 2 is indented below "task: countdown", which has a value already; write task: {name: …, …}, or align the lines.' },
  { what: 'a bracket left open', yaml: 'reward_funcs: [accuracy\nseed: 3\n',
    says: 'my.yaml:8  not valid YAML — "[" is not closed; add "]".' },
];

// biome-ignore format: a table
const KEYS: Mistake[] = [
  { what: 'a misspelt key', yaml: 'learning_rat: 1\n',
    says: 'my.yaml:8  learning_rat: 1 — unknown key; the nearest is learning_rate.' },
  { what: 'a key of TRL that has no meaning here', yaml: 'use_vllm: true\n',
    says: 'my.yaml:8  use_vllm: true — rollouts run in the same engine as the update, so there is no vLLM to set up; leave it out.' },
  { what: 'a key of the model outside of it', yaml: 'hidden_size: 8\n',
    says: 'my.yaml:8  hidden_size: 8 — belongs to the model; move it under model:.' },
  { what: 'a text for a number', yaml: 'learning_rate: fast\n',
    says: 'my.yaml:8  learning_rate: fast — must be a finite number; for example 0.0003.' },
  { what: 'a quoted number', yaml: 'learning_rate: "3e-4"\n',
    says: 'my.yaml:8  learning_rate: "3e-4" — must be a finite number; write 3e-4, as quotes make a text of it.' },
  { what: 'a decimal comma', yaml: 'learning_rate: 0,001\n',
    says: 'my.yaml:8  learning_rate: "0,001" — must be a finite number; write 0.001, as a comma makes a text of it.' },
  { what: 'yes for true', yaml: 'mask_truncated_completions: yes\n',
    says: 'my.yaml:8  mask_truncated_completions: yes — must be true or false; write true, as yes is a text in YAML 1.2.' },
  { what: 'NaN', yaml: 'beta: .nan\n', says: 'my.yaml:8  beta: .nan — must be a finite number; for example 0.001.' },
  { what: 'infinity', yaml: 'temperature: .inf\n',
    says: 'my.yaml:8  temperature: .inf — must be a finite number; for example 1.' },
  { what: 'a value out of range', yaml: 'top_p: 2\n',
    says: 'my.yaml:8  top_p: 2 — must be greater than 0 and at most 1; for example 1.' },
  { what: 'a group of one', words: [...TRAIN, '--set', 'num_generations=1'],
    says: '--set  num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).' },
  { what: 'a batch that is not whole groups', words: [...TRAIN, '--set', 'generation_batch_size=10'],
    says: '--set  generation_batch_size: 10 — a batch is whole groups; use a multiple of num_generations (4), such as 12.' },
  { what: 'a micro-batch larger than the batch', yaml: 'per_device_train_batch_size: 16\n',
    says: 'my.yaml:8  per_device_train_batch_size: 16 — larger than generation_batch_size (8); use at most that.' },
  { what: 'a mapping where a list belongs', yaml: 'stages:\n  stage: grpo\n',
    says: 'my.yaml:8  stages: { stage: grpo } — must be a list of at least one stage; begin each stage with a dash: "- stage: grpo".' },
  { what: 'a list where a mapping belongs', whole: true,
    yaml: 'task: countdown\nmax_steps: 2\nmodel:\n  - hidden_size: 8\n',
    says: 'my.yaml:3  model: [ { hidden_size: 8 } ] — must be a mapping; remove the dash before its keys.' },
  { what: 'a context that the task does not fit', whole: true,
    yaml: BASE.replace('hidden_size: 8', 'hidden_size: 8, max_position_embeddings: 4'),
    says: 'my.yaml:2  model.max_position_embeddings: 4 — prompt and completion take up to 7 tokens; use that or more, or leave the key out.' },
  { what: 'a task that there is not', whole: true, yaml: BASE.replace('sort_digits', 'sort_digit'),
    says: 'my.yaml:1  task.name: "sort_digit" — no such task; did you mean "sort_digits"? (npx --no-install rlvr-train tasks ls has them all)' },
  { what: 'a knob that there is not', whole: true, yaml: BASE.replace('digits: 3', 'digit: 3'),
    says: 'my.yaml:1  task.digit: 3 — no such knob of sort_digits (it takes digits); the nearest is digits.' },
  { what: 'a knob out of range', words: [...TRAIN, '--set', 'task.digits=300'],
    says: '--set  task.digits: 300 — must be from 2 to 9; for example 4.' },
  { what: 'two mistakes in names',
    yaml: 'reward_funcs:\n  - acuracy\n  - {name: soft_overlong, max_tokens: 5, cash: 2}\n',
    says:
      `my.yaml:9  reward_funcs: "acuracy" — no such reward function; did you mean "accuracy"? (known: ${Object.keys(builtInRewards).join(', ')})\n` +
      'my.yaml:10  reward_funcs: soft_overlong.cash: 2 — no such option of soft_overlong (it takes max_tokens, cache); the nearest is cache.' },
];

// biome-ignore format: a table
const FLAGS: Mistake[] = [
  { what: 'an unknown flag', words: ['--resum'],
    says: "error: unknown option '--resum' — did you mean --resume? (rlvr-train --help lists the commands and flags)" },
  { what: 'an unknown command', words: ['trian'], says: 'trian — no such command or config; did you mean "train"?' },
  { what: 'no threads', words: [...TRAIN, '--threads', '0'],
    says: "error: option '--threads <number>' argument '0' is invalid. use a whole number of 1 or more. (rlvr-train --help lists the commands and flags)" },
  { what: 'too many threads', words: [...TRAIN, '--threads', '999'],
    says: '--threads  threads: 999 — must be from 1 to 256; for example 2.' },
  { what: 'a seed that is no number', words: [...TRAIN, '--seed', 'lucky'],
    says: "error: option '--seed <number>' argument 'lucky' is invalid. use a whole number of 0 or more. (rlvr-train --help lists the commands and flags)" },
  { what: 'a seed of more than 32 bits', words: [...TRAIN, '--seed', '5000000000'],
    says: '--seed  seed: 5000000000 — must be from 0 to 4294967295; for example 42.' },
  { what: 'an unknown backend', words: [...TRAIN, '--backend', 'wsam'],
    says: '--backend  backend: wsam — not a backend of this build; the nearest of auto, webgpu, wasm, reference, tfjs:cpu, tfjs:wasm, tfjs:webgpu, tfjs:tensorflow is wasm.' },
  { what: 'a --set without a value', words: [...TRAIN, '--set', 'seed'],
    says: '--set  seed is not key=value; for example --set learning_rate=3e-4.' },
  { what: 'a --set of an unknown key', words: [...TRAIN, '--set', 'sed=3'],
    says: '--set  sed: 3 — unknown key; the nearest is seed.' },
  { what: 'a --set that is no YAML', words: [...TRAIN, '--set', 'reward_funcs=[accuracy'],
    says: '--set  reward_funcs: "[accuracy" — not a YAML value; quote it, or for example 3e-4.' },
];

// biome-ignore format: a table
const PLACES: Mistake[] = [
  { what: 'a config without its ending', words: ['--config', 'my'], says: 'my  no such file; there is my.yaml.' },
  { what: 'a --set with a space', words: [...TRAIN, '--set', 'seed', '3'],
    says: '--set seed 3 — a key and its value are joined by "="; use --set seed=3.' },
  { what: 'an output without its flag', words: ['--config', 'my.yaml', 'runs/mine'],
    says: 'runs/mine — neither a command nor a config nor the value of a flag (rlvr-train --help lists the commands); an output directory is --output runs/mine.' },
  { what: 'two configs', words: ['my.yaml', '--config', 'sort-digits'],
    says: 'my.yaml sort-digits — a run has one config; train one after the other.' },
  { what: 'a misspelt shipped config', words: ['--config', 'countdonw'],
    says: `--config countdonw — neither a file nor a shipped config (${packagedNames().join(', ')}); did you mean "countdown"?` },
  { what: 'a flag for a command', words: ['resume', 'out'], says: 'resume — a flag, not a command; use --resume.' },
  { what: 'a flag of another command', words: ['check'],
    says: 'check — neither a command nor a config nor the value of a flag (rlvr-train --help lists the commands); an output directory is --output check.' },
  { what: 'a key of the config for a flag', words: ['--config', 'my.yaml', '--learning_rate', '1e-4'],
    says: '--learning_rate — a key of the config, not a flag; use --set learning_rate=VALUE.' },
  { what: 'two runs for one report', words: ['report', '--run', 'a', '--run', 'b'],
    says: '--run a --run b — given twice, and takes one value; keep one.' },
  { what: 'two seeds, one by its short form', words: [...TRAIN, '--seed', '1', '--seed=2'],
    says: '--seed 1 --seed 2 — given twice, and takes one value; keep one.' },
  { what: 'a command that configs does not have', words: ['configs', 'show'],
    says: 'configs show — no such command; configs ls lists them, configs cp NAME copies one.' },
  { what: 'no run to ask', words: ['eval'],
    says: 'which run? Give the directory that its training printed, for example runs/countdown; npx --no-install rlvr-train runs lists them.' },
  { what: 'a prompt and no run', words: ['sample', '3 7 2 = 13 ?'],
    says: "3 7 2 = 13 ? — no run directory; the run comes before the prompts, as in runs/countdown '3 7 2 = 13 ?'." },
  { what: 'two runs for one evaluation', words: ['eval', 'a', '--run', 'b'],
    says: 'a — one run or model at a time; leave it out.' },
  { what: 'a learning rate among the knobs', words: [...TRAIN, '--set', 'task.learning_rate=1'],
    says: '--set  task.learning_rate: 1 — not a knob of the task; move it to the top level.' },
  { what: 'rewards in one text', yaml: 'reward_funcs: accuracy, lcs\n',
    says: 'my.yaml:8  reward_funcs: "accuracy, lcs" — several names are a list; write [accuracy, lcs].' },
];

/** What 32-bit addresses reach; from Node 24 on there are longer ones, and limits are those of the machine. */
const MEMORY: Mistake[] = [
  {
    what: 'a model that does not fit',
    words: [...TRAIN, '--set', 'model={hidden_size: 8192, num_hidden_layers: 16}'],
    says:
      '288.8 GiB of memory needed, 4.0 GiB is what WebAssembly can address. Largest: optimizer 96.0 GiB, packed weights 96.0 GiB.\n' +
      '  Lower model.hidden_size to 512 (needs 1.3 GiB).',
  },
  {
    what: 'a batch that does not fit',
    words: [...TRAIN, '--set', 'generation_batch_size=40000000'],
    says:
      '55.9 GiB of memory needed, 4.0 GiB is what WebAssembly can address. Largest: activations 42.3 GiB, KV cache 7.2 GiB.\n' +
      '  Lower generation_batch_size to 2500000 (needs 3.5 GiB).',
  },
  {
    what: 'a micro-batch that does not fit',
    words: /* biome-ignore format: a list */ [
      ...TRAIN, '--set', 'generation_batch_size=1048576', '--set', 'per_device_train_batch_size=1048576', '--set',
      'model.hidden_size=16',
    ],
    says:
      '7.4 GiB of memory needed, 4.0 GiB is what WebAssembly can address. Largest: activations 6.6 GiB, batch 0.4 GiB.\n' +
      '  Lower per_device_train_batch_size to 524288 (needs 3.9 GiB), or generation_batch_size to 524288 (needs 3.7 GiB), or model.hidden_size to 8 (needs 3.9 GiB).',
  },
];

const cut = (path: string): void => truncateSync(path, 100);
const flip = (path: string): void => {
  const bytes = readFileSync(path);
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(path, bytes);
};
const CHECKPOINT = 'out/checkpoints/grpo-2';
const RESUME = [...TRAIN, '--resume'];

// biome-ignore format: a table
const DIRECTORIES: Mistake[] = [
  { what: 'a file for an output', files: { out: 'mine' },
    says: '{here}/out cannot be written: the file {here}/out is where a directory is needed (EEXIST). Move that file away, or choose another output_dir. Checkpoints that were complete before are untouched.' },
  { what: 'an output without a name', words: ['--config', 'my.yaml', '--output', ''],
    says: '--output: "" — a run needs a directory of its own; give one such as runs/mine.' },
  { what: 'the root of the disk for an output', words: ['--config', 'my.yaml', '--output', '/'],
    says: '--output: "/" — the root of a disk is no run directory; give one such as runs/mine.' },
  { what: 'the root of the disk for an output_dir', words: ['--config', 'my.yaml', '--set', 'output_dir=/'],
    says: 'output_dir: "/" — the root of a disk is no run directory; give one such as runs/mine.' },
  { what: 'an output that holds a run', run: () => {},
    says:
      'out  holds a finished run of sort_digits, seed 42; a second run in it would mix the two.\n' +
      '  look at it     npx --no-install rlvr-train eval out\n' +
      '  keep it        give this run another --output, or none for a new directory under runs/\n' +
      '  start over     remove out first' },
  ...(process.platform === 'linux'
    ? [
        {
          what: 'an output where no directory can be made',
          words: ['--config', 'my.yaml', '--output', '/proc/out'],
          says: '/proc/out cannot be written: its directory cannot be made there (ENOENT). Choose another output_dir. Checkpoints that were complete before are untouched.',
        },
      ]
    : []),
  { what: 'an output that holds files of another kind', files: { 'out/config.yaml': 'mine: true\n' },
    says: 'out  holds config.yaml, which is of no run and would be written over; give an empty or new --output.' },
  { what: 'a resume of nothing, without a config', words: ['--resume', '--output', 'out'],
    says: 'out  holds no run to resume (no config.yaml); give the --output of one, or start one without --resume.' },
  { what: 'a resume of nothing', words: RESUME,
    says: 'out  holds no run to resume (no fingerprint.json); give the --output of one, or start one without --resume.' },
  { what: 'a checkpoint with short weights', run: () => cut(`${CHECKPOINT}/weights.safetensors`), words: RESUME,
    says:
      '--resume: every checkpoint of this run is damaged:\n' +
      '  checkpoints/grpo-2: weights.safetensors has 100 bytes, its manifest says 4112\n' +
      'Restore one from a copy, or start over in another --output.' },
  { what: 'a checkpoint with a wrong bit in the optimizer', run: () => flip(`${CHECKPOINT}/optimizer.safetensors`),
    words: RESUME,
    says:
      '--resume: every checkpoint of this run is damaged:\n' +
      '  checkpoints/grpo-2: optimizer.safetensors does not match its SHA-256\n' +
      'Restore one from a copy, or start over in another --output.' },
  { what: 'a checkpoint without its state', run: () => rmSync(`${CHECKPOINT}/state.json`), words: RESUME,
    says:
      '--resume: every checkpoint of this run is damaged:\n' +
      '  checkpoints/grpo-2: state.json is missing\n' +
      'Restore one from a copy, or start over in another --output.' },
  { what: 'a checkpoint without a manifest', run: () => rmSync(`${CHECKPOINT}/manifest.json`), words: RESUME,
    says:
      '--resume: every checkpoint of this run is damaged:\n' +
      '  checkpoints/grpo-2: manifest.json is missing\n' +
      'Restore one from a copy, or start over in another --output.' },
  { what: 'a checkpoint with half a manifest', run: () => cut(`${CHECKPOINT}/manifest.json`), words: RESUME,
    says:
      '--resume: every checkpoint of this run is damaged:\n' +
      '  checkpoints/grpo-2: manifest.json is not a JSON object\n' +
      'Restore one from a copy, or start over in another --output.' },
  { what: 'a damaged fingerprint', run: () => cut('out/fingerprint.json'), words: RESUME,
    says: 'fingerprint.json cannot be used: it is not a JSON object. Restore the file, or start over in another --output.' },
  { what: 'a resume with another config', run: () => {}, words: [...RESUME, '--seed', '7'],
    says:
      '--resume: this run was started under other conditions, so its bits would not continue:\n' +
      '  seed: 42 → 7\n' +
      'Restore them, or add --force to resume all the same.' },
  { what: 'an evaluation of nothing', words: ['eval', '--run', 'out'],
    says: 'out: holds no run (no config.yaml). Give the directory that a training printed.' },
  { what: 'an evaluation of a damaged config', run: () => cut('out/config.yaml'), words: ['eval', '--run', 'out'],
    says: 'out/config.yaml:8  not valid YAML — "rewar" has no colon; write "key: value".' },
  { what: 'an evaluation of a short model', run: () => cut('out/model/model.safetensors'),
    words: ['eval', '--run', 'out'],
    says: 'model/model.safetensors: Not a readable safetensors file: header length 1064 is beyond the file (100 bytes). Copy or download the file again. Or remove it: the newest checkpoint is then used.' },
  { what: 'a prompt in letters that the task lacks', run: () => {}, words: ['sample', '--run', 'out', '12x>'],
    says: `"x" in "12x>" — piece 3 is not in vocabulary "sort_digits" of 13 tokens; write texts in the task's own form, as "776>".` },
  { what: 'a prompt that is too long', run: () => {}, words: ['sample', '--run', 'out', '123456789>'],
    says: 'prompt: "123456789>" — 10 tokens; prompts of sort_digits have at most 4; shorten it.' },
];

// biome-ignore format: a table
const REWARD_FILES: Mistake[] = [
  { what: 'a reward file that there is not', yaml: USES_MINE,
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — no such file ({here}/mine.ts); paths are relative to the config file.' },
  { what: 'a misspelt reward file', yaml: 'reward_funcs: [./breif.ts]\n', files: { 'brief.ts': '' },
    says: 'my.yaml:8  reward_funcs.0: ./breif.ts — no such file ({here}/breif.ts); the nearest there is brief.ts.' },
  { what: 'a folder for a reward file', yaml: USES_MINE, files: { 'mine.ts/a.ts': '' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — a directory, not a file; give a file in it.' },
  { what: 'a reward file in Python', yaml: 'reward_funcs: [./mine.py]\n',
    says: 'my.yaml:8  reward_funcs: "./mine.py" — neither a reward function nor a file that ends in .ts, .mts, .js or .mjs; give its full name.' },
  { what: 'a reward file without an export', yaml: USES_MINE, files: { 'mine.ts': 'const mine = 3;\n' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — has no default export; add one.' },
  { what: 'a reward file without that export', yaml: 'reward_funcs: [{name: ./mine.ts, export: breif}]\n',
    files: { 'mine.ts': 'export const brief = 1, long = 2;\n' },
    says: 'my.yaml:8  reward_funcs.0: ./mine.ts — has no export "breif"; the nearest of brief, long is brief.' },
  { what: 'a reward file that exports a number', yaml: USES_MINE, files: { 'mine.ts': 'export default 3;\n' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — its default export is a number, not a reward; export {name, score(batch)}, or a function of options that returns one.' },
  { what: 'a reward file that exports a task', yaml: 'reward_funcs: [./addition.ts]\n',
    files: { 'addition.ts': ADDITION },
    says: 'my.yaml:8  reward_funcs.0: ./addition.ts — its default export is a task, not a reward; export {name, score(batch)}, or a function of options that returns one.' },
  { what: 'a reward file that exports the scoring alone', yaml: USES_MINE,
    files: { 'mine.ts': 'export default ({ completions }) => completions.map(() => 1);\n' },
    says: "my.yaml:8  reward_funcs.1: ./mine.ts — its default export was called with the options {} and failed (TypeError: Cannot read properties of undefined (reading 'map')); a function that scores a batch is given as {name, score}." },
  { what: 'an option of a reward file without options', yaml: 'reward_funcs: [{name: ./mine.mjs, scale: 2}]\n',
    files: reward('() => []'),
    says: 'my.yaml:8  reward_funcs.0.scale: 2 — no such option of mine (it takes none); leave it out.' },
  { what: 'a reward file that does not parse', yaml: USES_MINE,
    files: { 'mine.ts': 'export default {\n  name: "mine",\n  score( => 3\n};\n' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — line 3 is not TypeScript (Unexpected token); correct it.' },
  { what: 'a reward file that throws when it is loaded', yaml: USES_MINE,
    files: { 'mine.ts': '\nthrow new Error("NO_KEY is not set");\n' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — fails when it is loaded: Error: NO_KEY is not set (line 2); correct it.' },
  { what: 'a reward file that imports what is not there', yaml: USES_MINE,
    files: { 'mine.ts': 'import x from "./nowhere.ts";\nexport default x;\n' },
    says: 'my.yaml:8  reward_funcs.1: ./mine.ts — imports "./nowhere.ts", which is not there; install it, or correct the import.' },
  { what: 'a reward that gives NaN', yaml: USES_MODULE,
    files: reward('({ completions }) => completions.map((_, i) => (i === 5 ? NaN : 1))'),
    says: `reward "mine" (mine.mjs) gave NaN for completion 6 of 8 in step 1 ("982>" → "172"), 1 such in all — give a finite number, or null where it does not apply.\n${START_SAVED}` },
  { what: 'a reward that gives texts', yaml: USES_MODULE,
    files: reward('({ completions }) => completions.map(() => "1")'),
    says: `my.yaml:8  reward "mine" (mine.mjs) gave "1" for completion 1 of 3 before step 1 ("586>" → "568"), 3 such in all — give a finite number, or null where it does not apply.` },
  { what: 'a reward that gives too few', yaml: USES_MODULE,
    files: reward('({ completions }) => completions.slice(1).map(() => 1)'),
    says: `my.yaml:8  reward "mine" (mine.mjs) gave 2 values for 3 completions before step 1 — give one value per completion, in their order.` },
  { what: 'a reward that gives nothing', yaml: USES_MODULE, files: reward('() => {}'),
    says: `my.yaml:8  reward "mine" (mine.mjs) gave undefined before step 1 — give a list of 3 values, one per completion.` },
  { what: 'a reward that throws', yaml: USES_MINE,
    files: {
      'mine.ts': 'export default {\n  name: "mine",\n  score: ({ items }) =>\n    items.map((item) => item.a.b),\n};\n',
    },
    says: `my.yaml:8  reward "mine" (mine.ts) failed before step 1: TypeError: Cannot read properties of undefined (reading 'b') (line 4) — correct it, or give null where it does not apply.` },
  { what: 'a reward that loops for ever', yaml: `${USES_MODULE}reward_timeout: 0.3\n`,
    files: reward('() => { for (;;); }'),
    says: `my.yaml:8  reward "mine" (mine.mjs) gave nothing within 0.3 s before step 1 — it hangs or is too slow; correct it, or raise reward_timeout.` },
  { what: 'a reward that never answers', yaml: `${USES_MODULE}reward_timeout: 0.3\n`,
    files: reward('() => new Promise(() => {})'),
    says: `my.yaml:8  reward "mine" (mine.mjs) gave nothing within 0.3 s before step 1 — it hangs or is too slow; correct it, or raise reward_timeout.` },
  { what: 'a reward that ends its process', yaml: USES_MODULE, files: reward('() => process.exit(3)'),
    says: `my.yaml:8  reward "mine" (mine.mjs) ended its thread by process.exit(3) before step 1 — it can score nothing more; correct it.` },
];

// biome-ignore format: a table
const TASK_FILES: Mistake[] = [
  { what: 'a task file that there is not', whole: true, yaml: USES_ADDITION,
    says: 'my.yaml:1  task.name: ./addition.ts — no such file ({here}/addition.ts); paths are relative to the config file.' },
  { what: 'a task file that exports a reward', whole: true, yaml: USES_ADDITION,
    files: { 'addition.ts': reward('() => []')!['mine.mjs']! },
    says: 'my.yaml:1  task.name: ./addition.ts — its default export is a reward, not a task; export a TaskDefinition, as docs/own_task.md shows one.' },
  { what: 'a task file that is not complete', whole: true, yaml: USES_ADDITION,
    files: task((text) => text.replace(/^ {2}(key|oracle|version):.*$/gm, '')),
    says: 'my.yaml:1  task.name: ./addition.ts — its default export is no complete task: it lacks version (a number), key(), oracle(); add what is missing.' },
  { what: 'a task file without knobs', whole: true, yaml: USES_ADDITION,
    files: task((text) => text.replace('knobs: KNOBS', 'parseKnobs: () => ({ max: 9 })')),
    says: 'my.yaml:1  task.name: ./addition.ts — its default export declares no knobs; give knobs: options({…}) of rlvr-train/tasks, as docs/own_task.md shows.' },
  { what: 'a task file that ends the process', whole: true, yaml: USES_ADDITION,
    files: { 'addition.ts': 'process.exit(3);\n' },
    says: 'my.yaml:1  task.name: ./addition.ts — ended its thread by process.exit(3) while it was loaded; correct it.' },
  { what: 'a knob of a task file out of range', whole: true, yaml: USES_ADDITION.replace('99', '9999'),
    files: task((text) => text), says: 'my.yaml:1  task.max: 9999 — must be from 9 to 999; for example 99.' },
  { what: 'a task that gives NaN for a score', whole: true, yaml: USES_ADDITION,
    files: task((text) =>
      text.replace(
        /verify\([\s\S]*?\n {2}\},/,
        "verify: (_, answer) => ({ score: /=/.test(answer) ? NaN : 0, status: 'correct', reason: 'x' }),",
      ),
    ),
    says: `task "addition" (addition.ts): verify gave { score: NaN, status: 'correct', reason: 'x' } for problem { a: 30, b: 41 } and answer '======' — give a verdict {score: 0 to 1 or null, status: correct, incorrect, invalid or truncated, reason}; its steps, if it has some, are {from, to, score: 0 to 1}.\n${NOTHING_SAVED}` },
  { what: 'a task that throws', whole: true, yaml: USES_ADDITION,
    files: task((text) =>
      text.replace('if (finishReason', "if (/=/.test(answer)) throw new Error('not yet');\n    if (finishReason"),
    ),
    says: `task "addition" (addition.ts): verify failed for problem { a: 30, b: 41 } and answer '======': Error: not yet (line 38) — correct it.\n${NOTHING_SAVED}` },
  { what: 'a task that loops for ever', whole: true, yaml: `${USES_ADDITION}reward_timeout: 0.5\n`,
    files: task((text) => text.replace('if (finishReason', 'while (/=/.test(answer));\n    if (finishReason')),
    says: `task "addition" (addition.ts): verify gave nothing within 0.5 s for problem { a: 30, b: 41 } and answer '======' — it hangs or is too slow; correct it, or raise reward_timeout.\n${NOTHING_SAVED}` },
  { what: 'a prompt that its tokenizer does not know', whole: true, yaml: USES_ADDITION,
    files: task((text) => text.replace(/\+(?=\$\{b\}=)/, '*')),
    says: `task "addition" (addition.ts): tokenizer.encode failed for '30*41=': "*" in "30*41=" — piece 3 is not in vocabulary "addition" of 14 tokens; write texts in the task's own form — correct it.\n${NOTHING_SAVED}` },
  { what: 'a prompt longer than its limits', whole: true, yaml: USES_ADDITION,
    files: task((text) => text.replace(/promptTokens: .*,/, 'promptTokens: 3,')),
    says:
      'task "addition": prompt "30+41=" has 6 tokens, but limits() says at most 3; raise promptTokens there.\n' +
      NOTHING_SAVED },
];

const home = process.cwd();
const finished = folderOfFile();

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

beforeAll(async () => {
  process.chdir(finished);
  write('my.yaml', BASE + LEARNABLE);
  expect((await run(...TRAIN, '--set', 'save_total_limit=1')).error).toBeUndefined();
  process.chdir(home);
}, 60_000);

eachInOwnFolder();

const reachesFurther = Number.parseInt(process.versions.node, 10) >= 24;
/** A file is tried in a thread of its own, half a second each. */
const files = (mistakes: readonly Mistake[]) => fewOf(mistakes, { quick: 4, all: Math.ceil(0.55 * mistakes.length) });
const TABLE = {
  ...{ FILES, KEYS, FLAGS, PLACES, DIRECTORIES },
  ...{ REWARD_FILES: files(REWARD_FILES), TASK_FILES: files(TASK_FILES) },
  ...(!reachesFurther && { MEMORY }),
};

describe.each(Object.entries(TABLE))('%s', (_kind, mistakes) => {
  it.each(mistakes)('$what', async ({ yaml = '', whole = false, files = {}, run: spoil, words = TRAIN, says }) => {
    write('my.yaml', whole ? yaml : BASE + (spoil ? LEARNABLE : yaml));
    for (const [path, content] of Object.entries(files)) write(path, content);
    if (spoil !== undefined) cpSync(join(finished, 'out'), 'out', { recursive: true });
    spoil?.();
    expect(await messageOf(words)).toBe(says.replaceAll('{here}', process.cwd()));
  });
});
