/** The task's training stream, in its own order. */
import { method } from '../method.ts';
import type { PromptSource } from '../points.ts';

export const stream = method({
  id: 'stream',
  about: { does: 'Asks the problems as the task draws them.', formula: 'next item', source: 'own', certainty: 'own' },
  create: (): PromptSource => ({ next: (count, draw) => draw(count), isStream: true }),
});
