/**
 * Stored objects of built-in kinds by their declared types.
 *
 * The surprise: they are decoded, not believed. A build with older facts, an archive or another
 * program may have written an object that lacks what its type has by now.
 */
import type { ResourceTypes } from '../../api/generated/kinds/kinds.ts';
import { type JsonObject, objectAt } from '../../api/json/json.ts';
import type { KubeObject, ObjectOf } from '../../api/meta/object-meta.ts';
import { defaultersByType } from '../../api/kinds/built-in-defaults.ts';
import { allResourceFacts } from '../../api/scheme/resource-facts.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ObjectReads } from './object-view.ts';
import { parsedObject } from './stored-object.ts';
import { parsedAsWritten, type WrittenObject } from './written-object.ts';

/** A kind by the version that is stored, as in a URL: `apps/v1/deployments`. */
export type StoredKindPath = keyof ResourceTypes;

/** The type of the objects that are stored there. */
export type StoredKind<Path extends StoredKindPath> = ObjectOf<ResourceTypes[Path]>;

type Read<Path extends StoredKindPath> = (stored: StoredObject) => StoredKind<Path>;

/**
 * Reads stored objects of a kind, with their defaults: a new object at each call, which belongs to
 * the caller. What does not fit the type at all reads as an object of which only its name is known.
 */
export function storedKind<Path extends StoredKindPath>(path: Path): Read<Path> {
  // Decoded in the type of that path.
  return (stored) => decoderAt(path)(parsedAsWritten(stored)) as unknown as StoredKind<Path>;
}

/**
 * A stored object of the kind as its writer left it, with the fields that its type has: parsedObject
 * by its declared type, for a caller that may write it again and so must not lose what is unknown.
 *
 * @throws Error when the object lies where another kind is stored.
 */
export function parsedKind<Path extends StoredKindPath>(
  path: Path,
  stored: WrittenObject,
): StoredKind<Path> {
  return asKind(path, stored.resource, parsedObject(stored));
}

/**
 * The object itself by its declared type, for a caller that has parsed it already.
 *
 * @param storage where it lies, as the log calls it.
 * @throws Error when another kind is stored there.
 */
export function asKind<Path extends StoredKindPath>(
  path: Path,
  storage: string,
  object: KubeObject,
): StoredKind<Path> {
  if (storage !== storageOf(path)) throw new Error(`${storage} holds no ${path}`);
  return object as unknown as StoredKind<Path>; // It was decoded in the type of what lies there.
}

/** The object of a kind at `namespace/name`, or undefined; see {@link storedKind}. */
export function storedAt<Path extends StoredKindPath>(
  objects: ObjectReads,
  kind: Path,
  path: string,
): StoredKind<Path> | undefined {
  const stored = objects.get(storageOf(kind), path);
  return stored === undefined ? undefined : storedKind(kind)(stored);
}

/** What the log calls the resource: `core/pods` for `v1/pods`, `apps/deployments` for its path. */
export function storageOf(path: StoredKindPath): string {
  const [plural = '', , group = 'core'] = path.split('/').reverse();
  return `${group}/${plural}`;
}

const decoders = new Map<StoredKindPath, (value: JsonObject) => JsonObject>();

function decoderAt(path: StoredKindPath): (value: JsonObject) => JsonObject {
  let decoder = decoders.get(path);
  if (decoder === undefined) decoders.set(path, (decoder = compileDecoder(path)));
  return decoder;
}

function compileDecoder(path: StoredKindPath): (value: JsonObject) => JsonObject {
  const facts = allResourceFacts().find(
    ({ group, version, resource }) =>
      (group === '' ? '' : `${group}/`) + `${version}/${resource}` === path,
  );
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  const { kind, group, version, typeId } = facts;
  const identity = { kind, apiVersion: group === '' ? version : `${group}/${version}` };
  const codec = typedCodec(typeId);
  const setDefaults = defaultersByType.get(typeId);
  return (value) => {
    const read = codec.decode(value);
    if (read.ok) {
      setDefaults?.(read.value);
      return Object.assign(read.value, identity);
    }
    const known = codec.decode({ metadata: nameOf(value) });
    if (!known.ok) throw new Error(`an object without content is none: ${known.message}`);
    return Object.assign(known.value, identity);
  };
}

function nameOf(value: JsonObject): JsonObject {
  const metadata = Object.entries(objectAt(value, 'metadata') ?? {});
  const texts = metadata.filter(([key, text]) => NAMES.has(key) && typeof text === 'string');
  return Object.fromEntries(texts);
}

const NAMES: ReadonlySet<string> = new Set(['name', 'namespace', 'uid']);
