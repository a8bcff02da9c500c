/** Losses of preferences beside TRL's own: values and gradients, in float64 and over a model on wasm. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addTerms } from '../../../../../src/grpo/update/objective.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { METHODS } from '../../../../../test/support/everything.ts';
import { loadGoldenModel } from '../../../../../test/support/golden_model.ts';
import { openGolden } from '../../../../../test/support/policies.ts';
import { emptyGradients, groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepOf } from '../../../../../test/support/steps.ts';
import { STAGE_FORMS } from '../../../elsewhere/stage_forms.ts';
import { FORM_NAMES } from '../../../library.ts';
import { gradientsOf, lossOf, sizes } from '../../support/losses.ts';

type Rows = readonly (readonly number[])[];

interface Case {
  readonly stage: 'dpo' | 'kto' | 'orpo' | 'cpo';
  readonly options: Readonly<Record<string, unknown>>;
  readonly loss: number;
  readonly gradient: Rows;
  readonly rewards: Readonly<Record<string, number>>;
}

interface Golden {
  readonly vocabulary: number;
  readonly pairs: {
    readonly logprobs: Rows;
    readonly ref: Rows;
    readonly distributions: Rows;
    readonly mismatched: Rows;
    readonly mismatchedRef: Rows;
    readonly cases: readonly Case[];
  };
  readonly model: { readonly ref: Rows; readonly cases: readonly Case[] };
}

const golden = JSON.parse(readFileSync(new URL('../../golden/preferences.json', import.meta.url), 'utf8')) as Golden;

interface Row {
  readonly origin: string;
  readonly logprobs: readonly number[];
  readonly ref: readonly number[];
  readonly distributions?: readonly number[];
}

/** A group of these completions, as seq-mean weighs them. @param completions  of the step */
function groupOfRows(rows: readonly Row[], completions: number): LossSequence[] {
  const rollouts = rows.map(({ origin, logprobs }): Rollout => ({ ...rolloutOf(logprobs.length, 0), origin }));
  const group = groupOf(rollouts);
  return rows.map(({ logprobs, ref, distributions }, i): LossSequence => {
    const { length } = logprobs;
    return {
      group,
      rollout: rollouts[i],
      logprobs: Float32Array.from(logprobs),
      oldLogprobs: new Float32Array(length),
      refLogprobs: Float32Array.from(ref),
      entropies: new Float32Array(length),
      advantages: new Float32Array(length),
      weights: new Float64Array(length).fill(1),
      coefficients: new Float64Array(length).fill(1 / (completions * length)),
      ...(distributions && { distributions: Float32Array.from(distributions) }),
    };
  });
}

/** The completions of pairs in TRL's order: all chosen ones, then all rejected ones. */
function pairsOf({
  logprobs,
  ref,
  distributions,
}: Pick<Golden['pairs'], 'logprobs' | 'ref'> & { readonly distributions?: Rows }) {
  const half = logprobs.length / 2;
  const row = (i: number): Row => ({
    origin: i < half ? 'chosen' : 'rejected',
    logprobs: logprobs[i],
    ref: ref[i],
    ...(distributions && { distributions: distributions[i] }),
  });
  return Array.from({ length: half }, (_, i) => groupOfRows([row(i), row(half + i)], logprobs.length));
}

/** Rows with a label, each beside the completion of another row. */
function singlesOf({ logprobs, ref, mismatched, mismatchedRef }: Golden['pairs']) {
  const half = logprobs.length / 2;
  return logprobs.map((own, i) =>
    groupOfRows(
      [
        { origin: i < half ? 'chosen' : 'rejected', logprobs: own, ref: ref[i] },
        { origin: 'mismatched', logprobs: mismatched[i], ref: mismatchedRef[i] },
      ],
      2 * logprobs.length,
    ),
  );
}

