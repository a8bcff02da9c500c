/** Every command of the package. */

import type { Command } from '../../src/cli/flags/command.ts';
import { ADVISE } from './commands/advise.ts';
import { COMPARE } from './commands/compare.ts';
import { COMPLETION } from './commands/completion.ts';
import { CONFIGS } from './commands/configs.ts';
import { DATA } from './commands/data.ts';
import { DOCTOR } from './commands/doctor.ts';
import { ENV } from './commands/env.ts';
import { EVAL } from './commands/eval.ts';
import { EXPLAIN } from './commands/explain.ts';
import { EXPORT } from './commands/export.ts';
import { FETCH } from './commands/fetch.ts';
import { FLEET } from './commands/fleet.ts';
import { IMPORT } from './commands/import.ts';
import { LIST } from './commands/list.ts';
import { MCP } from './commands/mcp.ts';
import { MERGE } from './commands/merge.ts';
import { METHODS } from './commands/methods.ts';
import { REPORT } from './commands/report.ts';
import { REWARDS } from './commands/rewards.ts';
import { RUNS } from './commands/runs.ts';
import { SAMPLE } from './commands/sample.ts';
import { SCHEMA } from './commands/schema.ts';
import { SERVE } from './commands/serve.ts';
import { SHOW } from './commands/show.ts';
import { TASKS } from './commands/tasks.ts';
import { TRACK } from './commands/track.ts';
import { TRAIN } from './commands/train.ts';
import { UI } from './commands/ui.ts';
import { WORKER } from './commands/worker.ts';

/** In the order of documentation; `overview.ts` has that of help. */
export const COMMANDS: readonly Command[] = [
  TRAIN,
  CONFIGS,
  IMPORT,
  FETCH,
  UI,
  RUNS,
  REPORT,
  COMPARE,
  ADVISE,
  TRACK,
  DOCTOR,
  SAMPLE,
  EVAL,
  EXPORT,
  SERVE,
  ENV,
  MCP,
  SHOW,
  EXPLAIN,
  TASKS,
  REWARDS,
  METHODS,
  DATA,
  SCHEMA,
  COMPLETION,
  FLEET,
  WORKER,
  LIST,
  MERGE,
];
