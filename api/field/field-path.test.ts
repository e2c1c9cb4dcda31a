import { expect, it } from 'vitest';

import { childPath, indexPath, keyPath } from './field-path.ts';

it('writes paths as upstream does', () => {
  expect(childPath('', 'spec')).toBe('spec');
  expect(keyPath(childPath(indexPath(childPath('spec', 'items'), 2), 'labels'), 'a/b')).toBe(
    'spec.items[2].labels[a/b]',
  );
});
