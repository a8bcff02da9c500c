/** What can be chosen: an experiment is a small flat record, which a link carries whole, and from which YAML is written. */
import type { SettingChange } from 'rlvr-train/web';

/** Values by the spelling of the YAML. */
export type Knobs = Readonly<Record<string, number | boolean | string>>;

export interface Experiment {
  readonly preset: string;
  /** `yours`: what the visitor writes. */
  readonly task: 'sort_digits' | 'reverse_text' | 'countdown' | 'guess_number' | 'yours';
  /** Knobs of the task that are not at their defaults; the engine says which there are. */
  readonly knobs: Knobs;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Supervised steps before reinforcement; 0: none. */
  readonly warmStart: number;
  readonly steps: number;
  /** Completions per prompt, and in all. */
  readonly group: number;
  readonly batch: number;
  readonly rate: number;
  readonly temperature: number;
  readonly entropy: number;
  readonly clip: number;
  /** Name of the reward; `yours`: what the visitor writes. */
  readonly reward: string;
  /** KL penalty towards the policy before reinforcement. */
  readonly beta: number;
  readonly evalEvery: number;
  readonly seed: number;
  /** Settings that are moved within the run, in their order; absent: none. */
  readonly moved?: readonly Moved[];
}

/** Settings that are moved at a step of the run, counted over all its stages. */
export interface Moved {
  readonly step: number;
  readonly settings: SettingChange['settings'];
}

export interface Preset {
  readonly title: string;
  readonly about: string;
  /** Wall-clock of the whole run on two shared x86-64 cores, WebAssembly: the command line's, and half as much again. */
  readonly time: string;
  /** What is worth a warning before the click. */
  readonly warning?: string;
  /** A run of it that can be replayed: tools/record_run.mjs wrote it. */
  readonly recording?: URL;
  /** An example of the task: what is asked, what is right. */
  readonly example: readonly [prompt: string, answer: string];
  readonly experiment: Omit<Experiment, 'preset'>;
}

const SORT: Omit<Experiment, 'preset'> = {
  task: 'sort_digits',
  knobs: { digits: 4 },
  width: 64,
  layers: 2,
  heads: 4,
  warmStart: 0,
  steps: 750,
  group: 16,
  batch: 512,
  rate: 1e-3,
  temperature: 1,
  entropy: 0.03,
  clip: 0.2,
  reward: 'positions',
  beta: 0,
  evalEvery: 50,
  seed: 0,
};
const REVERSE: Omit<Experiment, 'preset'> = {
  ...SORT,
  task: 'reverse_text',
  knobs: { letter_noise: 0.2 },
  width: 128,
  warmStart: 300,
  steps: 280,
  batch: 256,
  rate: 5e-4,
  entropy: 0,
  reward: 'accuracy',
};

