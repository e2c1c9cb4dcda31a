import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { THREADS_BUILD } from '../../server-build.ts';
import { DamagedRecordError } from '../event-codec.ts';
import type { EventHead, ProposedEvent } from '../event.ts';
import { proposedEvent, proposedMarker } from '../proposed-event.fixture.ts';
import { HeadReader } from '../record-heads.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { EmbeddedEventLog } from './embedded-event-log.ts';
import { HeadsAhead } from './heads-ahead.ts';
import { PAGE_SIZE } from './lmdb-records.ts';

/** More than all blocks have room for at once. */
const EVENTS = 20_000;
const AT_ONCE = 2_000;
/** A record that is long before its end is read. */
const LARGE_BYTES = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'everwatch-heads-'));
const program = join(folder, 'heads-thread.cjs');
const path = join(folder, 'log');
const never = new AbortController().signal;

/** Every sort of record: those that follow each other in pages, large ones, markers, and texts that are not plain. */
function eventAt(nth: number): ProposedEvent {
  if (nth % 997 === 0) return proposedMarker(nth);
  if (nth % 101 === 0) return proposedEvent(nth, { user: 'jäne "the" \\admin' });
  if (nth % 211 === 0) return proposedEvent(nth, { json: Buffer.alloc(LARGE_BYTES, 'x') });
  if (nth % 3 === 0)
    return proposedEvent(nth, { type: 'modified', writer: `writer-${String(nth)}` });
  return proposedEvent(nth);
}

async function fill(log: EmbeddedEventLog, count: number): Promise<void> {
  for (let first = 1; first <= count; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - first + 1);
    await log.append(Array.from({ length }, (_, index) => eventAt(first + index)));
  }
}

/** What a head says of the record, apart from the next one's. */
function told(head: EventHead): readonly unknown[] {
  const { writer, sequence, type, resource, path: at, requires, time } = head;
  return [writer, sequence, type, resource, at, requires.length, time, head.resourceVersion];
}

/** All that a fold is told, which waits where it is told no more. */
async function folded(log: EmbeddedEventLog): Promise<(readonly unknown[])[]> {
  const all: (readonly unknown[])[] = [];
  let next = resourceVersion(1);
  for (let awaited = 0; awaited < next;) {
    awaited = next;
    const heads = log.heads(next, () => undefined);
    for (let head = heads.next(); head !== undefined; head = heads.next()) all.push(told(head));
    next = resourceVersion(all.length + 1);
    await log.whenHere(next, never);
  }
  return all;
}

async function expected(log: EmbeddedEventLog): Promise<(readonly unknown[])[]> {
  const newest = await log.newest();
  return Array.from({ length: newest }, (_, index) => {
    const event = log.at(resourceVersion(index + 1));
    if (event === undefined) throw new Error(`nothing at ${String(index + 1)}`);
    return told(event);
  });
}

beforeAll(async () => {
  await build({ ...THREADS_BUILD, outdir: folder, logLevel: 'silent' });
  const log = new EmbeddedEventLog(path);
  await fill(log, EVENTS);
  await log.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a thread that reads heads ahead', () => {
  function ahead(from: number, to = EVENTS, at = path): HeadsAhead {
    const range = { from: resourceVersion(from), to: resourceVersion(to) };
    return new HeadsAhead(program, { path: at, pageSize: PAGE_SIZE, ...range });
  }

  /** The versions that it told, and how many of their headers are plain. */
  async function tells(heads: HeadsAhead, from: number): Promise<{ last: number; plain: number }> {
    const reader = new HeadReader(() => undefined);
    let [version, plain]: [ResourceVersion, number] = [resourceVersion(from), 0];
    for (;;) {
      if (heads.isAwaited(version)) await heads.whenHere(version, never);
      if (!heads.find(version)) return { last: version - 1, plain };
      const head = reader.readHeader(heads.bytes, [heads.start, heads.end], version);
      if (head !== undefined) plain += 1;
      version = resourceVersion(version + 1);
    }
  }

  it('tells all of them, and nothing in front of where it begins', async () => {
    const heads = ahead(501);
    expect(heads.isAwaited(resourceVersion(500))).toBe(false);
    expect(heads.find(resourceVersion(500))).toBe(false);
    const { last, plain } = await tells(heads, 501);
    expect(last).toBe(EVENTS);
    expect(plain).toBeGreaterThan(EVENTS * 0.95);
    await heads.close();
  });

  it('ends behind the last one that is there', async () => {
    const heads = ahead(1, EVENTS + 5);
    expect((await tells(heads, 1)).last).toBe(EVENTS);
    await heads.close();
  });

  it('tells none where there is no log, and ends while it waits for room', async () => {
    const none = ahead(1, EVENTS, join(folder, 'none'));
    expect((await tells(none, 1)).last).toBe(0);
    const full = ahead(1);
    await full.whenHere(resourceVersion(1), never);
    await full.close();
    expect(full.isAwaited(resourceVersion(EVENTS))).toBe(false);
  });

  it('waits no longer than it is asked to', async () => {
    const heads = ahead(1);
    const stopped = new AbortController();
    const waited = heads.whenHere(resourceVersion(EVENTS), stopped.signal);
    stopped.abort();
    await waited;
    expect(heads.isAwaited(resourceVersion(EVENTS))).toBe(true);
    await heads.close();
  });
});

describe('the heads of a log that has such a thread', () => {
  it.each([
    ['reads all behind the first', { program, from: 1 }],
    ['begins in the middle', { program, from: EVENTS / 2 }],
    ['is not there', { program: join(folder, 'nothing.cjs'), from: 1 }],
  ])('are those of its events, where the thread %s', async (_, headsAhead) => {
    const log = new EmbeddedEventLog(path, { headsAhead });
    expect(await folded(log)).toEqual(await expected(log));
    await log.close();
  });

  it('are told on by the log itself where a reader of events ends the thread', async () => {
    const log = new EmbeddedEventLog(path, { headsAhead: { program, from: 1 } });
    const heads = log.heads(resourceVersion(1), () => undefined);
    log.read(resourceVersion(1), never);
    let count = 0;
    while (heads.next() !== undefined) count += 1;
    expect(count).toBe(EVENTS);
    await log.close();
  });

  it('are those of events that are appended meanwhile as well', async () => {
    const copy = join(folder, 'growing');
    const log = new EmbeddedEventLog(copy, { headsAhead: { program, from: 1 } });
    await fill(log, 3 * AT_ONCE);
    const [heads] = await Promise.all([folded(log), log.append([eventAt(3 * AT_ONCE + 1)])]);
    const all = await expected(log);
    expect(heads).toEqual(all.slice(0, heads.length));
    expect(heads.length).toBeGreaterThanOrEqual(3 * AT_ONCE);
    await log.close();
  });

  it('are not told behind a record that was changed on the disk, and it is said which one that is', async () => {
    const damaged = join(folder, 'damaged');
    const log = new EmbeddedEventLog(damaged);
    await fill(log, 3 * AT_ONCE);
    await log.close();
    const file = join(damaged, 'data.mdb');
    const bytes = readFileSync(file);
    const at = bytes.indexOf('"audit-3500"');
    bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const again = new EmbeddedEventLog(damaged, { headsAhead: { program, from: 1 } });
    await expect(folded(again)).rejects.toThrow(DamagedRecordError);
    await expect(folded(again)).rejects.toThrow(/3500/);
    await again.close();
  });
});
