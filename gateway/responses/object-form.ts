/**
 * A stored object in the version and form that a client asked for, or why it has none.
 *
 * Where the stored version is the one asked for, and the form is plain JSON, that is the stored
 * bytes as they are; everything else begins by reading them. That an object has no form that was asked for
 * is found only when the answer is made. By then a write has happened, in kube-apiserver too.
 *
 * In Kubernetes: transformResponseObject, apiserver/pkg/endpoints/handlers/response.go.
 */
import { unconvertedMetadata } from '../../api/kinds/apps/settled-form.ts';
import { writeCbor, writeCborInParts } from '../../api/cbor/cbor-writer.ts';
import { formatJsonInParts, isManyValues, type Parts } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { writtenKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { parsedInParts, parsedObject } from '../../projections/objects/stored-object.ts';
import type { WrittenObject } from '../../projections/objects/written-object.ts';
import { customPrinter } from '../../projections/table/custom-printer.ts';
import { tableOf as printedTable, tableFor } from '../../projections/table/table.ts';
import type { StoredObject } from '../../streams/event.ts';
import { encodeProtobuf, encodeProtobufInParts } from '../negotiation/protobuf-codec.ts';
import { formatYaml, formatYamlInParts } from '../negotiation/yaml-codec.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { badRequest, type Status, unclassifiedFailure } from '../../api/meta/status.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { SCALE_TYPE } from '../../actors/registry/objects/managed-scale.ts';

const META_TYPES = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The id of PartialObjectMetadata among the facts of types. */
export const PARTIAL_TYPE = `${META_TYPES}.PartialObjectMetadata`;
export const PARTIAL_LIST_TYPE = `${META_TYPES}.PartialObjectMetadataList`;

/** The id of Status among the facts of types. */
export const STATUS_TYPE = `${META_TYPES}.Status`;

/** The `Content-Type` of each form, without parameters. */
export const CONTENT_TYPES: Readonly<Record<AcceptedMedia['type'], string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
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

/** As {@link servedValue}, in parts where the object is large. */
export function* servedInParts(served: ServedResource, object: WrittenObject): Parts<KubeObject> {
  const value = yield* storedInParts(object);
  return served.conversion === undefined ? value : served.conversion.fromStorage(value);
}

/** As it is stored, in parts where it is large. */
export function* storedInParts(object: WrittenObject): Parts<KubeObject> {
  return object.json.length < PART_BYTES ? parsedObject(object) : yield* parsedInParts(object);
}

/** An object of more bytes is read, and of a list so many bytes, in one turn of the event loop. */
export const PART_BYTES = 64 * 1024;

/** The version of meta.k8s.io that was asked for, in which objects are transformed. */
export function metaApiVersion({ metaVersion }: AcceptedMedia) {
  return `meta.k8s.io/${metaVersion ?? 'v1'}` as const;
}

/**
 * @param media says in which version of meta.k8s.io. The metadata are the object's own, not copied.
 */
export function partialObject(object: KubeObject | JsonObject, media: AcceptedMedia): JsonObject {
  const metadata = unconvertedMetadata(object);
  return { kind: 'PartialObjectMetadata', apiVersion: metaApiVersion(media), metadata };
}

/** What a Table says about itself, and which columns it has. */
interface TableFrame {
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
      : { toServed: (object: JsonObject) => conversion.fromStorage(writtenKubeObject(object)) };
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
  if (media.type === 'cbor') return writeCbor(value);
  return Buffer.from(media.pretty ? formatJson(value, 2) : `${formatJson(value)}\n`);
}

/** As {@link encoded}, in parts where the value is large. */
export function* encodedInParts(
  value: JsonObject,
  typeId: string,
  media: AcceptedMedia,
): Parts<Buffer> {
  if (!isManyValues(value)) return encoded(value, typeId, media);
  if (media.type === 'yaml') return Buffer.from(yield* formatYamlInParts(value));
  if (media.type === 'protobuf') return yield* encodeProtobufInParts(value, typeId);
  if (media.type === 'cbor') return yield* writeCborInParts(value);
  const json = yield* formatJsonInParts(value, media.pretty ? 2 : 0);
  return media.pretty ? json : Buffer.concat([json, NEWLINE]);
}

/** Go's encoder ends compact JSON with it. */
export const NEWLINE = Buffer.from('\n');

/** @returns what is answered instead; undefined: it can be given in this form. */
export function formProblem(answer: Answer, media: AcceptedMedia | undefined): Status | undefined {
  if (media === undefined || media.transform === 'none') return undefined;
  if (media.transform === 'Table') return tableProblem(answer, media);
  if (media.transform === 'PartialObjectMetadata') {
    return answer.kind === 'List' ? noForm('PartialObjectMetadata', answer, 'a list') : undefined;
  }
  if (answer.kind !== 'Object' && answer.kind !== 'Value') return undefined;
  if (answer.kind === 'Value' && answer.typeId === STATUS_TYPE) return undefined;
  return noForm('PartialObjectMetadataList', answer, 'not a list');
}

function tableProblem(answer: Answer, { includeObject }: AcceptedMedia): Status | undefined {
  if (typeof includeObject === 'string' || !FORMED.has(answer.kind)) return undefined;
  return badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ` +
      `${goQuote(includeObject.unknown)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const FORMED: ReadonlySet<Answer['kind']> = new Set(['Object', 'Value', 'List', 'Watch']);

type Formed = Extract<Answer, { kind: 'Object' | 'Value' | 'List' }>;

function noForm(form: string, answer: Formed, what: string): Status {
  const isList = answer.kind === 'List';
  const isScale = answer.kind === 'Value' && answer.typeId === SCALE_TYPE;
  // Upstream takes any custom object for a list, and then fails to find items in it.
  if (answer.served?.custom !== undefined && !isList && !isScale) {
    return unclassifiedFailure('content is not a list');
  }
  const message = `you requested ${form}, but the requested object is ${what} (*${goType(answer)})`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotAcceptable',
    code: 406,
  };
}

/** As Go prints the type that the storage gives: `core.ConfigMap`. */
function goType(answer: Formed): string {
  if (answer.kind === 'Value' && answer.goType !== undefined) return answer.goType;
  if (answer.kind === 'List' && answer.served.custom !== undefined) {
    return 'unstructured.UnstructuredList';
  }
  const id = typeIdOf(answer);
  const [group = '', , name = ''] = id.split('.').slice(-3);
  // Events of both groups are one type.
  return `${group === 'events' ? 'core' : group}.${name}`;
}

function typeIdOf(answer: Formed): string {
  if (answer.kind === 'List') return answer.served.facts.listTypeId;
  return answer.kind === 'Value' ? answer.typeId : answer.served.facts.typeId;
}
