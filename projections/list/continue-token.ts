/**
 * The token that goes from page to page: which revision is being listed, behind which object,
 * and since when.
 *
 * In Kubernetes: EncodeContinue and DecodeContinue, apiserver/pkg/storage/continue.go. The time is
 * ours: there the revision disappears after five minutes, here the token does.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
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
  if (token === undefined) return `${INVALID}: incorrect format`;
  const { v, rv, start, since } = token;
  if (v !== FORMAT) {
    const said = typeof v === 'string' ? v : '';
    return `${INVALID}: server does not recognize this encoded version ${said}`;
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv < -1 || rv === 0) {
    return `${INVALID}: incorrect encoded start resourceVersion (version ${FORMAT})`;
  }
  if (typeof start !== 'string' || !start.endsWith('\0')) {
    return `${INVALID}: encoded start key empty (version ${FORMAT})`;
  }
  return {
    version: rv === -1 ? undefined : resourceVersion(rv),
    after: start.slice(0, -1),
    since: typeof since === 'number' ? since : 0,
  };
}

function decoded(text: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
