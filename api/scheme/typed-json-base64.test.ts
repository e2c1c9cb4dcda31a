import { expect, it } from 'vitest';
import { canonicalBase64, illegalBase64At } from './typed-json-base64.ts';

it.each([
  ['', ''],
  ['YQ==', 'YQ=='],
  ['YR==', 'YQ=='],
  ['Y\nQ\r\n==\n', 'YQ=='],
  ['YWJj', 'YWJj'],
])('%j is written back as %j', (text, canonical) => {
  expect(canonicalBase64(text)).toBe(canonical);
});

it.each([
  ['x', 0],
  ['YQ=', 3],
  ['YQ=a', 2],
  ['YQ==a', 4],
  ['Y===', 1],
  ['YWJjx', 4],
  ['YW-j', 2],
  ['=', 0],
])('%j is illegal at byte %i', (text, position) => {
  expect(illegalBase64At(text)).toBe(position);
  expect(canonicalBase64(text)).toBeUndefined();
});
