/**
 * The programs of a policy: lists of kernel calls over planned memory, recorded once when it opens and replayed at
 * every step, and the settings arrays that they read.
 *
 *   sample     forward over the rows in the input slots, then a token for each sampled row
 *   rollout    the same, keeping what a backward reads; `keep` moves it into the training rows
 *   score      forward, then log-prob and entropy of each loss row's target; scoreKept without the forward
 *   training   objective and backward read what `score` left; optimize ends the step
 */
import type { Engine, Program } from '../kernels/engine.ts';
import type { Kernels, ScaleRewards } from '../kernels/kernels.ts';
import { OBJECTIVE } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import { leadingRows } from '../kernels/memory.ts';
import { hasMagnitudes, refreshColumnScales } from './magnitudes.ts';
import type { ForwardSlots } from './memory/activations.ts';
import type { AheadSlots } from './memory/ahead_slots.ts';
import { type PolicyPlan, scoredSets } from './memory/plan.ts';
import { countOf, type PolicySlots } from './memory/slots.ts';
import { refreshOffsetNorms } from './offset_norms.ts';
import { adamwStep, muonStep } from './optimizer.ts';
import { OUTPUT_NAMES, type OutputName } from './outputs/names.ts';
import { OUTPUTS } from './outputs/outputs.ts';
import type { GradientSlots, ParameterSet } from './parameters.ts';
import {
  asRows,
  backwardPass,
  backwardTargets,
  copyKeysAndValues,
  forwardBatch,
  forwardHead,
  forwardLayers,
  keepRollouts,
  lossRows,
  sampleRows,
  scoreTargets,
} from './schedule.ts';

export interface Programs {
  /** One decoding step, or the prompts' prefill: forward, then a token for each sampled row. Under the weights, and under their copy. */
  readonly sample: ReadonlyMap<'policy' | 'copy', Program>;
  /** Keys and values of some rows of the cache become those of others. */
  readonly copyKeysAndValues: Program;
  readonly score: Program;
  /** Recomputes values derived from the weights; undefined if there are none. */
  readonly derive: Program | undefined;
  /** Where several steps run between two reads. */
  readonly ahead: AheadPrograms | undefined;
  readonly keeping: KeepingPrograms | undefined;
  readonly training: TrainingPrograms | undefined;
  readonly outputs: { readonly [name in OutputName]?: OutputPrograms };
}

export interface AheadPrograms {
  /** The tokens that were sampled last become the rows of the next step … */
  readonly feed: Program;
  /** … or of the next step whose rows are kept. */
  readonly feedKept: Program | undefined;
  /** Stores sampled tokens in the block that is read at once. */
  readonly remember: Program;
}

export interface KeepingPrograms {
  readonly rollout: Program;
  readonly keep: Program;
  /** The training rows hold the forward pass already. */
  readonly scoreKept: Program;
}

export interface TrainingPrograms {
  /** Under each set that is scored under, by name. */
  readonly scoreSet: ReadonlyMap<string, Program>;
  /** From one parameter set to another, and from the weights to each. */
  readonly moves: readonly MovePrograms[];
  readonly advantages: Readonly<Record<ScaleRewards, Program>>;
  readonly copyOldLogprobs: Program;
  readonly objective: Program;
  /** From derivatives by log-prob and entropy to `dHidden`, … */
  readonly backwardTargets: Program;
  /** … and from there, with what outputs have added, to every gradient. */
  readonly backward: Program;
  readonly zeroGradients: Program;
  readonly optimize: Program;
  /** The same with Muon on the matrices of the layers; undefined where that is not planned. */
  readonly optimizeByMuon: Program | undefined;
}

export interface MovePrograms {
  readonly to: string;
  /** `policy`: the weights. */
  readonly from: string;
  readonly copy: Program;
  /** `to` moves towards `from`, by the share in `mixShare`. */
  readonly mix: Program;
}

/** Programs of an output that is asked for by name. */
export interface OutputPrograms {
  /** After the scoring of the weights (`policy`) or of a set, by the name of either, or a step that samples from the `copy`. */
  readonly forward: ReadonlyMap<string, Program>;
  /** From derivatives by it to its share of `dHidden`, after `backwardTargets`. */
  readonly backward: Program | undefined;
}

/** Settings of the policyObjective kernel, by its names; an absent setting is off. */
export type ObjectiveSettings = { readonly [name in Exclude<keyof typeof OBJECTIVE, 'length'>]?: number | null };

