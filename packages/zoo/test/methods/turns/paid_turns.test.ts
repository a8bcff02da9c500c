/** What turns and episodes are paid for the states that they lead to, by hand. */
import { describe, expect, it } from 'vitest';
import type { ComparedState } from '../../../../../src/data/environment.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { reinforced } from '../../../../../test/grpo/step_parts.ts';
import { rolloutOf } from '../../../../../test/support/rollouts.ts';
import { episodeOf, paidIn, stepped, through } from '../../support/played_rollouts.ts';
import { type Player, playedBy } from '../../support/players.ts';

/** Any of these actions. */
const anyOf =
  (...actions: readonly string[]): Player =>
  (rollout, turn) =>
    rngFor(`player|${rollout}|${turn}`).pick(actions);

describe('milestones', () => {
  const [no, yes] = [false, true];
  const at = (...milestones: boolean[]) => ({ milestones });
  const steps = 'group_steps: [{name: milestones, coef: 2}]';

  it('pays each once, to the turn that is the first to reach it; all that were open are worth coef', () => {
    const whole = through(at(yes, no, no, no), at(yes, yes, no, no), at(no, yes, no, no), at(yes, yes, yes, yes));
    const lost = through(at(no, no), at(yes, no), at(no, no), at(yes, no));
    const { rollouts, logged } = stepped([episodeOf(1, whole), episodeOf(0, lost)], steps);
    expect(paidIn(rollouts[0])).toEqual([2 / 3, 0, 4 / 3]);
    expect(paidIn(rollouts[1])).toEqual([1, 0, 0]);
    expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(logged['milestones/reached']).toBeCloseTo(0.75, 12);
  });

  it('adds to what turns were paid, and leaves alone episodes of which no milestone is known', () => {
    const paid = through(at(no), at(yes)).map((action) => ({ ...action, reward: 0.25 }));
    const { rollouts } = stepped([episodeOf(1, paid), episodeOf(1, through({}, {})), rolloutOf(3, 1)], steps);
    expect(rollouts.map(paidIn)).toEqual([[2.25], [undefined], []]);
  });

  it('of form_state are the fields: what an episode is paid is the share that it ever set right', async () => {
    const run = await reinforced({
      task: { name: 'form_state', fields: 3, values: 3, changes: 2 },
      group_steps: ['milestones'],
      advantage_estimator: 'turn-return',
    });
    const { groups } = await playedBy(anyOf('a0', 'a1', 'b0', 'b2', 'c1', 'c0', '?'), run);
    let some = 0;
    for (const { turns = [] } of groups.flatMap(({ rollouts }) => rollouts)) {
      const own = turns.filter(({ label }) => label === 'policy');
      const start = own[0].before?.milestones ?? [];
      const ever = start.filter((was, m) => !was && own.some(({ after }) => after?.milestones?.[m]));
      const sum = own.reduce((total, { reward = 0 }) => total + reward, 0);
      expect(sum).toBeCloseTo(ever.length / 2, 12);
      some += ever.length;
    }
    expect(some).toBeGreaterThan(0);
  });
});

describe('turn-rubric', () => {
  const criteria = '[{id: plan, weight: 3, check: {contains: plan}}, {id: brief, weight: 1, check: {most_words: 2}}]';
  const episode = episodeOf(1, [{ text: 'plan a' }, { text: 'go on then' }, { text: 'stop', reward: 0.5 }]);

  it('pays each turn by what it meets, or the mean of all to the last', () => {
    const step = (more: string) => `group_steps: [{name: turn-rubric, coef: 2, criteria: ${criteria}${more}}]`;
    expect(paidIn(stepped([episode], step('')).rollouts[0])).toEqual([2, 0, 1]);
    const { rollouts, logged } = stepped([episode], step(', assign: last'));
    expect(paidIn(rollouts[0])).toEqual([0, 0, 0.5 + (2 * (1 + 0 + 0.25)) / 3]);
    expect(logged['turn-rubric/met']).toBeCloseTo(1.25 / 3, 12);
  });
});

