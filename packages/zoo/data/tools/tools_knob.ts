/** The knob of an environment with tools: which of them the policy has. */
import { z } from 'zod';
import { choice } from '../../../../src/options/schemas.ts';

/** @param names  of all of its tools, which it has by default; [] takes them away, to measure without */
export function toolsKnob<const N extends readonly [string, ...string[]]>(names: N) {
  const error = `must be a list of its tools; for example [${names.join(', ')}], or [] for none`;
  return z
    .array(choice(names, 'no tool of this task'), { error })
    .readonly()
    .default([...names])
    .describe(`Tools that the policy has, of ${names.join(', ')}; [] for none. Default all.`);
}
