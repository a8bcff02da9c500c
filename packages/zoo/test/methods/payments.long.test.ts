/**
 * What completions are paid is what a stage learns from: asked of every method of the registry. What a method pays, and whether
 * it reads verdicts, is what it declares; and of each that pays beside each that learns, either what is trained follows what is
 * paid, or the two are refused together.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Member, Payment } from '../../../../src/methods/method.ts';
import type { RolloutGroup } from '../../../../src/methods/records.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from '../../../../src/methods/stage.ts';
import { paymentOf } from '../../../../src/methods/support/rewards/payment_rules.ts';
import { createMethods, METHODS, membersOf, parseConfig, remarksOn } from '../../../../test/support/everything.ts';
import { weightsAfter } from '../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';
import { describeMethod, EXAMPLE_REWARDS } from '../../catalogue/catalogue.ts';
import {
  drawnPaid,
  type Paid,
  paidGroups,
  rewardsOf,
  sampledBy,
  slopesOfUpdate,
  trainedOf,
} from '../support/paid_groups.ts';

/** A method in a stage that asks for it. */
interface Asked {
  readonly point: MethodPoint;
  readonly id: string;
  readonly line: string;
  readonly stage: GrpoStageConfig;
  readonly member: Member;
}

function askedBy(point: MethodPoint, id: string, line: string): Asked {
  const stage = stageOf(line, EXAMPLE_REWARDS);
  const member = membersOf(stage).find((one) => one.point === point && one.method.id === id);
  if (member === undefined) throw new Error(`no ${id}`);
  return { point, id, line, stage, member };
}

/** Lines that no example shows, of options that decide what a method reads. */
const FURTHER: Readonly<Partial<Record<MethodPoint, readonly (readonly [id: string, line: string])[]>>> = {
  advantageEstimator: [['group', 'multi_objective_aggregation: normalize_then_sum']],
  rolloutStrategies: [
    ['oversample-select', 'rollout_strategies: [{name: oversample-select, kept_by: balanced}]'],
    ['inject-reference', 'rollout_strategies: [{name: inject-reference, injected_reward: mean, solved_at_most: 1}]'],
  ],
  creditSteps: [['failure-mask', 'credit_steps: [{name: failure-mask, masked_failures: [wrong_value]}]']],
};

