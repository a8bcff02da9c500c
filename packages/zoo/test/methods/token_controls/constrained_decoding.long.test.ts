/** Which texts a pattern allows, that a policy under it writes no other, and that it is trained as it was sampled. */
import { describe, expect, it } from 'vitest';
import { collect, credit, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, longRun, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { markedAutomaton, patternAutomaton } from '../../../methods/support/patterns/text_pattern.ts';

const line = (options: string): string => `token_controls: [{name: constrained-decoding, ${options}}]`;
const PATTERN = '[ab]{1,2}c?|d+';
const language = new RegExp(`^(?:${PATTERN})$`);

/** Whether a text is one, and whether one begins so. */
function told(pattern: string, text: string): readonly [isOne: boolean, begins: boolean] {
  const automaton = patternAutomaton(pattern);
  const state = automaton.after(automaton.begin, text);
  return [state >= 0 && automaton.ends(state), state >= 0];
}

describe('a pattern', () => {
  const patterns = [
    'a|bc',
    '(ab)*',
    'a+b?',
    'x{2,3}',
    'x{2,}',
    '[^a-c]d',
    '\\d+\\.\\d',
    '.?z',
    '(?:a|b)+c',
    '[\\w-]+',
    'a||b',
  ];
  const texts = [
    '',
    'a',
    'ab',
    'abab',
    'bc',
    'b',
    'x',
    'xx',
    'xxxx',
    'dd',
    'ad',
    '1.5',
    '12.',
    'z',
    '-z',
    'abbc',
    'w-o',
  ];
  it.each(patterns)('%s is that of JavaScript', (pattern) => {
    const known = new RegExp(`^(?:${pattern})$`, 'su');
    for (const text of texts) expect([text, told(pattern, text)[0]]).toEqual([text, known.test(text)]);
  });

  it('knows what a text may still become', () => {
    expect(told('ab{2}', 'ab')).toEqual([false, true]);
    expect(told('ab{2}', 'abb')).toEqual([true, true]);
    expect(told('ab{2}', 'ac')).toEqual([false, false]);
  });

  it.each([
    ['(a', 'a bracket that nothing closes at character 3'],
    ['a)', 'a bracket that nothing opens at character 2'],
    ['*a', 'a * that stands for nothing; write \\* for the sign, at character 2'],
    ['[b-a]', 'a range that ends before it begins at character 5'],
    ['a{3,2}', '{3,2} times'],
  ])('%s is refused in words', (pattern, words) => {
    expect(() => patternAutomaton(pattern)).toThrow(words);
    expect(() => stageOf(line(`pattern: "${pattern.replaceAll('\\', '\\\\')}"`))).toThrow('pattern');
  });

  it('holds behind the first place of a mark, and before it everything is free', () => {
    const automaton = markedAutomaton('aab', patternAutomaton('[0-9]+'));
    const ends = (text: string): boolean | undefined => {
      const state = automaton.after(automaton.begin, text);
      return state < 0 ? undefined : automaton.ends(state);
    };
    expect([ends('xyaa'), ends('aaab'), ends('aaab1'), ends('aabx'), ends('aab1aab')]).toEqual([
      true,
      false,
      true,
      undefined,
      undefined,
    ]);
  });
});

describe('constrained-decoding', () => {
  it('lets the policy write only texts of the pattern, and ends none before it is one', async () => {
    await withTossedRun(line(`pattern: "${PATTERN}"`), async (run) => {
      const rollouts = (await collect(run)).groups.flatMap((group) => group.rollouts);
      const ended = rollouts.filter(({ finishReason }) => finishReason === 'eos');
      expect(ended.length).toBeGreaterThan(4);
      for (const { text } of ended) expect(text).toMatch(language);
      for (const { text } of rollouts) expect(told(PATTERN, text)[1]).toBe(true);
    });
  });

  it('is on-policy to the bit under its mask, and keeps it at further steps and under the reference', async () => {
    const lines = `${line(`pattern: "${PATTERN}"`)}\nnum_iterations: 2\nbeta: 0.1`;
    await withTossedRun(lines, async (run) => {
      const { metrics } = await goOn(run, 2);
      expect(metrics[0]['sampling/sampling_logp_difference/max']).toBe(0);
      expect(metrics[0].kl).toBe(0); // the reference is the policy that it began with, under the same mask
      expect(metrics[1].kl).toBeGreaterThan(0);
    });
  });

  it('agrees with the scorer over ten thousand tokens', async () => {
    await withTossedRun(
      '',
      async (run) => {
        const { groups } = await collect(run);
        const rollouts = groups.flatMap((group) => group.rollouts);
        expect(rollouts.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeGreaterThan(10_000);
        const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
        expect(totals.logprobDifferenceMax).toBe(0);
      },
      { yaml: longRun(line('pattern: "([a-m][n-z]?)+"')) },
    );
  });

  it('is plain sampling to the bit where all may come', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: free } = await wholeAndKilled(line('pattern: "x*", constrained_after: zzzzzzzz'));
    expect(free.sha256).toBe(plain.sha256);
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(
      `${line(`pattern: "${PATTERN}"`)}\ndynamic_sampling: refill\nnum_iterations: 2\nbeta: 0.05`,
    );
    expect(killed).toEqual(whole);
  });

  it('never leads to where no text of the pattern can be written, and is refused where none can at all', async () => {
    // The vocabulary has no digits: after q there would be no way on.
    await withTossedRun(line('pattern: "(a|q[0-9])b*"'), async (run) => {
      for (const { text } of (await collect(run)).groups.flatMap((group) => group.rollouts))
        expect(text).toMatch(/^a?b*$/);
    });
    const opened = withTossedRun(line('pattern: "[0-9]+"'), async () => undefined);
    await expect(opened).rejects.toThrow('allows only texts that the vocabulary of reverse_text cannot write');
  });

  it('is refused beside what reads whole distributions', () => {
    const stage = `${line('pattern: a')}\nloss_terms: [{name: kl-exact, kl_exact_coef: 0.1}]`;
    expect(() => createMethods(stageOf(stage))).toThrow('kl-exact reads the whole distribution');
  });
});

describe('truncated-support-logprob', () => {
  const lines = 'token_controls: [truncated-support-logprob]\ntop_k: 4\ntop_p: 0.9';

  it('is on-policy to the bit among what was kept, and needs no weights for it', async () => {
    await withTossedRun(`${lines}\nnum_iterations: 2`, async (run) => {
      const { metrics } = await goOn(run, 2);
      expect(metrics[0]['sampling/sampling_logp_difference/max']).toBe(0);
    });
  });

  it('samples the very tokens that top_k and top_p leave', async () => {
    await withTossedRun(lines, async (run) => {
      for (const { support = new Uint8Array(), tokens, keptLogMass } of (await collect(run)).groups.flatMap(
        (group) => group.rollouts,
      )) {
        const width = support.length / tokens.length;
        for (const t of tokens.keys()) {
          const bits = support
            .subarray(t * width, (t + 1) * width)
            .reduce((n, byte) => n + byte.toString(2).replaceAll('0', '').length, 0);
          expect(bits).toBeGreaterThan(0);
          expect(bits).toBeLessThanOrEqual(4);
        }
        expect(keptLogMass.every((mass) => mass === 0)).toBe(true);
      }
    });
  });

  it('is plain sampling where nothing is left out', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: free } = await wholeAndKilled('token_controls: [truncated-support-logprob]');
    expect(free.sha256).toBe(plain.sha256);
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${lines}\nnum_iterations: 2`);
    expect(killed).toEqual(whole);
  });
});
