/** Keys of other trainers that are typed into a config of ours: whose they are, and what does the same here. */
import type { KeysElsewhere } from '../../../src/config/unknown_keys.ts';
import { AXOLOTL } from '../../zoo/elsewhere/foreign/axolotl.ts';
import type { Fate } from '../../zoo/elsewhere/foreign/fate.ts';
import { UNSLOTH } from '../../zoo/elsewhere/foreign/unsloth.ts';
import { VERL } from '../../zoo/elsewhere/foreign/verl.ts';

/** `rule; remedy`. */
function said(trainer: string, fate: Fate): string | undefined {
  switch (fate.kind) {
    case 'kept':
      return undefined;
    case 'renamed':
      return `${trainer}'s name of ${fate.ours}; use ${fate.ours}`;
    case 'computed':
      return fate.mostly === undefined
        ? `a key of ${trainer}: ${fate.why}; leave it out`
        : `${trainer}'s name of ${fate.mostly}; use ${fate.mostly}, as \`rlvr-train import\` writes it`;
    case 'none':
      return `a key of ${trainer}: ${fate.why}; leave it out`;
    case 'refused':
      return `a key of ${trainer}: ${fate.because}`;
  }
}

/** The same, with the keys of verl, axolotl and unsloth by the last part of their paths; what is known already stays. */
export function withForeignNames(known: KeysElsewhere): KeysElsewhere {
  const meant: Record<string, string> = {};
  for (const { trainer, keys } of [VERL, AXOLOTL, UNSLOTH]) {
    for (const [path, fate] of Object.entries(keys)) {
      const name = path.slice(path.lastIndexOf('.') + 1);
      const text = said(trainer, fate);
      if (text !== undefined && name !== '*' && !Object.hasOwn(meant, name)) meant[name] = text;
      if (path.includes('.'))
        meant[path.slice(0, path.indexOf('.'))] ??= `a section of ${trainer}; run \`rlvr-train import\` on that file`;
    }
  }
  return { ...known, meant: { ...meant, ...known.meant } };
}
