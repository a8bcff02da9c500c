/** Scores of a server, which is asked over HTTP; what it answers is kept with the run. docs/rewards.md has the protocol. */
import { flag, integer, key, number, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { AskedReward } from '../elsewhere/asked_reward.ts';
import { type Environment, HttpScorer } from '../elsewhere/http_scorer.ts';

export const httpReward = defineReward({
  does: 'What a server of yours gives for each completion, asked over HTTP; the run keeps its answers, and a resume takes them.',
  options: {
    url: key('url', text('http://127.0.0.1:8000/score').describe('Where completions are posted to, as JSON.')),
    batchSize: key(
      'batch_size',
      integer({ min: 1, max: 4096, example: 64 }).default(64).describe('Completions of a request, at most.'),
    ),
    timeout: key(
      'timeout',
      number({ above: 0, max: 86400, example: 60 }).default(60).describe('Seconds for an answer.'),
    ),
    retries: key(
      'retries',
      integer({ min: 0, max: 20, example: 4 })
        .default(4)
        .describe('Further attempts where a server is not there, is busy (429) or fails (5xx), later each time.'),
    ),
    headerEnv: key(
      'header_env',
      text('SCORER_TOKEN')
        .optional()
        .describe('Environment variable with a header to send, Name: value, or with a token alone.'),
    ),
    cache: key(
      'cache',
      flag()
        .default(false)
        .describe('Ask about the same completion of the same problem once in a run. Default {default}: each time.'),
    ),
  },
  reaches: { url: 'url', variable: 'header_env' },
  create: ({ batchSize, cache, ...options }) =>
    new AskedReward('http', new HttpScorer(options, environment()), batchSize, cache),
});

/** That of Node's process; a page has none. */
function environment(): Environment {
  return (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env ?? {};
}
