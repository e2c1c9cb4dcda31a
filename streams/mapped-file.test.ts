import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LmdbRecords } from './embedded/lmdb-records.ts';
import { AppendOutcomeUnknownError } from './event-log.ts';
import { mappedBytes } from './mapped-bytes.fixture.ts';
import { MappedFile, type FileOpening } from './mapped-file.ts';
import { resourceVersion } from './resource-version.ts';

const MIB = 1024 * 1024;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-mapped-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What is mapped of a log of 32 MiB behind writing and reading it. */
async function mappedBehindUse(mappedBytesMax: number): Promise<readonly number[]> {
  const records = new LmdbRecords(folder, { mappedBytesMax });
  const frame = Buffer.alloc(2_000, 7);
  const group = Array.from({ length: 64 }, () => frame);
  let next = 1;
  while (next < 16_384) {
    await records.write(resourceVersion(next), group);
    next += group.length;
    await nextTurn();
  }
  const written = mappedBytes(folder);
  for (let version = 1; version < next; version += 31) {
    expect(records.frame(resourceVersion(version))?.equals(frame)).toBe(true);
    if (version % 64 === 0) await nextTurn();
  }
  const read = mappedBytes(folder);
  await records.close();
  return [written, read];
}

/** A file that notes what is done with it. */
function givenFile(sizes: Partial<FileOpening<number>> = {}): {
  readonly file: MappedFile<number>;
  readonly done: string[];
} {
  const done: string[] = [];
  let opened = 0;
  const file = new MappedFile<number>({
    open: () => {
      opened += 1;
      done.push(`open ${String(opened)}`);
      return opened;
    },
    close: (closed) => {
      done.push(`close ${String(closed)}`);
      return Promise.resolve();
    },
    sizeBytes: () => 2,
    mappedBytesMax: 1,
    ...sizes,
  });
  return { file, done };
}

