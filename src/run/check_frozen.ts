/** Refuses words of `freeze` that name nothing; loaded only if a config has the key. */
import { ConfigError } from '../errors.ts';
import { isNamedBy } from '../model/frozen_names.ts';

/** @throws ConfigError for a word that matches no tensor: a misspelt word would train what should stay frozen */
export function requireNamed(words: readonly string[], names: readonly string[]): void {
  for (const word of words) {
    if (names.some((name) => isNamedBy([word], name))) continue;
    const nameParts = [...new Set(names.flatMap((name) => name.split('.').slice(0, -1)))].filter(
      (part) => !/^\d+$/.test(part),
    );
    const rule = `no tensor has this in its name; use parts of names: ${nameParts.join(', ')}, layers.0-3`;
    throw new ConfigError('freeze', `freeze: ${JSON.stringify(word)} — ${rule}.`, { path: 'freeze', word });
  }
}
