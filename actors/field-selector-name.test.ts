import { expect, it } from 'vitest';
import { exactNameOf } from './field-selector-name.ts';

it.each([
  ['metadata.name=a', 'a'],
  ['metadata.name==a', 'a'],
  ['spec.nodeName=n,metadata.name=a', 'a'],
  [',metadata.name=a,', 'a'],
  ['metadata.name=a,metadata.name=b', 'a'],
  ['metadata.name=a\\,b', 'a,b'],
  ['metadata.name=a\\=b', 'a=b'],
  ['metadata.name!=a', ''],
  ['metadata.name=', ''],
  ['metadata.name=a=b', ''],
  ['metadata.name=a\\b', ''],
  ['metadata.name', ''],
  ['metadata.name=..', ''],
  ['metadata.name=a%2Fb', ''],
  ['metadata.namespace=a', ''],
])('%s asks for %j', (selector, name) => {
  expect(exactNameOf(selector)).toBe(name);
});
