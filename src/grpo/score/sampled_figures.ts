/** What is known of sampled tokens before they are credited, where a method asks for it: a scoring pass for each figure. */
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import { isScoredByItself, SELF_SCORE } from '../../methods/support/rollouts/self_score.ts';
import { divergences, uniformDivergences } from '../../model/distributions.ts';
import { wordTokens } from '../../text/control_words.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import type { Step } from '../step.ts';
import { maskedPrompt } from './masked_prompts.ts';
import { batchesToScore, type SequenceToScore, scoreSequences } from './score_sequences.ts';
import { withTeacherLogprobs } from './teachers.ts';

/** The groups with the figures of those that go on to the update; the others are as they were. */
export async function withSampledFigures(
  engine: Engine,
  step: Step,
  journal: Journal,
  groups: readonly RolloutGroup[],
): Promise<readonly RolloutGroup[]> {
  const { needs, rolloutStrategies } = step.methods;
  if (needs.sampled.length === 0) return groups;
  const selected = rolloutStrategies.reduce((all, { part }) => part.select?.(all) ?? all, groups);
  const members = selected.flatMap((group) => group.rollouts.map((rollout) => memberOf(group, rollout)));
  return timed(journal, 'update', async () => {
    const found = new Map<Rollout, Figures>();
    for (const own of batchesToScore(engine.policy, members, needs.distributionsFor.length > 0)) {
      const figures = await figuresOf(engine, step, own);
      own.forEach(({ rollout }, i) => {
        found.set(rollout, figures[i]);
      });
    }
    const figured = withFigures(groups, (rollout) => found.get(rollout));
    const { temperature } = step.stage.sampling;
    const taught = needs.sampled.includes('teacherLogprobs')
      ? await withTeacherLogprobs(engine, step, temperature, figured)
      : figured;
    return needs.sampled.includes('selfLogprob') ? withSelfLogprobs(engine, step, taught) : taught;
  });
}

/** The groups, their rollouts with what is found of each. */
function withFigures(
  groups: readonly RolloutGroup[],
  found: (rollout: Rollout) => Partial<Rollout> | undefined,
): RolloutGroup[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const figures = found(rollout);
      return figures === undefined ? rollout : { ...rollout, ...figures };
    }),
  }));
}

/** A rollout as it is trained; a token that was put in has the sampler's log-prob under every set. */
interface Member extends SequenceToScore {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
}

function memberOf(group: RolloutGroup, rollout: Rollout): Member {
  const { prompt = group.prompt, tokens, labels, logprobs } = rollout;
  return { prefix: prompt, tokens, labels, givenLogprobs: logprobs, group, rollout };
}

/** A pass of its own: the word follows each completion that has ended. */
async function withSelfLogprobs(
  { policy, tasks }: Engine,
  { stage }: Step,
  groups: readonly RolloutGroup[],
): Promise<readonly RolloutGroup[]> {
  const word = wordTokens(tasks.codec, SELF_SCORE);
  const ended = groups.flatMap(({ prompt, rollouts, kind }) =>
    kind !== undefined ? [] : rollouts.filter(isScoredByItself).map((rollout) => ({ prompt, rollout })),
  );
  const sequences = ended.map(({ prompt, rollout: { tokens, prompt: own = prompt } }) => {
    const labels = new Uint8Array(tokens.length + word.length).fill(TOKEN.given, 0, tokens.length);
    return { prefix: own, tokens: Int32Array.from([...tokens, ...word]), labels };
  });
  const scores = await scoreSequences(policy, sequences, { temperature: stage.sampling.temperature });
  const found = new Map(ended.map(({ rollout }, i) => [rollout, scores[i].logprobs.reduce((sum, x) => sum + x, 0)]));
  return withFigures(groups, (rollout) => {
    const selfLogprob = found.get(rollout);
    return selfLogprob === undefined ? undefined : { selfLogprob };
  });
}

type Figures = Pick<Rollout, 'refLogprobs' | 'uniformKl' | 'maskedKl'>;

/** Of each rollout of a batch. */
async function figuresOf(engine: Engine, step: Step, members: readonly Member[]): Promise<Figures[]> {
  const { policy } = engine;
  const { needs } = step.methods;
  const { temperature } = step.stage.sampling;
  const { vocabSize } = policy.shape;
  const distributionsOf = async (sequences: readonly SequenceToScore[]): Promise<Float32Array[]> => {
    const scores = await scoreSequences(policy, sequences, { temperature, distributions: true });
    return scores.map(({ distributions }) => distributions as Float32Array); // they were asked for
  };
  let uniform: Float32Array[] | undefined;
  let masked: Float32Array[] | undefined;
  const ofMasked = needs.sampled.includes('maskedKl');
  if (needs.sampled.includes('uniformKl') || ofMasked) {
    const logP = await distributionsOf(members);
    uniform = logP.map((own, i) => sampledOnly(members[i], uniformDivergences(own, vocabSize)));
    if (ofMasked) {
      const all = new Set(members.map(({ group }) => group));
      const prompts = new Map(
        Array.from(all, (group) => [group, maskedPrompt(engine, step, group.item, needs.maskedShare)]),
      );
      const prefixOf = ({ group, rollout }: Member) => rollout.prompt ?? (prompts.get(group) as Int32Array); // all have one
      const logQ = await distributionsOf(members.map((member) => ({ ...member, prefix: prefixOf(member) })));
      masked = logP.map((own, i) => divergences(own, logQ[i], vocabSize)); // 0 of a token that was put in
    }
  }
  const reference = needs.sampled.includes('refLogprobs')
    ? await scoreSequences(policy, members, { set: 'reference', temperature })
    : undefined;
  return members.map((_, i) => ({
    ...(reference && { refLogprobs: reference[i].logprobs }),
    ...(uniform && { uniformKl: uniform[i] }),
    ...(masked && { maskedKl: masked[i] }),
  }));
}

/** [tokens] with 0 at those that were put in. */
function sampledOnly({ labels }: SequenceToScore, values: Float32Array): Float32Array {
  return values.map((value, token) => (labels?.[token] === TOKEN.given ? 0 : value));
}

/** Groups without the figures, which nothing behind the credit reads, and no checkpoint holds. */
export function withoutSampledFigures<G extends RolloutGroup>(groups: readonly G[]): readonly G[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map(withoutFigures),
  }));
}

function withoutFigures({ refLogprobs: _, uniformKl: __, selfLogprob: ___, ...rollout }: Rollout): Rollout {
  const { maskedKl: ____, teacherLogprobs: _____, ...plain } = rollout;
  return plain;
}
