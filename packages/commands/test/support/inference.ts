/** A model that is opened to be asked, over the lists that the setup file of these tests gives. */

import { lists } from '../../../../test/support/lists.ts';
import { type InferenceOptions, openForInference as open } from '../../../plugins/asked/open_for_inference.ts';

export const openForInference = (
  config: Parameters<typeof open>[0],
  tasks: Parameters<typeof open>[1],
  backend: Parameters<typeof open>[2],
  load: InferenceOptions['load'],
  pretrained?: InferenceOptions['pretrained'],
): ReturnType<typeof open> => open(config, tasks, backend, { registries: lists(), load, pretrained });
