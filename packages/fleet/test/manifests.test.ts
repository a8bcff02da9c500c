/** What the page on operations gives to Docker Compose and to Kubernetes, by the schemas that these publish (golden/make_manifests.py). */
import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind?: string;
  readonly [key: string]: unknown;
}

const schemas = JSON.parse(readFileSync(new URL('../../../test/golden/manifests.json', import.meta.url), 'utf8')) as {
  readonly compose: Schema;
  readonly kubernetes: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
};
const page = readFileSync(new URL('../../../docs/fleet_operations.md', import.meta.url), 'utf8');
const manifests = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text]) =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest),
);

/** What is wrong with a manifest, by every schema that is for it. */
function errorsOf(manifest: Manifest): string[] {
  const { kind } = manifest;
  const own =
    kind === undefined ? [schemas.compose] : Object.values(schemas.kubernetes).map((kinds) => kinds[kind] ?? false);
  return own.flatMap((schema) => new Validator(schema, '7', false).validate(manifest).errors.map(({ error }) => error));
}

it('is a Compose file, two deployments and a service', () => {
  expect(manifests.map(({ kind }) => kind)).toEqual([undefined, 'Deployment', 'Service', 'Deployment']);
  for (const manifest of manifests) expect(errorsOf(manifest)).toEqual([]);
});

describe('and is refused', () => {
  it.each<readonly [string, number, string, string]>([
    ['a key of a service that is none', 0, '"ports":', '"prots":'],
    ['replicas that are no number', 0, '"replicas":4', '"replicas":[4]'],
    ['a volume in the wrong place', 0, '"volumes":{', '"volume":{'],
    ['a key of a pod that is none', 1, '"containers":', '"container":'],
    ['a port in words', 1, '"containerPort":4222', '"containerPort":"4222"'],
    ['a volume without a name', 1, '"name":"files","emptyDir"', '"emptyDir"'],
    ['a service without a port', 2, '"port":4222,', ''],
    ['a deployment without a selector', 3, '"selector":', '"selektor":'],
    ['an environment that is none', 3, '"secretKeyRef":', '"secretRef":'],
    ['a grace in words', 3, '"terminationGracePeriodSeconds":60', '"terminationGracePeriodSeconds":"60s"'],
  ])('%s', (_, place, right, wrong) => {
    const text = JSON.stringify(manifests[place]);
    expect(text).toContain(right);
    expect(errorsOf(JSON.parse(text.replace(right, wrong)) as Manifest)).not.toEqual([]);
  });
});
