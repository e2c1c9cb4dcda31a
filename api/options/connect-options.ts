/**
 * The options of requests that end at a node, a pod or a service (exec, attach, portforward, proxy, log),
 * read from the query by the fields of their types. Parameters that are no field are passed over.
 *
 * In Kubernetes: getRequestOptions, apiserver/pkg/endpoints/handlers/get.go, and the conversions from
 * url.Values, pkg/apis/core/v1/zz_generated.conversion.go.
 */
import { goQuote } from '../json/go-format.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { int64Of, parseInt64 } from '../json/go-numbers.ts';
import { badRequest, type Status } from '../meta/status.ts';
import { queryValues } from '../meta/web-addresses.ts';
import type { FieldType } from '../scheme/field-type.ts';
import { jsonFieldsOf } from '../scheme/type-facts.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { formatUnixTime, parseTime } from '../scheme/typed-json-scalars.ts';
import { queryBoolean, queryInt64 } from './options.ts';

/** The options as an object in their API version, without kind and apiVersion; or why there are none. */
export type ReadOptions =
  | { readonly ok: true; readonly options: JsonObject }
  | { readonly ok: false; readonly status: Status };

/** undefined: the query does not have it. @throws {ProblemInQuery} */
type FieldReader = (query: string) => JsonValue | undefined;

/** Says in Go's words what is wrong with a parameter. */
class ProblemInQuery extends Error {
  override readonly name = 'ProblemInQuery';
}

const readers = new Map<string, readonly (readonly [name: string, read: FieldReader])[]>();

/** @param typeId of the options, as `io.k8s.api.core.v1.PodExecOptions`. */
export function optionsFromQuery(typeId: string, query: string): ReadOptions {
  const options: JsonObject = {};
  try {
    for (const [name, read] of readersOf(typeId)) {
      const value = read(query);
      if (value !== undefined) options[name] = value;
    }
  } catch (error) {
    if (!(error instanceof ProblemInQuery)) throw error;
    return { ok: false, status: badRequest(error.message) };
  }
  // As Go writes it: without what is zero, and with what it always writes.
  const decoded = typedCodec(typeId).decode(options);
  if (!decoded.ok) return { ok: false, status: badRequest(decoded.message) };
  return { ok: true, options: decoded.value };
}

function readersOf(typeId: string): readonly (readonly [string, FieldReader])[] {
  let known = readers.get(typeId);
  if (known === undefined) {
    known = jsonFieldsOf(typeId)
      .filter(({ name }) => name !== 'kind' && name !== 'apiVersion')
      .map(({ name, type }) => [name, readerOf(name, type)] as const);
    readers.set(typeId, known);
  }
  return known;
}

function readerOf(name: string, type: FieldType): FieldReader {
  if (type.kind === 'time') return (query) => timeIn(query, name);
  if (type.kind === 'list') {
    const isText = type.of.kind === 'scalar' && type.of.scalar === 'string';
    return isText ? (query) => textsIn(query, name) : (query) => numbersIn(query, name);
  }
  if (type.kind !== 'scalar') throw new Error(`a query cannot say ${name}`);
  if (type.scalar === 'bool') return (query) => queryBoolean(query, name);
  if (type.scalar === 'string') return (query) => queryValues(query, name)[0];
  return (query) => numberIn(query, name);
}

function numberIn(query: string, name: string): number | bigint | undefined {
  const read = queryInt64(query, name);
  if (!read.ok) throw new ProblemInQuery(read.message);
  return read.value;
}

function textsIn(query: string, name: string): string[] | undefined {
  const texts = queryValues(query, name);
  return texts.length === 0 ? undefined : texts;
}

const INT32_MAX = 2n ** 31n - 1n;

/** Several parameters, or one with commas between its numbers. */
function numbersIn(query: string, name: string): JsonValue | undefined {
  const texts = queryValues(query, name).flatMap((text) => text.split(','));
  if (texts.length === 0) return undefined;
  return texts.map((text) => {
    const value = parseInt64(text);
    const isRead = typeof value === 'bigint';
    if (isRead && value <= INT32_MAX && value >= -INT32_MAX - 1n) return int64Of(value);
    const why = isRead ? 'value out of range' : value;
    throw new ProblemInQuery(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
  });
}

function timeIn(query: string, name: string): string | undefined {
  const [text] = queryValues(query, name);
  if (text === undefined) return undefined;
  // Go's zero time, which no log is older than.
  if (text === '' || text === 'null') return '0001-01-01T00:00:00Z';
  const parsed = parseTime(text, 'seconds');
  if (!parsed.ok) throw new ProblemInQuery(parsed.why);
  return formatUnixTime(parsed.unixSeconds, parsed.nanoseconds, 'seconds') ?? undefined;
}
