/** `rlvr-train serve --train CONFIG`: a training whose episodes other programs play over HTTP. */
import { ConfigError } from '../../../src/errors.ts';
import { startSessionServer } from '../../serve/sessions/session_server.node.ts';
import { bookOf } from '../../zoo/data/sessions/sessions.ts';
import type { WholeTrainOptions } from '../training/train_options.ts';
import { trainWhole } from '../training/whole_training.ts';

export interface SessionFlags {
  readonly port: number;
  readonly host?: string;
  readonly key?: string;
}

/** @throws RlvrError where the config trains on something else, the port is taken, or the training fails */
export function serveTraining(options: WholeTrainOptions, { port, host, key }: SessionFlags): Promise<void> {
  return trainWhole(options, {
    async serve({ run }) {
      const { tasks } = run.engine;
      const book = bookOf(tasks.shares.map(({ task }) => task));
      for (const stage of run.config.stages) {
        const most = stage.stage === 'grpo' ? stage.sampling.maxCompletionTokens : undefined;
        if (most === undefined || most >= tasks.maxCompletionTokens) continue;
        const rule = `an episode may have ${tasks.maxCompletionTokens} tokens; leave it out, or lower max_turns, turn_tokens or observation_tokens`;
        throw new ConfigError('bad-option', `max_completion_length: ${most} — ${rule}.`, { most });
      }
      const server = await startSessionServer({ book, tasks, host, port, key });
      const lines = [`episodes at ${server.url}: POST ${server.url}/sessions begins one (docs/serve.md)`];
      return { lines, close: server.close };
    },
  });
}
