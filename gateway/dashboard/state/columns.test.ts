import { expect, it } from 'vitest';
import { formatColumns, isColumnName, normalPath, parseColumns } from './columns.ts';

it('columns stand in an address and come back', () => {
  const text = 'Name;Status;Node=.spec.nodeName;Born=.metadata.creationTimestamp';
  const columns = parseColumns(text);
  expect(columns).toEqual([
    'Name',
    'Status',
    { name: 'Node', jsonPath: '.spec.nodeName', type: 'string' },
    { name: 'Born', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  ]);
  expect(formatColumns(columns ?? [])).toBe(text);
});

it('whatever the address says, columns have names and are there once', () => {
  expect(parseColumns('')).toBeUndefined();
  expect(parseColumns(';; =.a;B=')).toBeUndefined();
  expect(parseColumns('A;A=.x;A')).toEqual(['A']);
  const labels = '.metadata.labels.app\\.kubernetes\\.io/name';
  expect(parseColumns(`App=${labels}`)).toEqual([
    { name: 'App', jsonPath: labels, type: 'string' },
  ]);
  expect(parseColumns('A=.a[?(@.b=="c")].d')).toEqual([
    { name: 'A', jsonPath: '.a[?(@.b=="c")].d', type: 'string' },
  ]);
});

it('a JSONPath is taken in the ways in which users write it', () => {
  expect(['spec.a', '.spec.a', '{.spec.a}', ' $.spec.a '].map(normalPath)).toEqual(
    Array(4).fill('.spec.a'),
  );
  expect(normalPath("['a']")).toBe("['a']");
  expect(['Node', 'a=b', 'a;b', ' '].map(isColumnName)).toEqual([true, false, false, false]);
});
