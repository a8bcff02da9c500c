/** `rlvr-train serve RUN`: a policy for other programs, over HTTP, until Ctrl-C. */
import { basename, resolve } from 'node:path';
import { print } from '../../../src/cli/display/output.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { printable } from '../../../src/format.ts';
import type { Answering } from '../../models/asked/asked_policy.ts';
import { openAnswering } from '../../models/asked/open_model.ts';
import { engineAnswering } from '../../models/asked/run_policy.ts';
import { openTypedModel } from '../../models/run/model/configured_model.node.ts';
import { startServer } from '../../serve/server.node.ts';
import type { Asked } from '../commands/required_run.ts';
import { ended } from '../process/ended.ts';
import { type InferenceFlags, openTrained } from '../runs/open_trained.ts';

export interface ServeFlags extends InferenceFlags {
  readonly adapter?: string;
  readonly port: number;
  readonly host?: string;
  readonly key?: string;
  readonly name?: string;
  readonly context?: number;
  readonly parallel: number;
}

/** @throws RlvrError where the policy cannot be opened, or the port is taken */
export async function serveCommand(asked: Pick<Asked, 'kind' | 'path'>, flags: ServeFlags): Promise<void> {
  const { port, host, key, name } = flags;
  const answering = await opened(asked, flags);
  try {
    const id = name ?? basename(resolve(asked.path)).replace(/\.gguf$/, '');
    const server = await startServer({ answering, id, port, host, key });
    print(`${printable(answering.name)} as "${printable(id)}": ${server.url}`);
    print(`POST ${server.url}/chat/completions; Ctrl-C ends it (docs/serve.md)`);
    await ended();
    await server.close();
  } finally {
    await answering.close();
  }
}

async function opened({ kind, path }: Pick<Asked, 'kind' | 'path'>, flags: ServeFlags): Promise<Answering> {
  const { parallel, context, threads, adapter } = flags;
  if (kind === 'run') {
    const { model, stageIndex, from, close } = await openTrained(path, flags, () => ({
      prompts: parallel,
      samples: 1,
    }));
    return engineAnswering(model.engine, model.config.stages[stageIndex], from, close);
  }
  const backend = await chooseBackend({ backend: 'auto', threads });
  return openAnswering(await openTypedModel({ model: path, adapter }), backend, { context, parallel });
}
