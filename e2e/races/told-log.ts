/** The log as `GET /everwatch/v1/log` tells it, judged again by a fold that shares nothing with the server's. */
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';

import { type LogRecord, LogTruth } from '../robustness/log-truth.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, parseJson, textAt } from '../support/json.ts';

/** A record that took effect. */
export interface Told {
  readonly version: number;
  readonly type: 'added' | 'modified' | 'deleted';
  /** `core/<resource> <namespace>/<name>`. */
  readonly key: string;
  readonly previous: number;
  /** What had to be so still when the record came: resource, path, version. */
  readonly requires: LogRecord['requires'];
  readonly auditID: string;
  readonly user: string;
  readonly object: JsonObject;
}

/**
 * Every record that took effect, in order.
 *
 * @throws where the server's verdict on a record is another than that of docs/event-format.md.
 */
export async function effectiveRecords(client: AdminClient): Promise<Told[]> {
  const effective: Told[] = [];
  for await (const one of toldRecords(client)) effective.push(one);
  return effective;
}

/** The same, one after the other: of a log that is larger than memory. @throws as it does */
export async function* toldRecords(client: AdminClient): AsyncGenerator<Told> {
  const answer = await client.open('/everwatch/v1/log');
  if (answer.statusCode !== 200) throw new Error(`the log: ${await textOf(answer)}`);
  const truth = new LogTruth();
  for await (const line of createInterface({ input: answer })) {
    if (line === '') continue;
    const record = parseJson(line) as JsonObject; // Each line is a record.
    const before = truth.counts.effective;
    truth.add(recordOf(record));
    const isEffective = truth.counts.effective > before;
    if (isEffective !== (record['verdict'] === 'effective')) throw new Error(`misjudged: ${line}`);
    if (isEffective) yield toldOf(record);
  }
}

function recordOf(line: JsonObject): LogRecord {
  return {
    version: Number(line['resourceVersion']),
    writer: textAt(line, 'writer'),
    sequence: Number(line['sequence']),
    type: textAt(line, 'type'),
    resource: textAt(line, 'resource'),
    path: `${textAt(line, 'namespace')}/${textAt(line, 'name')}`,
    previous: Number(line['previousResourceVersion']),
    requires: listAt(line, 'requires').map(requirementOf),
    auditID: textAt(line, 'auditID'),
    object: (at(line, 'object') ?? {}) as JsonObject, // A marker has none.
  };
}

function requirementOf(one: unknown): [string, string, number] {
  return one as [string, string, number]; // docs/event-format.md says so.
}

function toldOf(line: JsonObject): Told {
  const { version, previous, requires, auditID, type, resource, path, object } = recordOf(line);
  const known = type as Told['type']; // A marker has no effect.
  const of = { version, previous, requires, auditID, type: known, key: `${resource} ${path}` };
  return { ...of, user: textAt(line, 'user'), object: object ?? {} };
}
