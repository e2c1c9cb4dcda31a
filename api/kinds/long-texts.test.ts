/**
 * Texts that once held the server for seconds or minutes, each as long as a request may bring it.
 * Every one took more than the limit of a test; now all of them together take a second.
 */
import { expect, it } from 'vitest';
import { parseJsonPath } from '../json-path/json-path-parser.ts';
import { canonicalQuantity, parseQuantity } from '../meta/quantity.ts';
import { CONVERSION } from '../cel/library/conversion.ts';
import { schemaDuration } from '../cel/schema/schema-formats.ts';
import { CelDouble, CelError } from '../cel/value.ts';
import { isDuration } from '../structural-schema/formats.ts';
import { caBundleProblem } from './apiextensions/customresourcedefinitions/conversion-validation.ts';
import {
  FIELDS_OF_VARIABLES,
  validateFieldRef,
} from './pod-spec/containers/downward-api-validation.ts';
import { validateIscsi } from './pod-spec/volumes/iscsi-validation.ts';

const LENGTH = 1_000_000;

function long(part: string, end = ''): string {
  return part.repeat(LENGTH / part.length) + end;
}

function double(text: string): unknown {
  const overloads = CONVERSION.find(({ name }) => name === 'double')?.overloads ?? [];
  const [, run] = overloads.map((one) => one.run);
  const value = run?.(text, null, null, null);
  return value instanceof CelDouble ? value.value : value instanceof CelError ? 'error' : value;
}

function fieldRef(fieldPath: string): number {
  return validateFieldRef('f', { apiVersion: 'v1', fieldPath }, FIELDS_OF_VARIABLES).length;
}

function iscsi(iqn: string): number {
  return validateIscsi('f', { targetPortal: 'a', lun: 0, iqn }).length;
}

it.each<readonly [string, () => unknown, unknown]>([
  ['a quantity of zeros', () => parseQuantity(long('0', 'x')).ok, false],
  ['a quantity of digits', () => parseQuantity(long('1', 'x')).ok, false],
  ['a quantity of letters', () => parseQuantity(long('E', '!')).ok, false],
  ['a double with many digits', () => double(long('1', 'x')), 'error'],
  ['a double that is one', () => double(long('0', '1.5')), 1.5],
  ['a double with underscores', () => double(long('1_', '1x')), 'error'],
  ['a hexadecimal double', () => double(long('0', 'x')), 'error'],
  ['a duration in CEL', () => schemaDuration(long('1')) instanceof CelError, true],
  ['a duration with spaces', () => schemaDuration(`1${long(' ')}`) instanceof CelError, true],
  ['a duration in a schema', () => isDuration(long('1', ' d')), false],
  ['a fieldPath', () => fieldRef(`metadata.labels${long("['")}`), 1],
  ['a target of iSCSI', () => iscsi(long('iqn.2000-01.', ' ')), 1],
  ['a target with many colons', () => iscsi(`iqn.2000-01.a${long(':a', ' ')}`), 1],
  ['a target that is right', () => iscsi(`iqn.2000-01.a${long(':a')}`), 0],
  ['a number in JSONPath', () => parseJsonPath(`{${long('1')}.1.}`).ok, false],
  ['spaces in a union of JSONPath', () => parseJsonPath(`{['a',${long(' ')}x]}`).ok, false],
  ['indices in JSONPath', () => parseJsonPath(`{${long('[0]')}}`).ok, true],
  ['a CA bundle', () => caBundleProblem(long('LS0tLS1CRUdJTiA=')) === undefined, false],
])('%s', (_, run, expected) => {
  expect(run()).toEqual(expected);
});

it('reads many quantities of a thousand digits', () => {
  const text = `1${'0'.repeat(900)}`;
  for (let at = 0; at < 3_000; at += 1) expect(canonicalQuantity(text)).toBe('1');
});
