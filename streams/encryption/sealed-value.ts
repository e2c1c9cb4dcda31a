/**
 * An object as it lies in the log when it is encrypted:
 *
 *     everwatch:sealed:v1:<id of the key> {"kind":"Secret","apiVersion":"v1"}\n<nonce, text and tag>
 *
 * The text is sealed with AES-256-GCM. What kind of object it is stands there for all readers: when its key is destroyed, history still
 * has to say that there was one. Place, kind and text are bound together.
 */
import { openGcm, sealGcm } from './ciphers.ts';
import { startsWith, UnreadableValueError } from './sealing-provider.ts';

const HEAD = Buffer.from('everwatch:sealed:v1:');
const SPACE = 0x20;
const LINE_END = 0x0a;
const NO_KIND = '{}';
/** A kind and an apiVersion are names, of 63 and 253 characters. */
const KIND_BYTES_MAX = 512;

export interface SealedObject {
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
}

/** True for a value that was encrypted for the log: canonical JSON never begins so. */
export function isSealed(value: Uint8Array): boolean {
  return startsWith(value, HEAD);
}

/** @param json begins with kind and apiVersion, as all canonical objects do; else it is of no kind. */
export function sealObject(
  object: SealedObject,
  json: Uint8Array,
  { id, key }: { readonly id: string; readonly key: Uint8Array },
): Buffer {
  const head = Buffer.concat([HEAD, Buffer.from(`${id} ${kindIn(json)}\n`)]);
  return Buffer.concat([head, sealGcm(key, json, placeOf(object, head))]);
}

/** The id of the key that opens it. */
export function keyIdIn(sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  return bytes.toString('utf8', HEAD.length, idEndOf(bytes));
}

/** @throws {UnreadableValueError} it was changed, or is of another object. */
export function openObject(object: SealedObject, sealed: Uint8Array, key: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const textAt = lineEndOf(bytes) + 1;
  try {
    return openGcm(key, bytes.subarray(textAt), placeOf(object, bytes.subarray(0, textAt)));
  } catch (cause) {
    const what = `${object.resource} ${object.path}`;
    throw new UnreadableValueError(`${what} cannot be decrypted`, { cause });
  }
}

/** What can be said of an object without its key: that there was one. */
export function objectWithoutKey(
  { path, uid }: SealedObject,
  sealed: Uint8Array,
  annotation: string,
): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const kind = bytes.toString('utf8', idEndOf(bytes) + 1, lineEndOf(bytes));
  const slash = path.indexOf('/');
  const namespace = slash > 0 ? { namespace: path.slice(0, slash) } : {};
  const name = path.slice(slash + 1);
  const annotations = { [annotation]: 'true' };
  const metadata = JSON.stringify({ name, ...namespace, uid, annotations });
  const start = kind === NO_KIND ? '{' : `${kind.slice(0, -1)},`;
  return Buffer.from(`${start}"metadata":${metadata}}`);
}

function placeOf({ resource, path, uid }: SealedObject, head: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${resource}/${path}\0${uid}\0`), head]);
}

function kindIn(json: Uint8Array): string {
  const start = Buffer.from(
    json.buffer,
    json.byteOffset,
    Math.min(json.byteLength, KIND_BYTES_MAX),
  );
  const end = start.indexOf(',"metadata":');
  return end < 0 ? NO_KIND : `${start.toString('utf8', 0, end)}}`;
}

function idEndOf(bytes: Buffer): number {
  const end = bytes.indexOf(SPACE, HEAD.length);
  if (end < 0) throw new UnreadableValueError('a sealed object is cut off');
  return end;
}

function lineEndOf(bytes: Buffer): number {
  const end = bytes.indexOf(LINE_END, HEAD.length);
  if (end < 0) throw new UnreadableValueError('a sealed object is cut off');
  return end;
}
