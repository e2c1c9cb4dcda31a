/**
 * The claims of a token, and users, as values of expressions: every number is a double, and a key
 * can be spelled in the escaped way too (`claims.foo__dot__bar`).
 *
 * In Kubernetes: newClaimsValue and unescapeMapper, apiserver's oidc authenticator.
 */
import { ItemList } from '../../../api/cel/containers.ts';
import { areEqual } from '../../../api/cel/equality.ts';
import { unescapeName } from '../../../api/cel/escaping.ts';
import { CelDouble, CelMap, type CelValue } from '../../../api/cel/value.ts';
import type { JsonObject, JsonValue } from '../../../api/meta/json.ts';
import { ownKeys, ownValue } from '../../../api/patch/own-property.ts';

export function claimValue(data: JsonValue): CelValue {
  if (data === null || typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return new CelDouble(data);
  return Array.isArray(data) ? new ClaimList(data) : new ClaimMap(data);
}

class ClaimList extends ItemList {
  readonly #data: readonly JsonValue[];

  constructor(data: readonly JsonValue[]) {
    super();
    this.#data = data;
  }

  override get size(): number {
    return this.#data.length;
  }

  override at(index: number): CelValue {
    return claimValue(this.#data[index] ?? null);
  }
}

class ClaimMap extends CelMap {
  readonly #data: JsonObject;

  constructor(data: JsonObject) {
    super();
    this.#data = data;
  }

  override get size(): number {
    return this.keys().length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const name = key.includes('__') ? (unescapeName(key) ?? key) : key;
    const value = ownValue(this.#data, name);
    return value === undefined ? undefined : claimValue(value);
  }

  override keys(): readonly string[] {
    return ownKeys(this.#data);
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    return this.keys().every((key) => {
      const mine = this.find(key);
      const theirs = other.find(key);
      return mine !== undefined && theirs !== undefined && areEqual(mine, theirs);
    });
  }
}
