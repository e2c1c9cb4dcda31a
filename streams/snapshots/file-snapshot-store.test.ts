import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceVersion } from '../resource-version.ts';
import { FileSnapshotStore } from './file-snapshot-store.ts';
import {
  DamagedSnapshotError,
  unpackSnapshot,
  type SnapshotHeader,
  type SnapshotRecord,
  type SnapshotRecords,
} from './snapshot.ts';

let root: string;
let next = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'everwatch-snapshots-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const newDirectory = (): string => join(root, String((next += 1)));

function header(version: number): SnapshotHeader {
  const writers = new Map([
    ['writer-a', 7],
    ['writer-b', 1],
  ]);
  return { version: resourceVersion(version), identity: 'writer-a:7', time: 1_000, writers };
}

function records(count: number, sizeBytes = 100): SnapshotRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    version: resourceVersion(index * 3 + 1),
    frame: Buffer.alloc(sizeBytes, index % 251),
  }));
}

async function* inBatches(all: readonly SnapshotRecord[]): SnapshotRecords {
  for (let at = 0; at < all.length; at += 100) {
    await Promise.resolve();
    yield all.slice(at, at + 100);
  }
}

async function readAll(store: FileSnapshotStore) {
  const snapshot = await store.newest();
  if (snapshot === undefined) return undefined;
  const found: SnapshotRecord[] = [];
  for await (const batch of snapshot.records()) found.push(...batch);
  return { header: snapshot.header, objects: snapshot.objects, found };
}

describe('snapshots in files', () => {
  it('there are none at first', async () => {
    expect(await new FileSnapshotStore(newDirectory()).newest()).toBeUndefined();
  });

  it.each([
    [0, 100],
    [1, 5_000_000],
    [2_500, 2_000],
  ])('give back what was written: %i records of %i bytes', async (count, sizeBytes) => {
    const store = new FileSnapshotStore(newDirectory());
    const written = records(count, sizeBytes);
    await store.write(header(9_000), inBatches(written));
    const read = await readAll(store);
    expect(read?.header).toEqual(header(9_000));
    expect(read?.objects).toBe(count);
    expect(read?.found.map(({ version }) => version)).toEqual(written.map((one) => one.version));
    expect(read?.found.every(({ frame }, at) => frame.equals(written[at]?.frame ?? frame))).toBe(
      true,
    );
  });

  it('give the newest, and keep the one before it', async () => {
    const directory = newDirectory();
    const store = new FileSnapshotStore(directory);
    for (const version of [5, 1_000, 20]) await store.write(header(version), inBatches([]));
    expect((await store.newest())?.header.version).toBe(1_000);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it('that were not written whole are none, and leave no draft', async () => {
    const directory = newDirectory();
    const store = new FileSnapshotStore(directory);
    await store.write(header(5), inBatches(records(3)));
    async function* breaking(): SnapshotRecords {
      yield records(200, 10_000);
      await Promise.resolve();
      throw new Error('the log is gone');
    }
    await expect(store.write(header(9), breaking())).rejects.toThrow('the log is gone');
    expect((await store.newest())?.header.version).toBe(5);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('are refused when any byte of them has changed, or the end is missing', async () => {
    const directory = newDirectory();
    const store = new FileSnapshotStore(directory);
    await store.write(header(9), inBatches(records(20, 50)));
    const path = join(directory, readdirSync(directory)[0] ?? '');
    const whole = readFileSync(path);
    const tried: Buffer[] = [whole.subarray(0, whole.length - 1), whole.subarray(0, 10)];
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0x01;
      tried.push(changed);
    }
    for (const bytes of tried) {
      writeFileSync(path, bytes);
      const read = await readAll(store).catch((error: unknown) => error);
      expect(read === undefined || read instanceof DamagedSnapshotError).toBe(true);
    }
  });

  it('are refused where a chunk unpacks to more than was ever put into one', async () => {
    const member = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const bomb = Buffer.concat(Array.from({ length: 128 }, () => member));
    const torn = gzipSync(Buffer.alloc(15));
    const long = gzipSync(Buffer.alloc(12, 0xff));
    for (const chunk of [bomb, torn, long, Buffer.alloc(5)]) {
      const hash = createHash('sha256').update(chunk).digest('hex');
      const manifest = { header: header(9), objects: 1, chunks: [hash] };
      const { records: read } = unpackSnapshot(manifest, async function* () {
        await Promise.resolve();
        yield chunk;
      });
      await expect(read()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(
        DamagedSnapshotError,
      );
    }
  });
});
