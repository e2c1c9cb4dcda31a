/**
 * Times in tokens as Go keeps them: an int64 of seconds. The surprise is the end: a time that is far beyond
 * all years, which other languages take for never, has wrapped around and is long past.
 *
 * In Kubernetes: NumericDate of go-jose, jsonTime of go-oidc, and time.Unix behind both.
 */
import { isNumber, type JsonValue } from '../../../api/json/json.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { wholePart } from '../../../api/json/go-float.ts';

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
