/**
 * Directories with logs that are too large to be made by requests: objects as a server wrote one, many times over. What the server
 * wrote itself comes first, as of earlier: a time means the version before the first record with a later one.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { openDataDirectory } from '../../streams/embedded/data-directory.ts';
import type { LoggedEvent, ProposedEvent } from '../../streams/event.ts';
import { appendPortions } from '../../streams/replay/append-portions.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { adminClient } from '../support/admin-client.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { startServer } from '../support/server.ts';

export interface LargeLog {
  /** `core/pods`. */
  readonly resource: string;
  /** What a client posts for the first object. */
  readonly path: string;
  readonly body: JsonObject;
  readonly objects: number;
  /** Changes of each, behind those that make it. */
  readonly changes: number;
}

const PORTION = 10_000;
const CHANGE_MS = 10;
const EARLIER_MS = 1_000;

/** Appends to the log of a new directory, whose server has begun and ended. */
export async function makeLargeLog(dataDir: string, asked: LargeLog): Promise<void> {
  const { object, newest } = await madeByServer(dataDir, asked);
  const begin = Date.now() - asked.objects * (asked.changes + 1) * CHANGE_MS;
  const written = await onLog(dataDir, (log) => eventsUpTo(log, newest));
  const directory = await openDataDirectory(dataDir);
  for (const part of [directory.logPath, directory.storePath]) rmSync(part, { recursive: true });
  await directory.release();
  await onLog(dataDir, async (log) => {
    const earlier = written.map((event) => ({ ...event, time: begin - EARLIER_MS }));
    for (const events of appendPortions(earlier)) await log.append(events);
    for (const portion of portionsOf(asked, { object, newest, begin })) {
      for (const events of appendPortions(portion)) await log.append(events);
    }
  });
}

async function onLog<Value>(
  dataDir: string,
  act: (log: EmbeddedEventLog) => Promise<Value>,
): Promise<Value> {
  const directory = await openDataDirectory(dataDir);
  const log = new EmbeddedEventLog(directory.logPath);
  try {
    return await act(log);
  } finally {
    await log.close();
    await directory.release();
  }
}

async function eventsUpTo(log: EmbeddedEventLog, newest: number): Promise<LoggedEvent[]> {
  const stopped = new AbortController();
  const read: LoggedEvent[] = [];
  for await (const events of log.read(resourceVersion(1), stopped.signal)) {
    read.push(...events);
    if (events.some((event) => event.resourceVersion >= newest)) break;
  }
  stopped.abort();
  return read;
}

/** The object as it lies in the log, and where that ends. */
async function madeByServer(dataDir: string, { path, body, resource }: LargeLog) {
  const server = await startServer({ dataDir });
  const client = adminClient(server);
  await client.post(path, body);
  let text = '';
  const answer = await client.open(`/everwatch/v1/log?resource=${resource}`);
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  client.close();
  await server.stop();
  const last = parseJson(text.trim().split('\n').at(-1) ?? '') as JsonObject;
  return { object: last['object'] as JsonObject, newest: Number(last['resourceVersion']) };
}

interface Begun {
  readonly object: JsonObject;
  readonly newest: number;
  readonly begin: number;
}

function* portionsOf(
  { resource, objects, changes }: LargeLog,
  { object, newest, begin }: Begun,
): Generator<ProposedEvent[]> {
  const writer = randomUUID();
  const versions = new Map<string, number>();
  const metadata = object['metadata'] as JsonObject;
  const namespace = (metadata as { namespace?: string }).namespace ?? '';
  let portion: ProposedEvent[] = [];
  for (let nth = 0; nth < objects * (changes + 1); nth += 1) {
    const name = `n${String(nth % objects).padStart(6, '0')}`;
    const uid = `00000000-0000-4000-8000-${String(nth % objects).padStart(12, '0')}`;
    const turn = Math.floor(nth / objects);
    const previous = versions.get(name) ?? 0;
    versions.set(name, newest + nth + 1);
    const labels = { turn: String(turn) };
    portion.push({
      ...{ writer, sequence: nth + 1, resource, path: `${namespace}/${name}`, requires: [] },
      type: turn === 0 ? 'added' : 'modified',
      previousResourceVersion: resourceVersion(previous),
      json: Buffer.from(
        JSON.stringify({ ...object, metadata: { ...metadata, name, uid, labels } }),
      ),
      ...{ time: begin + nth * CHANGE_MS, uid, user: 'maker', auditID: '', fieldManager: 'maker' },
      verb: turn === 0 ? 'create' : 'update',
    });
    if (portion.length < PORTION) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
