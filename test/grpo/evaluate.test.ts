import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import type { Verdict } from '../../src/rewards/verdict.ts';
import { finishSmallRun } from '../support/small_runs.ts';
import { evaluateNow, reinforced, supervised } from './step_parts.ts';

const DIGITS = { task: { name: 'sort_digits', digits: 2 } };
const right: Verdict = { score: 1, status: 'correct', reason: 'right' };
const wrong: Verdict = { score: 0, status: 'incorrect', reason: 'wrong' };
/** Some of what an untrained policy says, by problem and answer. */
function verify(item: unknown, answer: string): Verdict {
  const codes = [...JSON.stringify(item), ...answer].map((character) => character.charCodeAt(0));
  return codes.reduce((sum, code, i) => sum + i * code, 0) % 2 === 0 ? right : wrong;
}

describe('an evaluation', () => {
  it('gives the same twice, and moves no counter', async () => {
    const run = await reinforced({ num_generations_eval: 3 });
    const { seconds: _, ...state } = structuredClone(run.journal.state);
    const first = await evaluateNow(run);
    expect(run.journal.state).toMatchObject(state);
    // Whatever was drawn in between.
    Object.assign(run.journal.state, { step: 3, itemsDrawn: 70, rolloutsDrawn: 700 });
    expect(await evaluateNow(run)).toEqual(first);
  });

  it('asks as many held-out problems as eval_samples says, spread over all of them', async () => {
    const all = await reinforced({ num_generations_eval: 1 });
    const some = await reinforced({ num_generations_eval: 1, eval_samples: 3 });
    const prompts = all.engine.tasks.heldOutItems().map(({ prompt }) => prompt);
    const { accuracy, examples } = await evaluateNow(some);
    expect(accuracy.count).toBe(3);
    const places = examples.map(({ prompt }) => prompts.indexOf(prompt));
    expect(places).toEqual([0, 1, 2].map((i) => Math.floor((i * prompts.length) / 3)));
    expect((await evaluateNow(await reinforced({ eval_samples: 4096 }))).accuracy.count).toBe(prompts.length);
  });

  it('counts the held-out problems whose greedy answer is right', async () => {
    const run = await reinforced(DIGITS, { verify });
    const { accuracy, examples } = await evaluateNow(run);
    const items = run.engine.tasks.heldOutItems();
    expect(examples.map(({ prompt }) => prompt)).toEqual(items.map(({ prompt }) => prompt));
    examples.forEach(({ completion, verdict }, i) => {
      expect(verdict).toEqual(verify(items[i].identity, completion));
    });
    const solved = examples.filter(({ verdict }) => verdict.score === 1).length;
    expect(accuracy.mean).toBe(solved / items.length);
    expect(accuracy.count).toBe(items.length);
    expect(solved).toBeGreaterThan(0);
    expect(solved).toBeLessThan(items.length);
  });

  it('estimates pass@k for powers of two and K, from K samples per problem', async () => {
    const run = await reinforced({ ...DIGITS, num_generations_eval: 6 }, { verify });
    const { samples, meanAtK, passAtK, meanLength } = await evaluateNow(run);
    expect(samples).toBe(6);
    expect(Object.keys(passAtK)).toEqual(['1', '2', '4', '6']);
    expect(passAtK[1]).toEqual(meanAtK);
    const means = Object.values(passAtK).map(({ mean }) => mean);
    expect(means).toEqual([...means].sort((a, b) => a - b));
    expect(meanAtK.mean).toBeGreaterThan(0);
    expect(meanAtK.mean).toBeLessThan(1);
    expect(meanLength).toBe(2); // digits, each time
  });

  it('samples at eval_temperature, and at that of the stage without it', async () => {
    const figures = async (run: Parameters<typeof evaluateNow>[0]) => {
      const { accuracy, meanAtK, passAtK } = await evaluateNow(run);
      return { greedy: accuracy.mean, sampled: meanAtK.mean, best: passAtK[4].mean };
    };
    const keys = { ...DIGITS, num_generations_eval: 4 };
    const plain = await figures(await reinforced(keys, { verify }));
    expect(plain.best).toBeGreaterThan(plain.sampled); // the four differ
    expect(await figures(await reinforced({ ...keys, eval_temperature: 1 }, { verify }))).toEqual(plain);
    const [hot, cold] = [2, 1e-6];
    expect(await figures(await reinforced({ ...keys, temperature: hot, eval_temperature: 1 }, { verify }))).toEqual(
      plain,
    );
    // So cold that nothing but the likeliest token is drawn.
    const { greedy, sampled, best } = await figures(await reinforced({ ...keys, eval_temperature: cold }, { verify }));
    expect([greedy, sampled, best]).toEqual([plain.greedy, plain.greedy, plain.greedy]);
    const warmUp = await figures(await supervised({ eval_temperature: cold }, { verify }));
    expect([warmUp.sampled, warmUp.best]).toEqual([warmUp.greedy, warmUp.greedy]);
  });

  it('takes four samples per problem in a stage that does not say', async () => {
    expect((await evaluateNow(await supervised())).samples).toBe(4);
  });

  it('counts what is right by the strict verdict, whatever is rewarded', async () => {
    const generous = {
      name: 'own',
      score: ({ completions }: { completions: readonly string[] }) => completions.map(() => 1),
    };
    const run = await reinforced(
      { ...DIGITS, reward_funcs: ['own'] },
      { verify: () => ({ ...wrong, score: 0.99 }), rewards: { own: generous } },
    );
    const { accuracy, meanAtK } = await evaluateNow(run);
    expect([accuracy.mean, meanAtK.mean]).toEqual([0, 0]);
  });

  it('in the middle of training changes no bit of what follows', async () => {
    const keys =
      'max_steps: 3, num_generations: 4, generation_batch_size: 8, learning_rate: 0.01, reward_funcs: [positions]';
    const model = '{hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 12}';
    const finish = (evaluation: string) =>
      finishSmallRun(referenceBackend, {
        yaml: `{task: {name: sort_digits, digits: 2}, model: ${model}, ${keys}, ${evaluation}}`,
      });
    const seldom = await finish('eval_strategy: "no"');
    const often = await finish('eval_steps: 1, num_generations_eval: 2');
    expect(often.sha256).toBe(seldom.sha256);
  });
});
