/** Scores of a server, which is asked over HTTP; what it answers is kept with the run. docs/rewards.md has the protocol. */
import { flag, integer, keys, number, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { AskedReward } from '../elsewhere/asked_reward.ts';
import { type Environment, HttpScorer } from '../elsewhere/http_scorer.ts';

export const httpReward = defineReward({
  does: 'What a server of yours gives for each completion, asked over HTTP; the run keeps its answers, and a resume takes them.',
  options: keys({
    url: text('http://127.0.0.1:8000/score').describe('Where completions are posted to, as JSON.'),
    batchSize: integer({ min: 1, max: 4096, example: 64 }).default(64).describe('Completions of a request, at most.'),
    timeout: number({ above: 0, max: 86400, example: 60 }).default(60).describe('Seconds for an answer.'),
    retries: integer({ min: 0, max: 20, example: 4 })
      .default(4)
      .describe('Further attempts where a server is not there, is busy (429) or fails (5xx), later each time.'),
    headerEnv: text('SCORER_TOKEN')
      .optional()
      .describe('Environment variable with a header to send, Name: value, or with a token alone.'),
    cache: flag()
      .default(false)
      .describe('Ask about the same completion of the same problem once in a run. Default {default}: each time.'),
  }),
  reaches: { url: 'url', variable: 'header_env' },
  create: ({ batchSize, cache, ...options }) =>
    new AskedReward('http', new HttpScorer(options, environment()), batchSize, cache),
});

/** That of Node's process; a page has none. */
function environment(): Environment {
  return (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env ?? {};
}
