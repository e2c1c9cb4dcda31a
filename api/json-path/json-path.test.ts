import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../json/json.ts';
import { compileJsonPath, printedValue } from './json-path.ts';
import { parseJsonPath } from './json-path-parser.ts';

const object: JsonObject = {
  metadata: { name: 'a', labels: { 'app.kubernetes.io/name': 'x' } },
  spec: { replicas: 3, ports: [80, 443, 8080], __proto__: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 2 },
      { type: 'Synced', status: 'False', weight: 1 },
    ],
    nothing: null,
  },
};

const found = (expression: string) => compileJsonPath(expression)?.(object);

describe('a JSONPath', () => {
  it.each([
    ['.metadata.name', ['a']],
    ['.metadata.labels.app\\.kubernetes\\.io/name', ['x']],
    [".metadata.labels['app.kubernetes.io/name']", []],
    ['.spec.replicas', [3]],
    ['.spec.ports[0]', [80]],
    ['.spec.ports[-1]', [8080]],
    ['.spec.ports[0:2]', [80, 443]],
    ['.spec.ports[::2]', [80, 8080]],
    ['.spec.ports[*]', [80, 443, 8080]],
    ['.spec.ports[0,2]', [80, 8080]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Synced')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Synced']],
    ['.status.conditions[?(@.weight>1)].type', ['Ready']],
    ['.status.conditions[?(@.missing)].type', []],
    ['.status.conditions[?(@.weight)].type', ['Ready', 'Synced']],
    ['.status.conditions[*].type', ['Ready', 'Synced']],
    ['..type', ['Ready', 'Synced']],
    ['$.metadata.name', ['a']],
    ['@.metadata.name', ['a']],
    ['.status.nothing', [null]],
    ['.status.nothing.inside', []],
    ['.nobody.knows', []],
    ['.constructor', []],
    ['.spec.__proto__', []],
  ])('%s is %j', (expression, expected) => {
    expect(found(expression)).toEqual(expected);
  });

  it.each([
    ['.spec.ports[7]'],
    ['.spec.replicas[0]'],
    ['.metadata[?(@.name=="a")]'],
    ['.status.conditions[?(@.weight=="1")].type'],
    ['range .spec.ports'],
  ])('fails on an object that %s does not fit', (expression) => {
    expect(found(expression)).toBeUndefined();
  });

  it.each([
    ['{.spec.ports[}', 'unterminated array'],
    ['{.spec.ports[a]}', 'invalid array index a'],
    ['{.spec', 'unclosed action'],
    ['{.a[?(@.b=="c")}', 'unclosed array expect ]'],
    ['{.a[?(@.b=="c"}', 'unterminated filter'],
    ['{..a....b}', 'invalid multiple recursive descent'],
    ['{"a}', 'unterminated quoted string'],
    ['{.a!}', ''],
    ['{!}', "unrecognized character in action: U+0021 '!'"],
    ['{1.2.3}', 'cannot parse number 1.2.3'],
  ])('%s is refused: %s', (template, message) => {
    const parsed = parseJsonPath(template);
    expect(parsed.ok ? '' : parsed.message).toBe(message);
  });

  it('that is nested without end costs a message, not the process', () => {
    const parsed = parseJsonPath(`{${'[?('.repeat(5_000)}${')]'.repeat(5_000)}}`);
    expect(parsed.ok).toBe(false);
  });

  it('that multiplies without end fails', () => {
    const wide: JsonObject = { a: Array.from({ length: 2_000 }, () => [1, 2, 3]) };
    expect(compileJsonPath('..[*]..[*]..[*]..[*]')?.(wide)).toBeUndefined();
  });
});

describe('a printed value', () => {
  it.each([
    ['text', 'text'],
    [3, '3'],
    [true, 'true'],
    [1.5, '1.5'],
    [{ b: 1, a: [{ d: '<', c: null }] }, '{"a":[{"c":null,"d":"\\u003c"}],"b":1}'],
  ])('%j is %s', (value, text) => {
    expect(printedValue(value)).toBe(text);
  });
});
