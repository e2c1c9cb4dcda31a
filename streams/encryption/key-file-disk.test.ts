/**
 * The file of keys on disks that fail: whatever a disk does with one of the writes, what was acknowledged before and behind
 * it is found at the next start, and what was destroyed is not.
 */
import { mkdtemp, open, readFile, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { DamagedKeyFileError, KeyFile } from './key-file.ts';
import type { ObjectKeyEntry } from './object-key-store.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'key-file-disk-'));
  path = join(folder, 'keys');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** @param name of any length, so that keys begin and end anywhere. */
function entry(name: string, sealed = `sealed key of ${name}`): ObjectKeyEntry {
  const of = { id: name, uid: name, resource: 'core/secrets', path: `shop/${name}` };
  return { ...of, sealed: Buffer.from(sealed) };
}

/** What the disk does with the call that it is asked for: it counts writes, truncations and syncs. */
type Trouble = 'takes a part' | 'takes a part, then none' | 'takes none' | 'fails';

interface Disk {
  calls: number;
  /** The number of the call that it troubles. */
  troubled: number;
  readonly trouble: Trouble;
}

const FULL = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** A file on this disk. Only what the class uses of it can be called. */
function onDisk(disk: Disk, file: FileHandle): FileHandle {
  let isFull = false;
  const isDue = (): boolean => (disk.calls += 1) === disk.troubled;
  const write = async (bytes: Buffer, offset: number, length?: number, at?: number) => {
    const asked = length ?? bytes.length - offset;
    const due = isDue();
    if (isFull || (due && (disk.trouble === 'takes none' || disk.trouble === 'fails'))) {
      isFull = false;
      throw FULL;
    }
    if (!due || asked < 2) return file.write(bytes, offset, asked, at);
    isFull = disk.trouble === 'takes a part, then none';
    return file.write(bytes, offset, Math.floor(asked / 2), at);
  };
  const other = async (call: () => Promise<void>): Promise<void> => {
    await call();
    if (isDue() && disk.trouble === 'fails') throw FULL;
  };
  const own: Partial<Record<keyof FileHandle, unknown>> = {
    write,
    readFile: () => file.readFile(),
    truncate: (size: number) => other(() => file.truncate(size)),
    datasync: () => other(() => file.datasync()),
    close: () => file.close(),
  };
  return own as FileHandle; // What is missing is not called.
}

/** Changes one behind the other, of which any may fail. */
const CHANGES: readonly ((file: Pick<KeyFile, 'put' | 'destroy'>) => Promise<void>)[] = [
  (file) => file.put([entry('a'), entry('bbbb'), entry('cc')]),
  (file) => file.put([entry('bbbb', 'sealed again, and longer')]),
  (file) => file.destroy(['a']),
  // One stands where another was overwritten, the others behind the end.
  (file) => file.put([entry('d'), entry('eeeeeeeee'), entry('ff')]),
  (file) => file.put([entry('ff', 'sealed key of gg'), entry('cc', 'sealed key of hh')]),
  (file) => file.destroy(['eeeeeeeee']),
  (file) => file.put([entry('i'), entry('jjj')]),
  (file) => file.destroy(['ff']),
];

/** Keys by their ids, as texts. */
type Keys = Map<string, string>;

function keysOf(file: KeyFile): Keys {
  return new Map([...file.all()].map(({ id, sealed }) => [id, sealed.toString()]));
}

async function insisting(change: () => Promise<void>): Promise<void> {
  await change().catch(async () => change());
}

/** What came of all changes. */
interface Outcome {
  /** What the file tells before it is closed. */
  readonly known: Keys;
  /** The ids of keys that were put and not destroyed, as far as that was answered. */
  readonly acknowledged: ReadonlySet<string>;
  readonly failed: number;
}

/** Makes all changes. */
async function run(disk: Disk): Promise<Outcome> {
  const openOnDisk = async (...args: Parameters<typeof open>) => onDisk(disk, await open(...args));
  const { troubled } = disk;
  disk.troubled = 0;
  const file = await KeyFile.open(path, openOnDisk);
  Object.assign(disk, { calls: 0, troubled });
  const acknowledged = new Set<string>();
  const noted: Pick<KeyFile, 'put' | 'destroy'> = {
    put: async (entries) => {
      await file.put(entries);
      for (const { id } of entries) acknowledged.add(id);
    },
    destroy: async (ids) => {
      await file.destroy(ids);
      for (const id of ids) acknowledged.delete(id);
    },
  };
  let failed = 0;
  for (const change of CHANGES) await change(noted).catch(() => (failed += 1));
  // What failed is asked for again, as by a client: destroying twice is no harm.
  await insisting(() => noted.destroy(['a', 'eeeeeeeee', 'ff']));
  await insisting(() => noted.put([entry('last')]));
  const known = keysOf(file);
  await file.close();
  return { known, acknowledged, failed };
}

describe.each<Trouble>(['takes a part', 'takes a part, then none', 'takes none', 'fails'])(
  'a disk that %s',
  (trouble) => {
    it('loses no key and brings none back, whichever of its calls that is', async () => {
      const disk: Disk = { calls: 0, troubled: 0, trouble };
      await run(disk);
      const { calls } = disk;
      expect(calls).toBeGreaterThan(40);
      let failures = 0;
      for (let troubled = 1; troubled <= calls; troubled += 1) {
        await rm(path);
        const { known, acknowledged, failed } = await run({ calls: 0, troubled, trouble });
        failures += failed;
        const again = await KeyFile.open(path);
        expect(keysOf(again), `call ${String(troubled)}`).toEqual(known);
        await again.close();
        for (const gone of ['a', 'eeeeeeeee', 'ff'])
          expect(known.has(gone), `call ${String(troubled)}: ${gone}`).toBe(false);
        for (const id of acknowledged)
          expect(known.has(id), `call ${String(troubled)}: ${id}`).toBe(true);
        expect(acknowledged.has('last')).toBe(true);
        const bytes = (await readFile(path)).toString('latin1');
        expect(bytes).not.toContain('"a"');
      }
      if (trouble !== 'takes a part') expect(failures).toBeGreaterThan(10);
    });
  },
);

test('an end of which nothing but the length has reached the disk is cut off', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a')]);
  const { length: whole } = await readFile(path);
  await file.put([entry('bbb'), entry('cc')]);
  await file.close();
  const bytes = await readFile(path);
  for (let torn = whole; torn < bytes.length; torn += 1) {
    await writeFile(path, Buffer.from(bytes).fill(0, torn));
    const again = await KeyFile.open(path);
    expect(again.get('a')).toBeDefined();
    expect(again.get('cc')).toBeUndefined();
    await again.put([entry('dd')]);
    await again.close();
    const third = await KeyFile.open(path);
    expect(third.get('dd')).toBeDefined();
    await third.close();
  }
});

