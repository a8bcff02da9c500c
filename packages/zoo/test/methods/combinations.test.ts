/**
 * Stages drawn from the registry, a method of each point, a fifth of them on episodes (two hundred before a release): each trains two steps of a tiny policy to finite
 * figures and weights, to the same bits after a kill within a batch and, one of four, with two threads, and to the same first loss
 * in three micro-batches; or it is refused in words. A method that they leave out, or that is refused in them, is tried in the others that were drawn, then by itself. What is drawn depends on the seed
 * below and on the registry alone.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { POINT_KEYS } from '../../../../src/config/keys/method_keys.ts';
import { ConfigError, DataError, RlvrError } from '../../../../src/errors.ts';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { offPolicySamplers } from '../../../../src/methods/chosen.ts';
import type { CreditedGroup, StepMetrics } from '../../../../src/methods/records.ts';
import type { MethodPoint } from '../../../../src/methods/stage.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../../../src/run/json.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { TIER } from '../../../../test/support/budget.ts';
import { DRAWN_TEACHER } from '../../../../test/support/drawn_teacher.ts';
import { METHODS, membersOf } from '../../../../test/support/everything.ts';
import { isTime } from '../../../../test/support/killed_runs.ts';
import { openSmallRun } from '../../../../test/support/small_runs.ts';
import { describeMethod } from '../../catalogue/catalogue.ts';
import { methodFacts } from '../../catalogue/method_facts.ts';
import { madeWay } from '../support/method_ablation.ts';
import { needsTurns, playedTask } from '../support/played_methods.ts';
import { type Judges, neededTask, playedLines, TASKS, type TaskLines, tossed } from '../support/tossed_tasks.ts';

const SEED = 20264;
const COMBINATIONS = 160;
/** Those of methods that know turns, on episodes. */
const PLAYED = 40;
/** In parts, so that a failure tells where, and none outlasts a test's time. */
const PARTS = 8;
/** A kill comes behind 0 to so many verdicts: a batch has 24, and the rounds behind it have more. */
const MOST_VERDICTS = 48;

/** One combination of four is computed with two threads too: every method computes through the same kernels. */
const WITH_THREADS = 4;

/** How many methods of a point stand in a stage, at most. */
const MOST: Readonly<Record<Exclude<MethodPoint, 'evaluationFigures'>, number>> = {
  promptSource: 2,
  rolloutStrategies: 1,
  tokenControls: 1,
  groupSteps: 1,
  advantageEstimator: 1,
  creditSteps: 2,
  ratio: 1,
  objective: 1,
  tokenWeights: 2,
  lossTerms: 2,
  aggregation: 1,
  controllers: 2,
};

/** What depends on the cut by its definition, and says so. */
const CUT_BY_DEFINITION: readonly string[] = ['micro-token-mean'];

/** Refused on every task here: it learns from rows of preferences, which preference_runs.test.ts has. */
const LEARNS_FROM_PAIRS: readonly string[] = ['preference-rows'];

/** Three groups of eight. */
const COMMON = `
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
max_steps: 2
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 24
eval_strategy: "no"
num_generations_eval: 1
${DRAWN_TEACHER}
`;

/**
 * What these pay for comes after a mark, which a policy of random weights seldom writes, is the vote of a twin, which only a
 * prompt source brings, or a verdict of its own, which is seldom yes: they are asked to change one reward of several, since a
 * stage that paid nothing else would be refused for want of anything to learn from.
 */
const CHANGE_ONE_REWARD: readonly string[] = [
  'ref-prob',
  'r3',
  'verifree',
  'state-match',
  'tool-f1',
  'cross-majority',
  'self-principle',
];

interface Combination {
  readonly task: TaskLines;
  readonly yaml: string;
  readonly ids: readonly string[];
}

/** The mappings by which a method is asked for: with what it cannot do without, and with all of its options. */
function waysToAsk(point: MethodPoint, isPlayed: boolean): readonly unknown[][] {
  return METHODS[point]
    .filter((method) => needsTurns(method) === isPlayed)
    .map((method) => {
      const { yaml, takes } = POINT_KEYS[point];
      const all = describeMethod(point, method).yaml.filter((line) => line.startsWith(`${yaml}:`));
      const ways = CHANGE_ONE_REWARD.includes(method.id) ? all.slice(-1) : all;
      return ways.map((line) => (takes === 'many' ? parse(line)[yaml][0] : parse(line)[yaml]));
    });
}

