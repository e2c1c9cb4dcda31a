/**
 * An object as another cluster shows it, in the form in which this server would have stored it:
 * without resourceVersion, its keys in their order. Nothing is converted, defaulted or dropped.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { pathOf } from '../../streams/event.ts';
import type { ClusterResource } from '../remote-cluster/cluster-resources.ts';

/** An object as it is recorded, with what the record says beside it. */
export interface ObservedObject {
  readonly path: string;
  readonly uid: string;
  /** The cluster's own. */
  readonly resourceVersion: string;
  /** The field manager of the latest change in managedFields; ''. */
  readonly fieldManager: string;
  readonly json: Buffer;
}

/** An object of a list or of a watch event. */
export function observedObject(resource: ClusterResource, object: JsonObject): ObservedObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  return {
    path: pathOf(stringAt(metadata, 'namespace'), stringAt(metadata, 'name')),
    uid: stringAt(metadata, 'uid'),
    resourceVersion: stringAt(metadata, 'resourceVersion'),
    fieldManager: lastManager(metadata),
    json: Buffer.from(formatJson(canonical(resource, object))),
  };
}

/** Items of a list say neither kind nor version; both stand first, as in an object on its own. */
function canonical({ kind, apiVersion, typeId }: ClusterResource, object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { resourceVersion: _version, ...meta } = isJsonObject(metadata) ? metadata : {};
  const whole = { ...rest, kind, apiVersion, metadata: meta };
  if (typeId !== undefined) {
    const decoded = typedCodec(typeId).decode(whole, { collectUnknown: true });
    // A newer cluster's fields are not known here, and are kept all the same.
    if (decoded.ok && decoded.unknownFields.length === 0) return decoded.value;
  }
  const { kind: _kind, apiVersion: _apiVersion, ...others } = rest;
  return { kind, apiVersion, metadata: meta, ...others };
}

/** The manager of the latest entry in managedFields. */
function lastManager(metadata: JsonObject): string {
  let last = { time: '', manager: '' };
  for (const entry of listAt(metadata, 'managedFields')) {
    if (!isJsonObject(entry)) continue;
    const time = stringAt(entry, 'time');
    // RFC 3339 in UTC with whole seconds: as texts they stand in the order of time.
    if (time >= last.time) last = { time, manager: stringAt(entry, 'manager') };
  }
  return last.manager;
}
