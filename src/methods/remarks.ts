/**
 * What there is to say of the methods of a stage before its first step: what cannot work together (`conflict`), and what
 * works but is biased, unsafe or without effect (`warn`, `note`). Each method speaks for itself; what belongs to no single
 * one stands in `stage_rules.ts`.
 */
import type { Plugin } from '../options/keys.ts';
import type { Method, Said } from './method.ts';
import type { Remark, RemarkLevel } from './remark.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from './stage.ts';
import { STAGE_RULES } from './stage_rules.ts';

/**
 * In the order of the points. @param lookUp  undefined for a method that is not known here, of which nothing is said
 */
export function remarksOn(
  stage: GrpoStageConfig,
  lookUp: (point: MethodPoint, plugin: Plugin) => Method<unknown> | undefined,
): Remark[] {
  const ofMethods = METHOD_POINTS.flatMap((point) =>
    stage.methods[point].flatMap((plugin, index): Remark[] => {
      const found = lookUp(point, plugin);
      if (found === undefined) return [];
      const { name: _, export: __, ...written } = plugin;
      const about = (level: RemarkLevel, said: Said): Remark[] =>
        listed(said).map((text) => ({ level, at: { point, index }, value: found.id, text }));
      return [
        ...about('conflict', found.conflict?.(written, stage.methods, stage)),
        ...about('warning', found.warn?.(written, stage.methods, stage)),
        ...about('note', found.note?.(written, stage.methods, stage)),
      ];
    }),
  );
  return [...ofMethods, ...STAGE_RULES.flatMap((rule) => rule(stage) ?? [])];
}

function listed(said: Said): readonly string[] {
  if (said === undefined) return [];
  return typeof said === 'string' ? [said] : said;
}
