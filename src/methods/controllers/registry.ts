/** What acts on the run after a step. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { Controller } from '../points.ts';
import { adaptiveBeta } from './adaptive_beta.ts';
import { checkpointAverage } from './checkpoint_average.ts';
import { earlyStopMetric } from './early_stop_metric.ts';
import { firstKl } from './first_kl.ts';
import { klTrust } from './kl_trust.ts';
import { mForgetting } from './m_forgetting.ts';
import { mGrad } from './m_grad.ts';
import { overoptStop } from './overopt_stop.ts';
import { refEma } from './ref_ema.ts';
import { refReset } from './ref_reset.ts';
import { refSync } from './ref_sync.ts';
import { temperatureSchedule } from './temperature_schedule.ts';
import { until } from './until.ts';

export const CONTROLLERS: readonly Method<Controller>[] = [
  refReset,
  refSync,
  adaptiveBeta,
  earlyStopMetric,
  firstKl,
  klTrust,
  overoptStop,
  refEma,
  temperatureSchedule,
  until,
  mForgetting,
  checkpointAverage,
  mGrad,
];
