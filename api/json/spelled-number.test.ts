import { expect, it } from 'vitest';
import { dynamicValue } from '../cel/dynamic-value.ts';
import { CelDouble, CelMap } from '../cel/value.ts';
import { formatJson, parseAsSpelled } from './json-text.ts';
import { spelledNumber } from './spelled-number.ts';

it('is written as it is spelled, beside whole numbers of any size too, and in lines', () => {
  const text = '{"a":1.0,"b":[-0,1e3,123456789012345678901234567890],"c":"\\\\ud8001.0"}';
  expect(formatJson(parseAsSpelled(text))).toBe(text);
  expect(formatJson(parseAsSpelled('{"a":1.50}'), 2)).toBe('{\n  "a": 1.50\n}');
});

it('can put nothing but a number into a text, whatever string stands there', () => {
  for (const text of ['1","admin":"true', 'true', '1}', 'x', '', '\\', '-']) {
    const written = formatJson({ a: spelledNumber(text), b: `"${spelledNumber('1.0')}` });
    expect(Object.keys(JSON.parse(written) as object)).toEqual(['a', 'b']);
    expect(written).not.toContain('"a":1');
  }
});

it('is a number to expressions', () => {
  const value = parseAsSpelled('{"a":1.0,"c":-0}');
  const shown = dynamicValue(value);
  const at = (key: string): unknown => (shown instanceof CelMap ? shown.find(key) : undefined);
  expect(at('a')).toEqual(new CelDouble(1));
  expect(at('c')).toEqual(dynamicValue(0));
});
