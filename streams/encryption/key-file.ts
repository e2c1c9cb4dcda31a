/**
 * The keys of single objects in a file. A database is no good for this: it leaves what was deleted in
 * pages that it will use again some day. Here a key that is destroyed is overwritten where it stands.
 *
 *     the file     frames, one behind the other
 *     a frame      byte 0: what it is, see below · bytes 1–4 the length of the text · bytes 5–8 its
 *                  CRC-32 · the text: a JSON array of id, uid, resource, path and the sealed key in base64
 *
 * A frame is live, or about to be overwritten, or overwritten. The middle state is on disk before the
 * first byte is touched, so a crash in between is finished at the next start and not taken for
 * damage. What a crash has left of the last frame is cut off: no writer was told that it is there.
 *
 * What was overwritten is used again for keys of the same length, so that the file does not grow
 * with each rotation. Their text is on disk before the frame says that it is live; where a crash
 * comes in between, the frame is overwritten once more.
 *
 * A write that the disk refuses may have left anything at its places. The next change removes that before it writes.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { writeWhole } from '../whole-write.ts';
import type { ObjectKeyEntry, ObjectKeyStore } from './object-key-store.ts';
import { ObjectKeyTable } from './object-key-table.ts';

const LIVE = 1;
const GOING = 2;
const GONE = 3;
const LENGTH_AT = 1;
const CHECKSUM_AT = 5;
const TEXT_AT = 9;
/** A key says whose it is, which has the length of a path; and 34 KiB of what a KMS adds, in base64. */
const TEXT_BYTES_MAX = 64 * 1024;
const ONLY_OWNER = 0o600;
/** With which the text of each key begins. */
const OPENING = '['.charCodeAt(0);
const ZEROS = Buffer.alloc(TEXT_AT + TEXT_BYTES_MAX);

/** The file was changed by another process. Objects could not be read any more whose keys are lost. */
export class DamagedKeyFileError extends Error {
  override readonly name = 'DamagedKeyFileError';
}

interface Frame {
  readonly at: number;
  readonly length: number;
}

interface Kept extends Frame {
  readonly entry: ObjectKeyEntry;
}

/** To be written. */
interface Placed {
  readonly entry: ObjectKeyEntry;
  readonly frame: Buffer;
  readonly at: number;
  /** Something was overwritten there. */
  readonly isAgain: boolean;
}

type Tuple = readonly [id: string, uid: string, resource: string, path: string, sealed: string];

export class KeyFile implements ObjectKeyStore {
  readonly #file: FileHandle;
  readonly #table = new ObjectKeyTable();
  /** Where the keys stand in the file. */
  readonly #kept: Map<string, Kept>;
  /** Where frames of each length were overwritten. */
  readonly #free = new Map<number, number[]>();
  #end: number;
  /** One change at a time. */
  #changing: Promise<void> = Promise.resolve();
  /** What a change that failed may have left in use though it is not: nothing else is written before it is overwritten. */
  #unsettled: readonly Frame[] | undefined;

  private constructor(file: FileHandle, { kept, going, gone, end }: Scanned) {
    this.#file = file;
    this.#kept = kept;
    this.#end = end;
    for (const frame of [...going, ...gone]) this.#release(frame);
    for (const { entry } of kept.values()) this.#table.set(entry);
  }

  /**
   * @param path made when it is not there.
   * @param openFile opens a file of the system, unless a test has another disk.
   * @throws {DamagedKeyFileError}
   */
  static async open(path: string, openFile: typeof open = open): Promise<KeyFile> {
    const file = await openFile(path, 'a+', ONLY_OWNER);
    await file.close();
    const changed = await openFile(path, 'r+', ONLY_OWNER);
    try {
      const bytes = await changed.readFile();
      const scanned = scan(bytes);
      await changed.truncate(scanned.end);
      for (const { at, length } of scanned.going) await overwrite(changed, at, length);
      await changed.datasync();
      return new KeyFile(changed, scanned);
    } catch (error) {
      await changed.close();
      throw error;
    }
  }

  get(id: string): ObjectKeyEntry | undefined {
    return this.#table.get(id);
  }

