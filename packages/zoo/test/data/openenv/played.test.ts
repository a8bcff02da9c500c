/** Episodes on an OpenEnv server that is in this process: what its actions lead to, and whether its seeds differ. */
import { describe, expect, it } from 'vitest';
import type { DistantEpisode, EpisodeStep } from '../../../../../src/data/environment.ts';
import type { Task } from '../../../../../src/data/task.ts';
import type { Connect } from '../../../../../src/http/servers.ts';
import { createTask } from '../../../../../test/support/everything.ts';
import { RECORDED } from '../../../../../test/support/loopback_openenv.ts';

type Observed = { readonly observation: object; readonly reward: number | null; readonly done: boolean };

/** A server whose sessions begin at a seed, and answer each action by the seed and the actions so far. */
function serverOf(
  reset: (seed: number) => object,
  step: (seed: number, action: Record<string, never>, turn: number) => Observed,
): Connect {
  return async (_url, _headers, events) => {
    let [seed, turn] = [0, 0];
    const answer = ({ type, data }: { type: string; data: Record<string, never> }): string => {
      if (type === 'mcp') return RECORDED.tools.list;
      if (type === 'state') return RECORDED.state;
      if (type === 'reset') [seed, turn] = [Number(data.seed), 0];
      const said =
        type === 'reset' ? { observation: reset(seed), reward: null, done: false } : step(seed, data, turn++);
      return JSON.stringify({ type: 'observation', data: said });
    };
    return {
      send: (text) => void Promise.resolve().then(() => events.message(answer(JSON.parse(text)))),
      close: () => undefined,
    };
  };
}

const opened = (connect: Connect, knobs: object): Promise<Task> =>
  createTask({ name: 'openenv', url: 'ws://here', held_out: 4, train: 8, ...knobs }, { openenv: { connect } });

async function played(task: Task, ...actions: readonly string[]): Promise<EpisodeStep[]> {
  const [item] = task.heldOutItems();
  const episode = task.distant?.play(item as NonNullable<typeof item>, '0', 0) as DistantEpisode;
  const steps: EpisodeStep[] = [];
  for (const action of actions) {
    const before = steps.at(-1)?.next ?? { state: null, turn: 0, illegal: 0 };
    steps.push(await episode.step(before, action, { finishReason: 'eos' }));
  }
  return steps;
}

describe('calls of tools', () => {
  /** A shelf on which things are put; shipping ends the episode. */
  const tool = (name: string, rest: object) => ({ tool_name: name, result: null, error: null, ...rest });
  const shelf = serverOf(
    () => ({ asked: '2:' }),
    (_seed, { tool_name: name, arguments: given }) => {
      const { amount } = given as { readonly amount?: number };
      if (name === 'ship') return { observation: tool(name, { result: 'sent' }), reward: 1, done: true };
      if (amount === 0) {
        const error = { error_type: 'execution_error', message: 'nothing to put' };
        return { observation: tool(name, { error }), reward: 0, done: false };
      }
      return { observation: tool(name, { result: `${amount}` }), reward: 0.25, done: false };
    },
  );
  const knobs = { action_type: 'tool', observation: 'asked', max_turns: 8, reward: 'sum', won: 1.5 };

  it('several of a turn are answered in their order, and each is paid', async () => {
    const [step] = await played(await opened(shelf, knobs), '<call>put 1</call><call>put 2</call>');
    expect(step).toMatchObject({ observation: '1 2', reward: 0.5, calls: 2, from: 'put' });
    expect(step?.illegal).toBeUndefined();
  });

  it('one that ends the episode is the last, and the rewards of all calls are the verdict', async () => {
    const turn = '<call>put 1</call><call>put 2</call><call>ship</call><call>put 3</call>';
    const [step] = await played(await opened(shelf, knobs), turn);
    expect(step).toMatchObject({ observation: '1 2 sent', reward: 1.5, calls: 3, verdict: { score: 1 } });
  });

  it('one that is none breaks the rules beside one that counts; a tool that fails breaks none', async () => {
    const [mixed, failed] = await played(
      await opened(shelf, knobs),
      '<call>sell 1</call><call>put 2</call>',
      '<call>put 0</call>',
    );
    expect(mixed).toMatchObject({ observation: '? 2', reward: 0.25, illegal: true });
    expect(failed).toMatchObject({ observation: '?', reward: 0, next: { illegal: 1 } });
    expect(failed?.illegal).toBeUndefined();
  });
});

describe('rewards', () => {
  const paying = (reward: number): Connect =>
    serverOf(
      (seed) => ({ said: `${seed}` }),
      () => ({ observation: { said: '' }, reward, done: true }),
    );
  const judged = async (reward: number, knobs: object): Promise<number | null | undefined> => {
    const [step] = await played(await opened(paying(reward), { observation: 'said', ...knobs }), 'a');
    expect(step?.reward).toBe(reward);
    return step?.verdict?.score;
  };

  it('keep their order where some are negative, by reward_range', async () => {
    const scores = [-1, -0.5, 0, 0.5, 1].map((reward) => judged(reward, { reward_range: [-1, 1] }));
    expect(await Promise.all(scores)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(await judged(3, { won: 2 })).toBe(1);
    expect(await judged(1, { won: 2 })).toBe(0.5);
  });

  it('below what is known of them stop the run, and say what to write', async () => {
    await expect(judged(-1, {})).rejects.toThrow(
      'an episode was rewarded with -1, and reward_range is [0,1]; give reward_range: [-1, 1], or what it is at least and at most.',
    );
    await expect(judged(2, { reward_range: [-1, 1] })).rejects.toThrow('give reward_range: [-1, 2]');
    await expect(judged(1, { reward_range: [1, -1] })).rejects.toThrow('must be two numbers, the least reward first');
    await expect(judged(1, { reward_range: [-1, 1], won: 1 })).rejects.toThrow('task.won: 1 — reward_range says which');
  });
});

describe('a reset that ignores its seed', () => {
  const said = (text: string) => ({ observation: { said: text }, reward: 0, done: false });
  const guess = { observation: 'said', action: 'guess', action_type: 'integer' };
  const answering = (numberOf: (seed: number) => number): Connect =>
    serverOf(
      () => ({ said: 'guess' }),
      (seed, { guess: given }) => said(Number(given) < numberOf(seed) ? 'more' : 'less'),
    );

  it('is found by what it says and how it answers', async () => {
    expect(
      (
        await opened(
          answering(() => 2),
          guess,
        )
      ).leak,
    ).toMatch(
      /^OpenEnv server ws:\/\/here\/ws: for 4 of 4 held-out seeds its reset says what it says for a training seed, and the same to what was tried/,
    );
  });

  it('is not found where what is hidden differs, or what is said', async () => {
    expect(
      (
        await opened(
          answering((seed) => seed % 5),
          guess,
        )
      ).leak,
    ).toBeUndefined();
    const shown = serverOf(
      (seed) => ({ said: `${seed}` }),
      () => said('no'),
    );
    expect((await opened(shown, guess)).leak).toBeUndefined();
  });

  it('is found in part: the held-out seeds that say what training ones say', async () => {
    const few = serverOf(
      (seed) => ({ said: `${seed < 3 ? 'new' : 'old'}${seed < 3 ? seed : ''}` }),
      () => said('no'),
    );
    expect((await opened(few, guess)).leak).toContain('for 1 of 4 held-out seeds');
  });
});
