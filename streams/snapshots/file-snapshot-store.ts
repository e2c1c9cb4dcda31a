/**
 * Snapshots as files in a directory, which servers may share. A file is written under another name,
 * synced and renamed, so what has its name is whole; the newest two are kept.
 *
 *     each chunk     4 bytes of length, then the chunk
 *     the manifest   as it is
 *     8 bytes        the length of the manifest, and `EWS1`
 */
import { open, mkdir, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DamagedSnapshotError,
  decodeManifest,
  encodeManifest,
  packSnapshot,
  unpackSnapshot,
  type Manifest,
  type Snapshot,
  type SnapshotHeader,
  type SnapshotRecords,
  type SnapshotStore,
} from './snapshot.ts';

const NAME = /^snapshot-(\d{16})\.ewsnap$/;
const KEPT = 2;
const MAGIC = Buffer.from('EWS1');
const LENGTH_BYTES = 4;
const TAIL_BYTES = LENGTH_BYTES + MAGIC.length;

export class FileSnapshotStore implements SnapshotStore {
  readonly #directory: string;

  /** @param directory is made when it is not there. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A file that is no snapshot is passed over. */
  async newest(): Promise<Snapshot | undefined> {
    for (const name of await this.#names()) {
      const path = join(this.#directory, name);
      const manifest = await readManifest(path);
      if (manifest !== undefined) return unpackSnapshot(manifest, () => chunksOf(path, manifest));
    }
    return undefined;
  }

  async write(header: SnapshotHeader, records: SnapshotRecords): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const name = `snapshot-${String(header.version).padStart(16, '0')}.ewsnap`;
    const draft = join(this.#directory, `${name}.${String(process.pid)}.new`);
    try {
      await writeFile(draft, header, records);
      await rename(draft, join(this.#directory, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    for (const old of (await this.#names()).slice(KEPT)) {
      await rm(join(this.#directory, old), { force: true });
    }
  }

  /** The newest first. */
  async #names(): Promise<string[]> {
    try {
      const names = await readdir(this.#directory);
      return names
        .filter((name) => NAME.test(name))
        .sort()
        .reverse();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}

async function writeFile(
  path: string,
  header: SnapshotHeader,
  records: SnapshotRecords,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    const manifest = await packSnapshot(header, records, async (chunk) => {
      await file.appendFile(lengthOf(chunk));
      await file.appendFile(chunk);
    });
    const bytes = encodeManifest(manifest);
    await file.appendFile(Buffer.concat([bytes, lengthOf(bytes), MAGIC]));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** undefined: it is no snapshot, or not a whole one. */
async function readManifest(path: string): Promise<Manifest | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = await read(file, size - TAIL_BYTES, TAIL_BYTES);
    if (!tail.subarray(LENGTH_BYTES).equals(MAGIC)) return undefined;
    const length = tail.readUInt32BE();
    return decodeManifest(await read(file, size - TAIL_BYTES - length, length));
  } catch (error) {
    if (error instanceof DamagedSnapshotError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

async function* chunksOf(path: string, { chunks }: Manifest): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    let position = 0;
    for (const _ of chunks) {
      const length = (await read(file, position, LENGTH_BYTES)).readUInt32BE();
      yield await read(file, position + LENGTH_BYTES, length);
      position += LENGTH_BYTES + length;
    }
  } finally {
    await file.close();
  }
}

/** @throws {DamagedSnapshotError} the file has no so many bytes there. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (position < 0 || position + length > size) throw new DamagedSnapshotError('it is cut off');
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw new DamagedSnapshotError('it is cut off');
  return bytes;
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.allocUnsafe(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return length;
}
