/** What calls of tools are paid for, by hand. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { Rollout, Turn } from '../../../../../src/methods/records.ts';
import { reinforced } from '../../../../../test/grpo/step_parts.ts';
import { type Action, episodeOf, paidIn, stepped, through } from '../../support/played_rollouts.ts';
import { type Player, playedBy } from '../../support/players.ts';

const at = (made: number, open: number) => ({ calls: { made, open } });
const said = (texts: readonly string[], actions: readonly Action[]): Action[] =>
  actions.map((action, k) => ({ text: texts[k], ...action }));

describe('tool-score', () => {
  const TOOL_SCORE = 'group_steps: [tool-score]';
  /** What a turn of calls is paid. */
  const called = (calls: number, solved: number): number | undefined => {
    const turn = said(['<call>'], through(at(0, 4), at(calls, 4 - solved)));
    return paidIn(stepped([episodeOf(0, turn)], TOOL_SCORE).rollouts[0])[0];
  };

  it.each([
    [1, 1, 1],
    [2, 1, 2 / 3],
    [2, 2, 4 / 3],
    [3, 3, 1.5],
    [4, 1, 0.4],
    [2, 0, 0],
  ])('pays a turn of %i calls that find out %i facts %f', (calls, solved, due) => {
    expect(called(calls, solved)).toBeCloseTo(due, 12);
  });

  it.each([
    ['right, with everything known', 1, 0, 1],
    ['right, with two facts unknown', 1, 2, 1 / 3],
    ['wrong, with everything known', 0, 0, 0.5],
    ['wrong, with a fact unknown', 0, 1, 0],
  ])('pays an answer that is %s', (_, score, open, due) => {
    const episode = { ...episodeOf(score, said(['7'], through(at(3, open), at(3, open)))) };
    const judged = { ...episode, verdict: { ...episode.verdict, score } };
    expect(paidIn(stepped([judged], TOOL_SCORE).rollouts[0])[0]).toBeCloseTo(due, 12);
  });

  it('charges an empty turn and one that breaks the rules, and adds to what turns were paid', () => {
    const actions = said(['<call>', '  ', '<call>', '7'], through(at(0, 1), at(1, 1), at(1, 1), at(2, 0), at(2, 0)));
    const [broken, empty, good, last] = actions;
    const own = [{ ...broken, illegal: true } as const, empty, { ...good, reward: 0.25 }, last];
    const { rollouts, logged } = stepped([episodeOf(0, own)], 'group_steps: [{name: tool-score, coef: 2}]');
    expect(paidIn(rollouts[0])).toEqual([-0.6, -1, 2.25, 1]);
    expect(logged['tool-score/score']).toBeCloseTo((-0.3 - 0.5 + 1 + 0.5) / 4, 12);
    expect(rollouts[0].reward).toBe(0);
  });

  it('leaves alone episodes of whose calls nothing is known', () => {
    const { rollouts, logged } = stepped([episodeOf(1, through({}, {}))], TOOL_SCORE);
    expect([paidIn(rollouts[0]), logged]).toEqual([[undefined], {}]);
  });
});

/** An episode of a turn of calls and an answer. */
function episode(score: number, calls: number, { open = 2, solved = 0 } = {}): Rollout {
  const states = [at(0, open), at(calls, open - solved), at(calls, open - solved)];
  const made = episodeOf(score, said(['<call>', '7'], through(...states)));
  return { ...made, verdict: { ...made.verdict, score } };
}
const rewardsOf = (rollouts: readonly Rollout[]) => rollouts.map(({ reward }) => reward);

describe('tool-f1', () => {
  it('is the harmonic mean of the share that was found out and the share of calls that found something', () => {
    const episodes = [
      episode(0, 2, { open: 2, solved: 2 }), // P = C = 1
      episode(1, 4, { open: 2, solved: 2 }), // P = 1/2, C = 1
      episode(1, 2, { open: 4, solved: 1 }), // P = 1/2, C = 1/4
      episode(1, 0, { open: 2 }),
      episode(1, 0, { open: 0 }),
      episode(1, 1, { open: 0 }),
    ];
    const { rollouts, logged } = stepped(episodes, 'group_steps: [{name: tool-f1, coef: 3}]');
    const due = [0 + 3, 1 + 2, 1 + 1, 1, 1 + 3, 1];
    rewardsOf(rollouts).forEach((reward, i) => expect(reward).toBeCloseTo(due[i], 12));
    expect(logged['tool-f1/f1']).toBeCloseTo(3 / 6, 12);
  });

  it('changes the reward that it names, and none that does not apply', () => {
    const lines = ['reward_funcs: [accuracy, {name: lcs, weight: 2}]', 'group_steps: [{name: tool-f1, reward: lcs}]'];
    const known = { ...episode(1, 4, { open: 2, solved: 2 }), rewardParts: [1, 0.5], reward: 2 };
    const { rollouts } = stepped([known, { ...known, rewardParts: [1, null] }], ...lines);
    expect(rollouts[0].reward).toBeCloseTo(1 + 2 * (0.5 + 2 / 3), 12);
    expect(rollouts[1].reward).toBe(2);
  });
});

