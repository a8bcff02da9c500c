/** Checks verdicts from users' files and threads. */
import type { Verdict } from '../../rewards/verdict.ts';

/** Whether a value is a verdict, with valid steps if any. */
export function isVerdict(value: unknown): value is Verdict {
  if (!isMapping(value)) return false;
  const { score, status, reason, feedback = '', steps } = value;
  const isScore = score === null || (typeof score === 'number' && score >= 0 && score <= 1);
  const isStatus = ['correct', 'incorrect', 'invalid', 'truncated'].includes(String(status));
  return (
    isScore &&
    isStatus &&
    typeof reason === 'string' &&
    typeof feedback === 'string' &&
    (steps === undefined || areSteps(steps))
  );
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function areSteps(value: unknown): boolean {
  return Array.isArray(value) && value.every(isStep);
}

function isStep(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { from, to, score } = value;
  const isSpan = Number.isInteger(from) && Number.isInteger(to) && Number(from) >= 0 && Number(from) < Number(to);
  return isSpan && typeof score === 'number' && score >= 0 && score <= 1;
}
