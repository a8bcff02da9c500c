/** Figures of sampled rollouts for the methods that use them, computed before credit and dropped after it. */
import type { FigureValue, Rollout, RolloutGroup } from '../../methods/records.ts';
import { withoutFiguresOfStep } from '../../methods/support/rollouts/rollout_fields.ts';
import type { FigureMember, FigureTools, SequenceToScore } from '../../methods/uses/figure_tools.ts';
import type { Use } from '../../methods/uses/use.ts';
import { wordTokens } from '../../text/control_words.ts';
import type { Engine } from '../engine.ts';
import { type Journal, timed } from '../journal.ts';
import type { Step } from '../step.ts';
import { selectedByStrategies } from '../update/credit.ts';
import { batchesToScore, scoreSequences } from './score_sequences.ts';
import { teacherTools } from './teachers.ts';

/** Adds figures to the groups that the update takes; the others are unchanged. */
export async function withSampledFigures(
  engine: Engine,
  step: Step,
  journal: Journal,
  groups: readonly RolloutGroup[],
): Promise<readonly RolloutGroup[]> {
  const { figures } = step.methods.uses;
  if (figures.length === 0) return groups;
  const members = selectedByStrategies(step, groups).flatMap((group) =>
    group.rollouts.map((rollout) => memberOf(group, rollout)),
  );
  const figuresOf = new Map<Rollout, Record<string, FigureValue>>();
  const compute = async (own: readonly Use[], batch: readonly Member[]): Promise<void> => {
    const tools = figureTools(engine, step, batch);
    for (const { id, figure } of own) {
      const values = await figure?.compute(batch, tools);
      batch.forEach(({ rollout }, i) => {
        const value = values?.[i];
        if (value !== undefined) figuresOf.set(rollout, { ...figuresOf.get(rollout), [id]: value });
      });
    }
  };
  return timed(journal, 'update', async () => {
    const ofWhole = figures.filter(({ takesDistributions }) => takesDistributions);
    for (const batch of ofWhole.length > 0 ? batchesToScore(engine.policy, members, true) : []) {
      await compute(ofWhole, batch);
    }
    const plain = figures.filter(({ takesDistributions }) => !takesDistributions);
    await compute(plain, members);
    return groups.map((group) => ({ ...group, rollouts: group.rollouts.map((one) => withFigures(one, figuresOf)) }));
  });
}

/** A rollout as it is trained; a token that was put in has the sampler's log-prob under every set. */
interface Member extends FigureMember, SequenceToScore {}

function memberOf(group: RolloutGroup, rollout: Rollout): Member {
  const { prompt = group.prompt, tokens, labels, support, logprobs } = rollout;
  return { prefix: prompt, tokens, labels, support, givenLogprobs: logprobs, group, rollout };
}

function withFigures(rollout: Rollout, figuresOf: ReadonlyMap<Rollout, Rollout['figures']>): Rollout {
  const figures = figuresOf.get(rollout);
  return figures === undefined ? rollout : { ...rollout, figures };
}

/** Tools that compute each question once. */
function figureTools(engine: Engine, step: Step, members: readonly Member[]): FigureTools {
  const { generator, models, tasks } = engine;
  const { temperature } = step.stage.sampling;
  const tools = teacherTools(engine, step);
  const score: FigureTools['score'] = (sequences, { model, ...question } = {}) =>
    model === undefined
      ? generator.score(sequences, { ...question, temperature })
      : scoreSequences(models[model].policy, sequences, { ...question, temperature });
  const trained = new Map<string, ReturnType<FigureTools['score']>>();
  const prompts = new Map<string, Int32Array>();
  return {
    ...tools,
    masked: (item, share) => once(prompts, `${share}|${item.id}`, () => tools.masked(item, share)),
    vocabularySize: tasks.codec.vocabSize,
    score,
    trained: (question = {}) => once(trained, JSON.stringify(question), () => score(members, question)),
    wordTokens: (word) => wordTokens(tasks.codec, word),
  };
}

function once<Value>(cache: Map<string, Value>, name: string, make: () => Value): Value {
  const value = cache.get(name) ?? make();
  cache.set(name, value);
  return value;
}

/** Groups without the figures, which nothing after the credit reads, and no checkpoint holds. */
export function withoutSampledFigures<G extends RolloutGroup>(groups: readonly G[]): readonly G[] {
  return groups.map((group) => ({ ...group, rollouts: group.rollouts.map(withoutFiguresOfStep) }));
}
