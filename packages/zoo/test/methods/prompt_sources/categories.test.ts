/** Sources that choose among the tasks and levels of a run: what they learn of each, by hand, and through a kill. */
import { describe, expect, it } from 'vitest';
import type { TaskItem } from '../../../../../src/data/task.ts';
import { train } from '../../../../../src/grpo/trainer.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import { Ledger, observationsOf } from '../../../../../src/methods/ledger.ts';
import type { DrawItems, PromptSource, SourceTools } from '../../../../../src/methods/points.ts';
import { captureCheckpoint } from '../../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../../../../src/run/json.ts';
import { weightsSha256 } from '../../../../../src/run/model/model_files.ts';
import { rewards } from '../../../../../test/grpo/tiny_stage.ts';
import { createMethods, openRun, parseConfig } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, stepContext } from '../../../../../test/support/steps.ts';
import { createTasks } from '../../../../../test/support/tasks.ts';
import { bestArm } from '../../../methods/prompt_sources/bandit.ts';
import { AskedProblems } from '../../../methods/support/prompts/asked.ts';

const itemOf = (task: string, key: string): TaskItem => ({ ...groupOf([]).item, id: key, key, identity: key, task });

/** Fresh problems of two tasks by turns. */
function byTurns(): DrawItems {
  let drawn = 0;
  return async (count) => Array.from({ length: count }, () => itemOf(drawn % 2 === 0 ? 'a' : 'b', `p${drawn++}`));
}

function sourceOf(line: string): PromptSource {
  return createMethods(stageOf(`prompt_source: ${line}`)).promptSources[0].part;
}

/** Groups of four completions each, of which a share is right. */
function record(ledger: Ledger, items: readonly TaskItem[], shareOf: (item: TaskItem) => number): void {
  const groups = items.map((item) => ({
    ...groupOf([0, 1, 2, 3].map((i) => rolloutOf(1, i < 4 * shareOf(item) ? 1 : 0))),
    item,
  }));
  ledger.record(observationsOf(groups, true), 1);
}

class Trial {
  readonly ledger = new Ledger();
  readonly logged: Record<string, number> = {};
  readonly #draw = byTurns();
  #round = 0;

  constructor(public source: PromptSource) {}

