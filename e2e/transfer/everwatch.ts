/** The built program's commands, and what lies in the directories that they make. */
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { isChange, type LoggedChange, type LoggedEvent } from '../../streams/event.ts';
import { join } from 'node:path';
import { Arbiter } from '../../projections/fold/arbiter.ts';
import { VersionTable } from '../../projections/fold/live-versions.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { type CommandResult, run, type RunningCommand, startCommand } from '../support/command.ts';
import { SERVER_PROGRAM } from '../support/server.ts';

export function everwatch(args: readonly string[], input?: string): Promise<CommandResult> {
  const options = input === undefined ? {} : { input };
  return run(process.execPath, [SERVER_PROGRAM, ...args], options);
}

/** @throws with what it said when it fails. */
export async function succeed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await everwatch(args);
  if (code === 0) return stdout;
  throw new Error(`everwatch ${args.join(' ')}: code ${String(code)}\n${stdout}${stderr}`);
}

export function startEverwatch(args: readonly string[]): RunningCommand {
  return startCommand(process.execPath, [SERVER_PROGRAM, ...args]);
}

/** Every record in the directory's log, which no server may hold. */
export async function recordsIn(dataDir: string): Promise<LoggedEvent[]> {
  const log = new EmbeddedEventLog(join(dataDir, 'log'));
  const newest = await log.newest();
  const records: LoggedEvent[] = [];
  const stop = new AbortController();
  if (newest > 0) {
    for await (const batch of log.read(resourceVersion(1), stop.signal)) {
      records.push(...batch);
      if ((batch.at(-1)?.resourceVersion ?? 0) >= newest) break;
    }
  }
  stop.abort();
  await log.close();
  return records;
}

/** Those that took effect. */
export function effectiveOf(records: readonly LoggedEvent[]): LoggedChange[] {
  const versions = new VersionTable();
  const arbiter = new Arbiter(new Map(), versions);
  const isEffective = (event: LoggedEvent): event is LoggedChange => {
    if (arbiter.judge(event) !== 'effective' || !isChange(event)) return false;
    versions.note(event);
    return true;
  };
  return records.filter(isEffective);
}

/**
 * What became of each object, in order: how it changed and what it was then, byte for byte.
 *
 * @param listed up to this version only what there was then, as a list shows it.
 */
export function historiesOf(records: readonly LoggedEvent[], listed = 0): Record<string, string[]> {
  const histories: Record<string, string[]> = {};
  for (const { resource, path, type, json, resourceVersion: version } of effectiveOf(records)) {
    const key = `${resource} ${path}`;
    const text = Buffer.from(json).toString();
    if (version > listed) (histories[key] ??= []).push(`${type} ${text}`);
    else if (type === 'deleted') Reflect.deleteProperty(histories, key);
    else histories[key] = [`added ${text}`];
  }
  return histories;
}

/** Each object that exists at the end, byte for byte. */
export function stateOf(records: readonly LoggedEvent[]): Record<string, string> {
  const state: Record<string, string> = {};
  for (const { resource, path, type, json } of effectiveOf(records)) {
    const key = `${resource} ${path}`;
    if (type === 'deleted') Reflect.deleteProperty(state, key);
    else state[key] = Buffer.from(json).toString();
  }
  return state;
}

/** Records as plain values, for comparing. */
export function plainRecords(records: readonly LoggedEvent[]): unknown[] {
  return records.map((event) => ({ ...event, json: Buffer.from(event.json).toString() }));
}
