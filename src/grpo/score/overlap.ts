/** How far teacher and policy agree on what the policy writes, before a stage in which it learns from the teacher. */
import type { GrpoStageConfig } from '../../methods/stage.ts';
import { likeliest } from '../../model/distributions.ts';
import { wholeVocabulary } from '../../model/sampling/generation.ts';
import { TOKEN } from '../../token_kinds.ts';
import { localGenerator } from '../generator.ts';
import { sampleItems } from '../rollout/complete.ts';
import { type RunRemark, samplingKey, type TrainingRun } from '../run.ts';
import { stageTasks } from '../stage_tasks.ts';
import { scoreSequences } from './score_sequences.ts';

/** Problems that the policy answers for it. */
const PROBLEMS = 16;
/** A training stream that no run uses. */
const NO_RUN = -3;

/** A remark on the stage that begins. Whole distributions must be planned; it changes no bit of the run. */
export async function teacherOverlap(
  { engine, config, journal }: Pick<TrainingRun, 'engine' | 'config' | 'journal'>,
  stage: GrpoStageConfig,
): Promise<RunRemark> {
  const { policy, models } = engine;
  const { stageIndex } = journal.state;
  const tasks = stageTasks(engine.tasks, config, stageIndex);
  const items = Array.from({ length: PROBLEMS }, (_, index) => tasks.trainItem(NO_RUN, index));
  const { temperature } = stage.sampling;
  const { completions } = await sampleItems({ tasks, generator: localGenerator(policy, () => 0) }, items, {
    samples: 1,
    sampling: wholeVocabulary(temperature),
    samplingKey: samplingKey(config.seed, 'overlap'),
    stage,
  });
  let [agreed, tokens] = [0, 0];
  for (const [i, [{ tokens: written, labels }]] of completions.entries()) {
    const sequence = [{ prefix: tasks.promptTokens(items[i]), tokens: written, labels }];
    const ask = { temperature, distributions: true };
    const [[own], [other]] = [
      await scoreSequences(policy, sequence, ask),
      await scoreSequences(models.teacher.policy, sequence, ask),
    ];
    const width = policy.shape.vocabSize;
    const likeliestAt = (all: Float32Array | undefined, t: number): number =>
      likeliest((all as Float32Array).subarray(t * width, (t + 1) * width)); // asked for
    for (let t = 0; t < written.length; t++) {
      if (labels?.[t] === TOKEN.given) continue;
      agreed += Number(likeliestAt(own.distributions, t) === likeliestAt(other.distributions, t));
      tokens++;
    }
  }
  const share = ((100 * agreed) / Math.max(1, tokens)).toFixed(0);
  const message = `models.teacher: at ${share} % of ${tokens} tokens that the policy writes now, teacher and policy find the same token likeliest`;
  return { stage: stageIndex, level: 'note', message, recorded: message };
}
