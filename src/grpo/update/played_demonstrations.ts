/** Demonstrations of multi-turn problems in a supervised stage, if a method of the stage provides them. */
import type { Demonstration } from '../../data/prompts/dialogue_tokens.ts';
import { makeEach } from '../../data/repeat.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { rngFor } from '../../kernels/philox.ts';
import type { PlayedOnce, PlayedProblem } from '../../methods/points.ts';
import { wordTokens } from '../../text/control_words.ts';
import type { SupervisedStep } from '../step.ts';

/** Undefined: as its task demonstrates it. Pure in seed, stage, index and the options of the step. */
export function playedDemonstration(
  tasks: TaskSet,
  { seed, stageIndex, demonstrations }: SupervisedStep,
  { item, index }: { readonly item: TaskItem; readonly index: number },
  number: number,
): Demonstration | undefined {
  if (demonstrations === undefined || !tasks.environment.plays(item)) return undefined;
  const { show } = demonstrations(number);
  if (show === undefined) return undefined;
  const name = `shown|${seed}|${stageIndex}|${index}`;
  // A repeated call must draw from the start, so it gets a fresh problem of the same name.
  return makeEach(tasks.repeat, 1, () => show(problemOf(tasks, item, name)))[0];
}

function problemOf(tasks: TaskSet, item: TaskItem, name: string): PlayedProblem {
  const { environment, codec } = tasks;
  return {
    item,
    prompt: tasks.promptTokens(item),
    rng: rngFor(name),
    mostTokens: tasks.maxCompletionTokens,
    episode: (number): PlayedOnce => {
      const stream = `${name}|${number}`;
      return {
        start: () => environment.start(item, stream),
        act: (player, at, draw = 0) => environment.act(player, item, at, `${stream}|${draw}`),
        step: (at, action) => environment.step(item, at, action, stream, { finishReason: 'eos' }),
      };
    },
    tokensOf: (text) => codec.encode(text),
    action: (text) => Int32Array.from([...codec.encode(text), codec.eosTokenId]),
    answer: (step) => environment.observationTokens(item, step, 'eos'),
    word: (word) => wordTokens(codec, word),
  };
}
