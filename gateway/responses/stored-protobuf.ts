/**
 * Stored objects as protobuf, made once: the answer to a write and the watches of every shape show the
 * same object within one turn, and each reading of its JSON costs more than all else that they do.
 *
 * Kubernetes keeps one serialization of an object for all watches of it (CacheableObject,
 * apimachinery/pkg/runtime/interfaces.go).
 */
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { writtenValue } from '../../projections/objects/written-values.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { Parts } from '../../api/json/json-parts.ts';
import { encodeProtobuf, encodeProtobufInParts } from '../negotiation/protobuf-codec.ts';
import { PART_BYTES, servedInParts, servedValue } from './object-form.ts';

/** Twice as many are kept at most. */
const GENERATION_BYTES = 4 * 1024 * 1024;

interface Made {
  readonly typeId: string;
  readonly bytes: Buffer;
}

/**
 * Bytes by object, for a while: when a generation is full the one before it is forgotten, so that no
 * entry is ever looked for to be removed. An object that goes takes its bytes with it.
 */
class RecentBytes {
  #young = new WeakMap<StoredObject, Made>();
  #old = new WeakMap<StoredObject, Made>();
  #youngBytes = 0;

  find(object: StoredObject, typeId: string): Buffer | undefined {
    const made = this.#young.get(object) ?? this.#old.get(object);
    return made?.typeId === typeId ? made.bytes : undefined;
  }

  keep(object: StoredObject, made: Made): void {
    this.#youngBytes += made.bytes.length;
    if (this.#youngBytes > GENERATION_BYTES) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#youngBytes = made.bytes.length;
    }
    this.#young.set(object, made);
  }
}

const recent = new RecentBytes();

/** The object with its envelope, in the served version. The bytes are shared, so no caller changes them. */
export function storedProtobuf(served: ServedResource, object: StoredObject): Buffer {
  const { typeId } = served.facts;
  const kept = recent.find(object, typeId);
  if (kept !== undefined) return kept;
  const written = served.conversion === undefined ? writtenValue(object) : undefined;
  const bytes = encodeProtobuf(written ?? servedValue(served, object), typeId);
  recent.keep(object, { typeId, bytes });
  return bytes;
}

/** As {@link storedProtobuf}, in parts where the object is large. */
export function* storedProtobufInParts(
  served: ServedResource,
  object: StoredObject,
): Parts<Buffer> {
  const { typeId } = served.facts;
  const kept = recent.find(object, typeId);
  if (kept !== undefined || object.json.length < PART_BYTES) return storedProtobuf(served, object);
  const bytes = yield* encodeProtobufInParts(yield* servedInParts(served, object), typeId);
  recent.keep(object, { typeId, bytes });
  return bytes;
}
