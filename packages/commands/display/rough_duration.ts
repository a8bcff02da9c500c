/** A time that is only guessed. */
import { duration } from '../../../src/format.ts';

/** A time that is only guessed, in steps that fit: `45s`, `4m 35s`, `54m`, `2h 05m`. */
export function roughDuration(seconds: number): string {
  const step = seconds < 60 ? 1 : seconds < 600 ? 5 : 60;
  const text = duration(step * Math.round(seconds / step));
  return step === 60 ? text.replace(/ 00s$/, '') : text;
}
