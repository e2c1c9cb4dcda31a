/** Walks both servers through one random history, step by step. */
import { startOurs, startTheirs } from '../../cluster/beside.ts';
import type { RunningPeer } from '../../cluster/peer.ts';
import { Chance } from '../../robustness/chance.ts';
import { adminClient, type AdminClient } from '../../support/admin-client.ts';
import { eventually } from '../../support/eventually.ts';
import { walkBeside, type Walked } from '../walk-beside.ts';
import { shown, told } from './answers.ts';
import { stepOf, type Step } from './steps.ts';
import { WALKED_DEFINITION, type WalkedKind } from './walked-kinds.ts';

/** kube-apiserver has no controllers. */
const OURS = [
  '--controllers=-*',
  '--authorization-mode=RBAC',
  '--service-account-issuer=https://kubernetes.default.svc',
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
  /** Those that are on record unless others are named. */
  readonly kinds?: readonly WalkedKind[];
}

/** What this server, or kube-apiserver, answers to each step of a history on its own. @throws where it does not start. */
export async function walkOne(which: 'ours' | 'theirs', history: History): Promise<string[]> {
  const server = await (which === 'ours' ? startedOurs() : startedTheirs());
  const client = adminClient(server);
  const answers: string[] = [];
  try {
    await prepared(client);
    for (let nth = 0; nth < history.steps; nth += 1) {
      const step = stepOf(new Chance(history.seed, nth), history.kinds);
      answers.push(shown(await told(client, step)));
    }
  } finally {
    client.close();
    await server.stop();
  }
  return answers;
}

/** @throws where a server does not start. */
export async function walkBoth({ seed, steps, kinds }: History): Promise<Walked<Step>> {
  const servers = await Promise.all([startedOurs(), startedTheirs()]);
  const [ours, theirs] = servers.map((server) => adminClient(server)) as [AdminClient, AdminClient];
  try {
    await Promise.all([ours, theirs].map(prepared));
    return await walkBeside({
      ours,
      theirs,
      steps,
      stepAt: (nth) => stepOf(new Chance(seed, nth), kinds),
      tell: told,
      shown,
      verbOf: ({ method }) => method,
      faultOf: () => undefined,
      forget: (client, { object }) => removed(client, object),
    });
  } finally {
    ours.close();
    theirs.close();
    await Promise.all(servers.map((server) => server.stop()));
  }
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