/** The first one is what a first click trains. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  'sort-digits': {
    title: 'Sort four digits',
    about: 'From random weights, by reward alone: the share of digits in the right place.',
    time: 'about 1 min',
    example: ['3142>', '1234'],
    experiment: SORT,
  },
  'sort-two': {
    title: 'Sort two digits',
    about:
      'The smallest policy, for a slow device. It learns its 78 problems by heart: of the 22 held out it ends near 70 %.',
    time: 'about 5 s',
    example: ['71>', '17'],
    experiment: {
      ...SORT,
      knobs: { digits: 2 },
      width: 32,
      layers: 1,
      heads: 2,
      steps: 300,
      batch: 256,
      rate: 3e-3,
      entropy: 0.02,
      evalEvery: 30,
    },
  },
  'reverse-text': {
    title: 'Reverse a word',
    about: 'A noisy teacher shows the form; reinforcement with the exact reward removes the noise.',
    time: 'about 1½ min',
    example: ['plonk', 'knolp'],
    experiment: REVERSE,
  },
  'weak-reward': {
    title: 'Hack a weak reward',
    about: 'The same words, paid by common subsequence: see what that pays for, and what the strict verifier says.',
    time: 'about 1 min',
    example: ['plonk', 'knolp'],
    experiment: { ...REVERSE, width: 64, reward: 'lcs' },
  },
  countdown: {
    title: 'Countdown',
    about:
      'Reach a target with three numbers, by trying. A teacher who gives up shows how; reward makes it persist. Watch it think.',
    time: 'about 3 min',
    warning: 'Keeps all cores busy for minutes; heavy for a phone.',
    recording: new URL('./recordings/countdown.json', import.meta.url),
    example: ['3 7 2 = 13 ?', '7 - 3 = 4 2 : 6 2 8 2 n , 3 * 2 = 6 7 : 13 y , 3 * 2 = 6 , 7 + 6 = 13'],
    experiment: {
      ...SORT,
      task: 'countdown',
      knobs: {
        answer: 'search',
        numbers: 3,
        max_number: 10,
        train_max_number: 15,
        max_tokens: 180,
        random_order: 0,
        gives_up: 0.1,
      },
      width: 64,
      layers: 6,
      heads: 8,
      warmStart: 2600,
      steps: 60,
      batch: 512,
      rate: 4e-4,
      entropy: 0,
      reward: 'accuracy',
      evalEvery: 20,
    },
  },
  'countdown-steps': {
    title: 'Countdown without trying',
    about: 'The same numbers, and the steps alone: the first one must be guessed.',
    time: 'about 10 min',
    warning: 'Keeps all cores busy for minutes; heavy for a phone.',
    example: ['3 7 2 = 13 ?', '3 * 2 = 6 , 7 + 6 = 13'],
    experiment: {
      ...SORT,
      task: 'countdown',
      knobs: { answer: 'steps', numbers: 3, max_number: 10, train_max_number: 12, correct_share: 1 },
      width: 64,
      layers: 6,
      heads: 8,
      warmStart: 3300,
      steps: 340,
      batch: 512,
      rate: 1e-4,
      entropy: 0.005,
      reward: 'accuracy',
      evalEvery: 68,
    },
  },
  'guess-number': {
    title: 'Guess a number',
    about: 'An episode of three turns: a guess, “lower” or “higher”, the next guess. A teacher who errs, then reward.',
    time: 'about 1½ min',
    example: ['37 43>', '40'],
    experiment: {
      ...SORT,
      task: 'guess_number',
      knobs: { numbers: 7, turns: 3 },
      warmStart: 1500,
      steps: 150,
      rate: 5e-4,
      entropy: 0,
      reward: 'accuracy',
      evalEvery: 25,
    },
  },
  'own-task': {
    title: 'A task of your own',
    about: 'Problems and what is right, in JavaScript, under “Your own task”. This one: the largest digit.',
    time: 'about 30 s',
    example: ['40972>', '9'],
    experiment: {
      ...SORT,
      task: 'yours',
      knobs: {},
      warmStart: 60,
      steps: 200,
      batch: 256,
      evalEvery: 25,
      entropy: 0.01,
      reward: 'accuracy',
    },
  },
};

/** The code of an experiment that is not the package's. */
export interface OwnCode {
  readonly what: 'reward' | 'task';
  readonly code: string;
}

/** What the visitor writes, by what it is. */
export type OwnCodes = Readonly<Record<OwnCode['what'], string>>;

/** The code that an experiment runs. */
export function codesOf({ task, reward }: Experiment, codes: OwnCodes): OwnCode[] {
  return [
    ...(task === 'yours' ? [{ what: 'task', code: codes.task } as const] : []),
    ...(reward === 'yours' ? [{ what: 'reward', code: codes.reward } as const] : []),
  ];
}

export const FIRST = 'sort-digits';

/** What a visitor does not set. */
interface Schedule {
  /** The last rate's share of the first. */
  readonly minRate: number;
  /** The supervised stage: completions a step, optimizer, rate, its warm-up in steps, weight decay. */
  readonly warmStart: {
    readonly batch: number;
    readonly optim?: 'muon';
    readonly rate: number;
    readonly warmup: number;
    readonly decay?: number;
  };
}

const WARM_START = { batch: 64, rate: 2e-3, warmup: 30 };

/** As the shipped config of each task has it. */
const SCHEDULES: Readonly<Record<Experiment['task'], Schedule>> = {
  sort_digits: { minRate: 0.05, warmStart: WARM_START },
  reverse_text: { minRate: 0.1, warmStart: WARM_START },
  countdown: { minRate: 0.15, warmStart: { ...WARM_START, warmup: 50, decay: 0.5 } },
  guess_number: { minRate: 0.1, warmStart: WARM_START },
  yours: { minRate: 0.1, warmStart: WARM_START },
};
/** The same of countdown with answers that search. */
const SEARCH_SCHEDULE: Schedule = {
  minRate: 0.15,
  warmStart: { batch: 32, optim: 'muon', rate: 1e-2, warmup: 100, decay: 0.1 },
};

const searches = ({ task, knobs }: Pick<Experiment, 'task' | 'knobs'>): boolean =>
  task === 'countdown' && knobs.answer === 'search';

function scheduleOf(experiment: Pick<Experiment, 'task' | 'knobs'>): Schedule {
  return searches(experiment) ? SEARCH_SCHEDULE : SCHEDULES[experiment.task];
}

