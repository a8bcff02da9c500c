/** What the schemas of options are made with: ranges of numbers, and plug-ins. */
import type { Json } from './json.ts';

/** A plug-in with its options: `countdown` or `{name: countdown, numbers: 3}` in the YAML. */
export type Plugin = { readonly name: string } & { readonly [option: string]: Json };

/** A range of whole numbers, both ends included; `rule` replaces the message for one below it. */
export interface WholeRange {
  readonly min: number;
  readonly max?: number;
  readonly example: number;
  readonly rule?: string;
}

/** A range of real numbers; `above` and `below` exclude their bound, `min` and `max` include it. */
export interface RealRange {
  readonly above?: number;
  readonly min?: number;
  readonly below?: number;
  readonly max?: number;
  readonly example: number;
}

/** Bounds as they were spelled before 0.2. */
interface OldBounds {
  /** @deprecated write `min` */
  readonly least?: number;
  /** @deprecated write `max` */
  readonly most?: number;
}

/** A `WholeRange` that may spell its bounds the old way. */
export type OldWholeRange = OldBounds & Omit<WholeRange, 'min'> & { readonly min?: number };

/** A `RealRange` that may spell its bounds the old way. */
export type OldRealRange = OldBounds & RealRange;

/** The range with `min` and `max` for `least` and `most`. */
export function withNewBounds<R extends WholeRange | RealRange>(range: R & OldBounds): R {
  const { least, most, ...rest } = range;
  return {
    ...(least !== undefined && { min: least }),
    ...(most !== undefined && { max: most }),
    ...rest,
  } as unknown as R; // the same bounds
}
