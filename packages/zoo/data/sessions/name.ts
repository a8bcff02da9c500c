/** The task whose episodes programs play over HTTP; its card is loaded where a config names it. */
export const SESSIONS = 'sessions';
