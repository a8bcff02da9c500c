/**
 * What there is to say of the methods of a stage before its first step: what cannot work together (`conflict`), and what
 * works but is biased, unsafe or without effect (`warn`, `note`). Each method speaks for itself; what belongs to no single
 * one is in `stage_rules.ts`.
 */
import { idleRemark } from './effect/idle.ts';
import { type FindMethod, membersOf } from './members.ts';
import type { Companion, Said } from './method.ts';
import type { Remark, RemarkLevel } from './remark.ts';
import type { GrpoStageConfig } from './stage.ts';
import { STAGE_RULES } from './stage_rules.ts';

/** In the order of the points. @param find  undefined for a method that is not known here, of which nothing is said */
export function remarksOn(stage: GrpoStageConfig, find: FindMethod): Remark[] {
  const members = membersOf(stage, find);
  const ids = new Set(members.map(({ method }) => method.id));
  const missing = (companions: readonly Companion[] = []): readonly string[] =>
    companions.filter((companion) => !companion.ids.some((id) => ids.has(id))).map(missingCompanion);
  const ofMethods = members.flatMap((member): Remark[] => {
    const { point, method, plugin } = member;
    const { name: _, export: __, ...written } = plugin;
    const index = stage.methods[point].indexOf(plugin);
    const about = (level: RemarkLevel, said: Said): Remark[] =>
      listed(said).map((text) => ({ level, at: { point, index }, value: method.id, text }));
    return [
      ...about('conflict', method.conflict?.(written, stage.methods, stage, members)),
      ...about('warning', method.warn?.(written, stage.methods, stage, members)),
      ...about('note', method.note?.(written, stage.methods, stage, members)),
      ...about('note', idleRemark(stage, members, member)),
      ...about('note', missing(method.companions)),
    ];
  });
  return [...ofMethods, ...STAGE_RULES.flatMap((rule) => rule(stage, members) ?? [])];
}

/** What is said where a stage has none of them. */
export function missingCompanion({ ids, line, why }: Companion): string {
  return `is meant to have ${ids.join(' or ')} beside it, ${why}; set ${line}`;
}

function listed(said: Said): readonly string[] {
  if (said === undefined) return [];
  return typeof said === 'string' ? [said] : said;
}
