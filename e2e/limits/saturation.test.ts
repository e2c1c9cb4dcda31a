/**
 * Ten times as many requests under way as the server has seats, none of whose answers is read, and
 * watchers that never read either, again and again: what the server holds is bounded by what was
 * counted beforehand, others are turned away, and afterwards everything is as before.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { configMap, created } from '../api/objects.ts';
import { Bystander } from '../hostile/harm.ts';
import { eventually } from '../support/eventually.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { residentBytes } from '../support/memory.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-saturation-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'many-token,many,1\n');

const READS = 40;
const WRITES = 20;
const UNDER_WAY = (READS + WRITES) * 10;
const WATCHERS = 200;
const MIB = 1_024 * 1_024;
/** What is rendered at once for one that does not read, in lists and in watches. */
const CHUNK_BYTES = MIB / 4;
/** A stream with its headers, and what node keeps beside it. */
const STREAM_BYTES = 64 * 1_024;
/**
 * Each watcher and each seat may hold a chunk that is being sent and one that is being made, and
 * each request its stream. Twice that: garbage is collected when there is as much as what is held.
 */
const ALLOWED_BYTES =
  2 * ((WATCHERS + READS + WRITES) * 2 * CHUNK_BYTES + UNDER_WAY * STREAM_BYTES);
const ROUNDS = 4;

const server = serverForThisFile({
  args: [
    `--token-auth-file=${tokens}`,
    `--max-requests-inflight=${String(READS)}`,
    `--max-mutating-requests-inflight=${String(WRITES)}`,
    // A request waits for a seat for a second.
    '--request-timeout=4s',
  ],
});
const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const BODY = JSON.stringify(configMap('new', { text: 'x'.repeat(100_000) }));

beforeAll(async () => {
  const { client } = new Bystander(server());
  for (let at = 0; at < 20; at += 1) {
    await created(client, MAPS, configMap(`map-${String(at)}`, { text: 'x'.repeat(100_000) }));
  }
  client.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Its client never opens a window, so nothing but heads comes back. */
function deafSession(): ClientHttp2Session {
  const { url, ca } = readKubeconfig(server().kubeconfig);
  const session = connect(url, { ca, settings: { initialWindowSize: 0 }, maxSessionMemory: 1_000 });
  return session.on('error', () => undefined);
}

/** @returns the status code. */
async function ask(session: ClientHttp2Session, path: string, body?: string): Promise<number> {
  const stream = session.request({
    ':path': path,
    ':method': body === undefined ? 'GET' : 'POST',
    authorization: 'Bearer many-token',
    'content-type': 'application/json',
  });
  stream.on('error', () => undefined).end(body);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  return Number(headers[':status']);
}

/** Everything at once, held until each was let in or turned away. */
async function overload(): Promise<{ readonly codes: Set<number>; readonly bytes: number }> {
  const sessions = [0, 1, 2].map(deafSession);
  const asked = Array.from({ length: UNDER_WAY }, (_, at) => {
    const session = sessions[at % sessions.length] ?? deafSession();
    return at % 3 === 0 ? ask(session, MAPS, BODY) : ask(session, `${MAPS}?limit=4`);
  });
  const codes = new Set(await Promise.all(asked));
  const bytes = residentBytes(server().pid);
  for (const session of sessions) session.destroy();
  return { codes, bytes };
}

it('holds a bounded amount at ten times what it has seats for, and recovers', async () => {
  const bystander = new Bystander(server());
  // Everything is compiled, and the heap is as large as work needs it.
  await overload();
  const before = residentBytes(server().pid);
  const watching = deafSession();
  await Promise.all(
    Array.from({ length: WATCHERS }, () => ask(watching, `${MAPS}?watch=1&resourceVersion=0`)),
  );
  const held: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { codes, bytes } = await overload();
    expect([...codes].filter((code) => ![200, 201, 409, 429, 503, 504].includes(code))).toEqual([]);
    expect(codes).toContain(429);
    held.push(bytes - before);
    await bystander.isUnharmed();
  }
  expect(Math.max(...held), `MiB: ${held.map((one) => one / MIB).join(' ')}`).toBeLessThan(
    ALLOWED_BYTES,
  );
  watching.destroy();
  await bystander.untilNoWatches();
  const session = deafSession();
  await eventually('a seat is free', async () => {
    return (await ask(session, `${MAPS}?limit=1`)) === 200 || undefined;
  });
  session.destroy();
  await bystander.isUnharmed();
  bystander.client.close();
});