/**
 * [count] what is at a point: one method where it takes one, some where it takes a list. The first of them take
 * turns, so that every method comes up.
 */
function chosenAt(
  point: MethodPoint,
  most: number,
  seed: number,
  { ways, count }: { readonly ways: readonly unknown[][]; readonly count: number },
): readonly (readonly unknown[])[] {
  if (ways.length === 0) return Array.from({ length: count }, () => []);
  const least = POINT_KEYS[point].takes === 'many' ? 0 : 1;
  const all = ways.map((_, i) => i);
  const [order] = fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { seed, numRuns: 1 });
  const picks = fc.uniqueArray(fc.constantFrom(...all), { minLength: least, maxLength: most });
  let turn = 0;
  return fc.sample(fc.tuple(picks, fc.nat({ max: 1 })), { seed, numRuns: count }).map(([picked, full]) => {
    if (picked.length === 0) return [];
    const own = new Set([order[turn++ % order.length], ...picked.slice(1)]);
    return [...own].map((i) => ways[i][Math.min(full, ways[i].length - 1)]);
  });
}

const points = Object.entries(MOST) as [MethodPoint, number][]; // the keys of a record by point

/** What would write into episodes, or ask their problems otherwise, is refused: it is not drawn for them. */
const NOT_PLAYED: readonly MethodPoint[] = ['promptSource', 'tokenControls'];

/** On episodes: methods that know turns where a point has some, and the others elsewhere. */
function playedCombinations(): Combination[] {
  const chosen = points.map(([point, most], i) => {
    const knowing = waysToAsk(point, true);
    const ways = knowing.length > 0 ? knowing : NOT_PLAYED.includes(point) ? [] : waysToAsk(point, false);
    return chosenAt(point, most, SEED + 100 + i, { ways, count: PLAYED });
  });
  return Array.from({ length: PLAYED }, (_, number) =>
    onEpisodes(
      chosen.map((ofPoint) => ofPoint[number]),
      number,
    ),
  );
}

/** @param here  what is asked for at each point */
function onEpisodes(here: readonly (readonly unknown[])[], number: number): Combination {
  const { ids, keys } = keysOf(here);
  const asking = points.flatMap(([point]) => METHODS[point].filter(({ id }) => ids.includes(id)));
  const [usual] = asking.map(() => playedTask({ id: '', options: {} }));
  const task = asking.map(playedTask).find((one) => one !== usual) ?? usual;
  const lines = playedLines(task);
  const settings = [`seed: ${number}`, `num_iterations: ${1 + (number % 2)}`];
  return { task: lines, ids, yaml: `${COMMON}${[lines.yaml, ...settings, stringify(keys)].join('\n')}` };
}

const nameOf = (asked: unknown): string => (typeof asked === 'string' ? asked : (asked as { name: string }).name);

/** The methods of each point as the keys of a stage. */
function keysOf(here: readonly (readonly unknown[])[]): { readonly ids: string[]; readonly keys: object } {
  const keys = points.flatMap(([point], i) => {
    const { yaml, takes } = POINT_KEYS[point];
    return here[i].length === 0 ? [] : [[yaml, takes === 'one' ? here[i][0] : here[i]] as const];
  });
  const ids = here.flat().map(nameOf);
  return { ids, keys: Object.fromEntries(keys) };
}

function combinations(): Combination[] {
  const chosen = points.map(([point, most], i) =>
    chosenAt(point, most, SEED + i, { ways: waysToAsk(point, false), count: COMBINATIONS }),
  );
  const settings = fc.tuple(fc.constantFrom(...TASKS), fc.constantFrom(1, 2), fc.nat({ max: 99 }));
  return fc.sample(settings, { seed: SEED, numRuns: COMBINATIONS }).map(([usual, passes, seed], number) =>
    onTexts(
      chosen.map((ofPoint) => ofPoint[number]),
      { usual, passes, seed },
    ),
  );
}

const facts = methodFacts();

