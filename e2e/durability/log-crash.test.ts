/**
 * The embedded log under kill -9: a process appends as fast as it can and is killed at random
 * moments, again and again on the same directory. What it was told to be durable is there.
 *
 * A run is repeated, as far as the moments of the kill allow, with EVERWATCH_SEED=<seed>.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';
import { bundledProgram } from '../support/bundled-program.ts';
import { faultIn } from './log-load.ts';

const KILLS = 25;
const WRITER = bundledProgram(new URL('log-writer.ts', import.meta.url).pathname);

const folder = mkdtempSync(join(tmpdir(), 'everwatch-durability-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Acknowledged {
  readonly first: number;
  readonly writer: string;
  readonly sequence: number;
  readonly size: number;
}

interface Run {
  readonly newestAtStart: number;
  readonly acknowledged: readonly Acknowledged[];
  readonly said: readonly string[];
}

/** Runs a writer, and kills it `delayMs` after its first acknowledgement. */
async function runAndKill(path: string, seed: number, delayMs: number): Promise<Run> {
  const child = spawn(process.execPath, [WRITER, path, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (said.length === 1) setTimeout(() => child.kill('SIGKILL'), delayMs);
    said.push(line);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return runOf(said);
}

function runOf(said: readonly string[]): Run {
  const acknowledged = said
    .filter((line) => line.startsWith('appended '))
    .map((line) => {
      const [, first, writer = '', sequence, size] = line.split(' ');
      return {
        first: Number(first),
        writer,
        sequence: Number(sequence),
        size: Number(size),
      };
    });
  return { newestAtStart: Number(said[0]?.split(' ')[1]), acknowledged, said };
}

/** All events after `version`. */
function eventsAfter(log: EmbeddedEventLog, version: number, newest: number): LoggedEvent[] {
  const events: LoggedEvent[] = [];
  for (let position = version + 1; position <= newest; position += 1) {
    const event = log.at(resourceVersion(position));
    if (event === undefined) throw new Error(`nothing at ${String(position)}`);
    events.push(event);
  }
  return events;
}

function missing(log: EmbeddedEventLog, acknowledged: readonly Acknowledged[]): Acknowledged[] {
  return acknowledged.filter(({ first, writer, sequence, size }) =>
    Array.from({ length: size }, (_, index) => index).some((index) => {
      const event = log.at(resourceVersion(first + index));
      return event?.writer !== writer || event.sequence !== sequence + index;
    }),
  );
}

describe('the embedded log under kill -9', () => {
  it('keeps all that was acknowledged, whole, in place and in order', async () => {
    const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
    console.log(`EVERWATCH_SEED=${String(seed)}`);
    const random = chanceFrom(seed);
    const path = join(folder, 'log');
    const all: Acknowledged[] = [];
    let checked = 0;

    for (let kill = 0; kill < KILLS; kill += 1) {
      const run = await runAndKill(path, seed + kill, Math.floor(random() ** 2 * 400));
      expect(run.newestAtStart).toBe(checked);
      expect(run.acknowledged.length).toBeGreaterThan(0);
      all.push(...run.acknowledged);

      const log = new EmbeddedEventLog(path);
      const newest = await log.newest();
      const lastAcknowledged = Math.max(...all.map(({ first, size }) => first + size - 1));
      expect(newest).toBeGreaterThanOrEqual(lastAcknowledged);
      expect(faultIn(eventsAfter(log, checked, newest))).toBe('');
      expect(missing(log, run.acknowledged)).toEqual([]);
      await log.close();
      checked = newest;
    }

    const log = new EmbeddedEventLog(path);
    expect(faultIn(eventsAfter(log, 0, checked))).toBe('');
    expect(missing(log, all)).toEqual([]);
    await log.close();
    console.log(`${String(checked)} events, ${String(all.length)} acknowledged appends`);
  });
});
