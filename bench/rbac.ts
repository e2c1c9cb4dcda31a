/**
 * `npx tsx bench/rbac.ts`: what the authorization filter works on a request among 10,000 bindings of
 * users, beside those that kube-apiserver brings along; by the server's own measurement, for a user
 * that one of them names, for one with a group's right, and for one that is refused.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { BenchClient } from './bench-client.ts';
import { startServer, stopServer, TOKEN } from './bench-server.ts';

runArguments(import.meta.filename, {});
const BINDINGS = 10_000;
const NAMESPACES = 20;
const WARM_UP = 5_000;
const REQUESTS = 10_000;
const IN_FLIGHT = 16;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const USERS = ['named,user-3,11', 'grouped,member,12,"team"', 'refused,stranger,13'];

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const tokens = join(directory, 'users.csv');
writeFileSync(tokens, `${[`${TOKEN},bench,1,"system:masters"`, ...USERS].join('\n')}\n`);
const server = await startServer(directory, [
  ...['--authorization-mode', 'RBAC'],
  ...['--measure-filters', 'true'],
  ...['--token-auth-file', tokens],
]);
const admin = new BenchClient(server.url, TOKEN, IN_FLIGHT);
try {
  await makePolicy();
  for (const user of ['named', 'grouped', 'refused']) await measure(user);
} finally {
  admin.close();
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

async function makePolicy(): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
  await admin.askMany(NAMESPACES, 1, (nth) => {
    return ['POST', '/api/v1/namespaces', { metadata: { name: `team-${String(nth)}` } }];
  });
  await admin.askMany(NAMESPACES, IN_FLIGHT, (nth) => {
    const path = `${RBAC}/namespaces/team-${String(nth)}/roles`;
    return ['POST', path, { metadata: { name: 'reader' }, rules }];
  });
  await admin.askMany(BINDINGS, IN_FLIGHT, (nth) => {
    const subject = nth < NAMESPACES ? { kind: 'Group', name: 'team' } : userOf(nth);
    const binding = {
      metadata: { name: `binding-${String(nth)}` },
      roleRef: { apiGroup: GROUP, kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: GROUP, ...subject }],
    };
    return ['POST', `${RBAC}/namespaces/team-${String(nth % NAMESPACES)}/rolebindings`, binding];
  });
}

/** Each user is named once in each namespace. */
function userOf(nth: number): { kind: string; name: string } {
  return { kind: 'User', name: `user-${String(Math.floor(nth / NAMESPACES))}` };
}

async function measure(user: string): Promise<void> {
  const client = new BenchClient(server.url, user, IN_FLIGHT);
  const expected = user === 'refused' ? 403 : 404;
  const ask = async (): Promise<void> => {
    const { status, text } = await client.ask('GET', '/api/v1/namespaces/team-7/configmaps/none');
    if (status !== expected) throw new Error(`${user}: ${text}`);
  };
  const many = async (count: number): Promise<void> => {
    for (let nth = 0; nth < count; nth += IN_FLIGHT) {
      await Promise.all(Array.from({ length: IN_FLIGHT }, ask));
    }
  };
  await many(WARM_UP);
  const before = (await admin.filterMicroseconds()).get('authorization') ?? 0;
  await many(REQUESTS);
  const after = (await admin.filterMicroseconds()).get('authorization') ?? 0;
  client.close();
  console.log(`${user.padEnd(8)} ${((after - before) / REQUESTS).toFixed(2)} µs`);
}
