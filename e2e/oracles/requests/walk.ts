/** Walks both servers through one random history, step by step. */
import { startOurs, startTheirs } from '../../cluster/beside.ts';
import type { RunningPeer } from '../../cluster/peer.ts';
import { Chance } from '../../robustness/chance.ts';
import { adminClient, type AdminClient } from '../../support/admin-client.ts';
import { eventually } from '../../support/eventually.ts';
import { shown, told } from './answers.ts';
import { stepOf, type Step } from './steps.ts';
import { WALKED_DEFINITION } from './walked-kinds.ts';

export interface WalkDifference {
  /** Of the first step that showed it. */
  readonly nth: number;
  readonly step: Step;
  readonly ours: string;
  readonly theirs: string;
  readonly times: number;
}

export interface Walk {
  /** How often kube-apiserver answered with a code, by method. */
  readonly codes: Readonly<Record<string, number>>;
  readonly differences: readonly WalkDifference[];
}

/** kube-apiserver has no controllers. */
const OURS = [
  '--controllers=-*',
  '--authorization-mode=RBAC',
  '--disable-admission-plugins=ServiceAccount',
];

/** This server, as the walks start it. */
export function startedOurs(): Promise<RunningPeer> {
  return startOurs(OURS);
}

/** kube-apiserver, as the walks start it. */
export function startedTheirs(): Promise<RunningPeer> {
  return startTheirs([]);
}

/** A random history: the same for the same seed. */
export interface History {
  readonly seed: number;
  readonly steps: number;
}

/** What this server, or kube-apiserver, answers to each step of a history on its own. @throws where it does not start. */
export async function walkOne(which: 'ours' | 'theirs', history: History): Promise<string[]> {
  const server = await (which === 'ours' ? startedOurs() : startedTheirs());
  const client = adminClient(server);
  const answers: string[] = [];
  try {
    await prepared(client);
    for (let nth = 0; nth < history.steps; nth += 1) {
      answers.push(shown(await told(client, stepOf(new Chance(history.seed, nth)))));
    }
  } finally {
    client.close();
    await server.stop();
  }
  return answers;
}

/** @throws where a server does not start. */
export async function walkBoth({ seed, steps }: History): Promise<Walk> {
  const servers = await Promise.all([startedOurs(), startedTheirs()]);
  const [ours, theirs] = servers.map((server) => adminClient(server)) as [AdminClient, AdminClient];
  const codes: Record<string, number> = {};
  const differences = new Map<string, WalkDifference>();
  try {
    await Promise.all([ours, theirs].map(prepared));
    for (let nth = 0; nth < steps; nth += 1) {
      const step = stepOf(new Chance(seed, nth));
      const [own, other] = await Promise.all([told(ours, step), told(theirs, step)]);
      const code = `${step.method} ${String(other.status)}`;
      codes[code] = (codes[code] ?? 0) + 1;
      const [mine, hers] = [shown(own), shown(other)];
      // A kube-apiserver that panics ends the connection.
      if (mine === hers || other.status === 0) continue;
      const what = kindOfDifference(mine, hers);
      const known = differences.get(what) ?? { nth, step, ours: mine, theirs: hers, times: 0 };
      differences.set(what, { ...known, times: known.times + 1 });
      // From the same state on: a difference must not beget others.
      await Promise.all([ours, theirs].map((client) => removed(client, step.object)));
    }
  } finally {
    ours.close();
    theirs.close();
    await Promise.all(servers.map((server) => server.stop()));
  }
  return { codes, differences: [...differences.values()] };
}

/** Makes the namespace and the kind that histories are about. */
export async function prepared(client: AdminClient): Promise<void> {
  await client.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'other' },
  });
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WALKED_DEFINITION);
  for (const version of ['v1', 'v2']) {
    await eventually('the custom kind is served', async () => {
      const { status } = await client.get(
        `/apis/walk.example.com/${version}/namespaces/default/crontabs`,
      );
      return status === 200 ? true : undefined;
    });
  }
}

/** Takes an object away, whatever holds it. */
export async function removed(client: AdminClient, path: string): Promise<void> {
  const free = {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"metadata":{"finalizers":null}}',
  };
  await client.send('PATCH', path, free);
  await client.send('DELETE', `${path}?gracePeriodSeconds=0`);
}

/** What stays of both answers without numbers and names, so that each difference is shown once. */
function kindOfDifference(ours: string, theirs: string): string {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  const piece = (text: string): string => text.slice(Math.max(0, at - 30), at + 60);
  return `${ours.slice(0, 3)} ${theirs.slice(0, 3)} ${piece(ours)} | ${piece(theirs)}`;
}