test('no byte that changes in front of the last key takes others with it', async () => {
  const file = await KeyFile.open(path);
  await file.put([entry('a'), entry('bbb'), entry('cc')]);
  await file.put([entry('a', 'another, that stands behind')]);
  await file.put([entry('dd')]);
  await file.close();
  const bytes = await readFile(path);
  const expected = ['a', 'bbb', 'cc', 'dd'];
  const last = bytes.lastIndexOf('["dd"') - 9;
  const states = new Set<number>();
  for (let at = 0; at < last; at += 1) if (bytes[at + 9] === 0x5b) states.add(at);
  for (let at = 0; at < last; at += 1) {
    // Which state a key is in is a byte alone.
    if (states.has(at) || bytes[at] === 3) continue;
    for (const by of [1, 0x80, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ by;
      await writeFile(path, changed);
      const opened = await KeyFile.open(path).catch((error: unknown) => error);
      if (opened instanceof KeyFile) {
        expect([...opened.all()].map(({ id }) => id).sort(), `byte ${String(at)}`).toEqual(
          expected,
        );
        await opened.close();
      } else {
        expect(opened).toBeInstanceOf(DamagedKeyFileError);
      }
    }
  }
});

test('of a file in which all was overwritten each byte is searched once', async () => {
  const file = await KeyFile.open(path);
  const names = Array.from({ length: 200 }, (_, nth) => `key-${String(100 + nth)}`);
  await file.put(names.map((name) => entry(name)));
  await file.destroy(names);
  await file.close();
  const { length: size } = await readFile(path);
  let searched = 0;
  const spy = vi.spyOn(Buffer.prototype, 'indexOf').mockImplementation(function (
    this: Buffer,
    value: unknown,
    from: unknown,
  ) {
    const place = Uint8Array.prototype.indexOf.call(this, Number(value), Number(from));
    searched += (place < 0 ? this.length : place) - Number(from);
    return place;
  });
  try {
    await (await KeyFile.open(path)).close();
  } finally {
    spy.mockRestore();
  }
  expect(searched).toBeGreaterThan(size / 2);
  expect(searched).toBeLessThanOrEqual(size);
});
