/**
 * The JSON of stored objects whose managed fields are alike, as those of all pods of a template: what stands in
 * `fieldsV1` is most of such a text, and is looked up and not parsed.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import { knownValueAt } from '../../api/json/known-texts.ts';

/**
 * As this server writes it, and no string of a text can hold it, since a quote has a backslash there. Whatever stands in front
 * of it, an object begins with its brace.
 */
const FIELDS = '"fieldsType":"FieldsV1","fieldsV1":{';
/** Stands in the place of fields that are known, so a text that has it is read as any other. */
const NO_FIELDS = '"fieldsV1":null';

/**
 * As parseJson. The fields of managers may be shared with other objects, and are never changed.
 *
 * @throws {SyntaxError} as JSON.parse does.
 */
export function parseManaged(text: string): JsonValue {
  const found: JsonObject[] = [];
  let rest = '';
  let from = 0;
  for (let at = text.indexOf(FIELDS); at >= 0; at = text.indexOf(FIELDS, from)) {
    const begin = at + FIELDS.length - 1;
    const fields = knownValueAt(text, begin);
    if (fields === undefined) return parseJson(text);
    found.push(fields.value);
    rest += `${text.slice(from, begin)}null`;
    from = fields.end;
  }
  if (from === 0 || text.includes(NO_FIELDS)) return parseJson(text);
  const value = parseJson(rest + text.slice(from));
  return putBack(value, found) ? value : parseJson(text);
}

/** False where some stood elsewhere, as in a template. */
function putBack(value: JsonValue, found: readonly JsonObject[]): boolean {
  const metadata = isJsonObject(value) ? objectAt(value, 'metadata') : undefined;
  let next = 0;
  for (const entry of listAt(metadata, 'managedFields')) {
    if (!isJsonObject(entry) || entry['fieldsV1'] !== null) continue;
    const fields = found[next];
    if (fields === undefined) return false;
    entry['fieldsV1'] = fields;
    next += 1;
  }
  return next === found.length;
}
