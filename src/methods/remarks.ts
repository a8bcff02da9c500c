/**
 * What there is to say of the methods of a stage before its first step: what cannot work together (`conflict`), and what
 * works but is biased, unsafe or without effect (`warn`, `note`). Each method speaks for itself; that what is paid is what is
 * learned is in `payment_rules.ts`, and what belongs to no single one in `stage_rules.ts`.
 */
import { idleRemark } from './effect/idle.ts';
import { membersOf } from './members.ts';
import type { Companion, Member, Said } from './method.ts';
import type { MethodList } from './method_list.ts';
import type { Remark, RemarkLevel } from './remark.ts';
import type { GrpoStageConfig } from './stage.ts';
import { STAGE_RULES } from './stage_rules.ts';
import { paymentConflict, unreadPay } from './support/rewards/payment_rules.ts';

/** Remarks in the order of the points; methods missing from the list are skipped. */
export function remarksOn(stage: GrpoStageConfig, list: MethodList): Remark[] {
  const members = membersOf(stage, list);
  const ids = new Set(members.map(({ method }) => method.id));
  const missing = (companions: readonly Companion[] = []): readonly string[] =>
    companions.filter((companion) => !companion.ids.some((id) => ids.has(id))).map(missingCompanion);
  const ofMethods = members.flatMap((member): Remark[] => {
    const { point, method, plugin } = member;
    const { name: _, export: __, ...options } = plugin;
    const index = stage.methods[point].indexOf(plugin);
    const about = (level: RemarkLevel, said: Said): Remark[] =>
      listed(said).map((text) => ({ level, at: { point, index }, value: method.id, text }));
    return [
      ...about('conflict', method.conflict?.(options, stage.methods, stage, members)),
      ...about('conflict', paymentConflict(member, members, stage)),
      ...about('conflict', disagreement(member, members)),
      ...about('warning', method.warn?.(options, stage.methods, stage, members)),
      ...about('note', method.note?.(options, stage.methods, stage, members)),
      ...about('note', idleRemark(stage, members, member)),
      ...about('note', missing(method.companions)),
      ...about('note', unreadPay(member, stage)),
    ];
  });
  return [...ofMethods, ...STAGE_RULES.flatMap((rule) => rule(stage, members) ?? [])];
}

/** An option that must agree with an earlier method's, but differs. */
function disagreement(member: Member, members: readonly Member[]): string | undefined {
  const { agrees = [] } = member.method;
  for (const other of members.slice(0, members.indexOf(member))) {
    const common = agrees.filter((option) => other.method.agrees?.includes(option));
    const differing = common.find((option) => written(member, option) !== written(other, option));
    if (differing === undefined) continue;
    const seen = `${written(member, differing)} here and ${written(other, differing)} in ${other.method.id}`;
    return `${differing} is ${seen}, where both mean the same; give both the same ${differing}`;
  }
  return undefined;
}

const written = ({ plugin }: Member, option: string): string => JSON.stringify(plugin[option]) ?? 'left out';

/** The remark on a stage that has none of them. */
export function missingCompanion({ ids, line, why }: Companion): string {
  return `is meant to have ${ids.join(' or ')} beside it, ${why}; set ${line}`;
}

function listed(said: Said): readonly string[] {
  if (said === undefined) return [];
  return typeof said === 'string' ? [said] : said;
}
