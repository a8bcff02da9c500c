/**
 * Each method of the registry in a small stage made for it, and the same stage without it: the same weights mean that it did
 * nothing there. What a stage says of its methods is gathered beside.
 */
import { parse, stringify } from 'yaml';
import { POINT_KEYS } from '../../../../src/config/keys/method_keys.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import type { Method } from '../../../../src/methods/method.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { DRAWN_TEACHER } from '../../../../test/support/drawn_teacher.ts';
import { DEMONSTRATIONS, METHODS, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { openSmallRun } from '../../../../test/support/small_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { describeMethod } from '../../catalogue/catalogue.ts';
import { methodFacts } from '../../catalogue/method_facts.ts';
import { type Outcome, outcomeOf, type Verdict, verdictOf } from './ablation.ts';
import { needsTurns, playedTask } from './played_methods.ts';
import { neededTask, playedLines, TASKS, type TaskLines, tossed } from './tossed_tasks.ts';

/** A method, and the key that asks for it. */
export interface Ablated {
  readonly id: string;
  readonly key: string;
  /** Why it moves no weight, whatever the stage is. */
  readonly exempt?: 'is there without it' | 'measures alone' | 'is a figure' | 'learns from rows of its own';
  /** Stages to try, with the line that asks for it: with what it needs, or with all of its options. */
  readonly trials: readonly (readonly [situation: Situation, way: string])[];
}

/** A stage with a method, and what came of it. */
export interface Trial extends Outcome {
  /** Of the stage, in a word. */
  readonly stage: string;
  readonly without?: string;
  readonly verdict: Verdict;
}

const MODEL = `model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 24
num_generations_eval: 4
seed: 0
${DRAWN_TEACHER}
`;

interface Situation {
  readonly name: string;
  readonly lines: string;
  /** One in so many answers is right. */
  readonly onceIn?: number;
  readonly task?: TaskLines;
}

const QUIET = 'eval_strategy: "no"\n';

/** Paid for verdicts alone: groups of equal ones are dead, and problems stay unsolved. */
const BY_VERDICT: TaskLines = {
  name: 'reverse_text',
  mark: 'a',
  yaml: 'task: {name: reverse_text, min_length: 2, max_length: 3}\nreward_funcs: [accuracy, {name: positions, weight: 0}, {name: lcs, weight: 0}]',
};

/** Two tasks of several levels, paid by the coin. */
const SEVERAL: TaskLines = {
  mark: 'a',
  yaml: 'tasks: [{name: reverse_text, min_length: 2, max_length: 3}, {name: sort_digits, digits: 2}]\nreward_funcs: [{name: mine, weight: 0.5}, {name: accuracy, weight: 0.5}]',
};

/** Tried one after the other, until the method acts in one of them. */
const SITUATIONS: readonly Situation[] = [
  { name: 'usual', lines: `max_steps: 2\n${QUIET}` },
  { name: 'several updates', lines: `max_steps: 4\nnum_iterations: 2\n${QUIET}` },
  { name: 'dead groups', lines: `max_steps: 4\n${QUIET}`, onceIn: 8, task: BY_VERDICT },
  { name: 'several tasks', lines: `max_steps: 6\n${QUIET}`, task: SEVERAL },
  { name: 'a part is sampled', lines: `max_steps: 2\ntop_p: 0.8\n${QUIET}` },
  { name: 'a reference', lines: `max_steps: 4\nbeta: 0.1\nnum_iterations: 2\n${QUIET}` },
  { name: 'evaluations', lines: 'max_steps: 4\neval_steps: 1\n' },
];
/** Of what is played in turns. */
const PLAYED: readonly Situation[] = [
  { name: 'episodes', lines: `max_steps: 2\n${QUIET}` },
  { name: 'paid turns', lines: `max_steps: 3\nadvantage_estimator: turn-return\n${QUIET}` },
];

/** A stage for a method whose case does not come up in those. */
interface Own extends Partial<Situation> {
  readonly way: string;
}

const played = (task: string): TaskLines => playedLines(task);
const FEW = 'prompt_source: [{name: few-shot-data, limit: 3}]\n';
const PAID = `max_steps: 3\nadvantage_estimator: turn-return\n${QUIET}`;

/** So few right answers that groups are dead. */
const DEAD = { lines: `max_steps: 4\n${QUIET}`, onceIn: 40, task: BY_VERDICT };
/** A policy that has learned what to write. */
const WARM = 'stages: [{stage: sft, max_steps: 60, per_device_train_batch_size: 32}, {stage: grpo, max_steps: 2}]\n';
const WIDER = `model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 64}
stages: [{stage: sft, max_steps: 80, per_device_train_batch_size: 32, learning_rate: 2.0e-2}, {stage: grpo, max_steps: 2}]
${QUIET}`;
const WARM_TURNS = { lines: `${WARM}advantage_estimator: turn-return\n${QUIET}` };

const MADE_FOR: Readonly<Record<string, Own>> = {
  'value-loss': { way: 'loss_terms: [value-loss]', lines: `max_steps: 4\nadvantage_estimator: gae\n${QUIET}` },
  'few-shot-data': { way: 'prompt_source: {name: few-shot-data, limit: 2}' },
  'keep-range': { way: 'prompt_source: [{name: keep-range, lowest: 0.4}]', lines: `max_steps: 4\n${FEW}${QUIET}` },
  'solve-rate-prune': {
    way: 'prompt_source: [{name: solve-rate-prune, solve_rate: 0.3}]',
    lines: `max_steps: 4\nprompt_source: [{name: few-shot-data, limit: 8}]\n${QUIET}`,
  },
  weakness: {
    way: 'prompt_source: [{name: weakness, share: 1, candidates: 8}]',
    lines: `stages: [{stage: sft, max_steps: 30, per_device_train_batch_size: 32}, {stage: grpo, max_steps: 8, learning_rate: 1.0e-4}]
prompt_source: [{name: few-shot-data, limit: 4}]
${QUIET}`,
    task: {
      mark: '1',
      yaml: 'tasks: [{name: parity, level: 0}, {name: coin_flip, level: 0}]\nreward_funcs: [{name: mine, weight: 0.5}, {name: accuracy, weight: 0.5}]',
    },
  },
  'adaptive-level': {
    way: 'prompt_source: adaptive-level',
    task: {
      mark: '1',
      yaml: 'tasks: [{name: sort_digits, level: 0}, {name: sort_digits, level: 1}]\nreward_funcs: [{name: mine, weight: 0.5}, {name: accuracy, weight: 0.5}]',
    },
  },
  'teacher-samples': { way: 'demonstrations: {name: teacher-samples, verified: false}', task: BY_VERDICT },
  refill: { way: 'rollout_strategies: [refill]', ...DEAD },
  'success-replay': { way: 'rollout_strategies: [success-replay]', lines: `max_steps: 6\n${FEW}${QUIET}`, onceIn: 16 },
  'step-dpo-stage': {
    way: 'rollout_strategies: [{name: step-dpo-stage, pairs_from: stored}]',
    lines: `max_steps: 3\n${QUIET}`,
  },
  'repetition-stop': { way: 'token_controls: [{name: repetition-stop, length: 1, times: 2}]' },
  'early-stop': { way: 'token_controls: [{name: early-stop, ends_at: tag, closing_tag: "a"}]' },
  'answer-forcing': { way: 'token_controls: [{name: answer-forcing, forced_text: "a", length: 1, times: 2}]' },
  'reward-transform': { way: 'group_steps: [{name: reward-transform, reward: lcs, kind: rank}]' },
  'strictness-schedule': { way: 'group_steps: [{name: strictness-schedule, reward: lcs, strictness: 0.2}]' },
  'spread-guard': { way: 'group_steps: [{name: spread-guard, min_reward_spread: 0.6}]' },
  'potential-shaping': { way: 'group_steps: [potential-shaping]', ...WARM_TURNS },
  'length-mask': { way: 'credit_steps: [{name: length-mask, max_tokens: 3}]' },
  'entropy-guard': { way: 'credit_steps: [{name: entropy-guard, low_entropy: 9, sure_probability: 0.1}]' },
  'informative-scale': { way: 'credit_steps: [informative-scale]', ...DEAD },
  'std-ema-filter': {
    way: 'credit_steps: [{name: std-ema-filter, std_share: 1, std_memory: 0.5, std_warmup: 1}]',
    lines: `max_steps: 4\n${QUIET}`,
  },
  'dual-clip': {
    way: 'objective: {name: dual-clip, epsilon: 0.01, epsilon_high: 0.01, dual_clip: 1.02}',
    lines: `max_steps: 4\nnum_iterations: 2\nepsilon: 0.01\n${QUIET}`,
  },
  icepop: { way: 'token_weights: [{name: icepop, band_low: 0.9}]', lines: `max_steps: 2\ntop_p: 0.6\n${QUIET}` },
  'second-moment-mask': {
    way: 'token_weights: [{name: second-moment-mask, m2_max: 1.0e-6}]',
    lines: `max_steps: 4\nnum_iterations: 2\n${QUIET}`,
  },
  decoupled: { way: 'token_weights: [decoupled]', lines: `max_steps: 4\nstaleness: 1\n${QUIET}` },
  ssb: { way: 'loss_terms: [ssb]', lines: `max_steps: 2\nrollout_strategies: [contrast-explain]\n${QUIET}` },
  'micro-token-mean': {
    way: 'aggregation: micro-token-mean',
    lines: `max_steps: 2\nper_device_train_batch_size: 8\n${QUIET}`,
  },
  'ref-reset': { way: 'controllers: [{name: ref-reset, every: 1}]', lines: `max_steps: 3\nbeta: 0.1\n${QUIET}` },
  'ref-sync': {
    way: 'controllers: [{name: ref-sync, ref_model_sync_steps: 1}]',
    lines: `max_steps: 3\nbeta: 0.1\n${QUIET}`,
  },
  'kl-trust': { way: 'controllers: [{name: kl-trust, kl_limit: 1.0e-9}]', lines: `max_steps: 3\nbeta: 0.1\n${QUIET}` },
  'temperature-schedule': { way: 'controllers: [{name: temperature-schedule, sampling_temperature: 1.5}]' },
  until: { way: 'controllers: [{name: until, until_metric: reward, until_value: 0}]' },
  'token-weighted-sft': { way: 'demonstrations: {name: token-weighted-sft, mark: a}', task: TASKS[0] },
  appeal: { way: 'group_steps: [{name: appeal, reward: lcs, share: 1}]' },
  'constraint-dual': { way: 'group_steps: [{name: constraint-dual, constraint: lcs, least: 0.9, start: 0.5}]' },
  agree: { way: 'group_steps: [{name: agree, first: accuracy, second: lcs, tolerance: 0.3}]' },
  'turn-rubric': {
    way: 'group_steps: [{name: turn-rubric, criteria: [{id: brief, weight: 1, check: {most_words: 1}}]}]',
    lines: PAID,
    task: played('{name: guess_number, max: 9, numbers: 5, turns: 3}'),
  },
  'action-guard': { way: 'group_steps: [action-guard]', ...WARM_TURNS },
  milestones: { way: 'group_steps: [milestones]', ...WARM_TURNS },
  'distance-delta': { way: 'group_steps: [distance-delta]', ...WARM_TURNS },
  'feedback-retry': { way: 'group_steps: [feedback-retry]', ...WARM_TURNS },
  'state-match': { way: 'group_steps: [state-match]', lines: WIDER },
  'tool-f1': { way: 'group_steps: [tool-f1]', lines: WIDER },
  'tool-gain': { way: 'group_steps: [tool-gain]', lines: WIDER },
};

/** How a method acts in any stage, where its usual options seldom do: a name and options. */
export function madeWay(id: string): unknown {
  const own = MADE_FOR[id];
  if (own === undefined || own.lines !== undefined || own.task !== undefined) return undefined;
  const [asked] = Object.values(parse(own.way));
  return Array.isArray(asked) ? asked[0] : asked;
}

/** A stage that is read for what it has by default. */
const USUAL = parseConfig('task: reverse_text\nmax_steps: 1', { file: 'usual' }).config.stages[0];

const facts = methodFacts();

export function ablatedMethods(): Ablated[] {
  const ofStages = METHOD_POINTS.flatMap((point) =>
    METHODS[point].map((method: Method<unknown>): Ablated => {
      const { yaml: key } = POINT_KEYS[point];
      const isUsual = USUAL.stage === 'grpo' && USUAL.methods[point].some(({ name }) => name === method.id);
      const lines = describeMethod(point, method).yaml.filter((line) => line.startsWith(`${key}:`));
      return {
        id: method.id,
        key,
        ...(isUsual && { exempt: 'is there without it' }),
        ...(method.onlyMeasures && { exempt: 'measures alone' }),
        ...(point === 'evaluationFigures' && { exempt: 'is a figure' }),
        ...(method.id === 'preference-rows' && { exempt: 'learns from rows of its own' }), // in preference_runs.test.ts
        trials: trialsOf(method, lines),
      };
    }),
  );
  return [...ofStages, ...DEMONSTRATIONS.map(({ id }) => ofDemonstrations(id))];
}

function situationsOf(method: Method<unknown>): readonly Situation[] {
  if (needsTurns(method)) {
    const task = playedLines(playedTask(method));
    return PLAYED.map((one) => ({ ...one, task }));
  }
  const task = neededTask(facts(method.id).needs);
  return task === undefined ? SITUATIONS : SITUATIONS.map((one) => ({ ...one, task }));
}

function trialsOf(method: Method<unknown>, ways: readonly string[]): Ablated['trials'] {
  const situations = situationsOf(method);
  const own = MADE_FOR[method.id];
  if (own !== undefined) return [[{ ...situations[0], name: 'its own', ...own }, own.way]];
  return situations.flatMap((situation) => ways.map((way) => [situation, way] as const));
}

function ofDemonstrations(id: string): Ablated {
  const task = played('{name: guess_number, max: 9, numbers: 5, turns: 3}');
  const made: Own = MADE_FOR[id] ?? { way: `demonstrations: ${id}` };
  return {
    id,
    key: 'demonstrations',
    trials: [[{ name: 'supervised', lines: `max_steps: 2\n${QUIET}`, task: made.task ?? task }, made.way]],
  };
}

/** Tries stages until the method acts in one. */
export async function ablate(
  backend: Backend,
  one: Ablated,
  bare = new Map<string, Promise<Outcome>>(),
): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const [situation, way] of one.trials) {
    const trial = await tried(backend, one, { situation, way, bare });
    trials.push(trial);
    if (trial.verdict === 'acts') break;
  }
  return trials;
}