export function ofPreset(preset: string): Experiment {
  const name = Object.hasOwn(PRESETS, preset) ? preset : FIRST;
  return { preset: name, ...(PRESETS[name] as Preset).experiment };
}

/** The part of a link after `#`: the preset, and every value that differs from it. */
export function linkOf(experiment: Experiment): string {
  const { preset, moved = [], ...values } = experiment;
  const plain = ofPreset(preset) as unknown as Readonly<Record<string, unknown>>;
  const { knobs, ...others } = values;
  const usual = knobsOf(preset, values.task);
  const different = [
    ...Object.entries(others).filter(([key, value]) => plain[key] !== value),
    ...Object.entries(knobs).flatMap(([knob, value]) => (usual[knob] === value ? [] : [[KNOB + knob, value] as const])),
  ];
  const moves = moved.flatMap(({ step, settings }) =>
    MOVABLE.flatMap((key) => (settings[key] === undefined ? [] : [[`${MOVED}${step}.${key}`, settings[key]] as const])),
  );
  const all = [['preset', preset], ...[...different, ...moves].map(([key, value]) => [key, String(value)])];
  return new URLSearchParams(all).toString();
}

/** The same with the code that the experiment runs. What packs it is loaded where there is some. */
export async function wholeLinkOf(experiment: Experiment, codes: OwnCodes): Promise<string> {
  const own = codesOf(experiment, codes);
  if (own.length === 0) return linkOf(experiment);
  const { packedCode } = await import('./link_code.ts');
  const packed = own.map(({ what, code }) => [CODES[what], packedCode(code)]);
  return `${linkOf(experiment)}&${new URLSearchParams(packed)}`;
}

/** Before the name of a knob in a link; and before step and name of a setting that is moved: `at.120.learning_rate`. */
const KNOB = 'knob.';
const MOVED = 'at.';
const MOVABLE = ['learning_rate', 'temperature', 'entropy_coef', 'epsilon', 'epsilon_high'] as const;
/** What keys and values are made of: whatever else a link has, it would be part of the YAML. */
const WORD = /^[\w.+-]*$/;
/** Code in a link. */
const CODES: Readonly<Record<OwnCode['what'], string>> = { reward: 'code', task: 'taskcode' };

/** The knobs that a task begins with: those of the preset, or of the first that has this task. */
function knobsOf(preset: string, task: string): Knobs {
  const own = ofPreset(preset);
  if (own.task === task) return own.knobs;
  return Object.values(PRESETS).find(({ experiment }) => experiment.task === task)?.experiment.knobs ?? {};
}

