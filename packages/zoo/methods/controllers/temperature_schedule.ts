/**
 * The option is a schedule, `{from: 1.2, to: 0.8, over: 0.5}`. The update tempers log-probs alike, at the temperature
 * that a completion was sampled at. Evaluations keep the temperature of the stage, so that their figures can be
 * compared.
 */
import { type Controller, keys, method, number } from '../kit.ts';

export const temperatureSchedule = method({
  id: 'temperature-schedule',
  about: {
    does: 'Samples at a temperature that moves over the stage.',
    formula: 'T = sampling_temperature at this step',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    samplingTemperature: number({ above: 0, example: 1 })
      .default(1)
      .describe('Temperature of the rollouts, usually a schedule: {from: 1.2, to: 0.8}.'),
  }),
  create: ({ samplingTemperature }): Controller => ({
    temperature: samplingTemperature,
    async afterStep(_, levers) {
      levers.metric('temperature', samplingTemperature);
    },
  }),
});
