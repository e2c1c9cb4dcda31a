import { expect, it } from 'vitest';
import { fieldSetOf } from '../merge/field-set.ts';
import { ANY_ELEMENT, excludeFields, includeFields } from './field-filter.ts';

const LABELS = ['f:metadata', 'f:labels'];
const METADATA = ['f:metadata'];
const DATA = ['f:data', 'f:a'];

it('a field on the way to those that are wanted stays in, without the rest of what it holds', () => {
  const onlyLabels = includeFields(['metadata', 'labels']);
  const owned = fieldSetOf(METADATA, LABELS, [...METADATA, 'f:finalizers'], DATA);
  expect(onlyLabels(owned)).toEqual(fieldSetOf(METADATA, LABELS));
  expect(onlyLabels(fieldSetOf(METADATA, DATA))).toEqual(fieldSetOf(METADATA));
  expect(onlyLabels(fieldSetOf(LABELS, DATA))).toEqual(fieldSetOf(LABELS));
});

it('any element stands for each, and what is left out is left out with all that is in it', () => {
  const images = includeFields(['spec', 'containers', ANY_ELEMENT, 'image']);
  const container = ['f:spec', 'f:containers', 'k:{"name":"a"}'];
  const owned = fieldSetOf([...container, 'f:image'], [...container, 'f:env']);
  expect(images(owned)).toEqual(fieldSetOf([...container, 'f:image']));
  expect(excludeFields(['spec', 'containers'])(owned)).toEqual({});
});
