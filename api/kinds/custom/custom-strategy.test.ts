import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../json/json.ts';
import { asKubeObject, type KubeObject } from '../../meta/object-meta.ts';
import { customStrategy } from './custom-strategy.ts';

const strategy = customStrategy({
  kind: 'Widget',
  apiVersion: 'example.com/v1',
  hasStatus: true,
  scale: undefined,
  schema: () => {
    throw new Error('nothing is validated here');
  },
});

function widget(more: string): KubeObject {
  const head =
    '"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","generation":1}';
  return asKubeObject(JSON.parse(`{${head}${more}}`) as JsonObject); // So that `__proto__` is a key.
}

describe('fields beside the metadata', () => {
  it.each(['__proto__', 'constructor', 'toString'])('count for the generation, %s too', (key) => {
    for (const [now, before] of [
      [`,"${key}":{}`, ''],
      ['', `,"${key}":{}`],
    ]) {
      const object = widget(now ?? '');
      strategy.prepareForUpdate(object, widget(before ?? ''));
      expect(object.metadata.generation).toBe(2);
    }
  });

  it.each([
    ['{"a":[]}', '{}', 2],
    ['{}', '{"a":[]}', 2],
    ['{"a":null}', '{}', 2],
    ['{"a":[]}', '{"a":null}', 2],
    ['{"a":[{"b":null}]}', '{"a":[{}]}', 2],
    ['{"a":1,"b":[{}]}', '{"b":[{}],"a":1}', 1],
  ])('%s behind %s is generation %i', (now, before, generation) => {
    const object = widget(`,"spec":${now}`);
    strategy.prepareForUpdate(object, widget(`,"spec":${before}`));
    expect(object.metadata.generation).toBe(generation);
  });

  it('stay what they were when the status is written, __proto__ too', () => {
    const object = widget(',"__proto__":"new","constructor":"new","status":{"a":1}');
    const old = widget(',"__proto__":{"labels":{}},"toString":"old"');
    strategy.subresources.get('status')?.prepareForUpdate(object, old);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(JSON.stringify(object)).toBe(
      JSON.stringify(widget(',"__proto__":{"labels":{}},"toString":"old","status":{"a":1}')),
    );
  });
});
