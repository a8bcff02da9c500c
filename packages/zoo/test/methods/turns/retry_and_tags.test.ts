/** What is paid for being right at once, for what turns say that they are, and for what a guard denies: by hand. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { credit, reinforced } from '../../../../../test/grpo/step_parts.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { estimatorOf, expectAll } from '../../support/advantages.ts';
import { type Action, episodeOf, paidIn, stepped, through } from '../../support/played_rollouts.ts';
import { playedBy } from '../../support/players.ts';

/** An episode of actions that do nothing, won or not. */
function ended(score: 0 | 1, turns: number): Rollout {
  const episode = episodeOf(score, new Array<Action>(turns).fill({}));
  return { ...episode, verdict: { ...episode.verdict, score } };
}

describe('feedback-retry', () => {
  const steps = 'group_steps: [{name: feedback-retry, retry_discount: 0.5}]';

  it('pays a won episode the less the more turns it took, and a lost one what it was paid', () => {
    const { rollouts, logged } = stepped([ended(1, 1), ended(1, 2), ended(1, 4), ended(0, 4)], steps);
    expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0.5, 0.125, 0]);
    expect(logged['feedback-retry/at_once']).toBe(0.25);
    expect(logged['feedback-retry/after_feedback']).toBeCloseTo(2 / 3, 12);
  });

  it('keeps the verdict, and what a lost episode was paid in part', () => {
    const partly = { ...ended(0, 3), reward: 0.4, rewardParts: [0.4] };
    const { rollouts } = stepped([partly, ended(1, 2)], steps);
    expect(rollouts[0].reward).toBe(0.4);
    expect(rollouts[1].verdict.score).toBe(1);
  });

  it('over whole conversations: the group compares them, and what was answered has no advantage', async () => {
    const run = await reinforced({
      task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 },
      group_steps: [{ name: 'feedback-retry', retry_discount: 0.5 }],
      num_generations: 8,
      generation_batch_size: 24,
    });
    const guess = (rollout: number, turn: number): string => String(rngFor(`guess|${rollout}|${turn}`).int(0, 9));
    const { groups } = await playedBy(guess, run);
    const played = groups.flatMap(({ rollouts }) => rollouts);
    expect(new Set(played.map(({ reward }) => reward)).size).toBeGreaterThan(2);
    for (const { turns = [], verdict, reward } of played) {
      const own = turns.filter(({ label }) => label === 'policy').length;
      expect(reward).toBe(verdict.score === 1 ? 0.5 ** (own - 1) : 0);
    }
    for (const { rollouts, advantages } of await credit(run, groups)) {
      const mean = rollouts.reduce((sum, { reward }) => sum + (reward ?? 0), 0) / rollouts.length;
      rollouts.forEach(({ reward }, i) => {
        expect(Math.sign(advantages[i])).toBe(Math.sign(Math.fround((reward ?? 0) - mean)));
      });
    }
  });
});

it('feedback-retry of a task that is asked again pays each attempt the half of the one before', async () => {
  const run = await reinforced({
    task: { name: 'retry', of: { task: 'countdown', level: 0 }, attempts: 3 },
    group_steps: [{ name: 'feedback-retry', retry_discount: 0.5 }],
  });
  // Member 0 of a group is right at once, the next ones an attempt later each, and the last one never.
  const { groups } = await playedBy((rollout, turn, { answer }) => (turn >= rollout % 4 ? answer : '1'), run);
  for (const { rollouts } of groups) expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0.5, 0.25, 0]);
});

describe('tag-advantage', () => {
  it('adds the score of the outcome and that of a turn among those of its tag', () => {
    const group = groupOf([
      episodeOf(1, [
        { text: '<plan>a', reward: 1 },
        { text: 'b', reward: 0.5 },
      ]),
      episodeOf(0, [
        { text: '<plan>c', reward: 0 },
        { text: 'd', reward: 0 },
        { text: 'e', reward: 1 },
      ]),
    ]);
    const [values] = estimatorOf('{name: tag-advantage, alpha: 0.25}').byToken([group]);
    // Outcomes 1 and 0, and plans 1 and 0: ±0.5 by a deviation of √½. Others 0.5, 0 and 1: 0 and ∓0.5 by a deviation of 0.5.
    const half = 0.5 / (Math.SQRT1_2 + 1e-4);
    const other = 0.5 / (0.5 + 1e-4);
    const [first, second] = [0.25 * half + 0.75 * half, 0.25 * half];
    expectAll(values[0], [first, first, 0, second, second]);
    const lost = [-0.25 * half - 0.75 * other, -0.25 * half + 0.75 * other];
    expectAll(values[1], [-first, -first, 0, lost[0], lost[0], 0, lost[1], lost[1]]);
  });

  it('of alpha 1 is the group’s own estimator, and of alpha 0 knows no outcome', () => {
    const rewards = [1, 0, 0, 0.5];
    expectAll(
      estimatorOf('{name: tag-advantage, alpha: 1}').ofRewards(rewards)[0],
      estimatorOf('group').ofRewards(rewards)[0],
    );
    const { part } = estimatorOf('{name: tag-advantage, alpha: 0}');
    expect(part.isDead?.(groupOf([ended(1, 2), ended(0, 2)]))).toBe(true);
    expect(part.isDead?.(groupOf([episodeOf(0, [{ reward: 1 }]), episodeOf(0, [{ reward: 0 }])]))).toBe(false);
  });

  it('a tag whose turns are paid alike adds nothing, however much that is; a null reward counts for nothing', () => {
    const paid = [{ text: '!', reward: 9 }, { reward: 0 }];
    const group = groupOf([episodeOf(1, paid), episodeOf(0, paid), episodeOf(null, [{ text: '!', reward: 100 }])]);
    const [values] = estimatorOf('{name: tag-advantage, alpha: 0.5, tags: ["!"]}').byToken([group]);
    const outcome = (0.5 * 0.5) / (Math.SQRT1_2 + 1e-4);
    expectAll(values[0], [outcome, outcome, 0, outcome, outcome]);
    expectAll(values[2], [0, 0]);
  });
});