/** `3`, `true` and `steps` as a link has them. */
function knobValue(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** What a link asks for. */
export interface Link {
  readonly experiment: Experiment;
  /** What in it is not followed, in words. */
  readonly problems: readonly string[];
}

/** With what it carries of its own reward or task: foreign, until the visitor has seen it. */
export interface WholeLink extends Link {
  readonly codes: Partial<OwnCodes>;
}

/** Reads a link with the code that it carries. */
export async function readWholeLink(hash: string): Promise<WholeLink> {
  const link = readLink(hash);
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const codes: Partial<Record<OwnCode['what'], string>> = {};
  const problems = [...link.problems];
  for (const what of ['reward', 'task'] as const) {
    const packed = given.get(CODES[what]);
    if (packed === null) continue;
    const isRun = link.experiment[what] === 'yours';
    const code = isRun ? (await import('./link_code.ts')).unpackedCode(packed) : undefined;
    if (code !== undefined) codes[what] = code;
    else problems.push(`${CODES[what]}: it is no code, or no code of the ${what} "yours"; it is left out`);
  }
  return { ...link, codes, problems };
}

/**
 * Reads a link without its code; what it does not know, or what is no number where one is due, is said, and left as the
 * preset has it.
 */
export function readLink(hash: string): Link {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const problems: string[] = [];
  const preset = given.get('preset') ?? FIRST;
  if (!Object.hasOwn(PRESETS, preset)) {
    problems.push(`preset=${preset}: there is none of this name, and ${FIRST} is used`);
  }
  const { knobs: _, moved: __, ...plain } = ofPreset(preset);
  const experiment: Record<string, string | number> = { ...plain };
  const written: [string, Knobs[string]][] = [];
  const moves = new Map<number, Record<string, number>>();
  for (const [key, value] of given) {
    const before = Object.hasOwn(plain, key) ? experiment[key] : undefined;
    if (key === 'preset' || Object.values(CODES).includes(key)) continue;
    if (!WORD.test(value) || !WORD.test(key)) problems.push(`${key}=${value}: it has letters that no setting has`);
    else if (key.startsWith(KNOB) || key === 'digits')
      written.push([key.replace(KNOB, ''), knobValue(value)]); // digits: links of before
    else if (key.startsWith(MOVED)) {
      const [, step = '', setting = ''] = /^at\.(\d+)\.(\w+)$/.exec(key) ?? [];
      if (!MOVABLE.some((one) => one === setting) || !(Number(value) >= 0) || value === '')
        problems.push(`${key}=${value}: no number of a setting that can be moved; it is left out`);
      else moves.set(Number(step), { ...moves.get(Number(step)), [setting]: Number(value) });
    } else if (before === undefined) problems.push(`${key}: there is no such setting; it is left out`);
    else if (typeof before === 'string') experiment[key] = value;
    else if (value !== '' && Number.isFinite(Number(value))) experiment[key] = Number(value);
    else problems.push(`${key}=${value}: a number is due, and ${before} is used`);
  }
  if (!Object.hasOwn(SCHEDULES, experiment.task as string)) {
    problems.push(`task=${experiment.task}: there is none of this name, and sort_digits is used`);
    experiment.task = 'sort_digits';
  }
  const knobs = { ...knobsOf(plain.preset, experiment.task as string), ...Object.fromEntries(written) };
  const moved = [...moves].sort(([a], [b]) => a - b).map(([step, settings]): Moved => ({ step, settings }));
  const all = { ...experiment, knobs, ...(moved.length > 0 && { moved }) };
  return { experiment: all as unknown as Experiment, problems }; // the fields of a preset
}

/** The experiment of a link. */
export function ofLink(hash: string): Experiment {
  return readLink(hash).experiment;
}

/** The job for the command line; mistakes in it are the config's to name. */
export function yamlOf(experiment: Experiment): string {
  const { task, width, layers, heads, seed, warmStart } = experiment;
  const knobs = Object.entries(experiment.knobs).map(([knob, value]) => `, ${knob}: ${value}`);
  const middle = Math.round((width * 8) / 3 / 16) * 16; // SwiGLU's usual share, in whole panels of the products
  return [
    `task: {name: ${task}${knobs.join('')}}`,
    `model: {hidden_size: ${width}, num_hidden_layers: ${layers}, num_attention_heads: ${heads}, intermediate_size: ${middle}, initializer_range: 0.05${searches(experiment) ? ', qk_norm: true' : ''}}`,
    `seed: ${seed}`,
    'adam_beta2: 0.95',
    '',
    'stages:',
    ...(warmStart > 0 ? warmStartYaml(experiment) : []),
    '  - stage: grpo',
    `    max_steps: ${experiment.steps}`,
    `    num_generations: ${experiment.group}`,
    `    generation_batch_size: ${experiment.batch}`,
    `    learning_rate: ${scientific(experiment.rate)}`,
    '    lr_scheduler_type: linear',
    `    lr_scheduler_kwargs: {min_lr_rate: ${scheduleOf(experiment).minRate}}`,
    `    warmup_steps: ${Math.min(10, experiment.steps)}`,
    '    loss_type: dr_grpo',
    '    scale_rewards: group',
    `    temperature: ${experiment.temperature}`,
    `    epsilon: ${experiment.clip}`,
    `    entropy_coef: ${experiment.entropy}`,
    ...(experiment.beta > 0 ? [`    beta: ${experiment.beta}`] : []),
    ...(task === 'countdown' ? ['    dynamic_sampling: {name: refill, max_rounds: 2}'] : []),
    `    reward_funcs: [${experiment.reward}]`,
    '    num_generations_eval: 1',
    `    eval_steps: ${experiment.evalEvery}`,
    '',
  ].join('\n');
}

function warmStartYaml(experiment: Experiment): string[] {
  const { warmStart } = experiment;
  const { batch, optim, rate, warmup, decay } = scheduleOf(experiment).warmStart;
  return [
    '  - stage: sft',
    `    max_steps: ${warmStart}`,
    `    per_device_train_batch_size: ${batch}`,
    ...(optim === undefined ? [] : [`    optim: ${optim}`]),
    `    learning_rate: ${scientific(rate)}`,
    '    lr_scheduler_type: cosine',
    `    warmup_steps: ${Math.min(warmup, warmStart)}`,
    ...(decay === undefined ? [] : [`    weight_decay: ${decay}`]),
    `    eval_steps: ${Math.ceil(warmStart / 6)}`,
  ];
}

/** `1.0e-3`: YAML 1.1 reads `1e-3` as a text. */
function scientific(value: number): string {
  const [digits, power] = value.toExponential().split('e') as [string, string];
  return `${digits.includes('.') ? digits : `${digits}.0`}e${Number(power)}`;
}
