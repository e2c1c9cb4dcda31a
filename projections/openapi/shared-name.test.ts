import { describe, expect, test } from 'vitest';
import { sharedName } from './shared-name.ts';

describe('names of shared parameters', () => {
  test('are made of the hash FNV-1', () => {
    expect(sharedName('x', 'a')).toBe('x-r2O9TIYB');
  });

  test('are made of the text that Go would write', () => {
    expect(sharedName('x', '"<&>"')).toBe(sharedName('x', '"\\u003c\\u0026\\u003e"'));
    expect(sharedName('x', '"<"')).not.toBe(sharedName('x', '">"'));
  });
});