describe('tag-rules', () => {
  const at = (key: string) => ({ key });
  const paid = (episode: Rollout, options = ''): (number | undefined)[] =>
    paidIn(stepped([episode], `group_steps: [{name: tag-rules, coef: 1${options}}]`).rollouts[0]);
  const tagged = (texts: readonly string[], ...keys: readonly string[]): Action[] =>
    through(...keys.map(at)).map((action, k) => ({ ...action, text: texts[k] }));

  it('pays a plan if the episode is won', () => {
    const actions = tagged(['<plan>a', 'b'], '0', '1', '2');
    const won = episodeOf(1, actions);
    expect(paid({ ...won, verdict: { ...won.verdict, score: 1 } })).toEqual([1, 0]);
    expect(paid({ ...won, verdict: { ...won.verdict, score: 0 } })).toEqual([0, 0]);
  });

  it('pays a look around that leads to a state that was not there before', () => {
    const actions = tagged(['<explore>a', '<explore>b', '<explore>c', '<explore>d'], '0', '1', '0', '2', '1');
    expect(paid(episodeOf(0, actions))).toEqual([1, 0, 1, 0]);
  });

  it('pays a look back that works after what did not, and charges a turn without a mark', () => {
    const [a, b, c, d] = tagged(['a', '<reflect>b', '<reflect>c', '<reflect>d'], '0', '0', '1', '2', '2');
    const illegal = { ...c, illegal: true } as const;
    expect(paid(episodeOf(0, [a, b, c, d]), ', untagged: 0.25')).toEqual([-0.25, 1, 0, 0]);
    expect(paid(episodeOf(0, [a, b, illegal, d]))).toEqual([0, 1, 0, 0]);
  });
});

describe('action-guard', () => {
  it('does not take what is denied, tells why, and charges the turn', async () => {
    const run = await reinforced({
      task: { name: 'frozen_lake', size: 3 },
      group_steps: [{ name: 'action-guard', coef: 0.25 }],
      advantage_estimator: 'turn-return',
      num_generations: 16,
      generation_batch_size: 96,
    });
    const walk = (rollout: number, turn: number): string =>
      rngFor(`walk|${rollout}|${turn}`).pick(['U', 'D', 'L', 'R']);
    const { groups } = await playedBy(walk, run);
    let denied = 0;
    for (const { turns = [], verdict } of groups.flatMap(({ rollouts }) => rollouts)) {
      expect(verdict.reason).not.toBe('fell into a hole');
      turns.forEach((turn, at) => {
        if (turn.label !== 'policy') return;
        expect(turn.reward ?? 0).toBe(turn.denied ? -0.25 : 0);
        if (!turn.denied) return;
        denied++;
        expect(turn.after).toEqual(turn.before);
        if (at + 1 < turns.length) expect(turns[at + 1].text).toBe('\n#\n');
      });
    }
    expect(denied).toBeGreaterThan(0);
  });

  it('without it the same walk falls into holes', async () => {
    const run = await reinforced({
      task: { name: 'frozen_lake', size: 3 },
      num_generations: 16,
      generation_batch_size: 96,
    });
    const { groups } = await playedBy(
      (rollout, turn) => rngFor(`walk|${rollout}|${turn}`).pick(['U', 'D', 'L', 'R']),
      run,
    );
    const reasons = groups.flatMap(({ rollouts }) => rollouts.map(({ verdict }) => verdict.reason));
    expect(reasons).toContain('fell into a hole');
  });

  it('is refused to an environment without a guard', async () => {
    await expect(reinforced({ task: 'fsm_site', group_steps: ['action-guard'] })).rejects.toThrow(
      'action-guard: reads which actions should not be taken, and fsm_site does not say',
    );
  });
});

it('what has no turns is left as it is', () => {
  for (const step of ['feedback-retry', 'tag-rules', 'action-guard', 'milestones', 'distance-delta']) {
    const plain = rolloutOf(3, 1);
    expect(stepped([plain], `group_steps: [${step}]`).rollouts[0]).toEqual(plain);
  }
});
