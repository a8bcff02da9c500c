/** Rewards over the wire are the scores of `tasks score`, for every task: right answers, near misses, and whole episodes. */
import { describe, expect, it } from 'vitest';
import { bindEnvironment, playEpisode } from '../../../src/data/play.ts';
import { repeatPlainly } from '../../../src/data/repeat.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import { registeredTasks } from '../../../test/support/everything.ts';
import { VERIFIED } from '../../zoo/data/environment_task.ts';
import { bindTask } from '../../zoo/data/index.ts';
import { OfferedTask } from '../tasks/offered_task.ts';
import { TaskSession } from '../tasks/task_session.ts';

/** Answers of `retry` are judged one by one, and `tasks score` judges the last alone. */
const LAST_COUNTS = ['retry'];
const NAMES = Object.keys(registeredTasks).filter((name) => registeredTasks[name].card.sandbox === undefined);

describe.each(NAMES)('%s', (name) => {
  it('is paid by its verdicts', async () => {
    const definition = await registeredTasks[name].load();
    const offered = new OfferedTask(definition, { style: 'compact' }, repeatPlainly);
    const session = new TaskSession(new Map([[name, offered]]), offered, () => 'id');
    const say = async (message: object) => JSON.parse(JSON.stringify(await session.answer(JSON.stringify(message))));
    const task = bindTask(definition, {});
    const item = task.trainItem(1, 0);
    const { environment } = definition;
    const misses = definition.mutants(item.identity, task.knobs, rngFor('misses')).slice(0, 3);
    const answers =
      environment === undefined
        ? [[item.answer], ...misses.map(({ text }) => [text])]
        : (['expert', 'random'] as const).map((player) => {
            const bound = bindEnvironment(environment, name, task.knobs);
            const rng = rngFor(player);
            const { turns } = playEpisode(bound, item, VERIFIED, (at) => environment[player](at, task.knobs, rng));
            return turns.flatMap(({ from, text }) => (from === 'policy' ? [text] : []));
          });
    const fixed = task.language.fixedCompletionTokens === undefined ? 'eos' : 'stop';
    for (const actions of answers) {
      const { data: asked } = await say({ type: 'reset', data: { seed: 1 } });
      expect(asked.observation.text).toBe(item.prompt);
      let reward: unknown;
      for (const text of actions) {
        ({
          data: { reward },
        } = await say({ type: 'step', data: { text, finish_reason: fixed } }));
      }
      const text = LAST_COUNTS.includes(name) ? actions.slice(-1)[0] : actions.join('\n');
      expect(reward).toBe(task.verify(item, text, { finishReason: fixed }).score);
    }
  });

  it('asks in words where it has some', async () => {
    const offered = new OfferedTask(await registeredTasks[name].load(), {}, repeatPlainly);
    const { setting, item } = offered.problem({ split: 'train', seed: 1, knobs: {} });
    const [{ content }] = setting.messages(item).slice(-1);
    expect(content).not.toBe('');
    const { verdict } = await setting.act(item, setting.start(item), 'no idea', 'length');
    expect(verdict?.score).toBe(0);
  });
});
