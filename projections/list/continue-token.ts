/**
 * The token that goes from page to page: which revision is being listed, behind which object,
 * and since when.
 *
 * In Kubernetes: EncodeContinue and DecodeContinue, apiserver/pkg/storage/continue.go. The time is
 * ours: there the revision disappears after five minutes, here the token does.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { isJsonObject, type JsonValue } from '../../api/json/json.ts';
import { jsonProblem } from '../../api/json/json-problem.ts';
import { parseJson } from '../../api/json/json-text.ts';

export interface ContinueToken {
  /** undefined: whatever is newest, for a client that goes on with an expired token. */
  readonly version: ResourceVersion | undefined;
  /** The path of the last object shown; the next page begins behind it. */
  readonly after: string;
  /** When the first page was made: milliseconds since 1970. */
  readonly since: number;
}

const FORMAT = 'meta.k8s.io/v1';

/** The token of the next page, in upstream's format: base64 of JSON. */
export function formatContinueToken({ version, after, since }: ContinueToken): string {
  const token = { v: FORMAT, rv: version ?? -1, start: `${after}\0`, since };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

const INVALID = 'continue key is not valid';

/** @returns the token, or in words what is wrong with it. */
export function parseContinueToken(text: string): ContinueToken | string {
  const token = decoded(text);
  if (typeof token === 'string') return `${INVALID}: ${token}`;
  const { v, rv = 0, start, since } = token;
  if (v !== FORMAT) {
    const said = typeof v === 'string' ? v : '';
    return `${INVALID}: server does not recognize this encoded version ${said}`;
  }
  if (!Number.isSafeInteger(rv) || rv < -1 || rv === 0) {
    return `${INVALID}: incorrect encoded start resourceVersion (version ${FORMAT})`;
  }
  if (start?.endsWith('\0') !== true) {
    return `${INVALID}: encoded start key empty (version ${FORMAT})`;
  }
  return {
    version: rv === -1 ? undefined : resourceVersion(rv),
    after: start.slice(0, -1),
    since: typeof since === 'number' ? since : 0,
  };
}

interface Decoded {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
  readonly since?: unknown;
}

/** A token of the right types, or what Go says of the text. */
function decoded(text: string): Decoded | string {
  const illegal = illegalBase64At(text);
  if (illegal >= 0) return `illegal base64 data at input byte ${String(illegal)}`;
  const bytes = Buffer.from(text, 'base64url');
  const problem = jsonProblem(bytes);
  if (problem !== '') return problem;
  const value = parseJson(bytes.toString());
  if (value === null) return {};
  if (!isJsonObject(value)) return `${misfit(value)} Go value of type storage.continueToken`;
  const wrong = TYPES.find(([key, type]) => ![type, 'undefined'].includes(typeof value[key]));
  if (wrong === undefined) return value;
  const [key, , goType] = wrong;
  return `${misfit(value[key] ?? null)} Go struct field continueToken.${key} of type ${goType}`;
}

const TYPES = [
  ['v', 'string', 'string'],
  ['rv', 'number', 'int64'],
  ['start', 'string', 'string'],
] as const;

function misfit(value: JsonValue): string {
  const type = typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${Array.isArray(value) ? 'array' : type} into`;
}

/** In Go: RawURLEncoding of encoding/base64, which leaves out ends of lines. -1: nowhere. */
function illegalBase64At(text: string): number {
  const at = text.search(/[^\w\r\n-]/);
  if (at >= 0) return at;
  const digits = text.replaceAll(/[\r\n]/g, '').length;
  return digits % 4 === 1 ? text.length - 1 : -1;
}
