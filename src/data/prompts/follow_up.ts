/** Prompts that continue after a reply: the problem, the reply, and a word that makes the next request. */
import type { Message } from '../../text/codec.ts';
import { type ControlWords, withWords, wordTokens } from '../../text/control_words.ts';
import type { TaskItem } from '../task.ts';
import { delegating, type TaskSet } from '../task_set.ts';

/** The same tasks with these words in their codec. */
export function withControlWords(tasks: TaskSet, words: ControlWords): TaskSet {
  const codec = withWords(tasks.codec, words);
  if (codec === tasks.codec) return tasks;
  const spoken: TaskSet = delegating(tasks, {
    codec,
    supervised: (stage) => {
      const stageTasks = tasks.supervised(stage);
      return stageTasks === tasks ? spoken : delegating(stageTasks, { codec });
    },
  });
  return spoken;
}

/**
 * The prompt after some replies. A closed vocabulary concatenates problem, replies and words; a pretrained model reads
 * each word as the user's next turn.
 *
 * @param turns  each reply in tokens, without its end and cut to `maxCompletionTokens`, with the word that follows it
 */
export function followUpTokens(
  tasks: TaskSet,
  item: TaskItem,
  turns: readonly (readonly [reply: Int32Array, word: string])[],
): Int32Array {
  const { codec } = tasks;
  const cut = turns.map(([reply, word]) => ({
    reply: reply.subarray(0, tasks.maxCompletionTokens),
    asked: wordTokens(codec, word),
  }));
  if (codec.joint !== undefined) {
    const suffix = cut.flatMap(({ reply, asked }) => [...reply, ...asked]);
    return Int32Array.from([...tasks.promptTokens(item), ...suffix]);
  }
  const messages = cut.flatMap(({ reply, asked }): Message[] => [
    { role: 'assistant', content: codec.decode(reply) },
    { role: 'user', content: codec.decode(asked) },
  ]);
  return codec.encode(codec.render([...tasks.environment.prompt(item), ...messages]));
}

/** Tokens of the longest word of a run, at most. */
export function longestWord({ codec }: Pick<TaskSet, 'codec'>): number {
  return Math.max(0, ...[...(codec.words?.values() ?? [])].map(({ length }) => length));
}
