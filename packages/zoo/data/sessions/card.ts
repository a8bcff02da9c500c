/** What a config says of episodes that programs play: `task: {name: sessions, train: problems.jsonl, …}`. */
import { z } from 'zod';
import type { Knobs, ListedCard } from '../../../../src/data/task.ts';
import { integer, number, optional, options, text, type Values } from '../../../../src/options/keys.ts';
import { DATASET_KNOBS } from '../datasets/card.ts';
import { SESSIONS } from './name.ts';

const RANGE = 'must be two numbers, the least reward first; for example [0, 1]';

const { train, held_out, hub, hub_config, prompt, columns, on_bad_row } = DATASET_KNOBS;

const KNOBS = {
  ...{ train, held_out, hub, hub_config, prompt, columns, on_bad_row },
  ...options({
    max_turns: integer({ min: 1, max: 256, example: 8 })
      .default(8)
      .describe('Most answers of the policy in an episode.'),
    turn_tokens: integer({ min: 1, max: 8192, example: 256 })
      .default(256)
      .describe('Most tokens of an answer, its end included.'),
    observation_tokens: integer({ min: 0, max: 8192, example: 256 })
      .default(256)
      .describe('Most tokens of what a program says between two answers.'),
    reward_range: z
      .tuple([z.number(), z.number()], { error: RANGE })
      .refine(([least, most]) => least < most, { error: RANGE })
      .readonly()
      .meta({ examples: [[0, 1]] })
      .default([0, 1])
      .describe('Least and most reward of an episode: they score 0 and 1, and the most is won.'),
    timeout: number({ above: 0, example: 600 })
      .default(600)
      .describe('Seconds without a word of its program after which an episode is lost.'),
    characters: optional(text('0123456789 ')).describe(
      'Characters of answers, for a model of random weights; those of the prompts are added. Default: any text, byte by byte.',
    ),
  }),
};

/** Its knobs with every default filled in. */
export type SessionsKnobs = Values<typeof KNOBS>;

export const sessionsCard: ListedCard<Knobs> = {
  name: SESSIONS,
  does: 'Episodes that programs of yours play over HTTP: rlvr-train serve --train.',
  example: ['{"prompt": "Book a table for two."}', 'Which evening?'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  freeKnobs: ['timeout'],
  levels: [],
};