/** The objective that a stage of this name has. */
function objectiveOf({ stage, options }: Case): string {
  const given = Object.entries(options).map(([name, value]) => [name, { path: name, value }] as const);
  const { value } =
    STAGE_FORMS[stage].asGrpo(new Map(given), 'stages.0', { add: expect.unreachable }).get('objective') ?? {};
  return `objective: ${JSON.stringify(value)}`;
}

const named = (cases: readonly Case[]): [string, Case][] =>
  cases.map((one) => [`${one.stage} ${JSON.stringify(one.options)}`, one]);

const farthest = (found: readonly number[], expected: readonly number[]): number =>
  Math.max(...expected.map((value, i) => Math.abs(found[i] - value)));

it('has a form for each name that is looked for in a config', () => {
  expect(Object.keys(STAGE_FORMS)).toEqual(FORM_NAMES);
});

describe('losses of preferences', () => {
  it.each(named(golden.pairs.cases))("are TRL's: %s", (_, one) => {
    const groups = one.stage === 'kto' ? singlesOf(golden.pairs) : pairsOf(golden.pairs);
    const sequences = groups.flat();
    const gradients = gradientsOf(sequences, objectiveOf(one));
    expect(Math.abs(lossOf(gradients) - one.loss)).toBeLessThan(1e-9);
    const half = groups.length;
    const places = one.gradient.map((_, i) => (one.stage === 'kto' ? 2 * i : 2 * (i % half) + Math.floor(i / half)));
    for (const [i, place] of places.entries()) {
      expect(farthest([...gradients[place].dLogprobs], one.gradient[i])).toBeLessThan(1e-9);
    }
    if (one.stage === 'kto')
      for (const { dLogprobs } of gradients.filter((_, i) => i % 2 === 1))
        expect(dLogprobs).toEqual(new Float64Array(3));
  });

  it.each(named(golden.model.cases))("are TRL's over a model on wasm: %s", async (_, one) => {
    const model = loadGoldenModel('llama_tied');
    const policy = await openGolden(await wasmBackend({ threads: 1 }), model);
    const batch = packBatch(model.groups);
    const flat = [...model.inFixtureOrder(batch, (await policy.score(batch, 1)).logprobs)];
    await policy.close();
    const rows = model.groups.map(({ completions }) => completions.map(({ length }) => flat.splice(0, length)));
    const logprobs = [rows[0][0], rows[1][0], rows[0][1], rows[1][1]];
    const gradients = gradientsOf(pairsOf({ logprobs, ref: golden.model.ref }).flat(), objectiveOf(one));
    expect(Math.abs(lossOf(gradients) - one.loss)).toBeLessThan(1e-6 * Math.max(1, one.loss));
    const found = [0, 2, 1, 3].flatMap((i) => [...gradients[i].dLogprobs]);
    expect(farthest(found, one.gradient.flat())).toBeLessThan(1e-6);
  });
});

describe('stages of preferences', () => {
  it('have the options of the objective as keys', () => {
    const [objective] = METHODS.objective.filter(({ id }) => id === 'preference');
    const options = Object.values(objective.options).map(({ yaml }) => yaml);
    expect(STAGE_FORMS.dpo.keys).toEqual(expect.arrayContaining(options));
    expect(STAGE_FORMS.dpo.keys).toHaveLength(options.length + 1);
  });

  it.each(named(golden.pairs.cases.filter(({ rewards }) => 'rewards/margins' in rewards).slice(0, 3)))(
    'log rewards as TRL does: %s',
    (_, one) => {
      const step = stepOf(stageOf(objectiveOf(one)));
      const groups = pairsOf(golden.pairs);
      const sequences = groups.flat();
      addTerms(step, { sizes, onPolicy: false }, sequences, emptyGradients(sequences));
      const logged = step.methods.lossTerms[0].part.afterUpdate?.({ entropy: 0 }) ?? {};
      for (const [name, value] of Object.entries(one.rewards)) expect(logged[name], name).toBeCloseTo(value, 9);
    },
  );
});
