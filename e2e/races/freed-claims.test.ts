import { expect, it } from 'vitest';
import { FreedClaims } from './freed-claims.ts';
import type { Told } from './told-log.ts';

const PORT = 'everwatch/nodeports /';

/** Port 1 is held from version 10 to 20, by writes that are called `take` and `free`. */
function given(): FreedClaims {
  const claims = new FreedClaims([PORT]);
  const told = { key: `${PORT}1`, previous: 0, requires: [], user: '', object: {} };
  const records: readonly Pick<Told, 'type' | 'version' | 'auditID'>[] = [
    { type: 'added', version: 10, auditID: 'take' },
    { type: 'deleted', version: 20, auditID: 'free' },
  ];
  for (const record of records) claims.add({ ...told, ...record });
  return claims;
}

const take = { began: 1, ended: 2, auditID: 'take', refused: undefined };
const free = { began: 5, ended: 6, auditID: 'free', refused: undefined };
const refusal = (began: number, ended: number) => {
  return { began, ended, auditID: '', refused: `${PORT}1` };
};

it.each([
  ['while it was held', 3, 4, true],
  ['while it was being freed', 5.5, 7, true],
  ['while it was being taken', 0, 1.5, true],
  ['after it was freed', 7, 8, false],
  ['before it was asked for', 0, 0.5, false],
])('a refusal %s is judged', (_, began, ended, isTrue) => {
  const found = given().violations([take, free, refusal(began, ended)]);
  expect(found).toHaveLength(isTrue ? 0 : 1);
});

it('a refusal of what no service ever held is a violation', () => {
  const other = { ...refusal(3, 4), refused: `${PORT}2` };
  expect(given().violations([take, free, other])).toEqual([
    `refused as taken, and free between 10 and 20: ${PORT}2`,
  ]);
});

it.each([
  ['all were held', 3, 4, 1, true],
  ['another attempt may have been about to take the last', 0, 2.5, 2, true],
  ['one was left', 3, 4, 2, false],
  ['all had been freed', 7, 8, 1, false],
])('a refusal as full where %s is judged', (_, began, ended, size, isTrue) => {
  const full = { began, ended, auditID: '', refused: undefined, isFull: true };
  const found = given().fullViolations([take, free, full], { prefix: PORT, size });
  expect(found).toHaveLength(isTrue ? 0 : 1);
});
