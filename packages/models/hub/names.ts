/** Names of models and data sets on the Hugging Face hub: `owner/name`, and which state of it, `owner/name@revision`. */

export interface HubName {
  readonly owner: string;
  readonly name: string;
  /** A branch, a tag, or a commit. */
  readonly revision: string;
  /** Default: a model. */
  readonly kind?: 'model' | 'dataset';
}

const DEFAULT_REVISION = 'main';
const NAME = /^([A-Za-z0-9][\w.-]{0,95})\/([A-Za-z0-9_][\w.-]{0,95})(?:@([A-Za-z0-9][\w./-]{0,254}))?$/;

/** undefined where the text is none: it may be a path. */
export function readHubName(text: string): HubName | undefined {
  const [, owner, name, revision = DEFAULT_REVISION] = NAME.exec(text) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  // A part of a path may neither lead upwards nor be empty.
  const parts = [name, ...revision.split('/')];
  return parts.some((part) => part === '' || /^\.+$/.test(part)) ? undefined : { owner, name, revision };
}

/** Forty hexadecimal digits: a state that never changes. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** `owner/name`, with the revision where it is not the default one. */
export function hubNameText({ owner, name, revision }: HubName): string {
  return `${owner}/${name}${revision === DEFAULT_REVISION ? '' : `@${revision}`}`;
}
