/** Figures of sampled episodes, by hand: in which turn they are won, and how they are played. */
import { describe, expect, it } from 'vitest';
import type { ProblemRecord } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { turnsOf } from '../../../../../src/methods/support/rollouts/turns.ts';
import { evaluateNow, reinforced } from '../../../../../test/grpo/step_parts.ts';
import { createFigures } from '../../../../../test/support/everything.ts';
import { rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { type Action, episodeOf, through } from '../../support/played_rollouts.ts';

const played = (score: 0 | 1, turns: number): Rollout => {
  const episode = episodeOf(score, new Array<Action>(turns).fill({}));
  return { ...episode, verdict: { ...episode.verdict, score } };
};

function problem(episodes: readonly Rollout[], weight = 1): ProblemRecord {
  const samples = episodes.map(({ verdict }) => verdict);
  const answers = episodes.map(({ text, tokens }) => ({ text, tokens, logprob: -1 }));
  const [greedyAnswer] = answers;
  return {
    key: 'a',
    weight,
    prompt: 'a',
    answer: '',
    greedy: samples[0],
    samples,
    turns: episodes.map(turnsOf),
    greedyAnswer,
    answers,
  };
}

function figure(options: string, ...problems: readonly ProblemRecord[]): { name: string; mean: number } {
  const [own] = createFigures(stageOf(`evaluation_figures: [{${options}}]`));
  return { name: own.name, mean: own.of(problems).mean };
}

describe('m-turn', () => {
  const problems = [
    problem([played(1, 1), played(1, 2), played(0, 3), played(1, 3)]),
    problem([played(0, 3), played(0, 3), played(0, 3), played(1, 2)]),
  ];

  it.each([
    ['turn: 1', 'acc@turn_1', (1 / 4 + 0) / 2],
    ['turn: 2', 'acc@turn_2', (2 / 4 + 1 / 4) / 2],
    ['turn: 3', 'acc@turn_3', (3 / 4 + 1 / 4) / 2],
    ['turn: 2, show: gain', 'gain@turn_2', (1 / 4 + 1 / 4) / 2],
    ['turn: 2, show: after', 'pass_after@turn_2', (1 / 3 + 1 / 4) / 2],
    ['turn: 3, show: after', 'pass_after@turn_3', (1 / 2 + 0) / 2],
    ['turn: 4, show: after', 'pass_after@turn_4', 0],
  ])('{%s} is %s', (options, name, mean) => {
    const found = figure(`name: m-turn, ${options}`, ...problems);
    expect(found.name).toBe(name);
    expect(found.mean).toBeCloseTo(mean, 12);
  });

  it('adds up: the gains of all turns are what is solved by the last', () => {
    const gains = [1, 2, 3].map((turn) => figure(`name: m-turn, turn: ${turn}, show: gain`, ...problems).mean);
    expect(gains.reduce((sum, gain) => sum + gain, 0)).toBeCloseTo(
      figure('name: m-turn, turn: 3', ...problems).mean,
      12,
    );
  });
});

describe('m-env', () => {
  const mean = (show: string, ...problems: readonly ProblemRecord[]) =>
    figure(`name: m-env, show: ${show}`, ...problems).mean;

  it('counts actions that break the rules', () => {
    const broken = episodeOf(0, [{ illegal: true }, {}, { illegal: true }, {}]);
    expect(mean('invalid', problem([broken, episodeOf(0, [{}])]), problem([episodeOf(0, [{}])]))).toBe(0.125);
  });

  it('counts actions that were taken in the same state of the episode before', () => {
    const actions = through({ key: '0' }, { key: '1' }, { key: '0' }, { key: '1' }, { key: '1' });
    const texts = ['a', 'b', 'a', 'c'];
    const episode = episodeOf(
      0,
      actions.map((action, k) => ({ ...action, text: texts[k] })),
    );
    expect(mean('repeated', problem([episode, episode]))).toBe(0.25); // a in 0, again
    expect(figure('name: m-env, show: repeated', problem([episode])).name).toBe('repeated_actions');
  });

  it('counts answers of tools, and episodes that a limit has cut', () => {
    const episode = episodeOf(0, [{}, {}, {}]);
    const [first, answer, ...rest] = episode.turns ?? [];
    const called = { ...episode, turns: [first, { ...answer, label: 'calc' }, ...rest] };
    expect(mean('calls', problem([called]))).toBeCloseTo(1 / 3, 12);
    const cut = { ...episode, verdict: { ...episode.verdict, status: 'truncated' } as const };
    expect(mean('cut', problem([cut, episode]))).toBe(0.5);
  });

  it('of a run is read off its evaluation, with states', async () => {
    const run = await reinforced({
      task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 },
      num_generations_eval: 4,
      evaluation_figures: [
        { name: 'm-env', show: 'invalid' },
        { name: 'm-env', show: 'repeated' },
        { name: 'm-turn', turn: 3 },
      ],
    });
    const { figures = {}, meanAtK } = await evaluateNow(run);
    expect(Object.keys(figures)).toEqual(['invalid_actions', 'repeated_actions', 'acc@turn_3']);
    expect(figures.invalid_actions.mean).toBeGreaterThan(0.5); // of random weights
    expect(figures['acc@turn_3'].mean).toBeCloseTo(meanAtK.mean, 12);
  });

  it('is refused to a task of one turn', async () => {
    await expect(reinforced({ evaluation_figures: [{ name: 'm-turn', turn: 1 }] })).rejects.toThrow(
      'm-turn: tells the turns of an episode apart',
    );
    expect(rolloutOf(1, 1).turns).toBeUndefined();
  });
});
