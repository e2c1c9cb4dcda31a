/**
 * A stored object in the version and form that somebody asked for.
 *
 * Where the stored version is the one asked for, and the form is plain JSON, that is the stored
 * bytes as they are; everything else begins by reading them.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AcceptedMedia } from '../../actors/request/request.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { customPrinter } from '../../projections/table/custom-printer.ts';
import { tableFor, tableOf as printedTable } from '../../projections/table/table.ts';
import type { StoredObject } from '../../streams/event.ts';
import { encodeProtobuf } from '../negotiation/protobuf-codec.ts';
import { formatYaml } from '../negotiation/yaml-codec.ts';

const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const PARTIAL_TYPE = `${META_TYPES}.PartialObjectMetadata`;
export const PARTIAL_LIST_TYPE = `${META_TYPES}.PartialObjectMetadataList`;
export const STATUS_TYPE = `${META_TYPES}.Status`;

export const CONTENT_TYPES: Readonly<Record<AcceptedMedia['type'], string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** Whether stored bytes can be sent as they are. */
export function isStoredForm(served: ServedResource, media: AcceptedMedia): boolean {
  const { type, transform, pretty } = media;
  return type === 'json' && transform === 'none' && !pretty && served.conversion === undefined;
}

/** The object in the served version. */
export function servedValue(served: ServedResource, object: StoredObject): KubeObject {
  const value = parsedObject(object);
  return served.conversion === undefined ? value : served.conversion.fromStorage(value);
}

/** The version of meta.k8s.io that was asked for, in which objects are transformed. */
export function metaApiVersion({ metaVersion }: AcceptedMedia) {
  return `meta.k8s.io/${metaVersion ?? 'v1'}` as const;
}

export function partialObject(
  { metadata = {} }: KubeObject | JsonObject,
  media: AcceptedMedia,
): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaApiVersion(media), metadata };
}

/** What a Table says about itself, and which columns it has. */
export interface TableFrame {
  /** Milliseconds since 1970: what ages count from. */
  readonly now: number;
  readonly listMeta?: JsonObject;
  /** The second and later events of a watch leave out the columns. */
  readonly withoutColumns?: boolean;
}

/** @param items in their storage version, which the printers know; custom ones as they are served. */
export function tableOf(
  { facts, conversion, custom }: ServedResource,
  items: readonly JsonObject[],
  media: AcceptedMedia,
  frame: TableFrame,
): JsonObject {
  const includeObject = includedIn(media);
  const options = { includeObject, ...frame, apiVersion: metaApiVersion(media) };
  if (custom !== undefined) {
    return printedTable(customPrinter(custom.columns), items, options);
  }
  const toServed =
    conversion === undefined
      ? {}
      : { toServed: (object: JsonObject) => conversion.fromStorage(object as KubeObject) };
  return tableFor(facts, items, { ...options, ...toServed });
}

/** What stands in each row. A client that asked for something else was refused; see form-problem.ts. */
export function includedIn({ includeObject }: AcceptedMedia): 'None' | 'Metadata' | 'Object' {
  return typeof includeObject === 'string' ? includeObject : 'Metadata';
}

/**
 * A value as bytes of the media type; `typeId` is only asked for protobuf. Go's encoder ends compact
 * JSON with a newline, and indented JSON without one.
 */
export function encoded(value: JsonObject, typeId: string, media: AcceptedMedia): Buffer {
  if (media.type === 'yaml') return Buffer.from(formatYaml(value));
  if (media.type === 'protobuf') return encodeProtobuf(value, typeId);
  return Buffer.from(media.pretty ? formatJson(value, 2) : `${formatJson(value)}\n`);
}
