/** What strategies around plain sampling may ask of the run: what is known of a problem, and rollouts that nobody sampled. */
import { followUpTokens } from '../../data/prompts/follow_up.ts';
import type { TaskItem } from '../../data/task.ts';
import type { RolloutTools } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { wordTokens } from '../../text/control_words.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import type { Step } from '../step.ts';
import { completionLimit } from './completion_end.ts';

type Tools = Pick<
  RolloutTools,
  | 'mostTokens'
  | 'solution'
  | 'solutions'
  | 'hints'
  | 'shown'
  | 'tokensOf'
  | 'ended'
  | 'end'
  | 'references'
  | 'logprobs'
  | 'followUp'
  | 'said'
>;

/** @param reward  judges and rewards completions of a problem: one group */
export function rolloutTools(
  engine: Engine,
  { stage }: Step,
  journal: Journal,
  reward: (item: TaskItem, completions: readonly Completion[]) => Promise<readonly RolloutGroup[]>,
): Tools {
  const { tasks } = engine;
  return {
    mostTokens: completionLimit(tasks, stage),
    solution: ({ answer }) => tasks.codec.encode(answer),
    solutions: (item) => tasks.solutions(item),
    hints: (item) => tasks.hints(item),
    shown: (item, ...texts) => tasks.shownTokens(item, ...texts),
    tokensOf: (text) => tasks.codec.encode(text),
    ended: (tokens) => ended(engine, tokens),
    end: Int32Array.of(tasks.codec.eosTokenId),
    references: (item, answers) =>
      timed(journal, 'verify', async () => {
        const most = completionLimit(tasks, stage);
        const whole = answers
          .map((answer) => ended(engine, answer))
          .filter(({ length }) => length > 0 && length <= most);
        if (whole.length === 0) return [];
        const [{ rollouts }] = await reward(item, whole.map(given));
        return rollouts.map((rollout): Rollout => ({ ...rollout, isOffPolicy: true, origin: 'reference' }));
      }),
    followUp: (item, ...turns) => followUpTokens(tasks, item, turns),
    said: (word) => tasks.codec.decode(wordTokens(tasks.codec, word)),
    logprobs: (prompt, completions) => timed(journal, 'rollout', () => score(engine, stage, prompt, completions)),
  };
}

/** An answer with its EOS, where one ends a completion. */
function ended({ tasks }: Engine, answer: Int32Array): Int32Array {
  return tasks.fixedCompletionTokens === undefined ? Int32Array.from([...answer, tasks.codec.eosTokenId]) : answer;
}

/** As if it had been sampled for certain. */
function given(tokens: Int32Array): Completion {
  const zeros = (): Float32Array => new Float32Array(tokens.length);
  return {
    tokens,
    logprobs: zeros(),
    entropies: zeros(),
    keptLogMass: zeros(),
    finishReason: 'eos',
    labels: new Uint8Array(tokens.length).fill(TOKEN.reference),
  };
}

/** [completions][tokens] */
async function score(
  { generator }: Engine,
  { sampling: { temperature } }: Step['stage'],
  prompt: Int32Array,
  completions: readonly Int32Array[],
): Promise<Float32Array[]> {
  const sequences = completions.map((tokens) => ({ prefix: prompt, tokens }));
  const scores = await generator.score(sequences, { temperature });
  return scores.map(({ logprobs }) => logprobs);
}