/** @param here  what is asked for at each point */
function onTexts(
  here: readonly (readonly unknown[])[],
  { usual, passes, seed }: { readonly usual: TaskLines; readonly passes: number; readonly seed: number },
): Combination {
  const { ids, keys } = keysOf(here);
  const task = neededTask(ids.flatMap((id) => facts(id).needs)) ?? usual;
  const lines = [
    task.yaml,
    `seed: ${seed}`,
    `num_iterations: ${passes}`,
    stringify(keys).replaceAll(/["']?((<\/think>)?<answer>|Wait)["']?/g, JSON.stringify(task.mark)),
  ];
  return { task, yaml: `${COMMON}${lines.join('\n')}`, ids };
}

/** A method by itself, all others as they are by default; for one that the draws leave out. */
function byItself(point: MethodPoint, id: string): Combination {
  const isPlayed = METHODS[point].some((method) => method.id === id && needsTurns(method));
  const asked = madeWay(id) ?? waysToAsk(point, isPlayed).find(([way]) => nameOf(way) === id)?.[0];
  const here = points.map(([other]) => (other === point ? [asked] : []));
  return isPlayed ? onEpisodes(here, 0) : onTexts(here, { usual: TASKS[0], passes: 1, seed: 0 });
}

const drawn = [...combinations(), ...playedCombinations()];
const seen = new Set<string>();
/** With their numbers: before a release all of them, in CI those with a method that came in none before, in `npm test` every eighth. */
const tried = [...drawn.entries()].filter(([number, { ids }]) => {
  const isNew = ids.some((id) => !seen.has(id));
  for (const id of ids) seen.add(id);
  return TIER === 'release' || (TIER === 'all' && isNew) || number % 8 === 0;
});

interface Trained {
  readonly metrics: readonly StepMetrics[];
  readonly sha256: string;
}

/** Trains on; ends behind `steps` steps, or with the run. */
async function goOn(
  run: TrainingRun,
  steps = Number.POSITIVE_INFINITY,
  look: (groups: readonly CreditedGroup[]) => void = () => undefined,
): Promise<StepMetrics[]> {
  const metrics: StepMetrics[] = [];
  for await (const event of train(run)) {
    if (event.type === 'rollouts') look(event.groups);
    if (event.type === 'step') metrics.push(event.metrics);
    if (metrics.length >= steps) break;
  }
  return metrics;
}

/** The methods of the stage under way, and the stage. */
function declaredIn({ config, journal: { state } }: TrainingRun): Parameters<typeof offPolicySamplers> {
  const stage = config.stages[state.stageIndex];
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  return [membersOf(stage), stage];
}

async function withRun<T>(
  backend: Backend,
  one: Combination,
  work: (run: TrainingRun) => Promise<T>,
  judges = tossed(one.task),
): Promise<T> {
  const run = await openSmallRun(backend, { yaml: one.yaml, ...judges });
  try {
    return await work(run);
  } finally {
    await closeEngine(run.engine);
  }
}

const whole = (backend: Backend, one: Combination): Promise<Trained> =>
  withRun(backend, one, async (run) => {
    const metrics = await goOn(run, Number.POSITIVE_INFINITY, (groups) => {
      const isOffPolicy = groups.some(({ rollouts }) => rollouts.some((rollout) => rollout.isOffPolicy));
      if (isOffPolicy) expect(offPolicySamplers(...declaredIn(run))).not.toEqual([]);
    });
    for (const parameter of run.engine.policy.parameters) {
      expect((await run.engine.policy.readParameter(parameter)).every(Number.isFinite)).toBe(true);
    }
    return { metrics, sha256: await weightsSha256(run.engine.policy) };
  });

/** Verdicts of one run, which fails behind so many of them. */
function killable({ verify, rewards }: Judges) {
  let left = Number.POSITIVE_INFINITY;
  const count = (verdicts: number): void => {
    left -= verdicts;
    if (left < 0) throw new Error('killed');
  };
  const { mine } = rewards;
  const until: Judges = verify
    ? {
        rewards,
        verify: (...asked) => {
          count(1);
          return verify(...asked);
        },
      }
    : {
        rewards: {
          mine: {
            ...mine,
            score: (batch) => {
              count(batch.completions.length);
              return mine.score(batch);
            },
          },
        },
      };
  return {
    until,
    killBehind(verdicts: number) {
      left = verdicts;
    },
  };
}

/**
 * As a process that writes a checkpoint behind its first step and is killed within a batch or a refill that comes then, and one
 * that goes on from that checkpoint, through its own JSON.
 */
async function resumed(backend: Backend, one: Combination, verdicts: number): Promise<string> {
  const { until, killBehind } = killable(tossed(one.task));
  const checkpoint = await withRun(
    backend,
    one,
    async (run) => {
      await goOn(run, 1);
      const written = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
      killBehind(verdicts);
      await goOn(run).catch(() => undefined);
      return written;
    },
    until,
  );
  return withRun(backend, one, async (run) => {
    restoreCheckpoint(run, { ...checkpoint, state: JSON.parse(encodeStrictJson(checkpoint.state)) });
    await goOn(run);
    return weightsSha256(run.engine.policy);
  });
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-5 + 1e-4 * Math.abs(a);

const refused = new Set<Combination>();

/** A config that cannot be, rewards that an objective cannot take, or a policy that cannot learn from what it is paid. */
const isInWords = (error: unknown): boolean =>
  error instanceof ConfigError ||
  error instanceof DataError ||
  (error instanceof RlvrError && error.code === 'nothing-to-learn');

async function check(one: Combination, number: number, inline: Backend, threaded: Backend): Promise<string[]> {
  let first: Trained;
  try {
    first = await whole(inline, one);
  } catch (error) {
    if (!isInWords(error)) return [(error as Error).stack ?? String(error)];
    refused.add(one);
    return [];
  }
  try {
    return await compare(one, first, number, inline, threaded);
  } catch (error) {
    return [(error as Error).stack ?? String(error)];
  }
}

/** Each is killed or cut into micro-batches by turns; before a release, both. */
let compared = 0;

async function compare(one: Combination, first: Trained, number: number, inline: Backend, threaded: Backend) {
  const flaws: string[] = [];
  const [isKilled, isCut] = TIER === 'release' ? [true, true] : [compared % 2 === 0, compared % 2 === 1];
  compared++;
  if (first.metrics.length !== 2) flaws.push(`${first.metrics.length} steps`);
  for (const [name, value] of first.metrics.flatMap((step) => Object.entries(step))) {
    if (typeof value === 'number' && !Number.isFinite(value)) flaws.push(`${name} is ${value}`);
  }
  if (isKilled && (await resumed(inline, one, number % MOST_VERDICTS)) !== first.sha256)
    flaws.push('another end after a kill');
  if (number % WITH_THREADS === 0 && (await whole(threaded, one)).sha256 !== first.sha256) {
    flaws.push('other bits with two threads');
  }
  if (isCut && !one.ids.some((id) => CUT_BY_DEFINITION.includes(id))) {
    const cut = await whole(inline, { ...one, yaml: `${one.yaml}\nper_device_train_batch_size: 8\n` });
    for (const [name, value] of Object.entries(first.metrics[0])) {
      const other = cut.metrics[0][name];
      if (typeof value !== 'number' || typeof other !== 'number' || isTime(name)) continue;
      if (!isNear(value, other)) flaws.push(`${name} is ${value} whole, and ${other} in three micro-batches`);
    }
  }
  return flaws;
}

describe('combinations of methods', () => {
  let inline: Backend;
  let threaded: Backend;

  beforeAll(async () => {
    inline = await wasmBackend({ inline: true, fma: false });
    threaded = await wasmBackend({ threads: 2, fma: false });
  });

  const size = Math.ceil(tried.length / PARTS);
  it.each(Array.from({ length: PARTS }, (_, part) => part * size))(
    'from number %i on are trained, or refused in words',
    async (from) => {
      const failed: string[] = [];
      for (const [number, one] of tried.slice(from, from + size)) {
        const flaws = await check(one, number, inline, threaded);
        if (flaws.length > 0) failed.push(`${flaws.join('; ')}\n${one.yaml.slice(COMMON.length)}`);
      }
      expect(failed).toEqual([]);
    },
    300_000,
  );

  it('are mostly possible, and each method is trained in one of them, or else by itself', async () => {
    expect(refused.size).toBeLessThan(tried.length / 3);
    if (TIER === 'quick') return; // so few cannot hold every method
    const trained = new Set([
      ...LEARNS_FROM_PAIRS,
      ...tried.filter(([, one]) => !refused.has(one)).flatMap(([, { ids }]) => ids),
    ]);
    const flaws: string[] = [];
    for (const [point] of points) {
      for (const { id } of METHODS[point].filter((method) => !trained.has(method.id))) {
        const ways = [...drawn.filter(({ ids }) => ids.includes(id)), byItself(point, id)];
        let isTrained = false;
        for (const one of ways.filter((way) => !refused.has(way))) {
          for (const flaw of await check(one, 0, inline, threaded)) flaws.push(`${id}: ${flaw}`);
          isTrained = !refused.has(one);
          if (isTrained) break;
        }
        if (!isTrained) flaws.push(`${id}: refused by itself\n${ways.at(-1)?.yaml.slice(COMMON.length)}`);
      }
    }
    expect(flaws).toEqual([]);
  }, 300_000);
});
