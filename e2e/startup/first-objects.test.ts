/**
 * An empty log gets the objects that every control plane has by one append, from the build. They are those
 * that a server writes by its hooks, which one that audits its writes still does.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonValue, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-first-objects-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RULES = '/apis/rbac.authorization.k8s.io/v1';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1';
const LISTS = [
  '/api/v1/namespaces',
  ...[`${RULES}/clusterroles`, `${RULES}/clusterrolebindings`],
  ...[`${RULES}/roles`, `${RULES}/rolebindings`],
  ...[`${FLOWS}/flowschemas`, `${FLOWS}/prioritylevelconfigurations`],
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/apiregistration.k8s.io/v1/apiservices',
];

const BY_HOOKS = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

const POLICY = join(folder, 'policy.yaml');
writeFileSync(POLICY, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]\n');

interface Found {
  /** Each object as text, without what is its own on each server, by its place. */
  readonly objects: ReadonlyMap<string, string>;
  readonly uids: readonly string[];
  /** Whether all of them were written before what the hooks of every server write. */
  readonly areFirst: boolean;
}

const TIME = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;

async function found(client: AdminClient): Promise<Found> {
  const objects = new Map<string, string>();
  const uids: string[] = [];
  const versions: number[] = [];
  for (const list of LISTS) {
    const { body } = await client.get(list);
    for (const item of at(body, 'items') as JsonValue[]) {
      const uid = textAt(item, 'metadata', 'uid');
      uids.push(uid);
      const text = JSON.stringify(item).replaceAll(TIME, '"time"');
      versions.push(Number(textAt(item, 'metadata', 'resourceVersion')));
      const version = `"resourceVersion":"${textAt(item, 'metadata', 'resourceVersion')}",`;
      const path = JSON.stringify([
        at(item, 'metadata', 'namespace'),
        at(item, 'metadata', 'name'),
      ]);
      objects.set(`${list} ${path}`, text.replace(uid, 'uid').replace(version, ''));
    }
  }
  const { body } = await client.get(BY_HOOKS);
  const byHooks = Number(textAt(body, 'metadata', 'resourceVersion'));
  return { objects, uids, areFirst: versions.every((version) => version < byHooks) };
}

async function objectsOf(args: readonly string[]): Promise<Found> {
  const server = await startServer({ args });
  const client = adminClient(server);
  try {
    return await found(client);
  } finally {
    client.close();
    await server.stop();
  }
}

it.each([
  ['with RBAC', ['--authorization-mode=RBAC'], true],
  ['without RBAC', ['--authorization-mode=AlwaysAllow'], true],
  ['without priority and fairness', ['--enable-priority-and-fairness=false'], false],
])('%s, a start has what its hooks would write, as its own', async (_, args, areFirst) => {
  const [first, written, again] = [
    await objectsOf(args),
    await objectsOf([...args, `--audit-policy-file=${POLICY}`]),
    await objectsOf(args),
  ];
  expect(first.objects).toEqual(written.objects);
  expect(first.objects.size).toBeGreaterThan(30);
  expect(new Set([...first.uids, ...again.uids]).size).toBe(first.uids.length * 2);
  expect([first.areFirst, written.areFirst]).toEqual([areFirst, false]);
});