  ofObject(uid: string): ObjectKeyEntry | undefined {
    return this.#table.ofObject(uid);
  }

  all(): Iterable<ObjectKeyEntry> {
    return this.#table.all();
  }

  whenGone(tell: (entry: ObjectKeyEntry) => void): void {
    this.#table.whenGone(tell);
  }

  put(entries: readonly ObjectKeyEntry[]): Promise<void> {
    return this.#inTurn(async () => {
      const replaced = entries.flatMap(({ id }) => this.#kept.get(id) ?? []);
      const { placed, end } = this.#place(entries);
      this.#unsettled = placed.flatMap(({ isAgain, at, frame }) =>
        isAgain ? { at, length: frame.length } : [],
      );
      await this.#write(placed);
      this.#unsettled = replaced;
      this.#end = end;
      for (const { entry, at, frame } of placed) {
        this.#kept.set(entry.id, { entry, at, length: frame.length });
        this.#table.set(entry);
      }
      await this.#overwriteAll(replaced);
      this.#unsettled = undefined;
    });
  }

  /** Where frames were overwritten first, then behind the end. */
  #place(entries: readonly ObjectKeyEntry[]) {
    let end = this.#end;
    const placed = entries.map((entry): Placed => {
      const frame = frameOf(entry);
      const free = this.#free.get(frame.length)?.pop();
      if (free !== undefined) return { entry, frame, at: free, isAgain: true };
      end += frame.length;
      return { entry, frame, at: end - frame.length, isAgain: false };
    });
    return { placed, end };
  }

  async #write(placed: readonly Placed[]): Promise<void> {
    const file = this.#file;
    const again = placed.filter(({ isAgain }) => isAgain);
    for (const { frame, at } of again) {
      await writeWhole(file, { bytes: frame.subarray(CHECKSUM_AT), at: at + CHECKSUM_AT });
    }
    const behind = placed.filter(({ isAgain }) => !isAgain).map(({ frame }) => frame);
    await writeWhole(file, { bytes: Buffer.concat(behind), at: this.#end });
    await file.datasync();
    if (again.length === 0) return;
    for (const { at } of again) await writeWhole(file, { bytes: Buffer.of(LIVE), at });
    await file.datasync();
  }

  /** Of keys that no caller was told of, or that were replaced, nothing is found at the next start. */
  async #settle(): Promise<void> {
    if (this.#unsettled === undefined) return;
    await this.#file.truncate(this.#end);
    await this.#overwriteAll(this.#unsettled);
    this.#unsettled = undefined;
  }

  destroy(ids: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const going = ids.flatMap((id) => this.#kept.get(id) ?? []);
      await this.#overwriteAll(going);
      for (const id of ids) {
        this.#kept.delete(id);
        this.#table.delete(id);
      }
    });
  }

  async close(): Promise<void> {
    await this.#changing.catch(() => undefined);
    await this.#file.close();
  }

  async #overwriteAll(frames: readonly Frame[]): Promise<void> {
    if (frames.length === 0) return;
    for (const { at } of frames) await writeWhole(this.#file, { bytes: Buffer.of(GOING), at });
    await this.#file.datasync();
    for (const { at, length } of frames) await overwrite(this.#file, at, length);
    await this.#file.datasync();
    for (const frame of frames) this.#release(frame);
  }

  #release({ at, length }: Frame): void {
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [at]);
    else free.push(at);
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changing
      .catch(() => undefined)
      .then(async () => {
        await this.#settle();
        await change();
      });
    this.#changing = done;
    return done;
  }
}

interface Scanned {
  readonly kept: Map<string, Kept>;
  readonly going: readonly Frame[];
  readonly gone: readonly Frame[];
  readonly end: number;
}

