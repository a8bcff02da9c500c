/** The option of an objective that says how far its ratio may be from 1, on one side. */
import { key, number, type RealRange } from '../../kit.ts';

/** @param yaml  its name @param range  of its values; `example` is the default */
export function clipWidth(yaml: string, side: 'below' | 'above', range: RealRange) {
  return key(yaml, number(range).default(range.example).describe(`Width of the clip ${side} 1.`));
}
