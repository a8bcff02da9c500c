/** A user's comparison for a data set, watched as a task is: `export function verify(answer, row)`. */
import type { Verifier } from '../data/datasets/answers.ts';
import { correct } from '../data/judge.ts';
import { wrongValue } from '../rewards/reject.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { ModuleReference } from '../run/opened_config.ts';
import { importExport, refusal } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { type Callee, runAsAsync } from './process_guard.node.ts';
import { kindOf } from './reward_module.ts';
import { watchCalls } from './task_calls.node.ts';
import { isMapping, TASK_CONTRACTS } from './task_contracts.ts';

/**
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no function
 */
export async function loadVerifier(reference: ModuleReference, limitSeconds: number): Promise<Verifier> {
  const file: Callee = { name: reference.shown, path: reference.path, limitSeconds };
  const value = await runAsAsync(file, () => importExport(reference));
  const verify = isMapping(value) ? value.verify : value;
  if (typeof verify !== 'function') {
    throw refusal(
      `exports ${kindOf(value)}, not a function; export function verify(answer, row), which gives true or false`,
    );
  }
  const calls = watchCalls({ ...file, name: `verify (${reference.shown})` });
  return (answer, row) => {
    freezePlain(row);
    const given = [row, answer];
    return calls.limited('verify', given, () => {
      const verdict = verdictOf(verify(answer, row));
      if (verdict !== undefined) return verdict;
      throw calls.broken('verify', given, 'gave something else', 'true, false, a score from 0 to 1, or a verdict');
    });
  };
}

function verdictOf(value: unknown): Verdict | undefined {
  if (typeof value === 'boolean') return verdictOf(value ? 1 : 0);
  if (typeof value === 'number' && value >= 0 && value <= 1) {
    if (value === 1) return correct('right, as the file says', 'right');
    return { ...wrongValue('not right, as the file says'), score: value };
  }
  return TASK_CONTRACTS.verify.isKept(value) ? (value as Verdict) : undefined; // it has just been looked at
}
