/** The weights of the best evaluation are kept, survive any stop, and are the model where the config asks for it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import type { Summary } from '../../../../src/run/summary.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { configHash, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { bindTask } from '../../../zoo/data/index.ts';
import { allFiles } from '../../store/refuge_store.ts';

const YAML = `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 12
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-2
num_generations_eval: 1
eval_steps: 3
save_seconds: 0.001
reward_funcs: [own]
`;
const LOADED = ['load_best_model_at_end=true'];

/** Right answers in ten at each evaluation: the best are those of step 3, then of step 9 no longer. */
const RIGHT_AT: Readonly<Record<number, number>> = { 0: 2, 3: 9, 6: 4, 9: 9, 12: 5 };

interface Trained {
  readonly summary: Summary | undefined;
  readonly notes: readonly string[];
  readonly said: readonly { readonly step: number; readonly code: string; readonly message: string }[];
  /** SHA-256 of the weights after each step, and that of the policy at the end. */
  readonly shaAt: ReadonlyMap<number, string>;
  readonly shaOfPolicy: string;
}

interface Options {
  readonly store: Store;
  readonly set?: readonly string[];
  readonly resume?: boolean;
  readonly stopAt?: number;
  readonly asks?: boolean;
  readonly rightAt?: Readonly<Record<number, number>>;
  readonly digits?: number;
}

async function trained({
  store,
  set = [],
  resume = false,
  stopAt,
  asks = false,
  rightAt = RIGHT_AT,
  digits: length = 2,
}: Options): Promise<Trained> {
  let run: TrainingRun | undefined;
  const definition = getTaskDefinition('sort_digits');
  const verify: typeof definition.verify = (item) => {
    const { digits } = item as { digits: string };
    const most = 10 ** (length - 1);
    const isRight = Number(digits) % most < (rightAt[run?.journal.state.step ?? 0] ?? most);
    return isRight ? { score: 1, status: 'correct', reason: '' } : { score: 0, status: 'incorrect', reason: '' };
  };
  const { config } = parseConfig(YAML, { file: 'inline' }, [...set, `task.digits=${length}`]);
  const task = bindTask({ ...definition, verify }, { digits: length });
  const own = {
    name: 'own',
    score: ({ completionTokens }: { completionTokens: readonly ArrayLike<number>[] }) =>
      completionTokens.map((ids) => ids[0]),
  };
  run = await openRun(config, task, await wasmBackend({ inline: true }), { rewards: { own } });
  const events: SessionEvent[] = [];
  const shaAt = new Map<number, string>();
  let asked = false;
  const wantsEvaluation = (): boolean => {
    asked = asks && !asked;
    return asked;
  };
  try {
    const fingerprint = await fingerprintOf(run);
    const shouldStop = (): boolean => run?.journal.state.step === stopAt;
    for await (const event of session({ run, store, fingerprint, resume, force: false, shouldStop, wantsEvaluation })) {
      events.push(event);
      if (event.type === 'step') shaAt.set(event.step, await weightsSha256(run.engine.policy));
    }
    return {
      summary: events.flatMap((event) => (event.type === 'finished' ? [event.summary] : []))[0],
      notes: events.flatMap((event) => (event.type === 'note' ? [event.message] : [])),
      said: events.flatMap((event) => {
        if (event.type !== 'diagnosis') return [];
        const { code, message } = event.diagnosis;
        return [{ step: event.step, code, message }];
      }),
      shaAt,
      shaOfPolicy: await weightsSha256(run.engine.policy),
    };
  } finally {
    await run.engine.policy.close();
  }
}

const bestFiles = (store: Store): Promise<string[]> => store.list('best');

