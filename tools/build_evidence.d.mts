/** Types of build_evidence.mjs, for its tests. */
import type { MeasuredRow } from '../packages/zoo/catalogue/measured_row.ts';

export function readEvidence(): ReadonlyMap<string, readonly MeasuredRow[]>;
export function evidenceModule(evidence: ReadonlyMap<string, readonly MeasuredRow[]>): string;
