/** A player in the place of the policy: episodes whose actions are known, since a policy of random weights takes none. */
import type { TaskItem } from '../../../../src/data/task.ts';
import type { Engine } from '../../../../src/grpo/engine.ts';
import { collectGroups } from '../../../../src/grpo/rollout/collect.ts';
import { stageOf, type TrainingRun } from '../../../../src/grpo/run.ts';
import { openStep } from '../../../../src/grpo/step.ts';
import type { Collected } from '../../../../src/methods/records.ts';
import type { Completion } from '../../../../src/model/sampling/generation.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';

/** What is done in a turn of a rollout; the rollouts of a run are numbered, turns too. */
export type Player = (rollout: number, turn: number, item: TaskItem) => string;

/** The groups of the first batch of a run, as somebody plays them. */
export function playedBy(player: Player, run: TrainingRun): Promise<Collected> {
  const stage = stageOf(run);
  if (stage.stage !== 'grpo') throw new Error('this run is supervised');
  const step = openStep(run, stage);
  return collectGroups(playedEngine(player, run), step, run.journal);
}

/** The engine of a run whose completions are a player's. */
export function playedEngine(player: Player, { engine, config }: TrainingRun): Engine {
  const { codec } = engine.tasks;
  return {
    ...engine,
    generator: {
      ...engine.generator,
      weightsVersion: 0,
      async sample(requests, { turns }) {
        const completions: Completion[][] = [];
        for (const [request, { rollouts, prompt }] of requests.entries()) {
          const item = itemAsked(engine, config.seed, prompt);
          const own: Completion[] = [];
          for (const [completion, { rollout }] of rollouts.entries()) {
            const tokens: number[] = [];
            const labels: number[] = [];
            for (let turn = 0; ; turn++) {
              const begin = tokens.length;
              tokens.push(...codec.encode(player(rollout, turn, item)), codec.eosTokenId);
              labels.push(...new Array<number>(tokens.length - begin).fill(TOKEN.sampled));
              const ended = {
                request,
                completion,
                tokens: Int32Array.from(tokens),
                begin,
                logprobs: new Float32Array(tokens.length),
                keptLogMass: new Float32Array(tokens.length),
                finishReason: 'eos',
              } as const;
              const [answer] = turns === undefined ? (['stop'] as const) : await Promise.all(turns.after([ended]));
              if (answer === 'stop') break;
              tokens.push(...answer);
              labels.push(...new Array<number>(answer.length).fill(TOKEN.given));
            }
            const { length } = tokens;
            own.push({
              tokens: Int32Array.from(tokens),
              labels: Uint8Array.from(labels),
              logprobs: new Float32Array(length),
              entropies: new Float32Array(length),
              keptLogMass: new Float32Array(length),
              finishReason: 'eos',
            });
          }
          completions.push(own);
        }
        return { completions, places: undefined };
      },
    },
  };
}

/** The problem of the training stream whose prompt this is. */
function itemAsked({ tasks }: Engine, seed: number, prompt: Int32Array): TaskItem {
  for (let index = 0; index < 1000; index++) {
    const item = tasks.trainItem(seed, index);
    if (tasks.promptTokens(item).join() === prompt.join()) return item;
  }
  throw new Error('a prompt of another problem');
}