describe('MappedFile', () => {
  it.runIf(process.platform === 'linux')(
    'keeps no more of a log in memory than it may, written or read',
    async () => {
      for (const bytes of await mappedBehindUse(2 * MIB)) expect(bytes).toBeLessThan(6 * MIB);
      rmSync(folder, { recursive: true });
      const [written = 0, read = 0] = await mappedBehindUse(Infinity);
      expect(written).toBeGreaterThan(8 * MIB);
      // What is read by position is not mapped.
      expect(read - written).toBeLessThan(MIB);
    },
  );

  it('is opened anew between writes only, and not while a walk goes on', async () => {
    const { file, done } = givenFile();
    await file.write(1, async () => {
      file.touched(1, true);
      await nextTurn();
      await nextTurn();
    });
    const walk = file.walked(() => [1, 2]);
    walk.next();
    await nextTurn();
    expect(done).toEqual(['open 1']);

    walk.return(undefined);
    await nextTurn();
    expect(done).toEqual(['open 1', 'close 1', 'open 2']);
    expect(file.opened).toBe(2);
    await file.close();
    expect(done.at(-1)).toBe('close 2');
  });

  describe('of which more may be mapped for a while', () => {
    const AROUND = 64 * 1024;

    function given(size: number, most = 4) {
      const rings: (() => void)[] = [];
      const after = (letGo: () => void) => {
        rings.push(letGo);
        return () => void rings.splice(rings.indexOf(letGo), 1);
      };
      const burst = { mappedBytesMax: most * AROUND, after };
      const sizes = { sizeBytes: () => size * AROUND, mappedBytesMax: AROUND };
      return { ...givenFile({ ...sizes, burst }), rings };
    }

    it('is opened anew behind the while, and once', async () => {
      const { file, done, rings } = given(10);
      for (let look = 0; look < 3; look += 1) file.touched(1, false);
      await nextTurn();
      expect([done, rings.length]).toEqual([['open 1'], 1]);
      rings.pop()?.();
      await nextTurn();
      expect([done.length, rings.length, file.opened]).toEqual([3, 0, 2]);
      await file.close();
    });

    it('is opened anew at once where that is more than may be', async () => {
      const { file, done, rings } = given(10);
      for (let look = 0; look < 4; look += 1) file.touched(1, false);
      await nextTurn();
      expect([done.length, rings.length]).toEqual([3, 0]);
      await file.close();
    });

    it('is opened anew at once where much was written', async () => {
      const { file, done, rings } = given(100, 50);
      file.touched(1, false);
      expect(rings.length).toBe(1);
      for (let time = 0; time < 4; time += 1) await file.write(AROUND, () => Promise.resolve());
      await nextTurn();
      await nextTurn();
      expect([done.length, rings.length]).toEqual([3, 0]);
      await file.close();
    });

    it('is not where it has no more, however often it is looked at, until the while is over', async () => {
      const { file, done, rings } = given(4);
      for (let look = 0; look < 40; look += 1) file.touched(1, false);
      await nextTurn();
      expect([done, rings.length]).toEqual([['open 1'], 1]);
      rings.pop()?.();
      await nextTurn();
      expect(done.length).toBe(3);
      file.touched(AROUND, false);
      expect(rings.length).toBe(1);
      await file.close();
      expect([done.length, rings.length]).toEqual([4, 0]);
    });
  });

  it('leaves a file alone that is small', async () => {
    const sizes = { open: () => 1, close: () => Promise.resolve(), sizeBytes: () => 1 };
    const file = new MappedFile({ ...sizes, open: () => Math.random(), mappedBytesMax: 1 });
    const { opened } = file;
    file.touched(5, false);
    await nextTurn();
    expect(file.opened).toBe(opened);
  });

  it('fails the next write where the file cannot be opened anew', async () => {
    const records = new LmdbRecords(folder, { mappedBytesMax: 0 });
    const frame = Buffer.from('frame');
    await records.write(resourceVersion(1), [frame]);
    renameSync(folder, `${folder}-moved`);
    writeFileSync(folder, 'no directory');
    await nextTurn();
    await nextTurn();

    const written = records.write(resourceVersion(2), [frame]);
    await expect(written).rejects.toThrow(AppendOutcomeUnknownError);
    await records.close();
    rmSync(folder);
    renameSync(`${folder}-moved`, folder);
    const again = new LmdbRecords(folder);
    expect(again.last()).toBe(1);
    await again.close();
  });

  it('begins a write when the one before is done, and not sooner', async () => {
    const { file } = givenFile();
    const told: string[] = [];
    const ends: (() => void)[] = [];
    const write = (name: string): Promise<void> =>
      file.write(1, async () => {
        told.push(`${name} begins`);
        await new Promise<void>((resolve) => ends.push(resolve));
        told.push(`${name} ends`);
      });
    const all = ['a', 'b', 'c'].map(write);
    for (let nth = 0; nth < all.length; nth += 1) {
      await expect.poll(() => told.length).toBe(2 * nth + 1);
      await nextTurn();
      expect(told).toHaveLength(2 * nth + 1);
      ends[nth]?.();
    }
    await Promise.all(all);
    expect(told).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});

it('that takes no more writes is opened anew before the next one, when nothing walks through it any more', async () => {
  const { file, done } = givenFile({ mappedBytesMax: Infinity });
  const failing = file.write(1, () => Promise.reject(new Error('the disk is broken')));
  await expect(failing).rejects.toThrow('broken');
  const walk = file.walked(function* (opened) {
    yield opened;
    yield opened;
  });
  expect(walk.next().value).toBe(1);
  file.openAnew();
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(done).toEqual(['open 1']);
  await expect(file.write(1, () => Promise.resolve())).rejects.toThrow('takes no write');
  expect([...walk]).toEqual([1]);
  expect(await file.write(1, (opened) => Promise.resolve(opened))).toBe(2);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(done).toEqual(['open 1', 'close 1', 'open 2']);
  await file.close();
});
