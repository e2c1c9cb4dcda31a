/**
 * Writes the objects that every control plane has into the build: a server that was just built makes them,
 * and its log is read. What is its own there, uids and times, is taken out; anything else that no two servers
 * would have alike fails the build.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  FIRST_OBJECTS_FILE,
  TIME_PLACE,
  UID_PLACE,
  type FirstObject,
} from '../gateway/server/log/first-objects.ts';
import { EmbeddedEventLog } from '../streams/embedded/embedded-event-log.ts';
import type { LoggedEvent } from '../streams/event.ts';
import { resourceVersion } from '../streams/resource-version.ts';

const WARM_UP = join(import.meta.dirname, 'warm-up.ts');

/** What depends on the machine, on the time of the start or on flags. */
const OWN = new Set([
  ...['core/configmaps', 'core/services', 'core/endpoints', 'coordination.k8s.io/leases'],
  ...['networking.k8s.io/servicecidrs', 'networking.k8s.io/ipaddresses'],
  'discovery.k8s.io/endpointslices',
]);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;

/** @param folder with the built program. */
export async function buildFirstObjects(folder: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'everwatch-build-'));
  try {
    const argv = ['--import', 'tsx', WARM_UP, 'objects', resolve(folder), scratch];
    execFileSync(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
    const objects = await firstObjects(new EmbeddedEventLog(join(scratch, 'data', 'log')));
    writeFileSync(join(folder, 'generated', FIRST_OBJECTS_FILE), JSON.stringify(objects));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** In the order in which they were made, each as it was in the end. */
async function firstObjects(log: EmbeddedEventLog): Promise<readonly FirstObject[]> {
  const last = new Map<string, LoggedEvent>();
  const made = new Map<string, LoggedEvent>();
  const newest = await log.newest();
  for (let version = 1; version <= newest; version += 1) {
    const event = log.at(resourceVersion(version));
    if (event === undefined || OWN.has(event.resource)) continue;
    const key = `${event.resource} ${event.path}`;
    last.set(key, event);
    if (!made.has(key)) made.set(key, event);
  }
  await log.close();
  return [...made].map(([key, event]) => firstObject(event, last.get(key) ?? event));
}

function firstObject({ resource, path, fieldManager, uid }: LoggedEvent, last: LoggedEvent) {
  const text = Buffer.from(last.json).toString();
  if (text.includes(UID_PLACE) || text.includes(TIME_PLACE)) throw new Error(`in ${path}: ${text}`);
  const json = text.replaceAll(TIME, TIME_PLACE).replace(uid, UID_PLACE);
  if (UID.test(json)) throw new Error(`${resource} ${path} has the uid of another object: ${json}`);
  return { resource, path, fieldManager, json };
}
