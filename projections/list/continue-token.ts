/**
 * The token that goes from page to page: which revision is being listed, behind which object,
 * and since when.
 *
 * In Kubernetes: EncodeContinue and DecodeContinue, apiserver/pkg/storage/continue.go. The time is
 * ours: there the revision disappears after five minutes, here the token does.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { JsonObject } from '../../api/meta/json.ts';

export interface ContinueToken {
  /** undefined: whatever is newest, for a client that goes on with an expired token. */
  readonly version: ResourceVersion | undefined;
  /** The path of the last object shown; the next page begins behind it. */
  readonly after: string;
  /** When the first page was made: milliseconds since 1970. */
  readonly since: number;
}

const FORMAT = 'meta.k8s.io/v1';

export function formatContinueToken({ version, after, since }: ContinueToken): string {
  const token = { v: FORMAT, rv: version ?? -1, start: `${after}\0`, since };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** @returns the token, or in words what is wrong with it. */
export function parseContinueToken(text: string): ContinueToken | string {
  let token: JsonObject;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString()) as JsonObject;
  } catch {
    return 'continue key is not valid: incorrect format';
  }
  const { v, rv, start, since } = token as Record<string, unknown>;
  if (v !== FORMAT)
    return 'continue key is not valid: server does not recognize this encoded version';
  if (typeof start !== 'string' || !start.endsWith('\0')) {
    return 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)';
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv < -1 || rv === 0) {
    return 'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)';
  }
  return {
    version: rv === -1 ? undefined : resourceVersion(rv),
    after: start.slice(0, -1),
    since: typeof since === 'number' ? since : 0,
  };
}