function scan(bytes: Buffer): Scanned {
  const kept = new Map<string, Kept>();
  const going: Frame[] = [];
  const gone: Frame[] = [];
  let at = 0;
  while (at + TEXT_AT <= bytes.length) {
    const length = lengthAt(bytes, at);
    const state = bytes[at];
    if (!isFrame(bytes, at)) {
      // What was written last may be there in part; what stands in front of it may not.
      if (isLast(bytes, at)) break;
      throw new DamagedKeyFileError(`the key at byte ${String(at)} is damaged`);
    }
    // Else its length is another than it was.
    if (state !== LIVE && hasKey(bytes, { from: at + TEXT_AT, to: at + length })) {
      throw new DamagedKeyFileError(`the place at byte ${String(at)} is damaged`);
    }
    if (state === GOING) going.push({ at, length });
    else if (state === LIVE) {
      const entry = entryOf(bytes.subarray(at, at + length));
      const before = kept.get(entry.id);
      // A crash came between writing one and overwriting the other: either opens it.
      if (before !== undefined) going.push(before);
      kept.set(entry.id, { entry, at, length });
    } else {
      // It was about to be used again.
      const isEmpty = bytes
        .subarray(at + CHECKSUM_AT, at + length)
        .equals(zeros(length - CHECKSUM_AT));
      (isEmpty ? gone : going).push({ at, length });
    }
    at += length;
  }
  return { kept, going, gone, end: at };
}

/** Whether a whole frame stands there; a live one is looked at to its end. */
function isFrame(bytes: Buffer, at: number): boolean {
  const state = bytes[at];
  if (state !== LIVE && state !== GOING && state !== GONE) return false;
  if (at + TEXT_AT > bytes.length) return false;
  const length = lengthAt(bytes, at);
  if (length === TEXT_AT || length > TEXT_AT + TEXT_BYTES_MAX) return false;
  if (at + length > bytes.length) return false;
  return state !== LIVE || isIntact(bytes.subarray(at, at + length));
}

function lengthAt(bytes: Buffer, at: number): number {
  return TEXT_AT + bytes.readUInt32BE(at + LENGTH_AT);
}

function isIntact(frame: Buffer): boolean {
  if (frame[TEXT_AT] !== OPENING) return false;
  return frame.readUInt32BE(CHECKSUM_AT) === crc32(frame.subarray(TEXT_AT));
}

/** Whether nothing whole stands behind, wherever it begins: what is damaged may be a length. */
function isLast(bytes: Buffer, at: number): boolean {
  if (isFrame(bytes, at + lengthAt(bytes, at))) return false;
  return !hasKey(bytes, { from: at + 1, to: bytes.length });
}

/** Whether a key begins there. No byte behind `to` is searched: many places that were overwritten may lie side by side. */
function hasKey(bytes: Buffer, { from, to }: { readonly from: number; readonly to: number }) {
  const searched = bytes.subarray(0, to);
  for (let at = searched.indexOf(LIVE, from); at >= 0; at = searched.indexOf(LIVE, at + 1)) {
    if (isFrame(bytes, at)) return true;
  }
  return false;
}

function frameOf({ id, uid, resource, path, sealed }: ObjectKeyEntry): Buffer {
  const tuple: Tuple = [id, uid, resource, path, sealed.toString('base64')];
  const text = Buffer.from(JSON.stringify(tuple));
  const frame = Buffer.alloc(TEXT_AT + text.length);
  frame[0] = LIVE;
  frame.writeUInt32BE(text.length, LENGTH_AT);
  frame.writeUInt32BE(crc32(text), CHECKSUM_AT);
  text.copy(frame, TEXT_AT);
  return frame;
}

function entryOf(frame: Buffer): ObjectKeyEntry {
  const [id, uid, resource, path, sealed] = JSON.parse(frame.toString('utf8', TEXT_AT)) as Tuple; // Ours.
  return { id, uid, resource, path, sealed: Buffer.from(sealed, 'base64') };
}

/** The text with zeros, and then the frame as gone; its length stays, so that others are found. */
async function overwrite(file: FileHandle, at: number, length: number): Promise<void> {
  await writeWhole(file, { bytes: zeros(length - CHECKSUM_AT), at: at + CHECKSUM_AT });
  await writeWhole(file, { bytes: Buffer.of(GONE), at });
}

function zeros(length: number): Buffer {
  return ZEROS.subarray(0, length);
}
