import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PageReads } from './page-reads.ts';

const PAGE_SIZE = 16 * 1024;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-pages-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Records = RootDatabase<Buffer, number>;

function opened(pageSize = PAGE_SIZE): Records {
  const options = { encoding: 'binary', compression: false, overlappingSync: false } as const;
  return open<Buffer, number>({ path: folder, pageSize, eventTurnBatching: false, ...options });
}

/** Of any length up to beyond what a page has room for, and told apart by its first bytes. */
function valueOf(key: number): Buffer {
  const size = key % 11 === 0 ? 9_000 : key % 13 === 0 ? 8 : 4_200;
  const value = Buffer.alloc(size + ((key * 7_919) % 3_000), key % 251);
  value.writeDoubleBE(key);
  return value;
}

async function put(records: Records, keys: readonly number[]): Promise<void> {
  await records.batch(() => {
    for (const key of keys) void records.put(key, valueOf(key));
  });
}

function begun(records: Records, pages: PageReads): void {
  records.resetReadTxn();
  records.getBinaryFast(-1);
  pages.end();
  pages.begin();
}

/** The keys whose value is not what LMDB says, or that are found where they are not. */
function wrong(records: Records, pages: PageReads, keys: Iterable<number>): number[] {
  begun(records, pages);
  return [...keys].filter((key) => {
    const there = records.get(key);
    const found = pages.read(key);
    return there === undefined ? found !== undefined : found?.equals(there) !== true;
  });
}

function keysFrom(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, nth) => from + nth);
}

describe('PageReads', () => {
  it('shares what it reads at once with all values in it, which stay as they are', async () => {
    const records = opened();
    const pages = new PageReads(folder, PAGE_SIZE);
    await put(records, keysFrom(1, 600));
    begun(records, pages);
    const shared = keysFrom(1, 600).map((key) => pages.share(key));
    // Other pages are read into other memory.
    for (const key of [500, 3, ...keysFrom(100, 300)]) pages.share(key);
    expect(shared.every((value, nth) => value?.equals(valueOf(nth + 1)) === true)).toBe(true);
    // Large ones, and the first, have their own.
    const smaller = shared.filter((_, nth) => (nth + 1) % 11 > 0);
    expect(new Set(smaller.map((value) => value?.buffer)).size).toBeLessThan(100);
    pages.close();
    await records.close();
  });

  it('finds each value that LMDB finds, and no other, whatever is put behind them or removed', async () => {
    const records = opened();
    const pages = new PageReads(folder, PAGE_SIZE);
    await records.put(-1, Buffer.from('what is no record'));
    let next = 1;
    // In the end there are branches of branches.
    for (const count of [1, 6, 200, 1_500, 2_500, 1_500]) {
      await put(records, keysFrom(next, count));
      next += count;
      expect(wrong(records, pages, keysFrom(0, next + 5))).toEqual([]);
    }
    for (const gone of [keysFrom(1, 900), keysFrom(1_000, 2_500), [next - 1]]) {
      await records.batch(() => {
        for (const key of gone) void records.remove(key);
      });
      pages.forget();
      await put(records, keysFrom(next, 300));
      next += 300;
      expect(wrong(records, pages, keysFrom(0, next + 5))).toEqual([]);
    }
    pages.close();
    await records.close();
  });

  it('finds what is put where pages were free that it has read with others', async () => {
    const records = opened();
    const pages = new PageReads(folder, PAGE_SIZE);
    await put(records, keysFrom(1, 100));
    for (let next = 101; next < 220; next += 3) {
      await put(records, keysFrom(next, 3));
      expect(wrong(records, pages, keysFrom(next - 60, 63))).toEqual([]);
    }
    pages.close();
    await records.close();
  });

  it('knows no branch longer than the file has it, where nothing keeps pages from being used again', async () => {
    const pageSize = 4 * 1024;
    const records = opened(pageSize);
    const pages = new PageReads(folder, pageSize, false);
    const small = (key: number): Buffer => Buffer.alloc(1_900, String(key));
    const there = new Set(keysFrom(1, 3_000));
    const change = async (gone: Iterable<number>, more: Iterable<number>): Promise<void> => {
      await records.batch(() => {
        for (const key of gone) if (there.delete(key)) void records.remove(key);
        for (const key of more) void records.put(key, small(key));
      });
    };
    // Branches of branches.
    await change([], there);
    for (let round = 0; round < 30; round += 1) {
      pages.end();
      const wrong = [...there].filter((key) => pages.view(key)?.equals(small(key)) !== true);
      expect(wrong).toEqual([]);
      const next = 3_001 + round * 40;
      await change(keysFrom(1 + ((round * 700) % 2_900), 40), keysFrom(next, 20));
      await change([], keysFrom(next + 20, 20));
      for (const key of keysFrom(next, 40)) there.add(key);
    }
    pages.close();
    await records.close();
  });

  it('finds numbers of any size', async () => {
    const powers = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 48 }), fc.integer({ min: -3, max: 3 })),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(powers, async (given) => {
        const keys = given.map(([power, more]) => Math.max(1, 2 ** power + more));
        const records = opened();
        await records.clearAsync();
        await put(records, keys);
        const pages = new PageReads(folder, PAGE_SIZE);
        const known = keys.filter((key) => key <= 2 ** 48);
        expect(wrong(records, pages, known)).toEqual([]);
        pages.close();
        await records.close();
      }),
      { numRuns: 20 },
    );
  });

  it('finds nothing in a file of another layout, and asks no more', async () => {
    const records = opened(4 * 1024);
    await put(records, [1, 2, 3]);
    const pages = new PageReads(folder, PAGE_SIZE);
    expect(pages.isStale).toBe(true);
    begun(records, pages);
    expect([pages.isStale, pages.read(1)]).toEqual([false, undefined]);
    pages.close();
    await records.close();
  });

  it('throws at no damage', async () => {
    const records = opened();
    await put(records, keysFrom(1, 400));
    await records.close();
    const file = join(folder, 'data.mdb');
    const whole = readFileSync(file);
    const hits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(hits, fc.boolean(), (places, isInHeads) => {
        const damaged = Buffer.from(whole);
        for (const [place, value] of places) {
          const at = isInHeads ? (place % 40) + PAGE_SIZE * (place % 50) : place;
          damaged[at % damaged.length] = value;
        }
        writeFileSync(file, damaged);
        const pages = new PageReads(folder, PAGE_SIZE);
        for (const key of keysFrom(1, 401)) {
          if (pages.isStale) pages.begin();
          pages.read(key);
        }
        pages.close();
      }),
      { numRuns: 40 },
    );
  });
});
