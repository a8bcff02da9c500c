/**
 * A stage must learn from what completions are paid. If a method changes the reward functions' pay, no other may
 * silently undo it or learn from something else:
 *
 *   undone      a payment that a later one does not read
 *   solved      a method that asks which completions are solved reads verdicts; with `solved_reward` it reads the total
 *   labels      a method that chooses, pays or teaches by verdicts, where votes, noise or a reference say what is right
 *   unread      an estimator that reads each reward by itself, or none, where the total is another one
 *
 * All of it follows from what each method declares (`pays`, `relabels`, `readsVerdicts`, `readsRewards`,
 * `SOLVED_OPTIONS`).
 */
import { rewardLabel } from '../../../rewards/module_file.ts';
import type { Member, Payment } from '../../method.ts';
import type { GrpoStageConfig } from '../../stage.ts';
import type { Use } from '../../uses/use.ts';

/** A payer changes rewards: a method, or a stage key. */
interface Payer {
  readonly id: string;
  readonly pays: Payment;
}

/** Why it cannot be in this stage: `rule; remedy`. */
export function paymentConflict(
  member: Member,
  members: readonly Member[],
  stage: GrpoStageConfig,
): string | undefined {
  const others = members.filter((other) => other !== member);
  return (
    undoneBy(member, members, stage) ??
    solvedOtherwise(member, others) ??
    labelled(member, others) ??
    unreadTotal(member, others, stage)
  );
}

/** A member's payment, by its options. */
export function paymentOf({ method: { pays }, plugin }: Member): Payment | undefined {
  return typeof pays === 'function' ? pays(plugin) : pays;
}

/** The payers in order: `reward_gate`, group steps, then strategies from last to first. */
function payersOf(
  members: readonly Member[],
  { rewardGate }: GrpoStageConfig,
): (Payer & { readonly member?: Member })[] {
  const at = (point: Member['point']): readonly Member[] => members.filter((member) => member.point === point);
  const gate = rewardGate === undefined ? [] : [{ id: 'reward_gate', pays: { does: 'changes' } as const }];
  return [
    ...gate,
    ...[...at('groupSteps'), ...at('rolloutStrategies').toReversed()].flatMap((member) => {
      const pays = paymentOf(member);
      return pays === undefined ? [] : [{ id: member.method.id, pays, member }];
    }),
  ];
}

function undoneBy(member: Member, members: readonly Member[], stage: GrpoStageConfig): string | undefined {
  const payers = payersOf(members, stage);
  const place = payers.findIndex((payer) => payer.member === member);
  if (place < 0) return undefined;
  const { pays } = payers[place];
  const before = payers.slice(0, place).find((earlier) => isUndone(earlier, pays));
  if (before === undefined) return undefined;
  const isStep = member.point === 'groupSteps' && before.member !== undefined;
  const remedy = isStep && pays.does !== 'replaces' ? 'put it first' : 'leave one of them out';
  return `${sayingOf(pays)}, which undoes ${before.id} before it; ${remedy}`;
}

/** Whether a later payment undoes an earlier one. */
function isUndone({ id, pays: earlier }: Payer, later: Payment): boolean {
  if (later.does === 'changes' && later.reward === undefined) return false;
  // Summing again keeps the stage's gates.
  if (later.reward !== undefined && id === 'reward_gate') return false;
  if (earlier.reward === undefined) return true;
  return later.does === 'replaces' && (later.reward === undefined || later.reward === earlier.reward);
}

function sayingOf({ does, reward }: Payment): string {
  if (reward !== undefined) return `${does} ${reward} and adds the rewards up again`;
  return does === 'makes' ? 'makes a total of its own out of the rewards' : 'pays a total of its own';
}

/** Whether it asks which completions are solved without a `solved_reward`. */
function asksVerdicts({ method, options }: Member): boolean {
  return Object.hasOwn(method.options, 'solvedReward') && options.solvedReward === undefined;
}

function solvedOtherwise(member: Member, others: readonly Member[]): string | undefined {
  if (!asksVerdicts(member)) return undefined;
  const payer = others.find((other) => paymentOf(other) !== undefined);
  if (payer === undefined) return undefined;
  return (
    `takes completions for solved by their verdicts, and ${payer.method.id} changes what is paid for them; ` +
    'set solved_reward: the least reward of a solved one'
  );
}

function readsVerdicts({ method: { readsVerdicts: reads }, options, uses }: Member): boolean {
  const isRead = ({ readsVerdicts: own, implies = [] }: Use): boolean => own === true || implies.some(isRead);
  return reads === true || (typeof reads === 'function' && reads(options)) || uses.some(isRead);
}

function labelled(member: Member, others: readonly Member[]): string | undefined {
  const payer = others.find(({ method }) => method.relabels);
  if (payer === undefined || !readsVerdicts(member)) return undefined;
  return `reads verdicts, and ${payer.method.id} pays what something else calls right; leave one of them out`;
}

function unreadTotal(member: Member, others: readonly Member[], stage: GrpoStageConfig): string | undefined {
  const reads = member.method.readsRewards?.(member.options as never); // its own options, by what `method` promises
  if (reads === undefined) return undefined;
  const payer = payersOf(others, stage).find(({ pays }) => reads === 'none' || pays.reward === undefined);
  if (payer === undefined || (reads === 'none' && payer.member === undefined)) return undefined;
  if (reads === 'none') return `reads no reward, and ${payer.id} changes what is paid; leave one of them out`;
  const canName = payer.member !== undefined && Object.values(payer.member.method.options).some(isRewardOption);
  return (
    `normalizes each reward by itself, and ${payer.id} changes their sum, which is then not read; ` +
    `set multi_objective_aggregation: sum_then_normalize${canName ? `, or name the reward that ${payer.id} changes` : ''}`
  );
}

const isRewardOption = ({ yaml }: { readonly yaml: string }): boolean => yaml === 'reward';

/** The remark that the policy's own term ignores pay, if it or its estimator asks which completions are solved. */
export function unreadPay(member: Member, { rewards, rewardGate }: GrpoStageConfig): string | undefined {
  const isWhole = member.point === 'advantageEstimator' || member.point === 'objective';
  if (!isWhole || !asksVerdicts(member)) return undefined;
  const otherRewards = rewards.filter(({ name, weight }) => name !== 'accuracy' && weight !== 0).map(rewardLabel);
  const unread = [...otherRewards, ...(rewardGate === undefined ? [] : ['reward_gate'])];
  if (unread.length === 0) return undefined;
  return `reads verdicts, so that ${unread.join(', ')} decides nothing; set solved_reward, the least reward of a solved one`;
}
