/**
 * A type that has what the built-in types have seldom or not at all; e2e/oracles/patch/main.go has
 * the same as the Go struct `odd`.
 */
import type { PatchField, PatchSchema } from './patch-schema.ts';

function plain(kind: string): PatchSchema {
  return { kind, valueKind: kind, name: '', items: undefined, field: () => undefined };
}

function listOf(items: PatchSchema): PatchSchema {
  return { ...plain('slice'), items };
}

function pointerTo(schema: PatchSchema): PatchSchema {
  return { ...schema, kind: 'ptr' };
}

function struct(name: string, fields: () => Record<string, PatchField>): PatchSchema {
  return {
    kind: 'struct',
    valueKind: 'struct',
    name,
    items: undefined,
    field: (wanted) =>
      Object.entries(fields()).find(([field]) => field.toLowerCase() === wanted.toLowerCase())?.[1],
  };
}

function field(schema: PatchSchema, strategies = '', mergeKey = ''): PatchField {
  return { schema, strategies: strategies === '' ? [] : strategies.split(','), mergeKey };
}

const STRING = plain('string');

const ITEM: PatchSchema = struct('item', () => ({
  name: field(STRING),
  value: field(STRING),
  children: field(listOf(ITEM), 'merge', 'name'),
  tags: field(listOf(STRING), 'merge'),
  args: field(listOf(STRING)),
  child: field(pointerTo(ITEM)),
}));

export const ODD_SCHEMA: PatchSchema = struct('odd', () => ({
  scalars: field(listOf(STRING), 'merge'),
  numbers: field(listOf(plain('int')), 'merge'),
  atomic: field(listOf(STRING)),
  items: field(listOf(ITEM), 'merge', 'name'),
  pointers: field(listOf(pointerTo(ITEM)), 'merge', 'name'),
  keyless: field(listOf(ITEM), 'merge'),
  retained: field(listOf(ITEM), 'merge,retainKeys', 'name'),
  replaced: field(pointerTo(ITEM), 'replace'),
  inner: field(ITEM),
  maps: field(plain('map')),
  nested: field(listOf(listOf(STRING)), 'merge'),
  labels: field(plain('map')),
  text: field(STRING),
  inlined: field(listOf(ITEM), 'merge', 'name'),
  bad: field(listOf(STRING), 'merge,replace'),
  raw: field(pointerTo(struct('RawExtension', () => ({})))),
  scalarKeyed: field(listOf(STRING), 'merge', 'name'),
}));
