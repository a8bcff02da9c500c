/**
 * The GRPO loop on one page: collect → credit → update → report.
 *
 * Waiting batches wrap `gather` (`waiting.ts`) and interruption wraps the events (`interruption.ts`), so neither shows
 * here.
 */
import { observationsOf } from '../methods/ledger.ts';
import type { Collected, StepMetrics } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { ledger as ledgerUse } from '../methods/uses/ledger.ts';
import { controlAfterStep } from './control.ts';
import { diagnoseEnding } from './diagnose.ts';
import type { TrainEvent } from './events.ts';
import { type Gather, leftAtHand, type NextBatch, type Reinforced } from './generation_batch.ts';
import type { Points } from './interruption.ts';
import type { Buffer } from './journal.ts';
import { learn } from './learn.ts';
import { batchMetrics, stepMetrics } from './metrics.ts';
import { MOST_DEAD_BATCHES, nothingToLearn } from './nothing_to_learn.ts';
import { report, training } from './report.ts';
import { orGoBack, restPoint } from './rest_point.ts';
import { collectGroups } from './rollout/collect.ts';
import { isStageOver, type TrainingRun } from './run.ts';
import { openStep, type Step } from './step.ts';
import { assertFinite, creditBatch, trainedTokens } from './update/credit_batch.ts';
import { waiting } from './waiting.ts';

/** Trains on one generation batch after the other, each for `numIterations` passes. */
export async function* grpoStage(run: TrainingRun, stage: GrpoStageConfig, points: Points): AsyncGenerator<TrainEvent> {
  const { state, clock } = run.journal;
  const under: Reinforced = { ...run, stage, openStep: (batches) => openStep(run, stage, batches) };
  const next: NextBatch = stage.staleness === undefined ? gather : waiting(gather);
  while (!isStageOver(run)) {
    points.mark();
    const [start, tokensBefore] = [clock(), state.tokens];

    // 1. Collect and 2. credit, until there is a batch with something to learn from.
    const batch = leftAtHand(under) ?? (yield* next(under));

    // 3. Update: the next minibatch of it.
    const learned = yield* learn(under, batch);
    state.step++;
    yield* await (await training()).diagnoseUpdate(run, learned.update, learned.isFresh);

    // 4. Report, once controllers have seen the step.
    const stepSeconds = (clock() - start) / 1000;
    const measured = stepMetrics(stage, learned, { step: state.step, stepSeconds, tokens: state.tokens, tokensBefore });
    const { temperature } = learned.step.stage.sampling;
    const taken = { groups: learned.groups, temperature, batches: learned.drawn.lines };
    state.unreported = await controlAfterStep(run, openStep(run, stage), measured, taken);
    yield* diagnoseEnding(run);
    yield* report(run, points);
  }
}

/** @throws RlvrError after too many batches without a live group; they are not sampled again */
const gather: Gather = async function* (run, { waits = false, sampler, isFree } = {}) {
  const { engine, journal, ledger, stage } = run;
  const { state } = journal;
  const samplingEngine = { ...engine, generator: sampler ?? engine.generator };
  const dead: StepMetrics[] = [];
  let tokens = 0;
  for (;;) {
    const step = run.openStep();
    const rest = restPoint(journal, step.methods);

    // 1. Collect: G completions per prompt, verified and rewarded; the stage's strategies may sample again.
    const collected = await collectGroups(samplingEngine, step, journal);
    assertFinite(step, collected);
    yield* await (await training()).diagnoseBatch(run, collected, step.logged);
    const observations = observationsFor(step, collected);
    if (!waits) ledger.record(observations, state.step);

    // 2. Credit: advantages of all groups at once, then what shapes and masks them.
    await isFree?.();
    const groups = await orGoBack(rest, () => creditBatch(engine, step, journal, collected.groups));
    yield { type: 'rollouts', step: state.step + 1, collected, groups };
    tokens += trainedTokens(step, groups);
    const learnsAnyway = step.methods.lossTerms.some(({ part }) => part.learnsWithoutRewards);
    if (learnsAnyway || groups.some((group) => !group.dead)) {
      state.deadBatches = 0;
      const buffer = { groups, stepsTaken: 0, ...temperatureOf(step, stage) };
      const drawn = { newest: { collected, groups, logged: step.logged }, lines: dead, trainedTokens: tokens };
      return { buffer, isFirst: true, step, rest, drawn, observations: waits ? observations : [] };
    }

    // Without a gradient, the optimizer's momentum alone would move the weights.
    const line = { step: state.step + 1, tokens: state.tokens, fate: 'dead' } as const;
    const metrics = batchMetrics(stage, { collected, groups }, step.logged, line);
    dead.push(metrics);
    yield { type: 'batch', stage: 'grpo', step: state.step + 1, metrics };
    if (waits) ledger.record(observations, state.step);
    state.deadBatches++;
    if (state.deadBatches >= MOST_DEAD_BATCHES) {
      state.deadBatches = 0; // a resume tries as many
      throw nothingToLearn(state, stage, collected, await (await training()).remedyOfDead(run));
    }
  }
};

/** Observations of a batch for the ledger, if a method reads it. */
function observationsFor(
  { methods: { uses } }: Step,
  { unaided, groups }: Collected,
): ReturnType<typeof observationsOf> {
  return uses.has(ledgerUse()) ? observationsOf(unaided ?? groups, uses.has(ledgerUse({ history: true }))) : [];
}

/** The temperature of a batch, if a controller has set it. */
function temperatureOf({ stage: { sampling } }: Step, configured: GrpoStageConfig): Pick<Buffer, 'temperature'> {
  return sampling.temperature === configured.sampling.temperature ? {} : { temperature: sampling.temperature };
}
