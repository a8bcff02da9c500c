/** The task of sessions, apart from `opened_tasks.ts`: a page that never names it does not load its card. */
import type { OpenedTask } from '../../src/data/registered_task.ts';
import { ConfigError } from '../../src/errors.ts';
import { sessionsCard } from './data/sessions/card.ts';
import { SESSIONS } from './data/sessions/name.ts';

export const OPENED_SESSIONS: Readonly<Record<string, OpenedTask>> = {
  [SESSIONS]: {
    card: sessionsCard,
    needs: 'rows come from the files',
    async open(knobs, options) {
      const { files, path = 'task' } = options;
      if (files === undefined) {
        const rule = 'its files are given by options.files; the command reads those of the disk';
        throw new ConfigError('no-files', `${path}.name: ${SESSIONS} — ${rule}.`, { path: `${path}.name` });
      }
      const [{ openSessions }, { ALL_ROWS: parts }] = await Promise.all([
        import('./data/sessions/sessions.ts'),
        import('./data/datasets/parts.ts'),
      ]);
      return openSessions(knobs, { ...options, files, parts });
    },
  },
};
