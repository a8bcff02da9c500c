/**
 * Detects whether a part has acted: its input and output are compared until they first differ; from then on it runs
 * unwatched. This decides what is reported at the end of a stage, never what is computed.
 */
import type { TaskItem } from '../../data/task.ts';
import type {
  Controller,
  CreditStep,
  DemonstrationSource,
  GroupStep,
  Levers,
  LossTerm,
  PromptSource,
  RolloutStrategy,
  StepLevers,
  TaughtDemonstrations,
  TokenControl,
  TokenWeight,
} from '../points.ts';
import type { CreditedGroup } from '../records.ts';
import type { MethodPoint } from '../stage.ts';

/** A method that is expected to change something. */
export interface Acting {
  readonly point: MethodPoint | 'demonstrations';
  /** With a number if the stage has it several times. */
  readonly id: string;
  /** Its input and output are compared. */
  readonly isWatched: boolean;
  /** Input and output have differed. */
  hasActed: boolean;
}

/** Watched parts by point. At other points a method declares what it acts on (`idle.ts`), or always acts. */
interface WatchedParts {
  readonly promptSource: PromptSource;
  readonly rolloutStrategies: RolloutStrategy;
  readonly tokenControls: TokenControl;
  readonly groupSteps: GroupStep;
  readonly creditSteps: CreditStep;
  readonly tokenWeights: TokenWeight;
  readonly lossTerms: LossTerm;
  readonly controllers: Controller;
  readonly demonstrations: DemonstrationSource;
}

/** Wrappers of the functions through which a part acts; each calls `acted` once it has. */
const WATCHES: {
  readonly [P in keyof WatchedParts]: (part: WatchedParts[P], acted: () => void) => Partial<WatchedParts[P]>;
} = {
  promptSource: (part, acted) => ({
    async next(count, draw, tools) {
      const drawn: TaskItem[] = [];
      const items = await part.next(
        count,
        async (asked) => {
          const own = await draw(asked);
          drawn.push(...own);
          return own;
        },
        {
          ...tools,
          attempt(tried, how) {
            if (how !== 'greedy') acted(); // what is sampled moves the numbers that key later draws
            return tools.attempt(tried, how);
          },
        },
      );
      if (!isSame(items, drawn)) acted();
      return items;
    },
  }),
  rolloutStrategies: (part, acted) => ({
    async rollOut(requests, next, tools) {
      const rounds: unknown[] = [];
      const groups = await part.rollOut(
        requests,
        async (asked) => {
          if (!isSame(asked, requests)) acted();
          const sampled = await next(asked);
          rounds.push(sampled);
          return sampled;
        },
        {
          ...tools,
          draw(count) {
            acted();
            return tools.draw(count);
          },
        },
      );
      if (rounds.length !== 1 || !isSame(groups, rounds[0])) acted();
      return groups;
    },
    ...(part.select && {
      select(groups) {
        const selected = part.select?.(groups) ?? groups;
        if (!isSame(selected, groups)) acted();
        return selected;
      },
    }),
  }),
  tokenControls: (part, acted) => ({
    ...(part.temperature && {
      temperature(place, context) {
        const factor = part.temperature?.(place, context) ?? 1;
        if (factor !== 1) acted();
        return factor;
      },
    }),
    ...(part.after && {
      after(tokens, item, seen) {
        const next = part.after?.(tokens, item, seen);
        if (next !== undefined) acted();
        return next;
      },
    }),
    ...(part.atEnd && {
      atEnd(tokens, item, seen) {
        const instead = part.atEnd?.(tokens, item, seen);
        if (instead !== undefined) acted();
        return instead;
      },
    }),
    ...(part.allowed && {
      allowed(tokens, vocabulary) {
        const mask = part.allowed?.(tokens, vocabulary);
        if (mask?.includes(0)) acted();
        return mask;
      },
    }),
  }),
  groupSteps: (part, acted) => ({
    apply(groups, context) {
      const shaped = part.apply(groups, context);
      if (!isSame(shaped, groups)) acted();
      return shaped;
    },
  }),
  creditSteps: (part, acted) => ({
    apply(groups, context) {
      const shaped = part.apply(groups, context);
      if (!isSame(shaped.map(writtenOut), groups.map(writtenOut))) acted();
      return shaped;
    },
  }),
  tokenWeights: (part, acted) => ({
    weigh(sequences, weights, context) {
      const before = structuredClone(weights);
      part.weigh(sequences, weights, context);
      if (!isSame(weights, before)) acted();
    },
  }),
  lossTerms: (part, acted) => ({
    add(sequences, gradients, context) {
      const loss = gradients.map(({ losses, dLogprobs, dEntropies }) => ({ losses, dLogprobs, dEntropies }));
      const before = structuredClone(loss); // what adds to whole distributions alone has a loss, too
      part.add(sequences, gradients, context);
      if (!isSame(loss, before)) acted();
    },
    ...(part.addTexts && {
      addTexts(texts, gradients, context) {
        if (texts.length > 0) acted();
        part.addTexts?.(texts, gradients, context);
      },
    }),
  }),
  controllers: (part, acted) => ({
    ...(part.afterStep && { afterStep: async (metrics, levers) => part.afterStep?.(metrics, moving(levers, acted)) }),
    ...(part.afterEvaluation && {
      afterEvaluation: async (evaluation, levers) => part.afterEvaluation?.(evaluation, moving(levers, acted)),
    }),
  }),
  demonstrations(part, acted) {
    let usual: number | undefined;
    return {
      ...(part.taught && {
        taught() {
          acted();
          return part.taught?.() as TaughtDemonstrations;
        },
      }),
      ...(part.show && {
        show(problem) {
          const shown = part.show?.(problem);
          if (shown !== undefined) acted();
          return shown;
        },
      }),
      ...(part.weigh && {
        weigh(shown, textOf) {
          const weights = part.weigh?.(shown, textOf) ?? new Float64Array();
          usual ??= weights[0]; // one weight for all tokens is none
          if (weights.some((weight) => weight !== usual)) acted();
          return weights;
        },
      }),
    };
  },
};