/** Records the programs of a plan; training programs only if it was planned for training. */
export function recordPrograms(engine: Engine, plan: PolicyPlan): Programs {
  const { slots, capacity } = plan;
  const { results, weights } = slots;
  const forward = slots.training ?? slots.sampling;
  const scoreHead = (kernels: Kernels): void => {
    forwardHead(kernels, plan, weights, forward.output, lossRows(plan));
    scoreTargets(kernels, plan, weights, results.logprobs);
  };
  const score = engine.record('score', (kernels) => {
    forwardBatch(kernels, plan, weights, forward);
    scoreHead(kernels);
  });
  const { rollout, training } = slots;
  return {
    sample: new Map([
      ['policy' as const, recordSample(engine, plan, 'sample', slots.sampling)],
      ...(slots.copy
        ? [
            [
              'copy' as const,
              recordSample(engine, plan, 'sample from copy', slots.sampling, slots.copy.weights),
            ] as const,
          ]
        : []),
    ]),
    copyKeysAndValues: engine.record('copy keys and values', (kernels) => copyKeysAndValues(kernels, plan)),
    score,
    derive:
      hasMagnitudes(weights) || weights.offsetNorms !== undefined
        ? engine.record('derive', (kernels) => derive(kernels, plan, weights))
        : undefined,
    ahead: slots.ahead && recordAhead(engine, plan, slots.ahead),
    keeping:
      rollout && training
        ? {
            rollout: recordSample(engine, plan, 'rollout', rollout),
            keep: engine.record('keep', (kernels) => keepRollouts(kernels, plan, rollout, training)),
            scoreKept: engine.record('score kept', scoreHead),
          }
        : undefined,
    training: capacity.training ? recordTraining(engine, plan) : undefined,
    outputs: recordOutputs(engine, plan),
  };
}

/** Makes what is computed from the weights of a set. */
function derive(kernels: Kernels, { slots }: PolicyPlan, set: ParameterSet): void {
  refreshColumnScales(kernels, set, slots.adapterScratch);
  refreshOffsetNorms(kernels, set);
}

function recordOutputs(engine: Engine, plan: PolicyPlan): Programs['outputs'] {
  const { slots, capacity } = plan;
  const place = { slots, rows: lossRows(plan) };
  const scored = [
    ['policy', slots.weights] as const,
    ...(slots.copy ? [['copy', slots.copy.weights] as const] : []),
    ...scoredSets(capacity, slots),
  ];
  const recorded = OUTPUT_NAMES.flatMap((name) => {
    const output = slots.outputs[name];
    if (output === undefined) return [];
    const { forward, backward } = OUTPUTS[name];
    const { values, backward: ofBackward } = output;
    const under = scored.map(([of, set]) => {
      return [of, engine.record(`${name} of ${of}`, (kernels) => forward(kernels, place, set, values))] as const;
    });
    const back =
      ofBackward && engine.record(`backward ${name}`, (kernels) => backward(kernels, place, values, ofBackward));
    return [[name, { forward: new Map(under), backward: back }] as const];
  });
  return Object.fromEntries(recorded);
}

/** Forward over the rows of `forward`, then a token for each sampled row. */
function recordSample(
  engine: Engine,
  plan: PolicyPlan,
  name: string,
  forward: ForwardSlots,
  weights: ParameterSet = plan.slots.weights,
): Program {
  const { hidden, inputs, results } = plan.slots;
  const perSample = (slot: Slot): Slot => leadingRows(slot, plan.capacity.completions);
  return engine.record(name, (kernels) => {
    forwardLayers(kernels, plan, weights, forward);
    forwardHead(kernels, plan, weights, forward.output, sampleRows(plan));
    kernels.sample({
      hidden: perSample(hidden),
      weight: weights.head,
      sampling: results.sampling,
      key: inputs.samplingKey,
      rolloutNumbers: inputs.rolloutNumbers,
      counters: inputs.counters,
      tokens: inputs.sampled,
      logprobs: perSample(results.logprobs),
      entropies: perSample(results.entropies),
      keptLogMass: results.keptLogMass,
      rows: sampleRows(plan),
    });
  });
}

function recordAhead(engine: Engine, { slots }: PolicyPlan, ahead: AheadSlots): AheadPrograms {
  const { inputs, results, rollout, sampling } = slots;
  const feed = (name: string, to: ForwardSlots, index: Slot): Program =>
    engine.record(name, (kernels) => {
      kernels.gatherRows({ x: asRows(inputs.sampled), index, out: asRows(to.inputs.tokens), rows: to.rows });
    });
  const places = { begin: countOf(inputs, 'aheadBegin'), end: countOf(inputs, 'aheadEnd') };
  return {
    feed: feed('feed', sampling, ahead.from),
    feedKept: rollout && feed('feed kept', rollout, ahead.feedFrom),
    remember: engine.record('remember', (kernels) => {
      const remember = (x: Slot, out: Slot): void =>
        kernels.gatherRows({ x: asRows(x), index: ahead.from, out: asRows(out), rows: places });
      remember(inputs.sampled, ahead.tokens);
      remember(results.logprobs, ahead.logprobs);
      remember(results.entropies, ahead.entropies);
      remember(results.keptLogMass, ahead.keptLogMass);
    }),
  };
}

