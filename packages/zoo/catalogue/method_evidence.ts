/** What speaks for a method: what was measured of it here, or that it was published, or neither. */
import type { CatalogueMethod } from './catalogue.ts';
import { MEASURED } from './evidence_rows.ts';
import { type MeasuredRow, rowText } from './measured_row.ts';

/**
 * measured   rows of the benchmarks are about it, the most telling first
 * baseline   stages have it unless they name another: every row is compared with it
 * published  its formula is from a paper, and nothing was measured here
 * none       it is ours, and nothing was measured
 */
export interface Evidence {
  readonly kind: 'measured' | 'baseline' | 'published' | 'none';
  readonly rows: readonly MeasuredRow[];
}

export function evidenceOf({ name, isDefault, source }: CatalogueMethod): Evidence {
  const rows = MEASURED[name] ?? [];
  if (isDefault) return { kind: 'baseline', rows };
  if (rows.length > 0) return { kind: 'measured', rows };
  return { kind: source === 'own' ? 'none' : 'published', rows };
}

/** `measured: mean@16 +0.7 points (−0.8 to +2.2) in countdown/on-policy/rloo; 3 further rows`. */
export function evidenceText({ kind, rows }: Evidence): string {
  switch (kind) {
    case 'baseline':
      return 'the baseline that others are measured against';
    case 'measured': {
      const more = rows.length > 1 ? `; ${rows.length - 1} further ${rows.length === 2 ? 'row' : 'rows'}` : '';
      return `measured: ${rowText(rows[0])}${more}`;
    }
    case 'published':
      return 'published, not measured here';
    case 'none':
      return 'ours, not measured';
  }
}
