/** The authorization configuration of a running server changes: for the better, and for the worse. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const configurationOf = (type: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: ${type}, name: ${type.toLowerCase()}}
`;

const folder = mkdtempSync(join(tmpdir(), 'everwatch-authorization-'));
const file = join(folder, 'authorization.yaml');
writeFileSync(file, configurationOf('RBAC'));
const server = serverForThisFile({ args: [`--authorization-config=${file}`] });
const FAMILY = 'apiserver_authorization_config_controller';
let client: AdminClient;

beforeAll(() => {
  client = adminClient(server());
});

afterAll(() => {
  client.close();
  rmSync(folder, { recursive: true });
});

/** What a user hears that RBAC gives nothing. */
async function codeForBob(): Promise<number> {
  return (await client.get('/api/v1/pods', { 'impersonate-user': 'bob' })).status;
}

async function metrics(): Promise<string> {
  const { body } = await client.get('/metrics');
  return typeof body === 'string' ? body : '';
}

/** How often the file was read anew, with this outcome. */
async function reloads(status: string): Promise<string | undefined> {
  const line = new RegExp(
    `^${FAMILY}_automatic_reloads_total\\{.*,status="${status}"\\} (\\d+)$`,
    'm',
  );
  return line.exec(await metrics())?.[1];
}

it('is in force as it was last good, and from the next request on', async () => {
  expect(await codeForBob()).toBe(403);
  expect(await reloads('success')).toBeUndefined();

  writeFileSync(file, configurationOf('AlwaysAllow'));
  await eventually('bob may', async () => (await codeForBob()) === 200 || undefined);
  const before = await reloads('failure');
  expect(await reloads('success')).toBe('1');

  writeFileSync(file, configurationOf('Nonsense'));
  await eventually('it was seen to be no good', async () => {
    return (await reloads('failure')) !== before || undefined;
  });
  expect(await codeForBob()).toBe(200);
  expect(await metrics()).toContain(`hash="${hashOf(configurationOf('AlwaysAllow'))}"`);

  writeFileSync(file, configurationOf('RBAC'));
  await eventually('bob may not any more', async () => (await codeForBob()) === 403 || undefined);
  expect(await reloads('success')).toBe('2');
  expect(await metrics()).toContain(`hash="${hashOf(configurationOf('RBAC'))}"`);
  expect(server().logs()).toContain('the authorization configuration was not read anew');
});

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
