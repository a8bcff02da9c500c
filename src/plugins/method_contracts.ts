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

/** The groups that a step gives back: no fewer, with rewards that can be credited. */
const steppedFlaw: ResultCheck = (value, given) => {
  const flaw = groupsFlaw(value, given);
  if (flaw !== undefined) return flaw;
  const [before] = given as readonly (readonly GroupLike[])[]; // the run gives them
  const groups = value as readonly GroupLike[]; // as was just seen
  if (groups.length !== before.length) return `gave ${groups.length} groups for ${before.length} — give one for each`;
  for (const [g, { rollouts }] of groups.entries()) {
    if (rollouts.length === 0) return `gave no completions in group ${g} — leave those that it had, or mark it dead`;
    for (const [i, rollout] of rollouts.entries()) {
      const { reward, tokens } = rollout as { readonly reward?: unknown; readonly tokens?: unknown };
      if (!isList(tokens)) return `gave completion ${i} of group ${g} without its tokens — give it as it came`;
      if (reward === null || Number.isFinite(reward)) continue;
      return `gave ${String(reward)} as the reward of completion ${i} of group ${g} — give a finite number or null`;
    }
  }
  return undefined;
};

/** The log-ratios that a ratio has written, at the tokens that carry a loss. */
const measuredFlaw: ResultCheck = (_, [sequence, logRatios]) => {
  const { coefficients } = sequence as { readonly coefficients: Numbers }; // the run gives both
  const written = logRatios as Numbers;
  for (let t = 0; t < written.length; t++) {
    if (coefficients[t] !== 0 && !Number.isFinite(written[t]))
      return `left ${String(written[t])} among the log-ratios (token ${t}) — write finite numbers`;
  }
  return undefined;
};

const spreadFlaw: ResultCheck = (_, [, , dLogprobs]) => {
  const slopes = dLogprobs as Numbers; // the run gives them
  return numbersFlaw(slopes, slopes.length, 'dLogprobs')?.replace('gave', 'left');
};

/** A weight below 0 would turn the loss around. */
const weightsFlaw: ResultCheck = (_, [, all]) => {
  for (const [i, parts] of (all as readonly Readonly<Record<string, Numbers>>[]).entries()) {
    for (const [name, values] of Object.entries(parts)) {
      const flaw = numbersFlaw(values, values.length, `${name} of completion ${i}`);
      if (flaw !== undefined) return flaw.replace('gave', 'left');
      const below = Array.from(values).findIndex((weight) => weight < 0);
      if (below >= 0) return `left ${values[below]} among the ${name} of completion ${i} — a weight is 0 or more`;
    }
  }
  return undefined;
};

const finite: ResultCheck = (value) =>
  Number.isFinite(value) ? undefined : `gave ${String(value)} — give a finite number`;

/** What a term has added to; the run gives it. */
function gradientsFlaw(gradients: unknown, of: string): string | undefined {
  const all = gradients as readonly Readonly<Record<string, Numbers>>[]; // as `LossTerm.add` has them
  for (const [i, { losses, dLogprobs, dEntropies, dLogits = [] }] of all.entries()) {
    for (const [name, values] of Object.entries({ losses, dLogprobs, dEntropies, dLogits })) {
      const flaw = numbersFlaw(values, values.length, `${name} of ${of} ${i}`);
      if (flaw !== undefined) return flaw.replace('gave', 'left');
    }
  }
  return undefined;
}

/** By the point, and there by the function. */
export const METHOD_CONTRACTS: Readonly<
  Partial<Record<MethodPoint | 'demonstrations', Readonly<Record<string, ResultCheck>>>>
> = {
  demonstrations: {
    show: (value) => {
      if (value === undefined) return undefined;
      const isText = isMapping(value) && isList(value.prompt) && isList(value.tokens);
      return isText ? undefined : 'gave no text — give {prompt, tokens, labels}, or nothing';
    },
  },
  promptSource: {
    next: (value, [count]) =>
      Array.isArray(value) && value.length === count && value.every((item) => isMapping(item) && 'key' in item)
        ? undefined
        : `gave no ${String(count)} problems — give a list of them, as await draw(count) gives them`,
  },
  rolloutStrategies: { rollOut: groupsFlaw, select: groupsFlaw },
  groupSteps: { apply: steppedFlaw },
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
  ratio: { measure: measuredFlaw, spread: spreadFlaw },
  tokenWeights: { weigh: weightsFlaw },
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