  /** Asks, and says how it went. @returns share of the places that task `a` has */
  async round(count: number, shareOf: (item: TaskItem) => number): Promise<number> {
    const metric = metricsInto(this.logged);
    const tools: SourceTools = {
      ...stepContext(stageOf()),
      ledger: this.ledger,
      rng: rngFor(`round|${this.#round++}`),
      metric,
      twin: () => undefined,
      solutionGradient: async () => new Float32Array(1),
      solutionText: () => undefined,
      judge: async () => [],
      attempt: async () => [],
    };
    const items = await this.source.next(count, this.#draw, tools);
    record(this.ledger, items, shareOf);
    return items.filter(({ task }) => task === 'a').length / count;
  }
}

/** What a source keeps, as a checkpoint has it. */
const stateOf = (source: PromptSource) => JSON.parse(JSON.stringify(source.state?.()));

describe('problems that were asked', () => {
  it('are read once, by category, with the groups that came since', () => {
    const [ledger, asked] = [new Ledger(), new AskedProblems()];
    const [first, second] = [itemOf('a', 'x'), itemOf('b', 'y')];
    record(ledger, [first], () => 0.25);
    asked.add([first, second, first], ledger);
    expect([...asked.read(ledger)]).toEqual([]);
    record(ledger, [first, first], () => 0.75);
    const resumed = new AskedProblems();
    resumed.restore(JSON.parse(JSON.stringify(asked.state())));
    for (const one of [asked, resumed]) {
      expect([...one.read(ledger)]).toEqual([['a', [0.75, 0.75]]]);
      expect([...one.read(ledger)]).toEqual([]);
    }
    record(ledger, [second], () => 1);
    expect([...asked.read(ledger)]).toEqual([['b', [1]]]);
  });
});

describe('mixture-progress', () => {
  it('follows the moving averages of its formula', async () => {
    const trial = new Trial(sourceOf('{name: mixture-progress, newest: 0.5}'));
    await trial.round(4, () => 0.25);
    await trial.round(4, ({ task }) => (task === 'a' ? 0.75 : 0.25));
    await trial.round(4, () => 0);
    // a: p̂ 0.25, then Δ = 0.5: p̂ 0.5, g 0.25; b stands still.
    expect(stateOf(trial.source).progress).toEqual([
      ['a', { solved: 0.5, change: 0.25 }],
      ['b', { solved: 0.25, change: 0 }],
    ]);
  });

  it('asks what moves as often as its chance says', async () => {
    const trial = new Trial(sourceOf('{name: mixture-progress, floor: 0.2, temperature: 0.25}'));
    const progress = [
      ['a', { solved: 0.5, change: -0.25 }],
      ['b', { solved: 0.5, change: 0 }],
    ];
    trial.source.restore?.({ asked: [], progress });
    const expected = 0.2 * 0.5 + 0.8 * (Math.E / (Math.E + 1));
    expect(Math.abs((await trial.round(4000, () => 0)) - expected)).toBeLessThan(0.02);
    expect(trial.logged.categories).toBe(2);
  });
});

describe('adaptive-level', () => {
  const levelled = (levels: readonly number[]): DrawItems => {
    let drawn = 0;
    return async (count) =>
      Array.from({ length: count }, () => {
        const level = levels[drawn++ % levels.length];
        return { ...itemOf(`t#${level + 1}`, `p${drawn}`), level };
      });
  };

  it('goes up and down its levels by the share that is right, and stays between the bounds', async () => {
    const [ledger, draw] = [new Ledger(), levelled([0, 1, 2])];
    let source = sourceOf('{name: adaptive-level, groups: 4, newest: 0.5}');
    const logged: Record<string, number> = {};
    const tools: SourceTools = {
      ...stepContext(stageOf()),
      ledger,
      metric: metricsInto(logged),
      twin: () => undefined,
      solutionGradient: async () => new Float32Array(1),
      solutionText: () => undefined,
      judge: async () => [],
      attempt: async () => [],
    };
    const levels: number[] = [];
    for (const share of [1, 1, 0.5, 0.5, 0, 1, 1, 1, 1]) {
      const items = await source.next(4, draw, tools);
      expect(new Set(items.map(({ level }) => level)).size).toBe(1);
      levels.push(items[0].level ?? -1);
      record(ledger, items, () => share);
      const resumed = sourceOf('{name: adaptive-level, groups: 4, newest: 0.5}');
      resumed.restore?.(JSON.parse(JSON.stringify(source.state?.())));
      source = resumed;
    }
    // 1 → up, 1 → up, 0.5 stays twice, then p̄ = 0.5/16 → down, up, up, and no higher
    expect(levels).toEqual([0, 1, 2, 2, 2, 1, 2, 2, 2]);
    expect(logged.level).toBe(2);
  });
});

describe('bandit', () => {
  it('gives places by gains and by the bonus for what was seldom asked', () => {
    const arms = [
      { asked: 4, gains: 1 },
      { asked: 1, gains: 0.1 },
    ];
    expect(bestArm(arms, [0, 0], 0)).toBe(0);
    // 0.25 + 0.5·√(ln 6/4) = 0.585, and 0.1 + 0.5·√ln 6 = 0.769
    expect(bestArm(arms, [0, 0], 0.5)).toBe(1);
    // Two places later 0.25 + 0.5·√(ln 8/4) = 0.610, and 0.1 + 0.5·√(ln 8/3) = 0.516
    expect(bestArm(arms, [0, 2], 0.5)).toBe(0);
  });

  it('counts p·(1 − p), what was before less', async () => {
    const trial = new Trial(sourceOf('{name: bandit, discount: 0.5}'));
    await trial.round(4, ({ task }) => (task === 'a' ? 0.5 : 1));
    const places = 10 * (await trial.round(10, () => 0.5));
    await trial.round(4, () => 0);
    expect(stateOf(trial.source).arms).toEqual([
      ['a', { asked: 1 + places, gains: 0.25 + 0.25 * places, solved: 0.5 }],
      ['b', { asked: 1 + 10 - places, gains: 0.25 * (10 - places), solved: 0.75 }],
    ]);
  });

  it('asks most of what is neither always nor never solved, and of what moves', async () => {
    const learnable = new Trial(sourceOf('{name: bandit, bonus: 0.01}'));
    const progress = new Trial(sourceOf('{name: bandit, bonus: 0.01, gain: progress}'));
    await learnable.round(20, () => 0.5);
    await progress.round(20, () => 0.5);
    await learnable.round(40, ({ task }) => (task === 'a' ? 0.5 : 1));
    await progress.round(40, ({ task }) => (task === 'a' ? 1 : 0.5));
    expect(await learnable.round(100, () => 0)).toBeGreaterThan(0.8);
    expect(await progress.round(100, () => 0)).toBeGreaterThan(0.8);
  });
});

describe.each(['mixture-progress', 'bandit'])('a run with %s', (name) => {
  const yaml = (tasks: string): string => `
tasks: [${tasks}]
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
max_steps: 4
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-2
reward_funcs: [varied]
eval_strategy: "no"
prompt_source: {name: ${name}, candidates: 4}
`;
  const open = async (tasks: string) => {
    const { config } = parseConfig(yaml(tasks), { file: 'run.yaml' });
    return openRun(config, createTasks(config), await wasmBackend({ inline: true, fma: false }), { rewards });
  };
  const TWO = '{name: sort_digits, digits: 2}, {name: sort_digits, digits: 3}';

  it('has the same bits after a kill', async () => {
    const [whole, killed, resumed] = [await open(TWO), await open(TWO), await open(TWO)];
    const metrics: unknown[] = [];
    for await (const event of train(whole)) if (event.type === 'step') metrics.push(event.metrics);
    expect(metrics.at(-1)).toMatchObject({ [`${name}/categories`]: 2 });
    for await (const event of train(killed)) if (event.type === 'step' && event.step === 2) break;
    const checkpoint = await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0);
    restoreCheckpoint(resumed, { ...checkpoint, state: JSON.parse(encodeStrictJson(checkpoint.state)) });
    for await (const _ of train(resumed));
    expect(await weightsSha256(resumed.engine.policy)).toBe(await weightsSha256(whole.engine.policy));
    expect(whole.remarks).toEqual([]);
    for (const run of [whole, killed, resumed]) await run.engine.policy.close();
  });

  it('says before its first step where there is nothing to choose', async () => {
    const run = await open('{name: sort_digits, digits: 2}');
    expect(run.remarks).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/prompt_source.*draws from one.*list several under tasks/) },
    ]);
    await run.engine.policy.close();
  });

  it('refuses options beyond their limits', () => {
    for (const option of ['floor: 0', 'floor: 1.1', 'candidates: 0']) {
      expect(() => stageOf(`prompt_source: {name: ${name}, ${option}}`)).toThrow(/prompt_source/);
    }
  });
});

