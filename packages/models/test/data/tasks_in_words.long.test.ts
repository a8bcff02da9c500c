/** Every task asked of a pretrained model, in words: its own right answer is right, and wrong ones are not. */

import { expect, it } from 'vitest';
import { createTask, registeredTasks } from '../../../../test/support/everything.ts';
import { openSmallPretrained } from '../support/small_pretrained.ts';

/** Any text that keeps the instructions is right, with a special token in it too. */
const FREE_TEXTS = new Set(['constraints']);

/** Chance decides too: the best play may lose, but it is one. */
const GAMES_OF_CHANCE = new Set(['blackjack', 'kuhn_poker']);

const { codec } = await openSmallPretrained();

it.each(Object.keys(registeredTasks))('%s', async (name) => {
  const task = await createTask({ name, examples: 1 }, { codec, heldOutSample: 2 });
  for (const item of [task.trainItem(7, 0), task.trainItem(7, 1), ...task.heldOutItems().slice(0, 2)]) {
    const messages = [...(task.opening ?? []), { role: 'user', content: item.prompt }] as const;
    const prompt = codec.render(messages);
    expect(codec.decode(codec.encode(prompt))).toBe(prompt);
    const answer = codec.decode(codec.encode(item.answer));
    const { score, status } = task.verify(item, ` ${answer}\n`, { finishReason: 'eos' });
    if (GAMES_OF_CHANCE.has(name)) expect(['correct', 'incorrect']).toContain(status);
    else expect(score, `${item.prompt} → ${answer}`).toBe(1);
    expect(task.verify(item, answer, { finishReason: 'length' }).score).not.toBe(1);
    if (!FREE_TEXTS.has(name)) {
      expect(task.verify(item, `${answer}<|im_end|>`, { finishReason: 'eos' }).score).not.toBe(1);
    }
    expect(task.verify(item, '', { finishReason: 'eos' }).score).not.toBe(1);
  }
});
