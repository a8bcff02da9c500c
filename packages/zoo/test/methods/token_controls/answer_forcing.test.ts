/** Where a completion is made to answer, what is put into it for that, and what of it is trained on. */
import { describe, expect, it } from 'vitest';
import type { PartialCompletion } from '../../../../../src/methods/points.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

const line = (options: string): string => `token_controls: [{name: answer-forcing, ${options}}]`;
/** Of a policy that writes any letter: it repeats one of them soon, and is made to write `z`. */
const QUICK = line('forced_text: z, length: 1, times: 2');

function forced(options: string, text: string, tokens: readonly number[] = [1]) {
  const [{ part }] = createMethods(stageOf(line(options))).tokenControls;
  const seen: PartialCompletion = {
    text: () => text,
    tokensOf: (written) => Int32Array.from(written, (letter) => letter.charCodeAt(0)),
    verdict: () => ({ score: 0, status: 'incorrect', reason: '' }),
  };
  return part.after?.(Int32Array.from(tokens), groupOf([]).item, seen);
}

describe('answer-forcing', () => {
  it('puts its text behind tokens that repeat, once', () => {
    const options = 'forced_text: "AB", length: 2, times: 2';
    expect(forced(options, 'x', [9, 1, 2, 1, 2])).toEqual([65, 66]);
    expect(forced(options, 'x', [9, 1, 2, 2, 1])).toBeUndefined();
    expect(forced(options, 'x', [1, 2, 1])).toBeUndefined();
    expect(forced(options, 'xABx', [1, 2, 1, 2])).toBeUndefined(); // it answers already
  });

  it('or behind answers that are the same, once each of them is written to its end', () => {
    const options = (count: number): string => `forced_text: "!", answer_mark: "Answer:", same_answers: ${count}`;
    expect(forced(options(2), 'Answer: 12 or, wait. Answer: 12 ')).toEqual([33]);
    expect(forced(options(2), 'Answer: 12 or, wait. Answer: 12')).toBeUndefined();
    expect(forced(options(2), 'Answer: 12 or, wait. Answer: 13 ')).toBeUndefined();
    expect(forced(options(2), 'Answer: 12 no Answer: 13 no Answer: 13 ')).toEqual([33]);
    expect(forced(options(3), 'Answer: 1 Answer: 1 ')).toBeUndefined();
    expect(forced('forced_text: "!"', 'Answer: 12 Answer: 12 ')).toBeUndefined();
  });

  it('is plain sampling to the bit where nothing repeats', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: watched } = await wholeAndKilled(line('forced_text: z, length: 99'));
    expect(watched.sha256).toBe(plain.sha256);
    expect(watched.metrics).toEqual(plain.metrics.map((step) => ({ ...step, 'answer-forcing/acted': 0 })));
  });

  it('trains on what it did not put in, on-policy to the bit, and counts no token that it did', async () => {
    await withTossedRun(QUICK, async (run) => {
      const before = run.journal.state.tokens;
      const { groups } = await collect(run);
      const rollouts = groups.flatMap((group) => group.rollouts);
      const made = rollouts.filter(({ labels }) => labels?.includes(TOKEN.given));
      expect(made.length).toBeGreaterThan(2);
      for (const { tokens, labels = new Uint8Array(), text } of made) {
        const at = labels.indexOf(TOKEN.given);
        expect(tokens[at - 1]).toBe(tokens[at - 2]);
        expect(text[at]).toBe('z');
        expect(labels.filter((label) => label === TOKEN.given)).toHaveLength(1);
      }
      const written = rollouts.reduce((sum, { tokens }) => sum + tokens.length, 0);
      expect(run.journal.state.tokens - before).toBe(written - made.length);
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
    });
  });

  it('logs how many completions it has made to answer, over all rounds of sampling', async () => {
    await withTossedRun(`${QUICK}\ndynamic_sampling: refill`, async (run) => {
      const { metrics, batches } = await goOn(run, 1);
      const rollouts = batches.flatMap(({ groups }) => groups.flatMap((group) => group.rollouts));
      const made = rollouts.filter(({ labels }) => labels?.includes(TOKEN.given));
      expect(metrics[0]['answer-forcing/acted']).toBeCloseTo(made.length / rollouts.length, 12);
    });
  });

  it('is refused before step 1 where the vocabulary has not what it writes', async () => {
    await expect(withTossedRun('token_controls: [answer-forcing]', goOn)).rejects.toThrow(
      /^answer-forcing: writes "<answer>", which the vocabulary of reverse_text cannot; give a text of its own/,
    );
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${QUICK}\ndynamic_sampling: refill\nnum_iterations: 2`);
    expect(killed).toEqual(whole);
  });
});
