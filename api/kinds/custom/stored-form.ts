/**
 * The form in which custom resources lie in the log and are shown: keys in order, but for those that
 * say what the object is. They stand first, because the log sets an object's version behind the
 * first `uid` there is, and a reader sees in the first bytes which version of its kind it is.
 */
import { formatJson } from '../../json/json-text.ts';
import type { JsonObject } from '../../json/json.ts';
import { writtenKubeObject, type KubeObject, type ObjectMeta } from '../../meta/object-meta.ts';
import type { TypedCodec } from '../../scheme/typed-json.ts';
import { storedCustomResourceCodec } from '../../structural-schema/custom-resource-codec.ts';

/** Of the objects of all custom resources, whatever their schema. */
export const storedFormCodec: TypedCodec = {
  decode(value) {
    const sorted = storedCustomResourceCodec.decode(value);
    if (!sorted.ok) return sorted;
    return { ...sorted, value: identityFirst(writtenKubeObject(sorted.value)) }; // It has metadata.
  },
};

/** The bytes that lie in the log; they get their resourceVersion there. */
export function storedJson(object: KubeObject): Buffer {
  return Buffer.from(formatJson(storedForm(object)));
}

/** What {@link storedJson} gives the bytes of, for large objects, which are written in slices. */
export function storedForm(object: KubeObject): JsonObject {
  const decoded = storedFormCodec.decode(object);
  if (!decoded.ok) throw new Error(`a custom resource has odd metadata: ${decoded.message}`);
  const { apiVersion, kind, metadata, ...rest } = writtenKubeObject(decoded.value); // As it came.
  const { name, generateName, namespace, uid, resourceVersion: _, ...more } = metadata;
  const identity = { name, generateName, namespace, uid };
  return { apiVersion, kind, metadata: { ...identity, ...more }, ...rest };
}

function identityFirst({ apiVersion, kind, metadata, ...rest }: KubeObject): JsonObject {
  const { name, generateName, namespace, uid, ...more } = metadata;
  const identity: ObjectMeta = {};
  if (name !== undefined) identity.name = name;
  if (generateName !== undefined) identity.generateName = generateName;
  if (namespace !== undefined) identity.namespace = namespace;
  if (uid !== undefined) identity.uid = uid;
  return { apiVersion, kind, metadata: { ...identity, ...more }, ...rest };
}
