/** What a page says of a policy that it asks. */
import type { AskedModelOptions } from '../models/asked/open_model.ts';
import type { BackendRequest } from './choose_backend.ts';

/** How a policy is opened to be asked. Plain data: it crosses to a worker. */
export interface OpenPolicyOptions extends AskedModelOptions {
  readonly backend?: BackendRequest;
}
