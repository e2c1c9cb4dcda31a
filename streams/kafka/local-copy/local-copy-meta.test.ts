import { expect, it } from 'vitest';

import { resourceVersion } from '../../resource-version.ts';
import { LocalCopyError } from '../kafka-errors.ts';
import { checkMeta, emptyMeta, type Meta } from './local-copy-meta.ts';

const TOPIC = { topic: 'log', base: resourceVersion(7) };

it('knows its own copy again', () => {
  expect(() => {
    checkMeta(emptyMeta(TOPIC), TOPIC, '/data');
  }).not.toThrow();
});

it.each<[string, Partial<Record<keyof Meta, unknown>>]>([
  ['another topic', { topic: 'other' }],
  ['another beginning', { base: 8 }],
  ['another layout', { layout: 'kafka-records-2' }],
])('takes no copy of %s, and says that it may be removed', (_, other) => {
  const meta = { ...emptyMeta(TOPIC), ...other } as Meta;
  const check = () => {
    checkMeta(meta, TOPIC, '/data');
  };
  expect(check).toThrow(LocalCopyError);
  expect(check).toThrow(/\/data holds a copy .* remove this one, which is only a copy/);
});
