/**
 * What there is to say of the methods of a stage before its first step: what cannot work together (`conflict`), and what
 * works but is biased, unsafe or without effect (`warn`, `note`). Each method speaks for itself; what belongs to no single
 * one stands in `stage_rules.ts`.
 */
import type { Json } from '../options/json.ts';
import type { Plugin } from '../options/keys.ts';
import type { Method, Said } from './method.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from './stage.ts';
import { STAGE_RULES } from './stage_rules.ts';

/** Where a method stands in a stage. */
export interface MethodPlace {
  readonly point: MethodPoint;
  /** Among those of its point. */
  readonly index: number;
}

/** `conflict`: the stage cannot be trained. */
export type RemarkLevel = 'note' | 'warning' | 'conflict';

export interface Remark {
  readonly level: RemarkLevel;
  /** Of a method, or of a key of the stage. */
  readonly at: MethodPlace | { readonly key: string };
  /** The id of the method, or the value of the key. */
  readonly value: Json;
  /** `what is so; remedy`. */
  readonly text: string;
}

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