/** Watches a part until it acts. @param stageTemperature  with which a controller's is compared */
export function watched<Part extends object>(part: Part, acting: Acting, stageTemperature?: number): Part {
  const watch = WATCHES[acting.point as keyof WatchedParts] as
    | ((part: object, acted: () => void) => Readonly<Record<PropertyKey, unknown>>)
    | undefined; // it is given parts of its own point
  if (watch === undefined || !acting.isWatched || acting.hasActed) return part;
  const { temperature } = part as Controller;
  if (typeof temperature === 'number' && temperature !== stageTemperature) acting.hasActed = true;
  const wrapped = watch(part, () => {
    acting.hasActed = true;
  });
  // The proxy's target is not the part itself: a user's part may have fixed properties, which a proxy may not change.
  return new Proxy(Object.create(part) as Part, {
    get(_, name) {
      if (!acting.hasActed && Object.hasOwn(wrapped, name)) return wrapped[name];
      const value = Reflect.get(part, name, part);
      return typeof value === 'function' ? value.bind(part) : value;
    },
    set: (_, name, value) => Reflect.set(part, name, value, part),
  });
}

/** Whether a part of such a point is watched; one that the engine computes is not, and counts as acting. */
export function isWatchable(point: Acting['point'], part: object): boolean {
  if (Object.isFrozen(part) || (part as PromptSource).isStream || (part as TokenControl).isTruncated) return false;
  return Object.hasOwn(WATCHES, point) && (part as LossTerm).device === undefined;
}

/** The levers that change something. */
const MOVING: ReadonlySet<PropertyKey> = new Set<keyof StepLevers>([
  'copyToReference',
  'mixIntoReference',
  'mix',
  'mixIntoPolicy',
  'resetMoments',
  'set',
  'endStage',
  'dropRollouts',
]);

function moving<Given extends Levers>(levers: Given, acted: () => void): Given {
  return new Proxy(levers, {
    get(target, name) {
      if (MOVING.has(name)) acted();
      return Reflect.get(target, name, target);
    },
  });
}

/** A group with its tokens' defaults written out, so that weights of 1 equal absent ones. */
function writtenOut({ tokenAdvantages, tokenWeights, tokenSelection, ...group }: CreditedGroup): unknown {
  const { rollouts, advantages } = group;
  const each = (given: readonly ArrayLike<number>[] | undefined, usual: (i: number) => number) =>
    rollouts.map(({ tokens }, i) => given?.[i] ?? new Float32Array(tokens.length).fill(usual(i)));
  return {
    ...group,
    tokenAdvantages: each(tokenAdvantages, (i) => advantages[i]),
    tokenWeights: each(tokenWeights, () => 1),
    tokenSelection: each(tokenSelection, () => 1),
  };
}

/** Compares numbers, texts and lists; identical objects are equal without a look inside. */
function isSame(value: unknown, other: unknown): boolean {
  if (Object.is(value, other)) return true;
  if (typeof value !== 'object' || typeof other !== 'object' || value === null || other === null) return false;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const [a, b] = [value, other] as [ArrayLike<unknown>, ArrayLike<unknown>];
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i])) return false;
    return true;
  }
  const [a, b] = [value, other] as Record<string, unknown>[];
  return Object.keys({ ...a, ...b }).every((name) => isSame(a?.[name], b?.[name]));
}
