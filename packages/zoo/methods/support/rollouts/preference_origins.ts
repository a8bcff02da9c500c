/** What completions of rows of preferences are. */
export const ORIGIN = { chosen: 'chosen', rejected: 'rejected', mismatched: 'mismatched' } as const;
