/**
 * What the functions of a user's method must give. Checked where they give it: a number that is none would show as a
 * loss that is not finite, and the learning rate would be blamed.
 */
import type { MethodPoint } from '../methods/stage.ts';
import { isMapping } from './task_contracts.ts';

/** What is wrong with what a function gave, or did to its arguments; undefined where nothing is. `given` are these. */
export type ResultCheck = (value: unknown, given: readonly unknown[]) => string | undefined;

type Numbers = ArrayLike<number>;

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
}

/** `gave …` where a list of numbers is none, is not as long as it must be, or holds what is not finite. */
function numbersFlaw(value: unknown, length: number, what: string): string | undefined {
  if (!isList(value)) return `gave ${what} that are no list — give ${length} numbers`;
  if (value.length !== length) return `gave ${value.length} ${what} — give ${length}`;
  for (let i = 0; i < length; i++) {
    if (!Number.isFinite(value[i]))
      return `gave ${String(value[i])} among the ${what} (place ${i}) — give finite numbers`;
  }
  return undefined;
}

interface GroupLike {
  readonly rollouts: readonly { readonly tokens: Numbers }[];
}

/** The advantages of each group, one per completion; by token where it says so. */
function advantagesFlaw(credit: unknown, { rollouts }: GroupLike, g: number): string | undefined {
  const of = `advantages of group ${g}`;
  if (!isMapping(credit)) return `gave no ${of} — give {advantages} for each group`;
  const flaw = numbersFlaw(credit.advantages, rollouts.length, of);
  if (flaw !== undefined) return flaw;
  for (const part of ['tokenAdvantages', 'tokenWeights', 'tokenSelection'] as const) {
    const byCompletion = credit[part];
    if (byCompletion === undefined) continue;
    if (!isList(byCompletion) || byCompletion.length !== rollouts.length) {
      return `gave ${part} of group ${g} that are no list of ${rollouts.length} — give one list per completion`;
    }
    for (const [i, { tokens }] of rollouts.entries()) {
      const own = byCompletion[i];
      const tokenFlaw =
        own === undefined ? undefined : numbersFlaw(own, tokens.length, `${part} of completion ${i} of group ${g}`);
      if (tokenFlaw !== undefined) return tokenFlaw;
    }
  }
  return undefined;
}

const isGroup = (value: unknown): value is GroupLike => isMapping(value) && Array.isArray(value.rollouts);

const groupsFlaw: ResultCheck = (value) => {
  if (Array.isArray(value) && value.every(isGroup)) return undefined;
  return 'gave something else than groups — give a list of them, as they came';
};

const finite: ResultCheck = (value) =>
  Number.isFinite(value) ? undefined : `gave ${String(value)} — give a finite number`;

/** What a term has added to; the run gives it. */
function gradientsFlaw(gradients: unknown, of: string): string | undefined {
  const all = gradients as readonly Readonly<Record<string, Numbers>>[]; // as `LossTerm.add` has them
  for (const [i, { losses, dLogprobs, dEntropies }] of all.entries()) {
    for (const [name, values] of Object.entries({ losses, dLogprobs, dEntropies })) {
      const flaw = numbersFlaw(values, values.length, `${name} of ${of} ${i}`);
      if (flaw !== undefined) return flaw.replace('gave', 'left');
    }
  }
  return undefined;
}

/** By the point, and there by the function. */
export const METHOD_CONTRACTS: Readonly<Partial<Record<MethodPoint, Readonly<Record<string, ResultCheck>>>>> = {
  promptSource: {
    next: (value, [count]) =>
      Array.isArray(value) && value.length === count
        ? undefined
        : `gave no ${String(count)} problems — give a list of them`,
  },
  rolloutStrategies: { rollOut: groupsFlaw, select: groupsFlaw },
  groupSteps: { apply: groupsFlaw },
  advantageEstimator: {
    estimate(value, [groups]) {
      const list = groups as readonly GroupLike[]; // the run gives them
      if (!Array.isArray(value)) return `gave no list — give {advantages} for each of ${list.length} groups`;
      if (value.length !== list.length)
        return `gave ${value.length} entries for ${list.length} groups — give one for each`;
      for (const [g, group] of list.entries()) {
        const flaw = advantagesFlaw(value[g], group, g);
        if (flaw !== undefined) return flaw;
      }
      return undefined;
    },
  },
  creditSteps: {
    apply(value) {
      const flaw = groupsFlaw(value, []);
      if (flaw !== undefined) return flaw;
      for (const [g, group] of (value as readonly GroupLike[]).entries()) {
        const own = advantagesFlaw(group, group, g);
        if (own !== undefined) return own;
      }
      return undefined;
    },
  },
  lossTerms: {
    add: (_, [, gradients]) => gradientsFlaw(gradients, 'completion'),
    addTexts: (_, [, gradients]) => gradientsFlaw(gradients, 'text'),
    texts: (value) =>
      Array.isArray(value) && value.every((each) => isMapping(each) && isList(each.prompt) && isList(each.tokens))
        ? undefined
        : 'gave something else than texts — give a list of {prompt, tokens}',
  },
  aggregation: { 'create()': finite },
  evaluationFigures: {
    of: (value) =>
      isMapping(value) && ['mean', 'low', 'high'].every((name) => typeof value[name] === 'number')
        ? undefined
        : 'gave no {mean, low, high, count} — give an estimate',
  },
};
