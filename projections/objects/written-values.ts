/**
 * Objects that were written a moment ago, as values: the protobuf of the answer and of the watches is made from the
 * value that was written, and the next write of a pod that has just been created, bound or told a status finds it read.
 *
 * The surprise: a value is given to several callers, so none of them may change it. Those that do parse the bytes.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { writtenKubeObject, type KubeObject, type ObjectMeta } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { declaredForm } from './declared-form.ts';

/** More live so long that the collector copies them. */
const VALUES_MAX = 128;
/** A smaller one is parsed as soon as it would be found. */
const VALUE_BYTES_MIN = 1024;
const VALUE_BYTES_MAX = 16 * 1024;

/** The newest of what was put in, each under its own key. */
class Newest<Key, Value> {
  readonly #values = new Map<Key, Value>();

  put(key: Key, value: Value): void {
    this.#values.set(key, value);
    if (this.#values.size <= VALUES_MAX) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  take(key: Key): Value | undefined {
    if (this.#values.size === 0) return undefined;
    const value = this.#values.get(key);
    if (value !== undefined) this.#values.delete(key);
    return value;
  }
}

/** By the bytes that were proposed, until the fold has met them. */
const proposed = new Newest<Uint8Array, KubeObject>();
/** By the object that the fold made of them. */
const written = new Newest<StoredObject, KubeObject>();

/**
 * Notes of which value these are the bytes. It is not changed from here on, and has no resourceVersion. Of use is it where its
 * client is answered in protobuf: JSON is answered by the bytes, and values that live on cost creates a quarter, and twice
 * the time of one in a hundred.
 */
export function noteProposed(
  { accepted }: { readonly accepted: { readonly type: string } | undefined },
  json: Uint8Array,
  value: KubeObject,
): void {
  if (accepted?.type !== 'protobuf') return;
  if (json.length >= VALUE_BYTES_MIN && json.length <= VALUE_BYTES_MAX) proposed.put(json, value);
}

/** Notes which object the fold has made of the bytes. */
export function noteWritten(json: Uint8Array, object: StoredObject): void {
  const value = proposed.take(json);
  if (value !== undefined) written.put(object, value);
}

/**
 * What parsing the object gives, where it was written a moment ago; undefined: it has to be parsed.
 * It is shared, and must not be changed.
 */
export function writtenValue(object: StoredObject): KubeObject | undefined {
  const value = written.get(object);
  if (value === undefined || value.metadata.resourceVersion !== undefined) return value;
  const { metadata } = value;
  if (metadata.uid === undefined) return undefined;
  value.metadata = withVersion(metadata, String(object.resourceVersion));
  const whole = writtenKubeObject(declaredForm(object.resource, value));
  written.put(object, whole);
  return whole;
}

/** In the place in which the bytes have it. */
function withVersion(metadata: JsonObject, resourceVersion: string): ObjectMeta {
  const copy: JsonObject = {};
  for (const key in metadata) {
    copy[key] = metadata[key];
    if (key === 'uid') copy['resourceVersion'] = resourceVersion;
  }
  return copy;
}
