/** Everything that a config may name, loaded: for programs that import the library, schemas and pages. */
import type { Registries } from '../../src/config/registries.ts';
import { DIAGNOSTICS } from './diagnostics/list.ts';
import { KEYS_ELSEWHERE } from './elsewhere/keys_elsewhere.ts';
import { STAGE_FORMS } from './elsewhere/stage_forms.ts';
import { ALL_METHODS } from './lists/all_methods.ts';
import { ALL_REWARDS } from './lists/all_rewards.ts';
import { ALL_TASKS } from './lists/all_tasks.ts';

/** The lists of all methods, tasks and rewards of the package, loaded. */
export const ZOO: Registries = {
  methods: ALL_METHODS,
  tasks: ALL_TASKS,
  rewards: ALL_REWARDS,
  keysElsewhere: KEYS_ELSEWHERE,
  stageForms: STAGE_FORMS,
  diagnostics: DIAGNOSTICS,
};