interface Asked {
  readonly situation: Situation;
  readonly way: string;
  readonly bare: Map<string, Promise<Outcome>>;
}

async function tried(backend: Backend, { id, key }: Ablated, { situation, way, bare }: Asked): Promise<Trial> {
  const { name: stage, lines, task = TASKS[0] } = situation;
  const isSupervised = key === 'demonstrations';
  const stages = (of: object): object =>
    isSupervised ? { stages: [{ stage: 'sft', per_device_train_batch_size: 32, ...of }, { stage: 'grpo' }] } : of;
  const shared = { ...parse(MODEL), ...parse(lines), ...parse(task.yaml) };
  const asked = parse(way);
  const chain = [shared[key], asked[key]].every(Array.isArray) ? { [key]: [...shared[key], ...asked[key]] } : asked;
  const without = stringify({ ...shared, ...stages({}) });
  const text = stringify({ ...shared, ...stages(chain) });
  if (!bare.has(without)) bare.set(without, trained(backend, without, situation));
  const plain = await (bare.get(without) as Promise<Outcome>);
  const own = await trained(backend, text.replaceAll(MARKS, JSON.stringify(task.mark)), situation);
  const verdict = verdictOf(own, plain, id);
  return { stage, ...own, without: plain.sha256, verdict };
}

const MARKS = /["']?((<\/think>)?<answer>|Wait)["']?/g;

function trained(backend: Backend, yaml: string, { task = TASKS[0], onceIn }: Situation): Promise<Outcome> {
  return outcomeOf(() => opened(backend, yaml, tossed(task, onceIn)));
}

function opened(backend: Backend, yaml: string, judges: ReturnType<typeof tossed>): Promise<TrainingRun> {
  const { config } = parseConfig(yaml, { file: 'inline' });
  if (config.tasks.length === 1) return openSmallRun(backend, { yaml, ...judges });
  return openRun(config, createTasks(config, { heldOutSample: 2 }), backend, judges);
}
