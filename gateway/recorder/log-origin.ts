/**
 * Where the log of a data directory comes from, when it is not a server's own: what `everwatch record` and
 * `everwatch import` leave beside it. A server on the directory tells it with its status, so that no viewer
 * takes a copy for the cluster.
 */
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import type { LogOrigin } from '../routes/status.ts';
import type { RecordGap } from './record-place.ts';

/** Of a log that was read from a file. */
type FileOrigin = Pick<LogOrigin, 'of'> & { readonly kind: 'archive' | 'trace' };

const IMPORTED = 'import-origin.json';
const STATE = 'record-state.json';
const GAPS = 'record-gaps.jsonl';
const GAPS_MAX = 100;
const GAPS_BYTES_MAX = 64 * 1024;

/** Notes that the log of the directory was read from a file. */
export async function noteOrigin(dataDir: string, origin: FileOrigin): Promise<void> {
  await writeFile(join(dataDir, IMPORTED), `${JSON.stringify(origin)}\n`, { mode: 0o600 });
}

/** undefined: it is the log of a server, or nothing says what it is. */
export async function originOf(dataDir: string): Promise<LogOrigin | undefined> {
  const state = await fileIn(dataDir, STATE);
  if (state !== undefined) {
    const cluster = objectAt(parsed(state), 'cluster');
    const gaps = await gapsIn(join(dataDir, GAPS));
    return { kind: 'recording', of: stringAt(cluster, 'server'), gaps };
  }
  const imported = await fileIn(dataDir, IMPORTED);
  const note = imported === undefined ? undefined : parsed(imported);
  if (note === undefined) return undefined;
  return { kind: note['kind'] === 'trace' ? 'trace' : 'archive', of: stringAt(note, 'of') };
}

async function fileIn(dataDir: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(dataDir, name), 'utf8');
  } catch {
    return undefined;
  }
}

/** The end of the file, which may be being written. */
async function gapsIn(path: string): Promise<readonly RecordGap[]> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - GAPS_BYTES_MAX);
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n');
    return lines.flatMap((line) => gapOf(parsed(line)) ?? []).slice(-GAPS_MAX);
  } finally {
    await file.close();
  }
}

function gapOf(line: JsonObject | undefined): RecordGap | undefined {
  if (line === undefined) return undefined;
  const count = (name: string): number => Number(line[name] ?? 0);
  return {
    time: stringAt(line, 'time'),
    resource: stringAt(line, 'resource'),
    reason: stringAt(line, 'reason'),
    knownTo: stringAt(line, 'knownTo'),
    knownFrom: stringAt(line, 'knownFrom'),
    version: count('version'),
    added: count('added'),
    modified: count('modified'),
    deleted: count('deleted'),
  };
}

/** Files of this program's own; undefined: it was cut off. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
