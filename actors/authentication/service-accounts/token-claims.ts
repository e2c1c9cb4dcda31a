/**
 * What stands in a service account's token, and whether its time is right.
 *
 * In Kubernetes: pkg/serviceaccount/claims.go, and go-jose's jwt.Claims.
 */
import { isNumber, objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { secondsOf } from '../jwt/compact-token.ts';

/** Something that a token is bound to. */
export interface ObjectClaim {
  /** `metadata.name` of the object. */
  readonly name: string;
  /** An object of this name with another uid does not make the token good. */
  readonly uid: string;
}

export interface TokenClaims {
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly id: string;
  /** All in seconds since 1970; undefined: the token does not say. */
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly pod: ObjectClaim | undefined;
  readonly secret: ObjectClaim | undefined;
  readonly node: ObjectClaim | undefined;
  readonly warnAfter: number | undefined;
}

/** Clocks are not the same everywhere. */
export const LEEWAY_SECONDS = 60;

/** undefined: something stands where it does not belong, as a text for a time. */
export function readClaims(payload: JsonObject): TokenClaims | undefined {
  const ours = objectAt(payload, 'kubernetes.io');
  const audiences = audiencesIn(payload);
  const [expiry, notBefore, issuedAt] = ['exp', 'nbf', 'iat'].map((key) => timeAt(payload, key));
  const warnAfter = timeAt(ours, 'warnafter') || undefined; // Zero is none.
  if (audiences === undefined) return undefined;
  if ([expiry, notBefore, issuedAt, warnAfter].includes('none')) return undefined;
  return {
    subject: stringAt(payload, 'sub'),
    audiences,
    id: stringAt(payload, 'jti'),
    expiry: expiry as number | undefined, // Not 'none', as was just looked at.
    notBefore: notBefore as number | undefined,
    issuedAt: issuedAt as number | undefined,
    namespace: stringAt(ours, 'namespace'),
    account: claimAt(ours, 'serviceaccount') ?? { name: '', uid: '' },
    pod: claimAt(ours, 'pod'),
    secret: claimAt(ours, 'secret'),
    node: claimAt(ours, 'node'),
    warnAfter: warnAfter as number | undefined,
  };
}

/** What is wrong with the token's time. @param now in milliseconds since 1970. */
export function timeProblem(claims: TokenClaims, now: number): string | undefined {
  const seconds = now / 1_000;
  const { expiry, notBefore, issuedAt } = claims;
  if (notBefore !== undefined && seconds + LEEWAY_SECONDS < notBefore) {
    return 'service account token is not valid yet';
  }
  if (expiry !== undefined && seconds - LEEWAY_SECONDS > expiry) {
    return 'service account token has expired';
  }
  if (issuedAt !== undefined && seconds + LEEWAY_SECONDS < issuedAt) {
    return 'service account token is issued in the future';
  }
  return undefined;
}

function audiencesIn({ aud }: JsonObject): readonly string[] | undefined {
  if (aud === undefined || aud === null) return [];
  if (typeof aud === 'string') return [aud];
  if (!Array.isArray(aud)) return undefined;
  const texts = aud.filter((one) => typeof one === 'string');
  return texts.length === aud.length ? texts : undefined;
}

function timeAt(object: JsonObject | undefined, key: string): number | undefined | 'none' {
  const value = object?.[key];
  if (value === undefined || value === null) return undefined;
  return isNumber(value) ? secondsOf(value) : 'none';
}

function claimAt(ours: JsonObject | undefined, key: string): ObjectClaim | undefined {
  const claim = objectAt(ours, key);
  if (claim === undefined) return undefined;
  return { name: stringAt(claim, 'name'), uid: stringAt(claim, 'uid') };
}
