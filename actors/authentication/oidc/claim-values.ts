/**
 * The claims of a token, and users, as values of expressions: every number is a double, and a key
 * can be spelled in the escaped way too (`claims.foo__dot__bar`).
 *
 * In Kubernetes: newClaimsValue and unescapeMapper, apiserver's oidc authenticator.
 */
import { unescapeName } from '../../../api/cel/schema/escaping.ts';
import { jsonValue, type JsonReading } from '../../../api/cel/json-values.ts';
import { CelDouble, type CelValue } from '../../../api/cel/value.ts';
import type { JsonValue } from '../../../api/json/json.ts';

const READING: JsonReading = {
  number: (value) => new CelDouble(Number(value)),
  keyOf: (key) => (key.includes('__') ? (unescapeName(key) ?? key) : key),
};

export function claimValue(data: JsonValue): CelValue {
  return jsonValue(data, READING);
}
