import { describe, expect, it } from 'vitest';

import { escapeName, unescapeName } from './escaping.ts';

describe('names of properties', () => {
  it.each([
    ['a-b', 'a__dash__b'],
    ['namespace', '__namespace__'],
    ['__proto__', '__underscores__proto__underscores__'],
    ['constructor', 'constructor'],
  ])('%s is %s in expressions', (name, escaped) => {
    expect(escapeName(name)).toBe(escaped);
    expect(unescapeName(escaped)).toBe(name);
  });

  it.each(['__constructor__', '__toString__', '__valueOf__', 'a__constructor__b'])(
    '%s is no name in expressions',
    (escaped) => {
      expect(unescapeName(escaped)).toBeUndefined();
    },
  );
});