describe('tool-gain', () => {
  it('pays members with calls the accuracy that calls bring their group, less their cost', () => {
    const group = [episode(1, 1), episode(1, 3), episode(0, 1), episode(1, 0), episode(0, 0)];
    const { rollouts, logged } = stepped(group, 'group_steps: [{name: tool-gain, gain: 2, call_cost: 0.1}]');
    const gain = 2 / 3 - 1 / 2;
    const due = [1 + 2 * gain - 0.1, 1 + 2 * gain - 0.3, 2 * gain - 0.1, 1, 0];
    rewardsOf(rollouts).forEach((reward, i) => expect(reward).toBeCloseTo(due[i], 12));
    expect(logged['tool-gain/gain']).toBeCloseTo(gain, 12);
  });

  it('charges the calls alone where all of a group made some, and nothing where none did', () => {
    const all = stepped([episode(1, 1), episode(0, 2)], 'group_steps: [tool-gain]');
    expect(rewardsOf(all.rollouts)).toEqual([0.95, -0.1]);
    const none = stepped([episode(1, 0), episode(0, 0)], 'group_steps: [tool-gain]');
    expect(rewardsOf(none.rollouts)).toEqual([1, 0]);
    expect([all.logged, none.logged]).toEqual([{}, {}]);
  });
});

describe('calls that an environment knows of', () => {
  /** Asks for one fact after the other as `ways` has them, and answers. */
  const asking =
    (...actions: readonly string[]): Player =>
    (rollout, turn) =>
      actions[turn] ?? String(rngFor(`${rollout}`).int(10, 99));

  it('of calculator: a call that gives the sum is what an expert would make, another one is not', async () => {
    const task = { name: 'calculator', numbers: 2, digits: 1, calls: 3 };
    const run = await reinforced({ task, group_steps: ['tool-score'], advantage_estimator: 'turn-return' });
    const { groups } = await playedBy(asking('<call>calc 1+0</call>', '<call>calc (</call>'), run);
    for (const { turns = [] } of groups.flatMap(({ rollouts }) => rollouts)) {
      const own = turns.filter(({ label }) => label === 'policy');
      expect(own.map(({ after }) => after?.calls)).toEqual([
        { made: 1, open: 1 },
        { made: 2, open: 1 },
        { made: 2, open: 1 },
      ]);
      expect(own.map(({ reward }: Turn) => reward)).toEqual([0, -0.3, 0]);
    }
  });

  it('of lookup: an expert closes what is open, a call at a time, and is then right', async () => {
    const run = await reinforced({ task: { name: 'lookup', people: 5, hops: 2 }, group_steps: ['tool-f1'] });
    const [{ task }] = run.engine.tasks.shares;
    expect(task.environment?.knows).toContain('calls');
    const item = run.engine.tasks.trainItem(0, 0);
    const { environment } = run.engine.tasks;
    const open: (number | undefined)[] = [];
    for (let at = environment.start(item, 's'); ; ) {
      const action = environment.act('expert', item, at, 's');
      const step = environment.step(item, at, action, 's', { finishReason: 'eos', wantsStates: true });
      open.push(step.before?.calls?.open);
      if (step.verdict !== undefined) break;
      at = step.next;
    }
    expect(open).toEqual([3, 2, 1, 0]);
  });

  it.each(['tool-score', 'tool-f1', 'tool-gain'])('%s is refused where no tools are called', async (name) => {
    await expect(reinforced({ group_steps: [name], task: { name: 'guess_number' } })).rejects.toThrow(
      `${name}: reads which calls of tools are made and which are open, and guess_number does not say; use calculator`,
    );
  });
});
