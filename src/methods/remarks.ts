/**
 * What there is to say of the methods of a stage before its first step: what cannot work together (`conflict`), and what
 * works but is biased, unsafe or without effect (`warn`, `note`). Each method speaks for itself; what belongs to no single
 * one is in `stage_rules.ts`.
 */
import { type FindMethod, membersOf } from './members.ts';
import type { Said } from './method.ts';
import type { Remark, RemarkLevel } from './remark.ts';
import type { GrpoStageConfig } from './stage.ts';
import { STAGE_RULES } from './stage_rules.ts';

/** In the order of the points. @param find  undefined for a method that is not known here, of which nothing is said */
export function remarksOn(stage: GrpoStageConfig, find: FindMethod): Remark[] {
  const members = membersOf(stage, find);
  const ofMethods = members.flatMap(({ point, method, plugin }): Remark[] => {
    const { name: _, export: __, ...written } = plugin;
    const index = stage.methods[point].indexOf(plugin);
    const about = (level: RemarkLevel, said: Said): Remark[] =>
      listed(said).map((text) => ({ level, at: { point, index }, value: method.id, text }));
    return [
      ...about('conflict', method.conflict?.(written, stage.methods, stage, members)),
      ...about('warning', method.warn?.(written, stage.methods, stage, members)),
      ...about('note', method.note?.(written, stage.methods, stage, members)),
    ];
  });
  return [...ofMethods, ...STAGE_RULES.flatMap((rule) => rule(stage, members) ?? [])];
}

function listed(said: Said): readonly string[] {
  if (said === undefined) return [];
  return typeof said === 'string' ? [said] : said;
}
