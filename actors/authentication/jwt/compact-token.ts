/**
 * A JSON Web Token in its compact form, read and not yet believed: three parts in base64url.
 *
 * Times in it are as Go keeps them, an int64 of seconds. The surprise is the end: a time that is far
 * beyond all years, which other languages take for never, has wrapped around and is long past.
 *
 * In Kubernetes: go-jose's jwt.ParseSigned and NumericDate, jsonTime of go-oidc, and time.Unix.
 */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { formatJson, parseJson } from '../../../api/json/json-text.ts';
import { wholePart } from '../../../api/json/go-numbers.ts';

export interface CompactToken {
  /** Decoded, and nothing of it believed. */
  readonly header: JsonObject;
  /** Decoded; to be believed when the signature is good. */
  readonly payload: JsonObject;
  /** What was signed. */
  readonly signed: Buffer;
  /** The bytes of the third part. */
  readonly signature: Buffer;
}

/** As long as all headers of a request may be: no client can send a longer one. */
export const TOKEN_CHARACTERS_MAX = 64 * 1024;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** undefined: it is none, or one that asks for something that is not understood here. */
export function parseCompactToken(token: string): CompactToken | undefined {
  if (token.length > TOKEN_CHARACTERS_MAX) return undefined;
  const parts = COMPACT.exec(token);
  if (parts === null) return undefined;
  const [, first = '', second = '', third = ''] = parts;
  const header = jsonIn(first);
  const payload = jsonIn(second);
  // A single character is no byte, so that there may be no signature at all.
  const signature = Buffer.from(third, 'base64url');
  if (header === undefined || payload === undefined || signature.length === 0) return undefined;
  // A reader that does not know what is critical must not take the token.
  if (header['crit'] !== undefined) return undefined;
  return {
    header,
    payload,
    signed: Buffer.from(`${first}.${second}`, 'latin1'),
    signature,
  };
}

/** @param sign makes the signature over what is given. */
export function formatCompactToken(
  header: JsonObject,
  payload: JsonObject,
  sign: (data: Buffer) => Buffer,
): string {
  const signed = `${encoded(header)}.${encoded(payload)}`;
  return `${signed}.${sign(Buffer.from(signed, 'latin1')).toString('base64url')}`;
}

function encoded(object: JsonObject): string {
  return Buffer.from(formatJson(object)).toString('base64url');
}

function jsonIn(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // Parsing is the only way to learn that it is no JSON.
  }
}

/** Go counts from the year 1. */
const SECONDS_BEFORE_1970 = 62_135_596_800n;
const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?$/;

/** Seconds since 1970, whole. */
export function secondsOf(date: number | bigint): number {
  const seconds = BigInt(typeof date === 'bigint' ? date : wholePart(date));
  return Number(BigInt.asIntN(64, seconds + SECONDS_BEFORE_1970) - SECONDS_BEFORE_1970);
}

/** The same of a claim that go-oidc reads, which also takes a number between quotes; undefined: it is none. */
export function secondsIn(claim: JsonValue | undefined): number | undefined {
  const value = typeof claim === 'string' && NUMBER.test(claim) ? parseJson(claim) : claim;
  return isNumber(value) ? secondsOf(value) : undefined;
}
