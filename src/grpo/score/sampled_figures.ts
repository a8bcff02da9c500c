/** What is known of sampled tokens before they are credited, where a method asks for it: a scoring pass for each figure. */
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { isScoredByItself, SELF_SCORE } from '../../methods/support/rollouts/self_score.ts';
import type { BatchLimits, PackedBatch, TokenGroup } from '../../model/batch.ts';
import { packBatch, splitUnits } from '../../model/batch.ts';
import { divergences, uniformDivergences } from '../../model/distributions.ts';
import { wordTokens } from '../../text/control_words.ts';
import { TOKEN } from '../../token_kinds.ts';
import { type TrainingRun, timed } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { tokenGroups } from '../update/credit.ts';
import { groupParts } from '../update/group_parts.ts';
import { microBatchCapacity } from '../update/update.ts';
import { maskedPrompt } from './masked_prompts.ts';
import { withTeacherLogprobs } from './teachers.ts';

/** The groups with the figures of those that go on to the update; the others are as they were. */
export async function withSampledFigures(
  run: TrainingRun,
  stage: GrpoStageConfig,
  scope: StepScope,
  groups: readonly RolloutGroup[],
): Promise<readonly RolloutGroup[]> {
  const { needs, rolloutStrategies } = scope.methods;
  if (needs.sampled.length === 0) return groups;
  const going = rolloutStrategies.reduce((all, { part }) => part.select?.(all) ?? all, groups);
  const capacity = microBatchCapacity(run, stage, scope);
  const parts = going.flatMap((group) => groupParts(group, capacity.completions));
  const scored = new Map<RolloutGroup, Rollout[]>(going.map((group) => [group, []]));
  await timed(run, 'update', async () => {
    for (const own of splitUnits(parts, tokenGroups, capacity)) {
      const figures = await figuresOf(run, stage, scope, packBatch(own.flatMap(tokenGroups)), own);
      let next = 0;
      for (const group of own) {
        const rollouts = group.rollouts.map((rollout) => ({ ...rollout, ...figures[next++] }));
        scored.get(group.whole ?? group)?.push(...rollouts);
      }
    }
  });
  const figured = groups.map((group) => ({ ...group, rollouts: scored.get(group) ?? group.rollouts }));
  return timed(run, 'update', async () => {
    const { temperature } = stage.sampling;
    const taught = needs.sampled.includes('teacherLogprobs')
      ? await withTeacherLogprobs(run, scope, temperature, figured, capacity)
      : figured;
    return needs.sampled.includes('selfLogprob') ? withSelfLogprobs(run, stage, taught, capacity) : taught;
  });
}

/** A pass of its own: the word stands behind each completion that has ended. */
async function withSelfLogprobs(
  { policy, tasks: { codec } }: TrainingRun,
  { sampling: { temperature } }: GrpoStageConfig,
  groups: readonly RolloutGroup[],
  capacity: Required<BatchLimits>,
): Promise<readonly RolloutGroup[]> {
  const word = wordTokens(codec, SELF_SCORE);
  const ended = groups.flatMap(({ prompt, rollouts, kind }) =>
    kind !== undefined ? [] : rollouts.filter(isScoredByItself).map((rollout) => ({ prompt, rollout })),
  );
  const groupsOf = ({ prompt, rollout: { tokens, prompt: own = prompt } }: (typeof ended)[number]): TokenGroup[] => {
    const labels = new Uint8Array(tokens.length + word.length).fill(TOKEN.given, 0, tokens.length);
    return [{ prompt: own, completions: [Int32Array.from([...tokens, ...word])], labels: [labels] }];
  };
  const found = new Map<Rollout, number>();
  for (const micro of splitUnits(ended, groupsOf, capacity)) {
    const batch = packBatch(micro.flatMap(groupsOf));
    const { logprobs } = await policy.score(batch, temperature);
    logprobs.forEach((value, row) => {
      const { rollout } = micro[batch.completionOf[row]];
      found.set(rollout, (found.get(rollout) ?? 0) + value);
    });
  }
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const selfLogprob = found.get(rollout);
      return selfLogprob === undefined ? rollout : { ...rollout, selfLogprob };
    }),
  }));
}

type Figures = Pick<Rollout, 'refLogprobs' | 'uniformKl' | 'maskedKl'>;

/** Of each rollout of a batch. */
async function figuresOf(
  run: TrainingRun,
  { sampling: { temperature } }: GrpoStageConfig,
  { methods: { needs } }: StepScope,
  batch: PackedBatch,
  groups: readonly RolloutGroup[],
): Promise<Figures[]> {
  const { policy } = run;
  const { vocabSize } = policy.shape;
  const rollouts = groups.flatMap((group) => group.rollouts);
  const absent = (): Float32Array[] => rollouts.map(({ tokens }) => new Float32Array(tokens.length));
  const distributionsOf = async (packed: PackedBatch): Promise<Float32Array> => {
    const { distributions } = await policy.score(packed, temperature, 'policy', { distributions: true });
    return distributions as Float32Array; // they were asked for
  };
  let uniform: Float32Array[] | undefined;
  let masked: Float32Array[] | undefined;
  const ofMasked = needs.sampled.includes('maskedKl');
  if (needs.sampled.includes('uniformKl') || ofMasked) {
    const logP = await distributionsOf(batch);
    uniform = byRollout(batch, uniformDivergences(logP, vocabSize), absent());
    if (ofMasked) {
      const behind = packBatch(groups.flatMap((group) => tokenGroups(withMaskedPrompt(run, group, needs.maskedShare))));
      const logQ = inOrderOf(batch, behind, await distributionsOf(behind), vocabSize);
      masked = byRollout(batch, divergences(logP, logQ, vocabSize), absent());
    }
  }
  let reference: Float32Array[] | undefined;
  if (needs.sampled.includes('refLogprobs')) {
    const { logprobs } = await policy.score(batch, temperature, 'reference');
    // Of a token that was put in its own, so that the two do not differ.
    const own = rollouts.map((rollout) => Float32Array.from(rollout.logprobs));
    reference = byRollout(batch, logprobs, own);
  }
  return rollouts.map((_, i) => ({
    ...(reference && { refLogprobs: reference[i] }),
    ...(uniform && { uniformKl: uniform[i] }),
    ...(masked && { maskedKl: masked[i] }),
  }));
}

/** The group behind its masked prompt; a rollout that is trained under a prompt of its own stays behind that. */
function withMaskedPrompt(run: TrainingRun, group: RolloutGroup, share: number): RolloutGroup {
  return { ...group, prompt: maskedPrompt(run, group.item, share) };
}

/** Rows of the vocabulary's width of one batch, in the order of another of the same completions under other prompts. */
function inOrderOf(batch: PackedBatch, other: PackedBatch, values: Float32Array, width: number): Float32Array {
  const placeOf = new Map(Array.from(other.completionOf, (c, row) => [`${c}|${other.tokenOf[row]}`, row]));
  const ordered = new Float32Array(values.length);
  batch.completionOf.forEach((completion, row) => {
    const place = placeOf.get(`${completion}|${batch.tokenOf[row]}`) as number; // they have the same tokens
    ordered.set(values.subarray(place * width, (place + 1) * width), row * width);
  });
  return ordered;
}

/** @param into  [rollouts][tokens], written where a token has a loss row */
function byRollout({ completionOf, tokenOf }: PackedBatch, rows: Float32Array, into: Float32Array[]): Float32Array[] {
  for (let row = 0; row < completionOf.length; row++) into[completionOf[row]][tokenOf[row]] = rows[row];
  return into;
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
