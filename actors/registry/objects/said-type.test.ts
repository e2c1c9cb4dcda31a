import { expect, it } from 'vitest';

import { isJsonObject, type JsonObject } from '../../../api/json/json.ts';
import { readEntries } from '../../../api/json/json-reader.ts';
import { groupVersion, saidTypeOf } from './said-type.ts';

function said(text: string, isSorted = false): string {
  const { value, repeated } = readEntries(text);
  const object: JsonObject = isJsonObject(value) ? value : {};
  const type = saidTypeOf(object, { yamlProblem: '', keys: repeated }, isSorted);
  return typeof type === 'string' ? type : `${groupVersion(type)} ${type.kind}`;
}

it.each([
  ['{"apiVersion":"apps/v1","kind":"Deployment"}', 'apps/v1 Deployment'],
  ['{"APIVERSION":"v1","kInD":"Pod"}', 'v1 Pod'],
  ['{"apiver\\u017fion":"v1","\\u212aind":"Pod"}', 'v1 Pod'],
  ['{"k\\u0131nd":"Pod"}', ' '],
  ['{"kind":"A","Kind":"B"}', ' B'],
  ['{"Kind":"B","kind":"A"}', ' A'],
  ['{"kind":"A","kind":"B"}', ' B'],
  ['{"kind":"A","Kind":null}', ' A'],
  ['{"apiVersion":"/v1"}', 'v1 '],
  ['{"apiVersion":"/"}', ' '],
  ['{"apiVersion":"apps/"}', 'apps/ '],
  ['{"apiVersion":"a/b/c","kind":"A"}', 'unexpected GroupVersion string: a/b/c'],
])('%s says %s', (text, expected) => {
  expect(said(text)).toBe(expected);
});

it('reads keys that were sorted in that order', () => {
  expect(said('{"kind":"A","Kind":"B"}', true)).toBe(' A');
});

it('keeps the first value that is no text, whatever comes behind it', () => {
  expect(said('{"kind":5,"kind":"A","apiVersion":{}}')).toBe(
    "couldn't get version/kind; json parse error: " +
      'json: cannot unmarshal number into Go struct field .kind of type string',
  );
});
