/** Runs whose problems are played over several turns, from the rollout to the weights. */
import { describe, expect, it } from 'vitest';
import { actionsOf } from '../../../../src/data/play.ts';
import { evaluateRun } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fromPlain, rolloutFlaw } from '../../../../src/methods/support/rollouts/load_rollouts.ts';
import { toPlain } from '../../../../src/methods/support/rollouts/save_rollouts.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { collect, reinforced } from '../../../../test/grpo/step_parts.ts';
import { finishSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';

const GUESS = { task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 } };

describe('a rollout of several turns', () => {
  it('has its turns, whose observations are given, and the verdict of its actions', async () => {
    const run = await reinforced(GUESS);
    const { tasks } = run.engine;
    const { groups } = await collect(run);
    const rollouts = groups.flatMap(({ item, rollouts: own }) => own.map((rollout) => ({ item, ...rollout })));
    expect(rollouts.some(({ turns = [] }) => turns.length > 2)).toBe(true);
    for (const { item, tokens, labels, turns = [], verdict, text, ...rest } of rollouts) {
      expect(rolloutFlaw({ tokens, text, turns, verdict, ...(labels && { labels }), ...rest })).toBeUndefined();
      expect(turns.filter(({ label }) => label !== 'policy')).toHaveLength((turns.length - 1) / 2);
      const kinds = turns.flatMap((turn) =>
        Array(turn.tokens.length).fill(turn.label === 'policy' ? TOKEN.sampled : TOKEN.given),
      );
      expect([...(labels ?? new Uint8Array(tokens.length))]).toEqual(kinds);
      if (rest.finishReason === 'length') continue;
      const actions = actionsOf({ turns: turns.map(({ label: from, text: said }) => ({ from, text: said })) });
      expect(tasks.verify(item, actions, { finishReason: 'eos' })).toEqual(verdict);
    }
  });

  it('survives a checkpoint with what its turns were paid', async () => {
    const run = await reinforced(GUESS);
    const rollouts = (await collect(run)).groups.flatMap((group) => group.rollouts);
    expect(rollouts.some(({ turns }) => turns?.some(({ potential }) => potential !== undefined))).toBe(true);
    for (const rollout of rollouts) {
      expect(fromPlain(JSON.parse(JSON.stringify(toPlain(rollout))))).toMatchObject({ turns: rollout.turns });
    }
  });

  it('is refused to a method that puts tokens into completions', async () => {
    const run = await reinforced({ ...GUESS, token_controls: ['repetition-stop'] });
    await expect(collect(run)).rejects.toThrow('problems of guess_number are played in turns');
  });

  it('is judged in an evaluation as in training', async () => {
    const run = await reinforced(GUESS);
    const evaluation = await evaluateRun(run);
    expect(evaluation.examples.every(({ completion }) => completion.length > 0)).toBe(true);
    expect(await evaluateRun(run)).toEqual(evaluation);
  });
});

describe('a demonstration of several turns', () => {
  it('is an episode that a teacher plays; what he reads has no loss', async () => {
    const { tasks } = (await reinforced(GUESS)).engine;
    const [{ task }] = tasks.shares;
    const item = tasks.trainItem(0, 3);
    const { turns } = task.demonstratedEpisode?.(item, 0, 3) ?? { turns: [] };
    const { tokens, labels, prompt } = tasks.demonstration(item, 0, 3);
    expect(tasks.codec.decode(prompt)).toBe(item.prompt);
    expect(tasks.codec.decode(tokens)).toBe(
      turns.map(({ from, text }) => (from === 'policy' ? `${text}<eos>` : text)).join(''),
    );
    const learned = tokens.filter((_, t) => labels?.[t] === TOKEN.reference);
    expect(tasks.codec.decode(learned)).toBe(
      turns.flatMap(({ from, text }) => (from === 'policy' ? [`${text}<eos>`] : [])).join(''),
    );
  });

  it('has no loss on what the teacher does wrong, where errors are not to be learned', async () => {
    const { tasks } = (await reinforced(GUESS)).engine;
    const [{ task }] = tasks.shares;
    let errors = 0;
    for (let index = 0; index < 40; index++) {
      const item = tasks.trainItem(0, index);
      const whole = tasks.demonstration(item, 0, index);
      const { tokens, labels = new Uint8Array() } = tasks.demonstration(item, 0, index, false);
      expect(tokens).toEqual(whole.tokens.subarray(0, tokens.length));
      const { low, high, hidden } = item.identity as { low: number; high: number; hidden: number };
      let [least, most] = [low, high];
      const right: string[] = [];
      for (const { from, text, errs } of task.demonstratedEpisode?.(item, 0, index).turns ?? []) {
        if (from !== 'policy') continue;
        const guess = Number(text);
        expect(errs === undefined).toBe(guess === Math.floor((least + most) / 2));
        if (errs === undefined) right.push(`${text}<eos>`);
        else errors++;
        if (guess < hidden) least = Math.max(least, guess + 1);
        else most = Math.min(most, guess - 1);
      }
      if (right.length === 0) continue;
      expect(tasks.codec.decode(tokens.filter((_, t) => labels[t] === TOKEN.reference))).toBe(right.join(''));
    }
    expect(errors).toBeGreaterThan(10);
  });
});

const YAML = `
task: {name: guess_number, max: 9, numbers: 5, turns: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
seed: 1
stages:
  - {stage: sft, max_steps: 3, per_device_train_batch_size: 8, learning_rate: 1.0e-2, eval_strategy: "no"}
  - {stage: grpo, max_steps: 3, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-2, eval_strategy: "no"}
`;

describe('an observation', () => {
  it('that is longer than its task says, or outside the vocabulary, is refused with what to change', async () => {
    const { tasks } = (await reinforced(GUESS)).engine;
    const item = tasks.trainItem(0, 0);
    const next = { state: null, turn: 1, illegal: 0 };
    const said = (observation: string) => () => tasks.environment.observationTokens(item, { next, observation }, 'eos');
    expect(said('<')).not.toThrow();
    expect(said('<<<')).toThrow(
      'task "guess_number": step() says "<<<": that is 3 tokens, and turnLimits() says at most 1; raise ' +
        'observationTokens there, or say it in fewer.',
    );
    expect(said('é')).toThrow(/task "guess_number": step\(\) says "é", which cannot be written: .*é/);
  });
});

describe('weights that episodes train', () => {
  it('are the same to the bit on one, two and three threads', async () => {
    const plain = await finishSmallRun(await plainWasm(), { yaml: YAML });
    for (const threads of [1, 2, 3]) {
      const { sha256 } = await finishSmallRun(await wasmBackend({ threads, fma: false }), { yaml: YAML });
      expect(sha256).toBe(plain.sha256);
    }
  });
});
