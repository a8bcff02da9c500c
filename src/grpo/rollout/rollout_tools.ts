/** What strategies may ask of the run: facts about a problem, and rollouts that were not sampled. */
import { followUpTokens } from '../../data/prompts/follow_up.ts';
import type { TaskItem } from '../../data/task.ts';
import type { RolloutTools, TokenChoice } from '../../methods/points.ts';
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { wordTokens } from '../../text/control_words.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import { batchesToScore } from '../score/score_sequences.ts';
import type { Step } from '../step.ts';
import { completionLimit } from './completion_end.ts';

type Tools = Pick<
  RolloutTools,
  | 'mostTokens'
  | 'solution'
  | 'solutions'
  | 'hints'
  | 'twin'
  | 'shown'
  | 'tokensOf'
  | 'ended'
  | 'end'
  | 'references'
  | 'logprobs'
  | 'likeliest'
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
    twin: (item) => tasks.twin?.(item),
    shown: (item, ...texts) => tasks.shownTokens(item, ...texts),
    tokensOf: (text) => tasks.codec.encode(text),
    ended: (tokens) => ended(engine, tokens),
    end: Int32Array.of(tasks.codec.eosTokenId),
    references: (item, answers) =>
      timed(journal, 'verify', async () => {
        const most = completionLimit(tasks, stage);
        const completeAnswers = answers
          .map((answer) => ended(engine, answer))
          .filter(({ length }) => length > 0 && length <= most);
        if (completeAnswers.length === 0) return [];
        const [{ rollouts }] = await reward(item, completeAnswers.map(given));
        return rollouts.map((rollout): Rollout => ({ ...rollout, isOffPolicy: true, origin: 'reference' }));
      }),
    followUp: (item, ...turns) => followUpTokens(tasks, item, turns),
    said: (word) => tasks.codec.decode(wordTokens(tasks.codec, word)),
    likeliest: (prompt, completions, count) =>
      timed(journal, 'rollout', () => likeliest(engine, stage, { prompt, completions, count })),
    logprobs: (prompt, completions, supports) =>
      timed(journal, 'rollout', () => score(engine, stage, { prompt, completions, supports })),
  };
}

/** An answer with its EOS, where one ends a completion. */
function ended({ tasks }: Engine, answer: Int32Array): Int32Array {
  return tasks.fixedCompletionTokens === undefined ? Int32Array.from([...answer, tasks.codec.eosTokenId]) : answer;
}

/** A given completion, as if sampled with probability 1. */
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

interface Scored {
  readonly prompt: Int32Array;
  readonly completions: readonly Int32Array[];
  readonly supports: readonly (Uint8Array | undefined)[] | undefined;
}

/** [completions][tokens] */
async function score(
  { generator }: Engine,
  { sampling: { temperature } }: Step['stage'],
  { prompt, completions, supports }: Scored,
): Promise<Float32Array[]> {
  const sequences = completions.map((tokens, i) => ({ prefix: prompt, tokens, support: supports?.[i] }));
  const scores = await generator.score(sequences, { temperature });
  return scores.map(({ logprobs }) => logprobs);
}

interface Asked {
  readonly prompt: Int32Array;
  readonly completions: readonly Int32Array[];
  readonly count: number;
}

/** [completions][tokens] choices, from as many distributions at a time as one pass holds. */
async function likeliest(
  { generator, policy }: Engine,
  { sampling: { temperature } }: Step['stage'],
  { prompt, completions, count }: Asked,
): Promise<TokenChoice[][][]> {
  const choices: TokenChoice[][][] = [];
  const sequences = completions.map((tokens) => ({ prefix: prompt, tokens, labels: undefined }));
  for (const batch of batchesToScore(policy, sequences, true)) {
    const scores = await generator.score(batch, { temperature, distributions: true });
    for (const { logprobs, distributions = new Float32Array() } of scores) {
      const width = distributions.length / logprobs.length;
      choices.push(
        Array.from(logprobs, (_, t) => choicesOf(distributions.subarray(t * width, (t + 1) * width), count)),
      );
    }
  }
  return choices;
}

/** The most probable tokens; ties go to the lower id. */
function choicesOf(logprobs: Float32Array, count: number): TokenChoice[] {
  const best: number[] = [];
  for (const token of logprobs.keys()) {
    const place = best.findIndex((other) => logprobs[token] > logprobs[other]);
    if (place >= 0) best.splice(place, 0, token);
    else best.push(token);
    best.length = Math.min(best.length, count);
  }
  return best.map((token) => ({ token, probability: Math.exp(logprobs[token]) }));
}