function recordTraining(engine: Engine, plan: PolicyPlan): TrainingPrograms {
  const { inputs, results, sampling } = plan.slots;
  const advantages = (scale: ScaleRewards): Program =>
    engine.record(`advantages ${scale}`, (kernels) => {
      const groups = countOf(inputs, 'groups');
      kernels.groupAdvantages({
        rewards: results.rewards,
        offsets: inputs.groupOffsets,
        groups,
        scale,
        advantages: results.groupAdvantages,
        dead: inputs.dead,
      });
    });
  const scoreUnder = (label: string, set: ParameterSet): Program =>
    engine.record(label, (kernels) => {
      derive(kernels, plan, set);
      forwardBatch(kernels, plan, set, sampling);
      forwardHead(kernels, plan, set, sampling.output, lossRows(plan));
      scoreTargets(kernels, plan, set, results.refLogprobs);
    });
  return {
    scoreSet: new Map(
      scoredSets(plan.capacity, plan.slots).map(([name, set]) => [name, scoreUnder(`score ${name}`, set)]),
    ),
    moves: recordMoves(engine, plan),
    advantages: { group: advantages('group'), batch: advantages('batch'), none: advantages('none') },
    copyOldLogprobs: engine.record('old log-probs', (k) => k.copy({ x: results.logprobs, out: results.oldLogprobs })),
    objective: engine.record('objective', (kernels) => {
      kernels.policyObjective({ ...results, settings: results.objective, rows: lossRows(plan) });
    }),
    backwardTargets: engine.record('backward targets', (kernels) => backwardTargets(kernels, plan)),
    backward: engine.record('backward', (kernels) => backwardPass(kernels, plan)),
    ...recordOptimizer(engine, plan),
  };
}

function recordMoves(engine: Engine, { slots }: PolicyPlan): MovePrograms[] {
  const { weights, sets, mixShare: share } = slots;
  if (share === undefined) return []; // there are no sets
  const sources = [['policy', weights] as const, ...sets];
  return [...sets].flatMap(([to, { trainable: out }]) =>
    sources.flatMap(([from, { trainable: x }]): MovePrograms[] => {
      if (to === from) return [];
      const label = from === 'policy' ? to : `${to} from ${from}`;
      return [
        {
          to,
          from,
          copy: engine.record(`copy ${label}`, (kernels) => kernels.copy({ x, out })),
          mix: engine.record(`mix ${label}`, (kernels) => kernels.mix({ x, share, out })),
        },
      ];
    }),
  );
}

function recordOptimizer(
  engine: Engine,
  { slots }: PolicyPlan,
): Pick<TrainingPrograms, 'zeroGradients' | 'optimize' | 'optimizeByMuon'> {
  const { gradients, backward, results } = slots;
  if (!gradients || !backward) throw new Error('planned without training');
  const shares = gradientShares(slots, gradients);
  const record = (label: string, step: (kernels: Kernels) => void): Program =>
    engine.record(label, (kernels) => {
      for (const [share, out] of shares) kernels.add({ x: share, out });
      kernels.gradientNorm({ gradients: gradients.all, partials: backward.normPartials, norm: backward.gradNorm });
      step(kernels);
    });
  const { muon } = results;
  return {
    zeroGradients: engine.record('zero gradients', (kernels) => {
      kernels.fill({ out: gradients.all, value: 0 });
      for (const [share] of shares) kernels.fill({ out: share, value: 0 });
    }),
    optimize: record('optimize', (kernels) => adamwStep(kernels, slots)),
    optimizeByMuon: muon && record('optimize by Muon', (kernels) => muonStep(kernels, slots, muon)),
  };
}

/** Sums kept apart from the gradients over a step's micro-batches, each with the gradient that it is added to. */
function gradientShares(slots: PolicySlots, gradients: GradientSlots): (readonly [share: Slot, out: Slot])[] {
  const shares = [
    [slots.embeddingGradient, gradients.embedding] as const,
    ...OUTPUT_NAMES.map(
      (name) => [slots.outputs[name]?.backward?.dWeight, OUTPUTS[name].gradientOf(gradients)] as const,
    ),
  ];
  return shares.flatMap(([share, out]) => (share && out ? [[share, out] as const] : []));
}

/** `results.objective`, as the policyObjective kernel reads it. */
export function objectiveSettings(settings: ObjectiveSettings): Float32Array {
  const { length, ...places } = OBJECTIVE;
  const values = new Float32Array(length);
  for (const [name, place] of Object.entries(places)) values[place] = settings[name as keyof ObjectiveSettings] ?? 0;
  return values;
}
