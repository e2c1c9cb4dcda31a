import { expect, it } from 'vitest';
import { messageInYaml, withoutServerFields } from './yaml-text.ts';

it('what a server gives is left out of metadata, and of nothing else', () => {
  const text = [
    'apiVersion: v1',
    'data:',
    '  uid: mine',
    'metadata:',
    '  creationTimestamp: "2026-11-26T10:00:00Z"',
    '  labels:',
    '    uid: too',
    '  managedFields:',
    '  - manager: kubectl',
    '    operation: Update',
    '  name: a',
    '  resourceVersion: "12"',
    '  uid: 3b',
    'spec:',
    '  generation: 1',
    '',
  ].join('\n');
  expect(withoutServerFields(text).split('\n')).toEqual([
    ...['apiVersion: v1', 'data:', '  uid: mine', 'metadata:', '  labels:', '    uid: too'],
    ...['  name: a', 'spec:', '  generation: 1', ''],
  ]);
  expect(withoutServerFields('kind: A\n')).toBe('kind: A\n');
});

it('the message of a Status is found, plain, quoted, and in parts', () => {
  const status = (message: string): string =>
    `apiVersion: v1\ncode: 409\nkind: Status\nmessage: ${message}\nmetadata: {}\nreason: Conflict\n`;
  expect(messageInYaml(status('pods "a" not found'))).toBe('pods "a" not found');
  expect(messageInYaml(status("'conflict: it''s another'"))).toBe("conflict: it's another");
  expect(messageInYaml(status('"a: \\"b\\""'))).toBe('a: "b"');
  expect(messageInYaml(status('one\n  two'))).toBe('one two');
  expect(messageInYaml('kind: Pod\nmessage: x\n')).toBe('');
});
