/** [tokens × hidden size] the last hidden row before each sampled token; 0 where it was put in. */
import { hiddenRows } from '../../../../src/methods/uses/hidden_rows.ts';
import { figure } from './figure.ts';

/** [tokens × hidden size] the state of the policy before each token, after the final norm. */
export const lastHidden = figure<Float32Array>({
  id: 'lastHidden',
  says: 'a scoring pass of what was sampled, before it is credited: last hidden rows',
  implies: [hiddenRows],
  compute: async (_, { trained }) => (await trained({ hidden: true })).map(({ hidden }) => hidden),
});
