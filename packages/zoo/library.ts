/** What a config may name, loaded once a config names some of it: a list of methods, the rewards, the cards of the tasks. */
import type { Library, StageForm } from '../../src/config/registries.ts';
import { METHOD_POINTS } from '../../src/methods/stage.ts';
import { SESSIONS } from './data/sessions/name.ts';
import { DIAGNOSTICS } from './diagnostics/list.ts';
import { KEYS_ELSEWHERE } from './elsewhere/keys_elsewhere.ts';
import type { FormName } from './elsewhere/stage_forms.ts';
import { methodsWith } from './lists/methods_with.ts';
import { rewardsWith } from './lists/rewards_with.ts';
import { tasksWith } from './lists/tasks_with.ts';
import { METHODS, type Named, REWARDS, TASKS } from './made/names.ts';

/** To the end of a line. One with a quote may be the end of a quoted text instead, which the rest of the line follows. */
const COMMENT = /(?<=^|\s)#[^'"\n]*$/gm;

/** Nothing, unless one of the names is among the words. */
async function named<T>({ names, load }: Named<T>, words: ReadonlySet<string>): Promise<T | undefined> {
  return names.some((name) => words.has(name)) ? load() : undefined;
}

/** The names of `STAGE_FORMS`; a test compares them. */
export const FORM_NAMES: readonly FormName[] = ['dpo', 'kto', 'orpo', 'cpo'];
/** Stands for a form that no text names: messages need its name alone. */
const UNNAMED: StageForm = { keys: [], asGrpo: (own) => own };

export const zooLibrary: Library = {
  async naming(...texts) {
    const words = new Set(texts.flatMap((text) => text.replace(COMMENT, '').split(/[^\w-]+/)));
    const hasForm = FORM_NAMES.some((name) => words.has(name));
    const forms = hasForm ? await import('./elsewhere/stage_forms.ts') : undefined;
    const sessions = words.has(SESSIONS) ? await import('./opened_sessions.ts') : undefined;
    for (const name of forms?.METHODS_OF_FORMS ?? []) words.add(name);
    const [points, demonstrations = [], tasks = {}, rewards = {}] = await Promise.all([
      Promise.all(METHOD_POINTS.map(async (point) => [point, await named(METHODS[point], words)] as const)),
      named(METHODS.demonstrations, words),
      named(TASKS, words),
      named(REWARDS, words),
    ]);
    return {
      methods: methodsWith(Object.fromEntries(points), demonstrations),
      tasks: tasksWith(tasks, sessions?.OPENED_SESSIONS),
      rewards: rewardsWith(rewards),
      keysElsewhere: KEYS_ELSEWHERE,
      stageForms: forms?.STAGE_FORMS ?? Object.fromEntries(FORM_NAMES.map((name) => [name, UNNAMED])),
      diagnostics: DIAGNOSTICS,
    };
  },
};
