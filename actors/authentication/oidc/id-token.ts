/**
 * Checks the signature and the times of tokens of others.
 *
 * The surprise: which algorithms there are is said by the server, and a key is only used for what it
 * is a key of; what the token says of itself counts for nothing else.
 *
 * In Kubernetes: go-oidc's IDTokenVerifier.
 */
import { compactVerify, importJWK, type CryptoKey, type JWK } from 'jose';
import { stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { parseCompactToken, secondsIn } from '../jwt/compact-token.ts';
import type { IssuerConfiguration } from './authentication-configuration.ts';
import type { IssuerKeys } from './issuer-keys.ts';

/** All that --oidc-signing-algs may name: asymmetric ones, never `none` or HMAC. */
export const SIGNING_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

export type VerifiedToken =
  | { readonly ok: true; readonly claims: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** As go-oidc is lenient about clocks that are behind. */
const NOT_BEFORE_LEEWAY_SECONDS = 300;

/** Before and behind 1970, of all dates that JavaScript has. */
const TIME_MAX_MS = 8.64e15;

export interface IdTokenParts {
  readonly issuer: IssuerConfiguration;
  readonly keys: IssuerKeys;
  readonly algorithms: readonly string[];
}

/** @param now milliseconds since 1970. */
export async function verifyIdToken(
  token: string,
  { issuer, keys, algorithms }: IdTokenParts,
  now: number,
): Promise<VerifiedToken> {
  const read = parseCompactToken(token);
  if (read === undefined) return failed('oidc: malformed jwt');
  const { header, payload } = read;
  const problem =
    audienceProblem(payload, issuer.audiences) ??
    timeProblem(payload, now) ??
    algorithmProblem(header, algorithms);
  if (problem !== undefined) return failed(problem);
  const id = stringAt(header, 'kid');
  if (await isSigned(token, header, keys.keysFor(id))) return { ok: true, claims: payload };
  await keys.refresh();
  if (await isSigned(token, header, keys.keysFor(id))) return { ok: true, claims: payload };
  return failed('failed to verify signature: failed to verify id token signature');
}

function failed(problem: string): VerifiedToken {
  return { ok: false, problem };
}

function algorithmProblem(header: JsonObject, algorithms: readonly string[]): string | undefined {
  const algorithm = stringAt(header, 'alg');
  if (algorithms.includes(algorithm)) return undefined;
  const list = `[${algorithms.map((one) => goQuote(one)).join(' ')}]`;
  return (
    'oidc: id token signed with unsupported algorithm, ' +
    `expected ${list} got ${goQuote(algorithm)}`
  );
}

function audienceProblem({ aud }: JsonObject, wanted: readonly string[]): string | undefined {
  const given: readonly (JsonValue | undefined)[] = Array.isArray(aud) ? aud : [aud];
  const texts = given.filter((one) => typeof one === 'string');
  if (texts.some((one) => wanted.includes(one))) return undefined;
  const list = `[${texts.map((one) => goQuote(one)).join(' ')}]`;
  const [first = ''] = wanted;
  if (wanted.length === 1) return `oidc: expected audience ${goQuote(first)} got ${list}`;
  const all = [...wanted].sort().map((one) => goQuote(one));
  return `oidc: expected audience in [${all.join(' ')}] got ${list}`;
}

function timeProblem({ exp, nbf }: JsonObject, now: number): string | undefined {
  const expiry = secondsIn(exp) ?? 0;
  if (now / 1_000 > expiry) {
    return `oidc: token is expired (Token Expiry: ${timeText(expiry)})`;
  }
  if (nbf === undefined || nbf === null) return undefined;
  const notBefore = secondsIn(nbf);
  if (notBefore === undefined) return 'oidc: the nbf (not before) time is no number';
  if (now / 1_000 + NOT_BEFORE_LEEWAY_SECONDS >= notBefore) return undefined;
  const [at, before] = [timeText(now / 1_000), timeText(notBefore)];
  return `oidc: current time ${at} before the nbf (not before) time: ${before}`;
}

/** A token may name times that there are not: of those, the last or the first that there is. */
function timeText(seconds: number): string {
  const ms = Math.max(-TIME_MAX_MS, Math.min(TIME_MAX_MS, seconds * 1_000));
  return new Date(ms).toISOString();
}

async function isSigned(
  token: string,
  header: JsonObject,
  candidates: readonly JsonObject[],
): Promise<boolean> {
  const algorithm = stringAt(header, 'alg');
  for (const jwk of candidates) {
    if (jwk['use'] !== undefined && jwk['use'] !== 'sig') continue;
    const key = await imported(jwk, algorithm);
    if (key === undefined) continue;
    const isGood = await compactVerify(token, key, { algorithms: [algorithm] }).then(
      () => true,
      () => false,
    );
    if (isGood) return true;
  }
  return false;
}

/** A key is read once for each algorithm. */
const known = new WeakMap<JsonObject, Map<string, Promise<CryptoKey | undefined>>>();

function imported(jwk: JsonObject, algorithm: string): Promise<CryptoKey | undefined> {
  let keys = known.get(jwk);
  if (keys === undefined) {
    keys = new Map();
    known.set(jwk, keys);
  }
  let key = keys.get(algorithm);
  if (key === undefined) {
    key = publicKey(jwk, algorithm);
    keys.set(algorithm, key);
  }
  return key;
}

async function publicKey(jwk: JsonObject, algorithm: string): Promise<CryptoKey | undefined> {
  // A secret that was published would be as good as no signature at all.
  const isAsymmetric = jwk['kty'] === 'RSA' || jwk['kty'] === 'EC';
  if (!isAsymmetric) return undefined;
  if (jwk['alg'] !== undefined && jwk['alg'] !== algorithm) return undefined;
  try {
    // Whatever else an issuer wrote there, jose reads what it knows, and refuses the rest.
    const key = await importJWK(jwk as JWK, algorithm);
    return key instanceof Uint8Array ? undefined : key;
  } catch {
    return undefined; // It is no key of that algorithm.
  }
}
