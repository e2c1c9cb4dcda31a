import { expect, it } from 'vitest';
import type { FieldType } from '../../api/scheme/field-type.ts';
import { allResourceFacts } from '../../api/scheme/resource-facts.ts';
import { jsonFieldsOf } from '../../api/scheme/type-facts.ts';
import { spelledNumber } from '../../api/json/spelled-number.ts';
import { parseStored, RAW_RESOURCES } from './raw-resources.ts';

/** Whether a RawExtension stands somewhere below the type. */
function isRaw(type: FieldType, seen: Set<string>): boolean {
  switch (type.kind) {
    case 'rawExtension':
      return true;
    case 'list':
    case 'map':
      return isRaw(type.of, seen);
    case 'message':
      return hasRaw(type.id, seen);
    default:
      return false;
  }
}

function hasRaw(id: string, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  return jsonFieldsOf(id).some(({ type }) => isRaw(type, seen));
}

it('are all that are stored and have a field that Go keeps as it was sent', () => {
  const raw = allResourceFacts()
    .filter(({ storageVersionHash, typeId }) => storageVersionHash !== undefined && hasRaw(typeId))
    .map(({ group, resource }) => `${group === '' ? 'core' : group}/${resource}`);
  expect([...new Set(raw)].sort()).toEqual([...RAW_RESOURCES].sort());
});

it('are read as they are spelled, and others as doubles', () => {
  const text = '{"a":[9223372036854775808,1.5,1e30,7,-0],"b":{"c":-9223372036854775809,"d":"x"}}';
  expect(parseStored('apps/controllerrevisions', text)).toEqual({
    a: [9_223_372_036_854_775_808n, 1.5, spelledNumber('1e30'), 7, spelledNumber('-0')],
    b: { c: -9_223_372_036_854_775_809n, d: 'x' },
  });
  expect(parseStored('apps/deployments', text)).toEqual(JSON.parse(text));
});
