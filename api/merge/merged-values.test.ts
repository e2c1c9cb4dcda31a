/** Values merged, compared, bared and read for their fields, where lists and sets are not plain. */
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../json/json.ts';
import { WorkInSlices } from '../json/work-in-slices.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { mergeTypeOf } from './built-in-merge-types.ts';
import { compareValues } from './compare-values.ts';
import type { FieldSet } from './field-set.ts';
import { readFieldsV1, sortFields } from './fields-v1.ts';
import { mergeValues } from './merge-values.ts';
import { removeFields } from './prune.ts';
import { mergeTypeOfSchema } from './schema-merge-types.ts';
import { validateValue } from './validate-value.ts';
import { reconciledWithType, toFieldSet, withNamedFields } from './typed-field-sets.ts';

const text = { type: 'string' };
const item = { type: 'object', properties: { n: text, v: text } };
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] };

const THING = mergeTypeOfSchema(
  parseStructuralSchema({
    type: 'object',
    properties: {
      text,
      whole: { type: 'array', items: text },
      set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      keyed: { type: 'array', items: item, ...keyed },
      named: { type: 'object', additionalProperties: item },
    },
  }),
);

describe('a list of which both sides have items', () => {
  it.each([
    // The order is the right one's; what only the left one has stays before what follows it there.
    ['abc', 'ca', 'bca'],
    ['acby', 'abc', 'abyc'],
    ['axby', 'ba', 'xbya'],
    ['ab', 'ab', 'ab'],
    ['ab', '', 'ab'],
    ['', 'ab', 'ab'],
  ])('%s with %s laid over it is %s', (left, right, merged) => {
    const of = (items: string): JsonObject => ({ set: Array.from(items) });
    expect(mergeValues(of(left), of(right), THING)).toEqual(of(merged));
  });
});

describe('an item that a set cannot have', () => {
  it.each([
    [null, "associative list without keys has an element that's an explicit null"],
    [['a'], 'not supported: associative list with lists as elements'],
    [{ a: 'b' }, "associative list without keys has an element that's a map type"],
  ])('is %j', (item, why) => {
    expect(validateValue({ set: ['a', item] }, THING, {})).toContain(why);
  });
});

describe('items that share a key', () => {
  const [one, other] = [
    { n: 'a', v: '1' },
    { n: 'a', v: '2' },
  ];
  const [node, whole] = [{ '.': {}, 'f:n': {}, 'f:v': {} }, {}];

  it.each([
    ['stay', [one, other], [one, other], {}],
    ['change places', [one, other], [other, one], { modified: whole }],
    ['come beside one', [one], [one, other], { removed: node, added: whole }],
    ['come', [], [one, other], { added: whole }],
    ['go but for one', [one, other], [one], { removed: whole, added: node }],
    ['go', [one, other], [], { removed: whole }],
  ] as [string, JsonValue[], JsonValue[], Record<string, FieldSet>][])(
    'are compared together where they %s',
    (_, before, after, found) => {
      const of = (set: FieldSet | undefined): FieldSet =>
        set === undefined ? {} : { 'f:keyed': { 'k:{"n":"a"}': set } };
      expect(compareValues({ before: { keyed: before }, after: { keyed: after } }, THING)).toEqual({
        removed: of(found['removed']),
        modified: of(found['modified']),
        added: of(found['added']),
      });
    },
  );

  it('are owned by their key alone', () => {
    const fields = (...keyed: JsonObject[]): FieldSet => toFieldSet({ keyed }, THING);
    expect(fields(one)).toEqual({ 'f:keyed': { 'k:{"n":"a"}': node } });
    expect(fields(one, other)).toEqual({ 'f:keyed': { 'k:{"n":"a"}': whole } });
  });
});

describe('fields taken out', () => {
  it.each([
    ['of text leave it', { text: 'a' }, { 'f:text': { 'f:b': {} } }, { text: 'a' }],
    ['of what is owned whole leave null', { whole: ['a'] }, { 'f:whole': { 'i:0': {} } }, null],
    ['of no list leave null', { set: null }, { 'f:set': { 'v:"a"': {} } }, null],
    ['of a set leave the others', { set: ['a', 'b'] }, { 'f:set': { 'v:"a"': {} } }, ['b']],
    ['of a set leave null at last', { set: ['a'] }, { 'f:set': { 'v:"a"': {} } }, null],
  ] as [string, JsonObject, FieldSet, JsonValue][])('%s', (_, value, fields, left) => {
    const kept = removeFields(value, fields, THING);
    const [name = ''] = Object.keys(value);
    expect(kept).toEqual(name === 'text' ? left : { [name]: left });
  });
});

describe('a set of fields', () => {
  it('gets what the schema names above a field, and no key of a map', () => {
    expect(withNamedFields({ 'f:named': { 'f:k': { 'f:v': {} } } }, THING)).toEqual({
      'f:named': { '.': {}, 'f:k': { 'f:v': {} } },
    });
  });

  it('is of a whole where the schema has become one, also deep in others', () => {
    expect(reconciledWithType({ 'f:whole': { 'v:"a"': {} } }, THING)).toEqual({ 'f:whole': {} });
    const set = { 'f:set': { 'v:"a"': {} } };
    expect(reconciledWithType(set, THING)).toBe(set);
    const revision = mergeTypeOf('io.k8s.api.apps.v1.ControllerRevision');
    expect(reconciledWithType({ 'f:data': { 'f:a': {} } }, revision)).toEqual({ 'f:data': {} });
  });

  it('is of a whole beside fields that the schema does not know, and of parts among these', () => {
    const whole = { type: 'array', items: text };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const some = mergeTypeOfSchema(parseStructuralSchema({ ...open, properties: { whole } }));
    const set = { 'f:whole': { 'v:"a"': {} }, 'f:other': { 'f:a': {} } };
    expect(reconciledWithType(set, some)).toEqual({ 'f:whole': {}, 'f:other': { 'f:a': {} } });
    const none = mergeTypeOfSchema(parseStructuralSchema(open));
    expect(reconciledWithType(set, none)).toBe(set);
  });

  it.each([
    [undefined, {}],
    [null, {}],
    [7, undefined],
    [{ 'f:a': { '.': { 'f:b': {} }, 'f:c': {} } }, { 'f:a': { '.': {}, 'f:c': {} } }],
    [{ 'f:a': { '.': { 'f:b': {} } } }, { 'f:a': {} }],
    [{ 'f:a': 7 }, undefined],
  ] as [JsonValue | undefined, FieldSet | undefined][])('%j is read as %j', (json, set) => {
    expect(readFieldsV1(json)).toEqual(set);
  });

  it.each([
    ['{"f:a":{".":{},"f:b":{},"f:c":{}},"f:b":{}}', undefined],
    ['{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    [
      '{"f:a":{},"f:b":{"f:d":{},"f:c":{}},"f:c":{}}',
      '{"f:a":{},"f:b":{"f:c":{},"f:d":{}},"f:c":{}}',
    ],
  ])('%s is put in order, in slices as in one go', (unsorted, sorted) => {
    const set = JSON.parse(unsorted) as FieldSet; // As can be seen.
    const slices = new WorkInSlices(() => sortFields(set), 1);
    let slice = slices.goOn();
    while (!slice.isDone) slice = slices.goOn();
    for (const result of [sortFields(set), slice.value]) {
      expect(JSON.stringify(result)).toBe(sorted ?? unsorted);
      if (sorted === undefined) expect(result).toBe(set);
    }
  });
});
