/** The writes of a server's past as audit events: each is there once, and Kubernetes reads all of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { adminClient } from '../support/admin-client.ts';
import { type JsonValue, parseJson, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { effectiveOf, everwatch, recordsIn, succeed } from './everwatch.ts';
import { writeHistory } from './traffic.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-audit-export-'));
const source = join(folder, 'source');
const oracle = await goOracle('audit-events');
let written: ReturnType<typeof effectiveOf> = [];

beforeAll(async () => {
  const server = await startServer({ dataDir: source });
  const client = adminClient(server);
  await writeHistory(client);
  client.close();
  await server.stop();
  // Servers keep records of their own, which no request has written.
  written = effectiveOf(await recordsIn(source)).filter(
    ({ resource }) => !/^(dev\.)?everwatch\//.test(resource),
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const eventsOf = async (...args: string[]): Promise<JsonValue[]> => {
  const text = await succeed(['export', '--audit', '--data-dir', source, ...args]);
  return text.trimEnd().split('\n').map(parseJson);
};
const versionOf = (event: JsonValue): number =>
  Number(textAt(event, 'annotations', 'dev.everwatch/resource-version'));

it('has each write of the window once, in order, as Kubernetes reads it', async () => {
  const [from, to] = [Number(written[3]?.resourceVersion), Number(written.at(-3)?.resourceVersion)];
  const events = await eventsOf('--from', String(from), '--to', String(to));

  const inside = written.filter((one) => one.resourceVersion >= from && one.resourceVersion <= to);
  expect(events.map(versionOf)).toEqual(inside.map((one) => one.resourceVersion));
  expect(events.map((event) => textAt(event, 'auditID'))).toEqual(
    inside.map((one) => one.auditID || `resourceVersion:${String(one.resourceVersion)}`),
  );
  const asked = events.map((event) => ({ event: JSON.stringify(event) }));
  const told = oracle?.<{ wrong: string }>(asked).map(({ wrong }) => wrong);
  if (told !== undefined) expect(told).toEqual(events.map(() => ''));
});

it('can be of one kind in one namespace', async () => {
  const events = await eventsOf('deploy', '-n', 'shop');

  const wanted = written.filter(({ resource }) => resource === 'apps/deployments');
  expect(events.map(versionOf)).toEqual(wanted.map((one) => one.resourceVersion));
  expect(events.map((event) => textAt(event, 'verb'))).toEqual(['create', 'patch', 'patch']);
});

it('is of a range, never of a moment', async () => {
  const args = ['export', '--audit', '--at', '3', '--data-dir', source];
  const { code, stderr } = await everwatch(args);

  expect(code).toBe(1);
  expect(stderr).toContain('give --from and --to');
});
