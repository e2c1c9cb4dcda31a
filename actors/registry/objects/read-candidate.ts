/**
 * A value that a client sent as an object of a resource, or what is wrong with it in the words and the
 * order of Go's decoders: what it says that it is, its own type, and only then the type that is asked
 * for.
 *
 * In Kubernetes: the decoder of the request scope and transformDecodeError,
 * apiserver/pkg/endpoints/handlers.
 */
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../api/json/json.ts';
import { compareGoStrings, goQuote } from '../../../api/json/go-format.ts';
import { formatJson } from '../../../api/json/json-text.ts';
import { asKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { badRequest, internalError, type Status } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { goTypeName, typeFacts, typeIdOfKind } from '../../../api/scheme/type-facts.ts';
import type { Repeats } from '../write-context.ts';
import { groupVersion, noObject, type SaidType, saidTypeOf } from './said-type.ts';
import { repeatSentences, yamlSentences } from './strict-decoding.ts';

/** An object that could be written, or the answer that says why the value is none. */
export type Candidate =
  | {
      readonly ok: true;
      readonly object: KubeObject;
      /** As `unknown field "spec.foo"` and `duplicate field "spec.bar"`. */
      readonly strictErrors: readonly string[];
    }
  | {
      readonly ok: false;
      readonly status: Status;
      /** Why the value does not fit the type, where that is what is wrong. */
      readonly misfit?: string;
      /** Whether not even its kind was found, so that the body has to be shown instead. */
      readonly isUnrecognized?: true;
    };

/** How a value is read. */
export interface Reading {
  readonly repeats?: Repeats | undefined;
  /** The text of the value, as messages show it; the value written anew, unless it says otherwise. */
  readonly text?: (() => string) | undefined;
  /** The value with its keys as they stand in that text, where it is another order. */
  readonly inOrder?: (() => JsonValue) | undefined;
  /** Whether unknown fields are ignored, which is another decoder upstream. */
  readonly isLenient?: boolean;
  /** Whether Go reads a text whose keys were sorted on the way, as YAML's are. */
  readonly isSorted?: boolean;
  /**
   * What a patch made is read into the type that the server works with, which no version is known of;
   * what a strategic merge made is of its type, whatever it says.
   */
  readonly patched?: 'text' | 'values' | undefined;
  /** Whether an apply made it, which is never read from a text. */
  readonly isApplied?: boolean;
}

/**
 * Reads the value as an object of this resource and version. Unknown fields are dropped.
 * The object may share parts with the value, so neither is to be used when the other was changed.
 */
export function candidateOf(
  served: ServedResource,
  value: JsonValue,
  reading: Reading = {},
): Candidate {
  const { repeats, patched, isApplied = false } = reading;
  if (!isJsonObject(value)) {
    const isRead = patched === 'text' && isTyped(served) && value !== null;
    return misfitting(served, isRead ? noObject(value) : 'json: cannot unmarshal into Go value');
  }
  const other = patched === 'values' ? undefined : otherThanAsked(served, value, reading);
  if (other !== undefined) return other;
  const decoded = served.codec.decode(value, {
    collectUnknown: true,
    repeated: repeats?.keys,
    isUnshared: patched !== undefined,
    isApplied,
  });
  if (!decoded.ok) return misfitting(served, firstMisfit(served, reading) ?? decoded.message);
  const object = named(served, decoded.value, reading);
  keepEmptyManagers(object, value);
  const { unknownFields } = decoded;
  if (repeats === undefined) return { ok: true, object, strictErrors: unknownFields };
  // A codec that reads by a schema knows plain values only, and does not tell of repeats itself.
  const told = isTyped(served) ? yamlSentences(repeats) : repeatSentences(value, repeats);
  return { ok: true, object, strictErrors: [...told, ...unknownFields] };
}

/** Of several faults the one that Go meets first in the text that the patch made; undefined: that of the value. */
function firstMisfit(served: ServedResource, { inOrder, repeats }: Reading): string | undefined {
  // Of numbers it is known by their place in the value how they were spelled.
  if (inOrder === undefined || repeats !== undefined || !isTyped(served)) return undefined;
  const decoded = served.codec.decode(inOrder(), { collectUnknown: true });
  return decoded.ok ? undefined : decoded.message;
}

/** Custom resources have no types; their Scale has one. */
function isTyped({ facts }: ServedResource): boolean {
  return facts.typeId !== '';
}

/** What there is to say of a value that is not, or not clearly, of the type that is asked for. */
function otherThanAsked(
  served: ServedResource,
  value: JsonObject,
  reading: Reading,
): Candidate | undefined {
  const said = saidTypeOf(value, reading.repeats, reading.isSorted);
  if (typeof said === 'string') return unrecognized(served, said);
  return isTyped(served)
    ? otherType(served, said, value, reading)
    : otherCustomType(served, value, reading);
}

function misfitting(served: ServedResource, misfit: string, said?: Partial<SaidType>): Candidate {
  return { ok: false, status: cannotBeHandled(served, misfit, said), misfit };
}

function unrecognized({ facts }: ServedResource, misfit: string): Candidate {
  const message = `the object provided is unrecognized (must be of type ${facts.kind}): ${misfit}`;
  return { ok: false, status: badRequest(message), misfit, isUnrecognized: true };
}

/** @param said what the client sent, where it says of itself what it is. */
export function cannotBeHandled(
  { facts }: ServedResource,
  why: string,
  { kind = facts.kind, version = facts.version }: Partial<SaidType> = {},
): Status {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${facts.kind}: ${why}`);
}

/** What is wrong with a value that says that it is of another type; undefined where it does not. */
function otherType(
  served: ServedResource,
  said: SaidType,
  value: JsonObject,
  reading: Reading,
): Candidate | undefined {
  const { facts, custom } = served;
  const { group, version, kind } = withDefaults(said, served);
  const isInternal = reading.patched === 'text' && custom === undefined && said.version === '';
  if (isInternal && kind === facts.kind && group === facts.group) return internalOf(served, value);
  const apiVersion = groupVersion({ group, version });
  if (kind === facts.kind && apiVersion === served.apiVersion) return undefined;
  if (version === '') {
    const missing = `Object 'apiVersion' is missing in '${textOf(value, reading)}'`;
    return misfitting(served, missing, { kind, version });
  }
  const typeId = registered(served, apiVersion, kind);
  if (typeId === undefined) {
    const known = `no kind "${kind}" is registered for version "${apiVersion}"`;
    return misfitting(served, `${known} in scheme "${schemeOf(served)}"`, { kind, version });
  }
  const repeated = reading.repeats?.keys;
  const own = typedCodec(typeId).decode(value, { collectUnknown: true, repeated });
  if (!own.ok) return misfitting(served, own.message, { kind, version });
  if (kind === facts.kind && custom === undefined) {
    return { ok: false, status: otherVersion(served, apiVersion) };
  }
  return misfitting(served, unknownConversion(served, typeId), { kind, version });
}

/** The register for Scales of custom resources has nothing but Scales. */
function registered(
  { custom, facts }: ServedResource,
  apiVersion: string,
  kind: string,
): string | undefined {
  if (custom !== undefined && kind !== facts.kind) return undefined;
  const typeId = typeIdOfKind(apiVersion, kind);
  return typeId !== undefined && saysItsType(typeId) ? typeId : undefined;
}

/** Parts of objects do not, and are no kinds. */
function saysItsType(typeId: string): boolean {
  return typeFacts(typeId).fields.some(
    ({ inline, type }) => inline && type.kind === 'message' && type.id.endsWith('.TypeMeta'),
  );
}

/**
 * An object that has lost its version is read into the struct of the server itself, whose fields have
 * no names in JSON: nothing of it is known, not even its name.
 */
function internalOf({ facts, apiVersion }: ServedResource, value: JsonObject): Candidate {
  const unknown = Object.keys(value).filter((key) => key !== 'kind' && key !== 'apiVersion');
  const strictErrors = unknown.sort(compareGoStrings).map((key) => `unknown field ${goQuote(key)}`);
  return {
    ok: true,
    object: asKubeObject({ apiVersion, kind: facts.kind, metadata: {} }),
    strictErrors,
  };
}

function withDefaults({ group, version, kind }: SaidType, { facts }: ServedResource): SaidType {
  const isOfGroup = version === '' && (group === '' || group === facts.group);
  return {
    group: isOfGroup ? facts.group : group,
    version: isOfGroup ? facts.version : version,
    kind: kind === '' ? facts.kind : kind,
  };
}

/** Where Go made the register of types, which its messages name. */
function schemeOf({ custom }: ServedResource): string {
  return custom === undefined
    ? 'pkg/api/legacyscheme/scheme.go:30'
    : 'k8s.io/client-go/scale/util.go:146';
}

function otherVersion({ apiVersion }: ServedResource, said: string): Status {
  const expected = `does not match the expected API version (${apiVersion})`;
  return badRequest(`the API version in the data (${said}) ${expected}`);
}

/** In Go's words, which name the types by their packages. */
function unknownConversion({ facts, custom }: ServedResource, typeId: string): string {
  const [group = ''] = facts.group === '' ? ['core'] : facts.group.split('.');
  const asked = custom === undefined ? `${group}.${facts.kind}` : goTypeOf(facts.typeId);
  return `converting (${goTypeOf(typeId)}) to (${asked}): unknown conversion`;
}

function goTypeOf(typeId: string): string {
  return goTypeName({ kind: 'message', id: typeId });
}

/** Their rules say later what kind there must be; and all of it is read by exact names. */
function otherCustomType(
  served: ServedResource,
  value: JsonObject,
  reading: Reading,
): Candidate | undefined {
  if (stringAt(value, 'kind') === '') {
    const missing = `Object 'Kind' is missing in '${textOf(value, reading)}'`;
    return reading.isLenient === true ? misfitting(served, missing) : unrecognized(served, missing);
  }
  if (value['apiVersion'] === null) {
    const why = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
    return misfitting(served, why, { version: '' });
  }
  const said = stringAt(value, 'apiVersion');
  if (reading.patched !== undefined) return said === '' ? withoutVersion() : undefined;
  return said === served.apiVersion ? undefined : { ok: false, status: otherVersion(served, said) };
}

function withoutVersion(): Candidate {
  const why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  return { ok: false, status: internalError(why) };
}

function textOf(value: JsonObject, { text }: Reading): string {
  return text === undefined ? formatJson(value) : text();
}

function named(served: ServedResource, value: JsonObject, { patched }: Reading): KubeObject {
  const { facts, apiVersion } = served;
  if (isTyped(served)) value['kind'] = facts.kind;
  // What a patch made of a custom object is judged by its rules, whatever it says.
  if (isTyped(served) || patched === undefined) value['apiVersion'] = apiVersion;
  value['metadata'] ??= {};
  return asKubeObject(value);
}

/** An empty list of managers takes them all away, where none says nothing; a type drops both. */
function keepEmptyManagers({ metadata }: KubeObject, said: JsonObject): void {
  const managers = objectAt(said, 'metadata')?.['managedFields'];
  if (Array.isArray(managers) && managers.length === 0) metadata['managedFields'] = [];
}

/** Which object a value says that it is; both are '' where it does not. */
export interface SaidName {
  /** As the value says it, whatever the URL has. */
  readonly namespace: string;
  /** As above. */
  readonly name: string;
}

/** The name in a value that was not read by its type. */
export function saidNameOf(value: JsonObject): SaidName {
  const metadata = objectAt(value, 'metadata') ?? {};
  return { namespace: stringAt(metadata, 'namespace'), name: stringAt(metadata, 'name') };
}