describe('the best weights', () => {
  it('are those of the first of the highest evaluations, and the model where the config asks for it', async () => {
    const [last, best] = [memoryStore(), memoryStore()];
    const without = await trained({ store: last });
    const loaded = await trained({ store: best, set: LOADED });
    expect(without.summary).toMatchObject({ model: 'last', best: { stage: 'grpo', step: 3, metric: 'eval_accuracy' } });
    expect(without.summary?.weightsSha256).toBe(without.shaAt.get(12));
    expect(loaded.summary).toMatchObject({ model: 'best', best: { step: 3 } });
    expect(loaded.summary?.weightsSha256).toBe(loaded.shaAt.get(3));
    expect(loaded.shaOfPolicy).toBe(loaded.shaAt.get(3)); // what the caller goes on with
    expect(loaded.summary?.best?.metrics.eval_accuracy).toBeGreaterThan(loaded.summary?.final?.eval_accuracy as number);
    for (const store of [last, best]) expect(await bestFiles(store)).toEqual(['1-grpo-3.safetensors']);
    expect(await best.read('model/model.safetensors')).toEqual(await last.read('best/1-grpo-3.safetensors'));
  });

  it('become the model of a finished run that is resumed with the key, without training', async () => {
    const store = memoryStore();
    const { shaAt } = await trained({ store });
    const again = await trained({ store, resume: true, set: LOADED });
    expect([...again.shaAt]).toEqual([]);
    expect(again.summary?.weightsSha256).toBe(shaAt.get(3));
  });

  it('are the same where the run was stopped at each step and resumed', async () => {
    const [whole, parts] = [memoryStore(), memoryStore()];
    await trained({ store: whole, set: LOADED });
    for (let step = 1; step < 12; step++) await trained({ store: parts, set: LOADED, resume: step > 1, stopAt: step });
    await trained({ store: parts, set: LOADED, resume: true });
    for (const folder of ['model', 'best']) {
      expect(await allFiles(parts, folder)).toEqual(await allFiles(whole, folder));
    }
  });

  it('are the same where the run was killed after any write and resumed', async () => {
    const store = memoryStore();
    const moments: Store[] = [];
    const copy = async (): Promise<void> => {
      const then = memoryStore();
      for (const [path, bytes] of await allFiles(store)) await then.writeAtomic(path, bytes);
      moments.push(then);
    };
    const watched: Store = new Proxy(store, {
      get(_, name: keyof Store) {
        const method = (store[name] as (...words: unknown[]) => Promise<unknown>).bind(store);
        if (!['writeAtomic', 'remove', 'renameDirectory'].includes(name)) return method;
        return async (...words: unknown[]) => {
          await method(...words);
          if (await store.exists('fingerprint.json')) await copy();
        };
      },
    });
    await trained({ store: watched, set: LOADED });
    const model = await store.read('model/model.safetensors');
    expect(moments.length).toBeGreaterThan(60);
    for (const moment of fewOf(moments, { quick: 6, all: 9 })) {
      await trained({ store: moment, set: LOADED, resume: true });
      expect(await moment.read('model/model.safetensors')).toEqual(model);
      expect(await bestFiles(moment)).toEqual(['1-grpo-3.safetensors']);
    }
  }, 60_000);

  it('are by another metric, and the lowest, where the config says so', async () => {
    const set = [...LOADED, 'metric_for_best_model=mean@1', 'greater_is_better=false'];
    const { summary, shaAt } = await trained({ store: memoryStore(), set });
    expect(summary?.best).toMatchObject({ step: 0, metric: 'eval_mean@1' });
    expect(summary?.weightsSha256).not.toBe(shaAt.get(12));
  });

  it('are not moved by an evaluation that somebody asked for', async () => {
    const rightAt = { ...RIGHT_AT, 4: 10 };
    const asked = await trained({ store: memoryStore(), set: LOADED, asks: true, rightAt });
    expect(asked.summary).toMatchObject({ model: 'best', best: { step: 3 } });
    expect(asked.summary?.weightsSha256).toBe(asked.shaAt.get(3));
  });

  it('that are damaged are missed at once, in words, and the next evaluation takes their place', async () => {
    const store = memoryStore();
    await trained({ store, set: LOADED, stopAt: 5 });
    const file = 'best/1-grpo-3.safetensors';
    const bytes = (await store.read(file)) as Uint8Array;
    bytes[bytes.length - 1] ^= 1;
    await store.writeAtomic(file, bytes);
    const { summary, notes, shaAt } = await trained({ store, set: LOADED, resume: true });
    expect(notes[0]).toMatch(/^best\/1-grpo-3\.safetensors does not match its SHA-256: .*\(step 3\) are lost/);
    expect(summary?.best).toMatchObject({ step: 9 });
    expect(summary?.weightsSha256).toBe(shaAt.get(9));
    expect(await bestFiles(store)).toEqual(['1-grpo-9.safetensors']);
  });

  it('that are lost at the end leave the last ones, and it is said', async () => {
    const store = memoryStore();
    await trained({ store, set: LOADED, stopAt: 11 });
    let reads = 0; // once on resume, where it is still there
    const gone: Store = new Proxy(store, {
      get(_, name: keyof Store) {
        const method = (store[name] as (...words: unknown[]) => unknown).bind(store);
        if (name !== 'read') return method;
        return (path: string) => (path.startsWith('best/') && reads++ > 0 ? undefined : method(path));
      },
    });
    const { summary, notes, shaAt } = await trained({ store: gone, set: LOADED, resume: true });
    expect(notes.at(-1)).toBe('best/1-grpo-3.safetensors is missing: the model is the last weights.');
    expect(summary).toMatchObject({ model: 'last', weightsSha256: shaAt.get(12) });
  });
});

