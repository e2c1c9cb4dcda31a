/** What the oracles of the targets compare and copy. */
import type { JsonValue } from '../../api/json/json.ts';
import type { Status } from '../../api/meta/status.ts';
import { isDeeperThan, isEqualJson } from '../../api/json/json-tree.ts';
import { holds } from './fuzz-target.ts';

/** Freezes a value from within, so that code that changes it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

/** @throws BrokenPropertyError unless `encode` and `decode` take the value there and back. */
export function comesBack(value: JsonValue, encodedAndDecoded: JsonValue, name: string): void {
  const isShallow = !isDeeperThan(value, 400);
  if (isShallow) holds(isEqualJson(value, encodedAndDecoded), `${name}: what is written is read`);
}

/** undefined for what is no JSON: for targets behind the parser, which has a target of its own. */
export function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** @throws BrokenPropertyError when a client would be told that the server is at fault. */
export function isAnAnswer(status: Status): void {
  holds(typeof status.message === 'string', 'an answer has a message');
  const { code } = status;
  holds(code >= 400 && code < 500, `an answer blames the client, not ${String(code)}`);
}

/** A large input may make a large answer, a small one may not. */
export function isBounded(sizeBytes: number, inputBytes: number, name: string): void {
  holds(sizeBytes <= 64 * 1_024 + inputBytes * 64, `${name} is bounded by what it was made of`);
}
