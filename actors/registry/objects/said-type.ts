/**
 * What a body says of itself that it is, as Go finds it before it reads anything else.
 *
 * The surprise: this first look takes `Kind` for `kind`, and fails where either is no text; the object
 * itself is read by exact names behind it.
 *
 * In Kubernetes: SimpleMetaFactory, apimachinery/pkg/runtime/serializer/json/meta.go.
 */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { compareGoStrings } from '../../../api/json/go-format.ts';
import type { Entries } from '../../../api/json/json-reader.ts';
import { someKey } from '../../../api/json/work-in-slices.ts';
import type { Repeats } from '../write-context.ts';

/** A group version as Go takes it apart, and a kind; each may be ''. */
export interface SaidType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Field = 'kind' | 'apiVersion';

/** With the fold of Unicode: the sign of Kelvin is a k, and the long s is an s. */
const KIND = /^kind$/iu;
const API_VERSION = /^apiversion$/iu;

/**
 * The type that the value says, or why there is none to be found, in Go's words.
 *
 * @param repeats what stands in the body more than once.
 * @param isSorted whether Go reads a text whose keys were sorted, and not the one that was sent.
 */
export function saidTypeOf(
  value: JsonObject,
  repeats?: Repeats,
  isSorted = false,
): SaidType | string {
  const { apiVersion, kind } = value;
  const entries = repeats?.keys.get(value);
  if (entries === undefined && isText(apiVersion) && isText(kind) && !someKey(value, isOtherCase)) {
    return typeOf(apiVersion ?? '', kind ?? '');
  }
  const found: Record<Field, string> = { kind: '', apiVersion: '' };
  let error: string | undefined;
  const inOrder = isSorted ? sorted(entriesIn(value, undefined)) : entriesIn(value, entries);
  for (const [key, item] of inOrder) {
    const field = fieldOf(key);
    if (field === undefined || item === null) continue;
    if (typeof item === 'string') found[field] = item;
    else error ??= notText(field, item);
  }
  if (error !== undefined) return `${NO_KIND} ${error}`;
  return typeOf(found.apiVersion, found.kind);
}

/** How every sentence begins about a body in which Go finds no kind. */
export const NO_KIND = "couldn't get version/kind; json parse error:";

/** What is said of a body that is no object. */
export function noObject(value: JsonValue): string {
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
    'Kind string "json:\\"kind,omitempty\\"" }';
  return `${NO_KIND} json: cannot unmarshal ${wordFor(value)} into Go value of type ${struct}`;
}

function isText(value: JsonValue | undefined): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}

function isOtherCase(key: string): boolean {
  return key !== 'kind' && key !== 'apiVersion' && fieldOf(key) !== undefined;
}

function fieldOf(key: string): Field | undefined {
  if (key.length === 'kind'.length) return KIND.test(key) ? 'kind' : undefined;
  if (key.length !== 'apiVersion'.length) return undefined;
  return API_VERSION.test(key) ? 'apiVersion' : undefined;
}

type Entry = readonly [key: string, item: JsonValue];

function sorted(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted(([left], [right]) => compareGoStrings(left, right));
}

function entriesIn(value: JsonObject, entries: Entries | undefined): readonly Entry[] {
  if (entries === undefined) {
    return Object.entries(value).map(([key, item]) => [key, item ?? null] as const);
  }
  return entries.keys.map((key, index) => [key, entries.values[index] ?? null] as const);
}

function notText(field: Field, value: JsonValue): string {
  return `json: cannot unmarshal ${wordFor(value)} into Go struct field .${field} of type string`;
}

function wordFor(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** In Kubernetes: ParseGroupVersion, apimachinery/pkg/runtime/schema. */
function typeOf(apiVersion: string, kind: string): SaidType | string {
  if (apiVersion === '' || apiVersion === '/') return { group: '', version: '', kind };
  const [first = '', second, ...more] = apiVersion.split('/', 3);
  if (more.length > 0) return `unexpected GroupVersion string: ${apiVersion}`;
  return second === undefined
    ? { group: '', version: first, kind }
    : { group: first, version: second, kind };
}

/** As it stands in objects: `v1`, `apps/v1`. */
export function groupVersion({ group, version }: Omit<SaidType, 'kind'>): string {
  return group === '' ? version : `${group}/${version}`;
}
