/** A value in a line of YAML: `[{name: accuracy}]`. */
import { stringify } from 'yaml';
import type { Json } from '../../../src/options/json.ts';

export function flowText(value: Json): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}
