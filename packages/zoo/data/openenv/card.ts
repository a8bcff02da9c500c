/** What a config says of an environment on an OpenEnv server: `task: {name: openenv, url: ws://127.0.0.1:8000, …}`. */
import { z } from 'zod';
import type { Knobs, ListedCard } from '../../../../src/data/task.ts';
import { choice, integer, number, optional, options, text, type Values } from '../../../../src/options/keys.ts';

const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

const RANGE = 'must be two numbers, the least reward first; for example [-1, 1]';

const KNOBS = options({
  url: text('ws://127.0.0.1:8000').describe('Address of the server, without secrets. No default.'),
  environment: optional(text('guess_env')).describe('Name that its environment must have. Default: any.'),
  prompt: optional(text('Guess a number.')).describe('Asked before what reset says. Default: nothing.'),
  action: text('message').default('message').describe('Field of an action that gets what the policy writes.'),
  action_type: choice(['text', 'integer', 'number', 'json', 'tool'])
    .default('text')
    .describe('What that is read as. json: it is the whole action; tool: a call of an MCP tool.'),
  observation: optional(text('echoed_message')).describe(
    'Field of an observation that the policy reads. Default: the whole as JSON.',
  ),
  malformed: text('?')
    .default('?')
    .describe('What an action that is none is answered with; the third ends the episode.'),
  max_turns: integer({ min: 1, max: 256, example: 8 }).default(8).describe('Most actions of an episode.'),
  action_tokens: integer({ min: 1, max: 8192, example: 16 })
    .default(16)
    .describe('Most tokens of an action, its end included.'),
  observation_tokens: integer({ min: 0, max: 8192, example: 64 })
    .default(64)
    .describe('Most tokens of an observation.'),
  reward: choice(['last', 'sum'])
    .default('last')
    .describe('Which reward an episode is judged by: that of its last step, or the sum of all.'),
  won: number({ above: 0, example: 1 }).default(1).describe('Reward that counts as won; less is that share of it.'),
  reward_range: optional(
    z
      .tuple([z.number(), z.number()], { error: RANGE })
      .refine(([least, most]) => least < most, { error: RANGE })
      .readonly(),
  ).describe('Least and most reward of an episode, which score 0 and 1, where some are negative. Default: 0 and won.'),
  held_out: integer({ min: 1, max: 4096, example: 64 })
    .default(64)
    .describe('Problems that are evaluated: reset with the seeds from 0.'),
  train: integer({ min: 1, max: 65_536, example: 256 })
    .default(256)
    .describe('Problems that are trained on: reset with the seeds after those.'),
  characters: text('0123456789')
    .default(PRINTABLE)
    .describe('Characters of actions and observations, for a model of random weights.'),
  sessions: integer({ min: 1, max: 1024, example: 16 })
    .default(16)
    .describe('Episodes at once; a server allows max_concurrent_envs, often 1.'),
  timeout: number({ above: 0, example: 30 }).default(30).describe('Seconds for an answer.'),
});

/** Its knobs with every default filled in. */
export type OpenEnvKnobs = Values<typeof KNOBS>;

export const OPENENV = 'openenv';

export const openEnvCard: ListedCard<Knobs> = {
  name: OPENENV,
  does: 'Any environment on an OpenEnv server.',
  example: ['Guess a number.', '50'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  // Where the server is, and how it is asked; what it says is kept with the run.
  freeKnobs: ['url', 'sessions', 'timeout'],
  levels: [],
  reaches: { url: 'url', token: 'OPENENV_TOKEN' },
};
