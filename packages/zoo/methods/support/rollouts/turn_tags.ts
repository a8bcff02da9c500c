/** What kind of step a turn is: by the first of some marks in what the policy wrote. */
import { z } from 'zod';
import { key, type Turn } from '../../kit.ts';

/** The tag where a turn has none of the marks. */
export const UNTAGGED = '';

/** The option that lists the marks. */
export const tagsOption = key(
  'tags',
  z
    .array(z.string().min(1), { error: 'must be a list of marks; for example ["<plan>", "<explore>", "<reflect>"]' })
    .default(['<plan>', '<explore>', '<reflect>'])
    .describe('Marks in what the policy writes: a turn is of the first one that it has, or of none.'),
);

export function tagOf({ text }: Pick<Turn, 'text'>, tags: readonly string[]): string {
  return tags.find((tag) => text.includes(tag)) ?? UNTAGGED;
}