describe('distance-delta', () => {
  const at = (distance?: number) => ({ distance });

  it('pays a turn that leads nearer and charges one that leads away; nowhere is the farthest', () => {
    const actions = through(at(3), at(2), at(2), at(4), at(1), at(undefined));
    const { rollouts, logged } = stepped(
      [episodeOf(0, actions)],
      'group_steps: [{name: distance-delta, coef: 0.5, away: 0.25}]',
    );
    expect(paidIn(rollouts[0])).toEqual([0.5, 0, -0.25, 0.5, -0.25]);
    expect(logged['distance-delta/nearer']).toBeCloseTo(2 / 5, 12);
  });

  it('pays nothing for going to and fro as it is, and leaves alone what has no distance', () => {
    const toAndFro = episodeOf(0, through(at(3), at(2), at(3), at(2), at(3)));
    const { rollouts } = stepped([toAndFro, episodeOf(0, through({}, {}))], 'group_steps: [distance-delta]');
    expect(paidIn(rollouts[0]).reduce<number>((sum, paid = 0) => sum + paid, 0)).toBeCloseTo(0, 12);
    expect(paidIn(rollouts[1])).toEqual([undefined]);
  });

  it.each([
    ['fsm_site', { name: 'fsm_site', pages: 6, turns: 4 }, anyOf('a', 'b', 'c', 'd', 'e', 'f')],
    ['frozen_lake', { name: 'frozen_lake', size: 3 }, anyOf('U', 'D', 'L', 'R')],
  ])('of %s: a turn is paid for the side to which its distance goes, and won is 0 away', async (_, task, player) => {
    const run = await reinforced({
      task,
      group_steps: [{ name: 'distance-delta', coef: 1, away: 1 }],
      advantage_estimator: 'turn-return',
      num_generations: 32,
      generation_batch_size: 96,
    });
    const { groups } = await playedBy(player, run);
    const played = groups.flatMap(({ rollouts }) => rollouts);
    expect(played.some(({ verdict }) => verdict.score === 1)).toBe(true);
    for (const { turns = [], verdict } of played) {
      const own = turns.filter(({ label }) => label === 'policy');
      for (const { before, after, reward } of own) {
        const [from, to] = [before?.distance ?? 1e9, after?.distance ?? 1e9];
        expect(reward).toBe(Math.sign(from - to));
      }
      if (verdict.score === 1) expect(own.at(-1)?.after?.distance).toBe(0);
    }
    expect(played.some(({ turns = [] }) => turns.some(({ reward = 0 }) => reward > 0))).toBe(true);
  });
});

describe('state-match', () => {
  const compared = (cells: string, goal = '3333'): { compared: ComparedState } => ({
    compared: { cells: cells.split(''), goal: goal.split('') },
  });
  const paid = (form: string, ...cells: string[]) => {
    const episode = episodeOf(0, through(...cells.map((text) => compared(text))));
    const { rollouts } = stepped([episode], `group_steps: [{name: state-match, form: ${form}}]`);
    return rollouts[0].reward;
  };

  it('is 1 of the state that wins, in every form, and exact is 0 of any other', () => {
    for (const form of ['exact', 'dense', 'cells']) expect(paid(form, '0033', '3333')).toBe(1);
    expect(paid('exact', '0033', '3033')).toBe(0);
  });

  it('dense is the share of the difference that is gone, and never below 0', () => {
    expect(paid('dense', '0033', '3033')).toBe(0.5);
    expect(paid('dense', '0033', '3030')).toBe(0); // one mended, one broken
    expect(paid('dense', '0033', '0000')).toBe(0);
    expect(paid('dense', '3333', '3330')).toBe(0); // nothing was to be done
  });

  it('of cells counts those that should change and those that did', () => {
    expect(paid('cells', '0033', '3033')).toBe(1 / 2);
    expect(paid('cells', '0033', '3030')).toBe(1 / 3);
    expect(paid('cells', '0033', '1033')).toBe(0);
  });

  it('is 0 where an action broke the rules, unless those are paid too, and the verdict stays', () => {
    const [first, last] = through(compared('0033'), compared('0033'), compared('3333'));
    const broken = episodeOf(0, [{ ...first, illegal: true }, last]);
    const { rollouts } = stepped([broken], 'group_steps: [state-match]');
    expect(rollouts[0].reward).toBe(0);
    const lenient = stepped([broken], 'group_steps: [{name: state-match, illegal: true}]').rollouts;
    expect(lenient[0].reward).toBe(1);
    expect(lenient[0].verdict).toBe(broken.verdict);
  });

  it('changes one reward of several, and leaves what has no states', () => {
    const episode = { ...episodeOf(0.5, through(compared('0033'), compared('3033'))), rewardParts: [0, 1] };
    const lines = [
      'group_steps: [{name: state-match, reward: accuracy}]',
      'reward_funcs: [accuracy, {name: format, weight: 0.5}]',
    ];
    const [own, plain] = stepped([episode, rolloutOf(2, 1)], ...lines).rollouts;
    expect(own.rewardParts).toEqual([0.5, 1]);
    expect(own.reward).toBe(1);
    expect(plain.reward).toBe(1);
  });
});

describe('what pays turns', () => {
  it.each([
    ['milestones', 'fsm_site', 'reads which milestones a state has reached, and fsm_site does not say; use form_state'],
    ['distance-delta', 'form_state', 'reads how many actions a state is from won, and form_state does not say'],
    ['state-match', 'frozen_lake', 'reads how a state differs from the one that wins, and frozen_lake does not say'],
    ['milestones', 'reverse_text', 'tells the turns of an episode apart, and reverse_text is answered in one'],
  ])('%s is refused to %s, with the reason', async (step, task, rule) => {
    await expect(reinforced({ task, group_steps: [step] })).rejects.toThrow(`${step}: ${rule}`);
  });
});
