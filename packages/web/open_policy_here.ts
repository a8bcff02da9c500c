/** A kept run or a kept model of this browser, asked in the caller's own thread. */
import { CheckpointError } from '../../src/errors.ts';
import type { AskedPolicy } from '../models/asked/asked_policy.ts';
import { openAskedModel } from '../models/asked/open_model.ts';
import { policyOf } from '../models/asked/run_policy.ts';
import { chooseBackend } from './choose_backend.ts';
import { openRunHere } from './open_local_run.ts';
import type { OpenPolicyOptions } from './open_policy_options.ts';
import { openKeptModel } from './pretrained/open_kept_model.ts';
import { hasKeptRun, opfsStore } from './store/opfs_store.ts';

/** @throws CheckpointError where neither a run nor a model of this name is kept */
export async function openPolicyHere(name: string, { backend = {}, ...room }: OpenPolicyOptions): Promise<AskedPolicy> {
  if (!(await hasKeptRun(name))) {
    const model = await openKeptModel(name);
    return openAskedModel(model, (await chooseBackend(backend)).backend, room);
  }
  const config = await (await opfsStore(name)).read('config.yaml');
  if (config === undefined)
    throw new CheckpointError('no-run', `${name}: the kept run has no config.yaml yet; train it.`);
  const run = await openRunHere({ name, yaml: new TextDecoder().decode(config), backend });
  return { ...policyOf(run.run), name, close: () => run.close() };
}
