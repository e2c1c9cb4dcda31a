/** docs/metrics.md says which families there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { familyNames } from './family-names.fixture.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
const { certain, possible } = familyNames();

/** What stands in backticks in the first column of the table under a heading. */
function namesUnder(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm);
  return [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

const SERVED = namesUnder('Served as by kube-apiserver');
const OWN = namesUnder('Our own');
/** Given by prom-client. */
const OF_PROCESS = /^process_/;
/** How families begin and end; other texts of the code do not both. */
const FAMILY =
  /^(?:apiserver|authenticat(?:ion|ed)|authorization|everwatch|konnectivity|kubernetes|pod_security|serviceaccount|workqueue)_\w*_(?:total|seconds|bytes|count|timestamp|size|seats|requests|connections?|objects|version|events|sizes|percent|watches|forks|enabled|healthcheck)$/;

it.each([
  ['kube-apiserver', SERVED],
  ['us', OWN],
])('each family of %s that is said to be served stands in the code', (_, names) => {
  expect(names.length).toBeGreaterThan(10);
  const absent = names.filter((name) => !possible.has(name) && !OF_PROCESS.test(name));
  expect(absent).toEqual([]);
});

it('none that is said not to be served does', () => {
  const missing = namesUnder('Not served');
  expect(missing.length).toBeGreaterThan(20);
  expect(missing.filter((name) => possible.has(name))).toEqual([]);
});

it('and each that stands in the code is said to be served', () => {
  const said = new Set([...SERVED, ...OWN]);
  const families = [...certain].filter((name) => FAMILY.test(name));
  expect(families.length).toBeGreaterThan(60);
  expect(families.filter((name) => !said.has(name))).toEqual([]);
});
