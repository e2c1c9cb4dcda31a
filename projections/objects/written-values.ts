/**
 * Objects that were written a moment ago, as values: the protobuf of the answer and of the watches is made from the
 * value that was written, and the next write of a pod that has just been created, bound or told a status finds it read.
 *
 * The surprise: a value is given to several callers, so none of them may change it. Those that do parse the bytes.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { writtenKubeObject, type KubeObject, type ObjectMeta } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { declaredForm } from './declared-form.ts';

/** More live so long that the collector copies them. */
const VALUES_MAX = 128;
/** A smaller one is parsed as soon as it would be found. */
const VALUE_BYTES_MIN = 1024;
const VALUE_BYTES_MAX = 16 * 1024;

/** By the bytes that were proposed, until the fold has met them. */
const proposed = new BoundedMap<Uint8Array, KubeObject>(VALUES_MAX);
/** By the object that the fold made of them. */
const written = new BoundedMap<StoredObject, KubeObject>(VALUES_MAX);

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
  if (json.length >= VALUE_BYTES_MIN && json.length <= VALUE_BYTES_MAX) proposed.set(json, value);
}

/** Notes which object the fold has made of the bytes. */
export function noteWritten(json: Uint8Array, object: StoredObject): void {
  if (proposed.size === 0) return;
  const value = proposed.peek(json);
  if (value === undefined) return;
  proposed.delete(json);
  written.set(object, value);
}

/**
 * What parsing the object gives, where it was written a moment ago; undefined: it has to be parsed.
 * It is shared, and must not be changed.
 */
export function writtenValue(object: StoredObject): KubeObject | undefined {
  const value = written.peek(object);
  if (value === undefined || value.metadata.resourceVersion !== undefined) return value;
  const { metadata } = value;
  if (metadata.uid === undefined) return undefined;
  value.metadata = withVersion(metadata, String(object.resourceVersion));
  const whole = writtenKubeObject(declaredForm(object.resource, value));
  written.set(object, whole);
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
