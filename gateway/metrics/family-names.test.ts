/** docs/metrics.md says which families there are, and of upstream's each that is not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { familyNames } from './family-names.fixture.ts';
import { stabilityOf } from './exposition.ts';
import { upstreamFamilies, upstreamFigures } from './upstream-families.fixture.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
const { certain, possible } = familyNames();

interface Row {
  readonly names: readonly string[];
  readonly cells: readonly string[];
}

/** The rows of the table under a heading; names are what stands in backticks in the first column. */
function rowsUnder(heading: string): readonly Row[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]*) \|(.*)\|$/gm);
  return [...rows].map(([, first = '', rest = '']) => ({
    names: [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    cells: rest.split('|').map((cell) => cell.trim()),
  }));
}

const namesOf = (rows: readonly Row[]): string[] => rows.flatMap(({ names }) => names);

const SERVED_ROWS = rowsUnder('Served as by kube-apiserver');
const NOT_SERVED_ROWS = rowsUnder('Not served');
const [SERVED, NOT_SERVED] = [namesOf(SERVED_ROWS), namesOf(NOT_SERVED_ROWS)];
const OWN = namesOf(rowsUnder('Our own'));
/** Given by prom-client. */
const OF_PROCESS = /^process_/;
/** Upstream has them behind feature gates, in a library and beside a handler, which its list does not reach. */
const UNLISTED =
  /^(?:apiserver_impersonation|apiserver_websocket_streaming|konnectivity_network_proxy)_/;
/** How families begin and end; other texts of the code do not both. */
const FAMILY =
  /^(?:apiserver|authenticat(?:ion|ed)|authorization|disabled|etcd|everwatch|hidden|konnectivity|kube_apiserver|kubernetes|pod_security|rest_client|serviceaccount|version|workqueue)_(?:\w*_)?(?:total|seconds|bytes|count|timestamp|size|seats|requests|connections?|objects|version|events|sizes|percent|watches|forks|enabled|healthcheck|info|ips|ports)$/;

it.each([
  ['kube-apiserver', SERVED],
  ['us', OWN],
])('each family of %s that is said to be served stands in the code', (_, names) => {
  expect(names.length).toBeGreaterThan(10);
  const absent = names.filter((name) => !possible.has(name) && !OF_PROCESS.test(name));
  expect(absent).toEqual([]);
});

it('none that is said not to be served does', () => {
  expect(NOT_SERVED.length).toBeGreaterThan(20);
  expect(NOT_SERVED.filter((name) => possible.has(name))).toEqual([]);
});

it('and each that stands in the code is said to be served', () => {
  const said = new Set([...SERVED, ...OWN]);
  const families = [...certain].filter((name) => FAMILY.test(name));
  expect(families.length).toBeGreaterThan(60);
  expect(families.filter((name) => !said.has(name))).toEqual([]);
});

describe('of the families of kube-apiserver', () => {
  const upstream = new Map(upstreamFamilies().map((family) => [family.name, family]));

  it('each is said to be served, or why it is not', () => {
    const said = new Set([...SERVED, ...NOT_SERVED]);
    expect(upstream.size).toBeGreaterThan(250);
    expect([...upstream.keys()].filter((name) => !said.has(name))).toEqual([]);
    expect(SERVED.filter((name) => NOT_SERVED.includes(name))).toEqual([]);
    expect(NOT_SERVED_ROWS.filter(({ cells: [why = ''] }) => why.length < 10)).toEqual([]);
  });

  it('none is served or left out that it does not have', () => {
    const unknown = [...SERVED, ...NOT_SERVED].filter(
      (name) => !upstream.has(name) && !UNLISTED.test(name) && name !== 'go_*',
    );
    expect(unknown).toEqual([]);
  });

  it('those that are served have the same type and labels', () => {
    const differing = SERVED_ROWS.filter(({ names: [name = ''], cells: [type, labels] }) => {
      const their = upstream.get(name);
      return their !== undefined && (type !== their.type || labels !== their.labels.join(', '));
    });
    expect(differing).toEqual([]);
  });

  it('and can be relied on for as long', () => {
    const differing = SERVED.filter((name) => {
      const their = upstream.get(name);
      return their !== undefined && stabilityOf(name) !== their.stability;
    });
    // Where it is told under `/metrics/slis`, upstream says so of the start of the process too.
    expect(differing).toEqual(['process_start_time_seconds']);
  });

  it('most that an idle server shows are served', () => {
    const idle = upstreamFigures().idle.map(({ name }) => name);
    expect(idle.filter((name) => SERVED.includes(name)).length).toBeGreaterThanOrEqual(100);
  });
});

describe('of the health checks of kube-apiserver', () => {
  const operations = readFileSync(
    join(import.meta.dirname, '../../docs/operations.md'),
    'utf8',
  ).split('\n## Health\n')[1];

  it.each(['healthz', 'livez', 'readyz'] as const)('each at %s is in the docs', (endpoint) => {
    const checks = upstreamFigures().checks[endpoint];
    expect(checks.length).toBeGreaterThan(30);
    const unsaid = checks.filter((name) => {
      const hook = name.replace(/^poststarthook\//, '');
      return ![name, hook].some((one) => operations?.includes(`\`${one}\``) === true);
    });
    expect(unsaid).toEqual([]);
  });
});
