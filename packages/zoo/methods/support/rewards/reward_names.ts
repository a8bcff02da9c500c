/** The option that names several rewards. */
import { z } from 'zod';
import { text } from '../../../../../src/options/schemas.ts';

/** @param least  names that it needs, @param example  as many at least */
export function rewardNames(least: number, example: readonly string[]) {
  const error = `must be a list of ${least} rewards or more, by their names; for example [${example.join(', ')}]`;
  return z
    .array(text(example[0]), { error })
    .min(least, { error })
    .meta({ examples: [example] });
}