it('a run that falls from 100 to 78 % is warned of at the second such evaluation, and its model is the best one', async () => {
  // In hundredths: held-out problems of three digits are enough to tell.
  const rightAt = { 0: 60, 3: 100, 6: 78, 9: 78, 12: 78 };
  const { summary, said, shaAt } = await trained({ store: memoryStore(), set: LOADED, rightAt, digits: 3 });
  expect(said.filter(({ code }) => code === 'below-best')).toEqual([
    {
      step: 9,
      code: 'below-best',
      message: expect.stringMatching(/ fell from 100\.0 % \[98\.\d–100\.0\] \(step 3\) to 7\d\.\d % /),
    },
  ]);
  expect(said.find(({ code }) => code === 'below-best')?.message).toMatch(
    /learning_rate to 0\.0033 \(now 0\.01\), or beta .* load_best_model_at_end: true .* step 3 the model/,
  );
  expect(summary).toMatchObject({ model: 'best', best: { step: 3 }, weightsSha256: shaAt.get(3) });
});

describe('the keys of the best', () => {
  const problem = (set: readonly string[]) => () => parseConfig(YAML, { file: 'inline' }, set);

  it('leave the hash of a config as the version before had it, and loading the best changes none', async () => {
    const text = readFileSync(new URL('../../../../configs/sort-digits.yaml', import.meta.url), 'utf8');
    const hash = '7d113848cf419c3050b92a5d20200cfbbf34703da93a6ee7bfef22c814898703';
    for (const set of [[], LOADED]) {
      expect(await configHash(parseConfig(text, { file: 'sort-digits.yaml' }, set).config)).toBe(hash);
    }
  });

  it('are refused where nothing is evaluated between steps', () => {
    expect(problem([...LOADED, 'eval_strategy=no'])).toThrow(
      /load_best_model_at_end: true — needs evaluations to choose from; set eval_strategy: steps/,
    );
  });

  it.each(['eval_loss', 'reward', 'eval_mean@8'])(
    'metric_for_best_model: %s is refused before the first step',
    async (metric) => {
      const started = trained({ store: memoryStore(), set: [`metric_for_best_model=${metric}`] });
      await expect(started).rejects.toThrow(/metric_for_best_model: .* — .*; use one of eval_accuracy, eval_mean@1, /);
    },
  );
});
