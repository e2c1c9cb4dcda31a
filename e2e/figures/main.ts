/**
 * `npm run figures`: asks a kube-apiserver that has nothing to do which health checks and which
 * families of figures it has, and writes them down, with the families of Kubernetes' own list that
 * such a server does not show.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';

import { exposedFamilies, stabilityIn } from '../../gateway/metrics/exposed-families.fixture.ts';
import type {
  UpstreamFamily,
  UpstreamFigures,
} from '../../gateway/metrics/upstream-families.fixture.ts';
import { goIn } from '../../tools/oracle-binary.fixture.ts';
import { withPeer, type Peer } from '../media/peer.ts';
import { wireClient } from '../media/wire.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

const SHOW_HIDDEN = '--show-hidden-metrics-for-version=1.35';
/** Until all that a server does by itself has been done and counted once. */
const SETTLED_MS = 20_000;
const LIST = 'test/instrumentation/documentation/documentation-list.yaml';
const TARGET = join(import.meta.dirname, '../../gateway/metrics/kube-apiserver-figures.json');

interface Listed {
  readonly name: string;
  readonly namespace?: string;
  readonly subsystem?: string;
  readonly type: string;
  readonly stabilityLevel: string;
  readonly labels?: readonly string[];
  readonly componentEndpoints?: readonly { readonly component: string }[];
}

async function textOf(peer: Peer, path: string): Promise<string> {
  const client = wireClient(peer);
  const { status, body } = await client.send({ method: 'GET', path });
  client.close();
  if (status !== 200) throw new Error(`${path} answered ${String(status)}`);
  return body.toString();
}

async function checksOf(peer: Peer, endpoint: string): Promise<string[]> {
  const text = await textOf(peer, `/${endpoint}?verbose`);
  return [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name = '']) => name);
}

async function familiesOf(peer: Peer): Promise<UpstreamFamily[]> {
  const text = `${await textOf(peer, '/metrics')}${await textOf(peer, '/metrics/slis')}`;
  return exposedFamilies(text)
    .filter(({ name }) => !name.startsWith('go_'))
    .map(({ name, type, help, labels }) => ({ name, type, stability: stabilityIn(help), labels }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function idleFigures(peer: Peer): Promise<Pick<UpstreamFigures, 'checks' | 'idle'>> {
  await pause(SETTLED_MS);
  const idle = await familiesOf(peer);
  const [healthz, livez, readyz] = [
    await checksOf(peer, 'healthz'),
    await checksOf(peer, 'livez'),
    await checksOf(peer, 'readyz'),
  ];
  return { checks: { healthz, livez, readyz }, idle };
}

/** In the Go module of the version that the peer is built from. */
async function listed(): Promise<{ version: string; families: UpstreamFamily[] }> {
  const format = '{{.Version}} {{.Dir}}';
  const peer = join(import.meta.dirname, '../go-peer');
  const module = await goIn(peer, ['list', '-m', '-f', format, 'k8s.io/kubernetes']);
  const [version = '', folder = ''] = module.trim().split(' ');
  const all = parse(readFileSync(join(folder, LIST), 'utf8')) as Listed[];
  const families = all.filter(isOfServer).map((one) => ({
    name: [one.namespace, one.subsystem, one.name].filter(Boolean).join('_'),
    type: TYPES[one.type] ?? one.type.toLowerCase(),
    stability: one.stabilityLevel,
    labels: [...(one.labels ?? [])].sort(),
  }));
  return { version, families };
}

/** What a custom collector gives is a gauge wherever the server has one. */
const TYPES: Readonly<Record<string, string>> = {
  TimingRatioHistogram: 'histogram',
  Custom: 'gauge',
};

function isOfServer({ componentEndpoints = [] }: Listed): boolean {
  return componentEndpoints.some(({ component }) => component === 'kube-apiserver');
}

const { checks, idle } = await withPeer(idleFigures);
const shown = new Set(idle.map(({ name }) => name));
const hidden = (await withPeer(familiesOf, [SHOW_HIDDEN])).filter(({ name }) => !shown.has(name));
for (const { name } of hidden) shown.add(name);
const { version, families } = await listed();
const others = families.filter(({ name }) => !shown.has(name));
const figures: UpstreamFigures = { version, checks, idle, hidden, others };
writeFileSync(TARGET, JSON.stringify(figures));
execFileSync('npx', ['oxfmt', TARGET]);
console.log(
  `${String(idle.length)} idle, ${String(hidden.length)} hidden, ${String(others.length)} others`,
);