/** Each method of a point as it is by default, and with all of its options. The mark of an answer is a token of these groups. */
function waysOf(point: MethodPoint): Asked[] {
  const examples = METHODS[point].flatMap((method) =>
    describeMethod(point, method)
      .yaml.slice(0, 2)
      .map((line) => [method.id, line.replaceAll(/["']?<answer>["']?/g, '"3"')] as const),
  );
  return [...examples, ...(FURTHER[point] ?? [])].map(([id, line]) => askedBy(point, id, line));
}

const paid = drawnPaid('as it is');
const other = drawnPaid('otherwise');
/** The same pay for other verdicts. */
const verdicts: readonly Paid[] = [
  { ...paid, right: other.right },
  { ...paid, right: paid.right.map((own) => own.map(() => false)) },
];
const totals: Paid = { ...paid, totals: other.totals };
const parts: Paid = { ...totals, parts: other.parts };

/** It asks which completions are solved, and was not told from which reward on. */
const asksVerdicts = ({ method, options }: Member): boolean =>
  Object.hasOwn(method.options, 'solvedReward') && options.solvedReward === undefined;

function saysItReads({ method: { readsVerdicts: reads, id }, options, uses }: Member): boolean {
  const all = uses.flatMap((use) => [use, ...(use.implies ?? [])]);
  const declared = typeof reads === 'function' ? reads(options) : reads !== undefined;
  if (id === undefined) throw new Error('a method without a name');
  return declared || all.some((use) => use.readsVerdicts === true);
}

const isDeclared = (member: Member): boolean => asksVerdicts(member) || saysItReads(member);

/** What a group step makes of groups over two steps of a stage. */
function shapedBy({ stage, id }: Asked, given: Paid): readonly RolloutGroup[] {
  const groups = paidGroups(given);
  const { part } = createMethods(stage).groupSteps.find((made) => made.id === id) ?? {};
  if (part === undefined) throw new Error(`no ${id}`);
  part.apply(groups, stepContext(stage));
  return part.apply(groups, stepContext(stage, 4));
}

describe.each(waysOf('groupSteps'))('$line', (asked) => {
  const shaped = shapedBy(asked, paid);
  const pays = paymentOf(asked.member);

  it('pays otherwise only where it says so, and as it says', () => {
    if (rewardsOf(shaped) !== rewardsOf(paidGroups(paid))) expect(pays).toBeDefined();
    if (pays?.does === 'replaces') expect(asked.member.method.relabels).toBe(true);
    if (pays?.does === 'changes' || pays === undefined) return;
    const rewards = (given: Paid) => shapedBy(asked, given).map(({ rollouts }) => rollouts.map(({ reward }) => reward));
    // What it pays does not depend on the total; what it pays in the place of everything, on no reward either.
    expect(rewards(totals)).toEqual(rewards(paid));
    if (pays.does === 'replaces' && pays.reward === undefined) expect(rewards(parts)).toEqual(rewards(paid));
  });

  it('reads verdicts only where it says so', () => {
    const reads = verdicts.some((given) => trainedOf(shapedBy(asked, given)) !== trainedOf(shaped));
    if (reads) expect(isDeclared(asked.member)).toBe(true);
  });
});

describe.each(waysOf('rolloutStrategies'))('$line', (asked) => {
  const STEPS = 4;

  it('pays otherwise only where it says so, and reads verdicts likewise', async () => {
    const plain = await sampledBy(asked.stage, paid, STEPS);
    const before = new Map(
      plain.given.flatMap(({ rollouts }) => rollouts.map((one) => [one.tokens.join(), one.reward])),
    );
    const paidOtherwise = plain.made
      .filter(({ kind }) => kind === undefined)
      .flatMap(({ rollouts }) => rollouts)
      .some(({ tokens, reward }) => before.has(tokens.join()) && before.get(tokens.join()) !== reward);
    if (paidOtherwise) expect(paymentOf(asked.member)).toBeDefined();
    for (const given of verdicts) {
      const judged = await sampledBy(asked.stage, given, STEPS);
      const isSame = judged.asked === plain.asked && trainedOf(judged.made) === trainedOf(plain.made);
      if (!isSame) expect(isDeclared(asked.member)).toBe(true);
    }
  });
});

/** Points whose methods decide what an update learns of a group. */
const LEARNING = [
  'advantageEstimator',
  'creditSteps',
  'ratio',
  'objective',
  'tokenWeights',
  'lossTerms',
  'aggregation',
] as const satisfies readonly MethodPoint[];

/** What the update of a stage follows. */
interface Follows {
  readonly total: boolean;
  /** The total together with the rewards that it is the sum of. */
  readonly parts: boolean;
  readonly verdicts: boolean;
}

/** Without `terms-only`, which is there to follow nothing that is paid. */
const learning = LEARNING.flatMap(waysOf).filter(({ id }) => id !== 'terms-only');
const follows = new Map<Asked, Follows>();

beforeAll(() => {
  for (const asked of learning) {
    const slopes = (given: Paid): string => slopesOfUpdate(asked.stage, paidGroups(given));
    const plain = slopes(paid);
    const moves = (given: Paid): boolean => slopes(given) !== plain;
    follows.set(asked, { total: moves(totals), parts: moves(parts), verdicts: verdicts.some(moves) });
  }
}, 60_000);

const followedBy = (asked: Asked): Follows => follows.get(asked) as Follows; // of all that learn, `beforeAll` says so

describe.each(learning)('$line', (asked) => {
  it('reads verdicts only where it says so', () => {
    if (followedBy(asked).verdicts) expect(isDeclared(asked.member)).toBe(true);
  });
});

describe('which completions are solved', () => {
  it.each(
    learning
      .filter(({ member }) => asksVerdicts(member))
      .map(({ point, id, line }) => {
        const name = line.includes('{')
          ? line.replace('{', '{solved_reward: 0.5, ')
          : line.replace(id, `{name: ${id}, solved_reward: 0.5}`);
        return [name, askedBy(point, id, name)] as const;
      }),
  )('is what is paid, and no verdict, with %s', (_, { stage }) => {
    const slopes = (given: Paid): string => slopesOfUpdate(stage, paidGroups(given));
    expect(slopes(totals)).not.toBe(slopes(paid));
    for (const given of verdicts) expect(slopes(given)).toBe(slopes(paid));
  });
});

const payers = [...waysOf('groupSteps'), ...waysOf('rolloutStrategies')].filter(
  ({ member }) => paymentOf(member) !== undefined,
);

/** A stage with the methods of both. */
function together({ stage, point }: Asked, ...others: readonly Asked[]): GrpoStageConfig {
  const methods = Object.fromEntries(
    METHOD_POINTS.map((at) => {
      const added = others.filter((one) => one.point === at).flatMap((one) => one.stage.methods[at]);
      return [at, at === point ? [...stage.methods[at], ...added] : added.length > 0 ? added : stage.methods[at]];
    }),
  );
  return { ...stage, methods: methods as unknown as GrpoStageConfig['methods'] };
}

const refusalsOf = (stage: GrpoStageConfig): string[] =>
  remarksOn(stage).flatMap(({ level, text }) => (level === 'conflict' ? [text] : []));
const isRefused = (stage: GrpoStageConfig): boolean => refusalsOf(stage).length > 0;

describe.each(payers)('beside $line', (payer) => {
  it('what is trained follows what is paid, or the two are refused', () => {
    const pays = paymentOf(payer.member) as Payment;
    const flaws = learning.filter((asked) => {
      const { total, parts: ofParts, verdicts: ofVerdicts } = followedBy(asked);
      const isFollowed = pays.reward === undefined ? total : ofParts;
      const isLabelled = ofVerdicts && (asksVerdicts(asked.member) || payer.member.method.relabels === true);
      return (!isFollowed || isLabelled) && !isRefused(together(asked, payer));
    });
    expect(flaws.map(({ line }) => line)).toEqual([]);
  });

  it('what chooses by verdicts is refused where something else says what is right', () => {
    if (payer.member.method.relabels !== true) return;
    const choosing = (['promptSource', 'tokenControls', 'groupSteps', 'rolloutStrategies'] as const).flatMap(waysOf);
    const flaws = choosing.filter((asked) => {
      const { method } = asked.member;
      const isOpen = method.id === payer.id || method.readsVerdicts === 'some' || method.relabels === true;
      return isDeclared(asked.member) && !isOpen && !isRefused(together(asked, payer));
    });
    expect(flaws.map(({ line }) => line)).toEqual([]);
  });
});

describe('a payment that a later one does not read', () => {
  const steps = waysOf('groupSteps').filter(({ member }) => paymentOf(member) !== undefined);
  const pay = (given: Paid) => (step: Asked) =>
    JSON.stringify(shapedBy(step, given).map(({ rollouts }) => rollouts.map(({ reward }) => reward)));
  /** Another total of the same rewards; and rewards that are others, as is their sum. */
  const summed: Paid = { ...paid, totals: paid.parts };
  const others = ['one', 'two', 'three'].map(drawnPaid).map((drawn) => drawn.totals);

  it.each(steps)('is refused before $line, and no other is', (later) => {
    const alone = pay(summed)(later);
    const reads = {
      total: others.some((own) => pay({ ...summed, totals: own })(later) !== alone),
      accuracy: others.some((own) => pay({ ...summed, parts: own, totals: own })(later) !== alone),
    };
    const flaws = steps.filter((earlier) => {
      if (earlier.id === later.id) return false;
      const { reward } = paymentOf(earlier.member) as Payment;
      if (reward !== undefined && reward !== 'accuracy') return false;
      const isRead = reward === undefined ? reads.total : reads.accuracy;
      const isRefused = refusalsOf(together(earlier, later)).some((text) => text.includes('which undoes'));
      // Adding up again undoes a total where the step acts, which may be here and there.
      const addsUp = reward === undefined && paymentOf(later.member)?.reward !== undefined;
      return addsUp ? !isRefused : isRead === isRefused;
    });
    expect(flaws.map(({ line }) => line)).toEqual([]);
  });
});

const said = (...lines: readonly string[]): string => {
  try {
    parseConfig(['task: sort_digits', 'max_steps: 4', ...lines].join('\n'), { file: 'my.yaml' });
    return 'taken';
  } catch (error) {
    return String(error);
  }
};

it('a stage that decides by verdicts is told which rewards decide nothing', () => {
  const notes = (estimator: string, rewards: string): string[] =>
    remarksOn(stageOf(`advantage_estimator: ${estimator}`, `reward_funcs: ${rewards}`))
      .filter(({ level }) => level === 'note')
      .map(({ text }) => text);
  const text = 'reads verdicts, so that lcs decides nothing; set solved_reward, the least reward of a solved one';
  expect(notes('nsr', '[accuracy, lcs]')).toEqual([text]);
  expect(notes('{name: nsr, solved_reward: 1}', '[accuracy, lcs]')).toEqual([]);
  expect(notes('nsr', '[accuracy]')).toEqual([]);
});

describe('an option that several methods mean the same by', () => {
  it.each([
    [
      ['rollout_strategies: [{name: mcts, segment_tokens: 8}]', 'advantage_estimator: segment-tree'],
      'advantage_estimator: segment-tree — segment_tokens is 16 here and 8 in mcts, where both mean the same; give both the same segment_tokens',
    ],
    [
      ['group_steps: [{name: majority, vote_by: text}, pseudo-label-select]'],
      'vote_by is "canonical" here and "text" in majority',
    ],
    [
      ['loss_terms: [{name: laser, score_scale: 0.2}]', 'credit_steps: [self-score-mix]'],
      'score_scale is 0.2 here and left out in self-score-mix',
    ],
  ])('is refused where it differs: %j', (lines, text) => {
    expect(said(...lines)).toContain(text);
  });

  it('is taken where it is the same, or is another thing', () => {
    expect(
      said(
        'rollout_strategies: [{name: mcts, segment_tokens: 8}]',
        'advantage_estimator: {name: segment-tree, segment_tokens: 8}',
      ),
    ).toBe('taken');
    expect(
      said('rollout_strategies: [{name: segment-rollout, segment_tokens: 8}]', 'advantage_estimator: segment-tree'),
    ).toBe('taken');
  });
});

describe('a stage that would not learn from what it pays is refused in words:', () => {
  it.each([
    [
      ['group_steps: [majority]', 'objective: rft'],
      'objective: rft — takes completions for solved by their verdicts, and majority changes what is paid for them; set solved_reward',
    ],
    [
      ['group_steps: [noisy-wrapper]', 'prompt_source: keep-range'],
      'reads verdicts, and noisy-wrapper pays what something else calls right; leave one of them out',
    ],
    [
      ['group_steps: [win-rate]', 'multi_objective_aggregation: normalize_then_sum'],
      'normalizes each reward by itself, and win-rate changes their sum, which is then not read; ' +
        'set multi_objective_aggregation: sum_then_normalize, or name the reward that win-rate changes',
    ],
    [
      ['reward_gate: {accuracy: 0}', 'multi_objective_aggregation: normalize_then_sum'],
      'normalizes each reward by itself, and reward_gate changes their sum',
    ],
    [
      ['group_steps: [majority]', 'credit_steps: [self-certainty]'],
      'reads no reward, and majority changes what is paid; leave one of them out',
    ],
    [
      ['reward_gate: {accuracy: 0}', 'group_steps: [majority]'],
      'pays a total of its own, which undoes reward_gate before it; leave one of them out',
    ],
    [
      ['rollout_strategies: [{name: ref-prob, reward: accuracy}]', 'group_steps: [win-rate]'],
      'replaces accuracy and adds the rewards up again, which undoes win-rate before it; leave one of them out',
    ],
    [
      [
        'group_steps: [win-rate, {name: agree, first: accuracy, second: positions}]',
        'reward_funcs: [accuracy, positions]',
      ],
      'makes a total of its own out of the rewards, which undoes win-rate before it; put it first',
    ],
  ])('%j', (lines, text) => {
    expect(said(...lines)).toContain(text);
  });

  it.each([
    [['group_steps: [majority]', 'objective: {name: rft, solved_reward: 1}']],
    [['group_steps: [{name: win-rate, reward: accuracy}]', 'multi_objective_aggregation: normalize_then_sum']],
    [['group_steps: [{name: soft-gate, factor: accuracy}]', 'prompt_source: keep-range']],
  ])('%j is taken', (lines) => {
    expect(said(...lines)).toBe('taken');
  });
});

it('noise reaches what is trained on solved completions alone', async () => {
  const rft = 'objective: {name: rft, solved_reward: 1}';
  const noise = 'group_steps: [{name: noisy-wrapper, reward: lcs, false_positive: 0.3, false_negative: 0.3}]';
  expect(await weightsAfter(`${rft}\n${noise}`)).not.toBe(await weightsAfter(rft));
});