describe('mixture-dynamic', () => {
  it('asks more of what moves, and alike where nothing does', async () => {
    const trial = new Trial(sourceOf('{name: mixture-dynamic, window: 4, temperature: 0.1}'));
    for (let round = 0; round < 6; round++) await trial.round(8, ({ task }) => (task === 'a' ? round / 6 : 0.5));
    const asked = [];
    for (let round = 0; round < 20; round++) asked.push(await trial.round(8, () => 0.5));
    expect(Math.max(...asked.slice(0, 4))).toBeGreaterThan(0.5);
    const settled = asked.slice(12).reduce((sum, share) => sum + share, 0) / 8;
    expect(Math.abs(settled - 0.5)).toBeLessThan(0.2);
  });

  it('goes on from what it kept', async () => {
    const line = '{name: mixture-dynamic, window: 3}';
    const trial = new Trial(sourceOf(line));
    for (let round = 0; round < 3; round++) await trial.round(4, ({ task }) => (task === 'a' ? round / 4 : 0.5));
    const resumed = sourceOf(line);
    resumed.restore?.(stateOf(trial.source));
    expect(stateOf(resumed)).toEqual(stateOf(trial.source));
  });
});

describe('bands', () => {
  const leveled = (task: string, level: number, key: string): TaskItem => ({ ...itemOf(task, key), level });
  /** Fresh problems of two levels of one task by turns. */
  const byLevels = (): DrawItems => {
    let drawn = 0;
    return async (count) => Array.from({ length: count }, () => leveled('a', drawn % 2, `p${drawn++}`));
  };

  it('asks a simpler one for a hard one, another for a middling one, none for an easy one', async () => {
    const source = sourceOf('{name: bands, share: 0.5}');
    const [ledger, draw, logged] = [new Ledger(), byLevels(), {} as Record<string, number>];
    const tools = {
      ...stepContext(stageOf()),
      ledger,
      rng: rngFor('bands'),
      metric: metricsInto(logged),
      twin: () => undefined,
      solutionGradient: async () => new Float32Array(1),
      solutionText: () => undefined,
      judge: async () => [],
      attempt: async () => [],
    } satisfies SourceTools;
    const first = await source.next(4, draw, tools);
    expect(first.map(({ level }) => level)).toEqual([0, 1, 0, 1]);
    record(ledger, first, ({ level, key }) => (level === 1 ? 0 : key === 'p0' ? 0.5 : 1));
    const second = await source.next(8, draw, tools);
    expect(logged).toMatchObject({ hard: 2, middle: 1, easy: 1, share: 3 / 8 });
    expect(second.slice(5).map(({ level }) => level)).toEqual([0, 0, 0]); // below level 1 twice, and level 0 once
    record(ledger, second, () => 1);
    await source.next(4, draw, tools);
    expect(logged).toMatchObject({ hard: 0, middle: 0, easy: 8, share: 0 });
  });
});
