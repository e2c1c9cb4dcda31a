import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LmdbRecords } from '../embedded/lmdb-records.ts';
import { NO_CUTS } from '../log-cuts.ts';
import { resourceVersion } from '../resource-version.ts';
import { SharedRecords } from './shared-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-shared-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Of any length up to beyond what a page has room for, and told apart by its first bytes. */
function frameOf(version: number, size: number): Buffer {
  const frame = Buffer.alloc(8 + size, version % 251);
  frame.writeDoubleBE(version);
  return frame;
}

/** What is done to a log: so many frames are written, each of this size, or so many of the versions go, from one place on. */
type Change =
  | { readonly count: number; readonly size: number }
  | { readonly gone: number; readonly place: number };

const changes = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        count: fc.integer({ min: 1, max: 40 }),
        size: fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 3_000, max: 40_000 })),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        gone: fc.integer({ min: 1, max: 60 }),
        place: fc.double({ min: 0, max: 0.9, noNaN: true }),
      }),
    },
  ),
  { minLength: 8, maxLength: 40 },
);

/** A log that is written, with its file opened anew all the time, and what is in it. */
class Written {
  readonly frames = new Map<number, Buffer>();
  readonly path = mkdtempSync(join(folder, 'log-'));
  readonly #records = new LmdbRecords(this.path, { mappedBytesMax: 0, isSynced: false });
  #last = 0;

  get cuts() {
    return this.#records.cuts;
  }

  get diskUsage() {
    return this.#records.diskUsage();
  }

  async change(change: Change): Promise<void> {
    if ('gone' in change) await this.#trim(change.gone, change.place);
    else await this.#write(change.count, change.size);
  }

  async #write(count: number, size: number): Promise<void> {
    const first = this.#last + 1;
    const frames = Array.from({ length: count }, (_, nth) => frameOf(first + nth, size));
    await this.#records.write(resourceVersion(first), frames);
    for (const [nth, frame] of frames.entries()) this.frames.set(first + nth, frame);
    this.#last += count;
  }

  async #trim(count: number, place: number): Promise<void> {
    const versions = [...this.frames.keys()].slice(0, -1);
    const from = Math.floor(place * versions.length);
    const gone = versions.slice(from, from + count).map(resourceVersion);
    const settled = resourceVersion(Math.max(0, ...gone));
    const writers = new Map([['a writer'.repeat(count * 100), settled]]);
    await this.#records.trim({ gone, cuts: { ...NO_CUTS, settled, writers } });
    for (const version of gone) this.frames.delete(version);
  }

  close(): Promise<void> {
    return this.#records.close();
  }
}

describe('SharedRecords', () => {
  it('finds what another opening of the file has written, and nothing else, whatever was written and removed', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (given) => {
        const written = new Written();
        const records = new SharedRecords(written.path);
        expect(records.last()).toBeUndefined();
        expect([...records.framesFrom(resourceVersion(0))]).toEqual([]);
        for (const change of given) {
          await written.change(change);
          records.renewCuts();
          const last = Math.max(0, ...written.frames.keys());
          expect(records.last() ?? 0).toBe(last);
          expect(records.cuts).toEqual(written.cuts);
          expect(records.diskUsage()).toEqual(written.diskUsage);
          const versions = Array.from({ length: last + 3 }, (_, version) =>
            resourceVersion(version),
          );
          const wrong = versions.filter((version) => {
            const there = records.frame(version);
            const frame = written.frames.get(version);
            return there === undefined ? frame !== undefined : frame?.equals(there) !== true;
          });
          expect(wrong).toEqual([]);
          const middle = resourceVersion(last >> 1);
          const behind = [...records.framesFrom(middle)];
          expect(behind.map(({ version }) => version)).toEqual(
            [...written.frames.keys()].filter((version) => version >= middle),
          );
          for (const { version, frame } of behind) {
            expect(written.frames.get(version)?.equals(frame)).toBe(true);
          }
        }
        records.close();
        await written.close();
      }),
      { numRuns: 20 },
    );
  });

  it('finds nothing else either when pages are used again that it knew', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (given) => {
        const written = new Written();
        const every = new Map<number, Buffer>();
        const records = new SharedRecords(written.path);
        let known: ReadonlySet<number> = new Set();
        for (const [nth, change] of given.entries()) {
          await written.change(change);
          for (const [version, frame] of written.frames) every.set(version, frame);
          if (nth % 5 === 0) {
            records.renew();
            expect(records.last() ?? 0).toBe(Math.max(0, ...written.frames.keys()));
            known = new Set(written.frames.keys());
          }
          // The one that was read last is read first.
          const inOrder = nth % 2 === 0 ? [...every] : [...every].reverse();
          const wrong = inOrder.filter(([version, frame]) => {
            const there = records.sharedFrame(resourceVersion(version));
            if (there !== undefined) return !frame.equals(there);
            return known.has(version) && written.frames.has(version);
          });
          expect(wrong.map(([version]) => version)).toEqual([]);
        }
        records.close();
        await written.close();
      }),
      { numRuns: 20 },
    );
  });

  it('tells a file that is no log', () => {
    expect(() => new SharedRecords(join(folder, 'none'))).toThrow(RangeError);
  });
});
