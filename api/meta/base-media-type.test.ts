import { describe, expect, it } from 'vitest';
import { baseMediaType } from './base-media-type.ts';

describe('the type of a Content-Type header', () => {
  it.each([
    ['', ''],
    ['application/json', 'application/json'],
    [' Application/JSON ; charset=utf-8; a=b', 'application/json'],
    [';charset=utf-8', ''],
    ['constructor', 'constructor'],
  ])('%j is %j', (header, type) => {
    expect(baseMediaType(header)).toBe(type);
  });
});
