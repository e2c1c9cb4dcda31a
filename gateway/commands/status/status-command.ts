/** `everwatch status`: how a control plane and its log are. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTime } from '../../../api/meta/clock.ts';
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { shownResource } from '../tool/resource-kinds.ts';
import type { Tool } from '../tool/run-tool.ts';
import { formatTable, parseFormat } from '../tool/tool-output.ts';
import { formatJson } from '../../../api/json/json-text.ts';

/** The flags of the command; without `output` it is a table. */
export interface StatusOptions {
  readonly output?: string;
}

export async function status(tool: Tool, options: StatusOptions): Promise<number> {
  const format = parseFormat(options.output ?? 'table', ['table', 'json', 'yaml', 'jsonl']);
  const found = await (tool.opened.server?.status() ?? ownStatus(tool));
  if (format === 'table') await tool.output.write(statusText(tool.source.name, found));
  else if (format === 'json') await tool.output.write(`${formatJson(found, 2)}\n`);
  else await tool.output.writeValue(found, format);
  return 0;
}

/** Of a log that no server has open: counted by reading it. */
async function ownStatus(tool: Tool): Promise<JsonObject> {
  const { source, signal, opened } = tool;
  const { oldest, newest } = await source.bounds();
  const objects: Record<string, number> = {};
  for await (const slice of source.stateAt(newest, signal)) {
    for (const { resource } of slice) objects[resource] = (objects[resource] ?? 0) + 1;
  }
  const oldestTime = await timeOf(tool, oldest);
  const newestTime = await timeOf(tool, newest);
  const { directory } = opened;
  return {
    engine: directory === undefined || existsSync(join(directory, 'topic')) ? 'kafka' : 'embedded',
    log: { oldest, oldestTime, newest, newestTime },
    objects,
    ...(directory === undefined ? {} : { disk: { ...(await diskUsage(directory)) } }),
  };
}

async function timeOf(
  { source, signal }: Tool,
  version: ResourceVersion,
): Promise<number | undefined> {
  for await (const [first] of source.events({ from: version, to: version }, signal)) {
    return first?.event.time;
  }
  return undefined;
}

async function diskUsage(directory: string): Promise<DiskBytes> {
  return {
    logBytes: await bytesIn(join(directory, 'log')),
    storeBytes: await bytesIn(join(directory, 'store')),
  };
}

interface DiskBytes {
  readonly logBytes: number;
  readonly storeBytes: number;
}

/** Blocks, not lengths: files of databases have holes. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { blocks } = await stat(join(entry.parentPath, entry.name));
    bytes += blocks * BLOCK_BYTES;
  }
  return bytes;
}

const BLOCK_BYTES = 512;

function statusText(name: string, found: JsonObject): string {
  const log = objectAt(found, 'log') ?? {};
  const objects = objectAt(found, 'objects') ?? {};
  const counts = Object.entries(objects).filter(([, count]) => count !== 0);
  const total = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  const lines: [string, string][] = [
    ['log', `${name} (${stringAt(found, 'engine')})`],
    ['versions', `${shownVersion(log, 'oldest')} to ${shownVersion(log, 'newest')}`],
  ];
  if (found['applied'] !== undefined) lines.push(['applied', shown(found['applied'])]);
  lines.push(['objects', `${String(total)} of ${String(counts.length)} resources`]);
  const disk = objectAt(found, 'disk');
  if (disk !== undefined) lines.push(['disk', diskText(disk)]);
  const lag = objectAt(found, 'lag');
  if (lag !== undefined)
    lines.push(['lag', `${shown(lag['events'])} events, ${shown(lag['ms'])} ms`]);
  const connection = objectAt(found, 'connection');
  if (connection !== undefined) {
    const problem = stringAt(connection, 'problem');
    const state = stringAt(connection, 'state');
    lines.push(['connection', problem === '' ? state : `${state}: ${problem}`]);
  }
  const version = stringAt(found, 'version');
  if (version !== '') lines.push(['server', `everwatch ${version}`]);
  const head = lines.map(([key, text]) => `${key.padEnd(12)}${text}\n`).join('');
  const rows = counts
    .sort(([a, x], [b, y]) => Number(y) - Number(x) || (a < b ? -1 : 1))
    .map(([resource, count]) => [shownResource(resource), shown(count)]);
  return rows.length === 0 ? head : `${head}\n${formatTable(['RESOURCE', 'OBJECTS'], rows)}`;
}

function shownVersion(log: JsonObject, key: string): string {
  const time = log[`${key}Time`];
  const version = shown(log[key]);
  return typeof time === 'number' ? `${version} (${formatTime(time)})` : version;
}

function diskText(disk: JsonObject): string {
  const free = disk['freeBytes'];
  const parts = [
    `log ${mebibytes(disk['logBytes'])}`,
    `store ${mebibytes(disk['storeBytes'])}`,
    ...(free === undefined ? [] : [`of these free ${mebibytes(free)}`]),
  ];
  return parts.join(', ');
}

function mebibytes(bytes: JsonValue | undefined): string {
  return `${(Number(bytes ?? 0) / 1024 / 1024).toFixed(1)} MiB`;
}

function shown(value: JsonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}
