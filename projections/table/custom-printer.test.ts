import { describe, expect, it } from 'vitest';

import type { PrinterColumn } from '../../api/kinds/custom-serving.ts';
import { customPrinter } from './custom-printer.ts';
import { tableOf } from './table.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

const column = (type: string, jsonPath: string): PrinterColumn => ({
  ...{ name: type, type, format: '', description: 'd', priority: 0 },
  jsonPath,
});

const object = {
  kind: 'Tab',
  apiVersion: 'example.com/v1',
  metadata: { name: 'a', creationTimestamp: '2026-11-21T09:00:00Z' },
  spec: {
    text: 'x',
    empty: '',
    word: 'null',
    count: 3,
    part: 1.5,
    flag: true,
    list: [1, 'b'],
    map: { b: 1, a: 2 },
    no: null,
  },
};

const cellOf = (type: string, jsonPath: string): unknown =>
  customPrinter([column(type, jsonPath)]).cells(object, NOW)[1];

describe('the row of a custom resource', () => {
  it.each([
    ['string', '.spec.text', 'x'],
    ['string', '.spec.count', '3'],
    ['string', '.spec.flag', 'true'],
    ['string', '.spec.list', '[1,"b"]'],
    ['string', '.spec.map', '{"a":2,"b":1}'],
    ['string', '.spec.no', '<no value>'],
    ['string', '.spec.missing', null],
    ['string', '.spec.text[0]', null],
    ['integer', '.spec.count', 3],
    ['integer', '.spec.part', 1],
    ['integer', '.spec.text', null],
    ['number', '.spec.part', 1.5],
    ['boolean', '.spec.flag', true],
    ['boolean', '.spec.text', null],
    ['date', '.metadata.creationTimestamp', '60m'],
    ['date', '.spec.text', '<invalid>'],
    ['date', '.spec.empty', '<unknown>'],
    ['date', '.spec.word', '<unknown>'],
    ['date', '.spec.count', null],
  ])('has in a column of type %s for %s %j', (type, jsonPath, cell) => {
    expect(cellOf(type, jsonPath)).toBe(cell);
  });

  it('begins with the name, under the columns of the definition', () => {
    const columns = [column('string', '.spec.text')];
    const options = { includeObject: 'None', now: NOW } as const;
    const table = tableOf(customPrinter(columns), [object], options);
    expect(table).toMatchObject({
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name' },
        { name: 'string', type: 'string', description: 'd' },
      ],
      rows: [{ cells: ['a', 'x'] }],
    });
    expect(tableOf(customPrinter(columns), [], options)['rows']).toEqual([]);
    expect(customPrinter(columns)).toBe(customPrinter(columns));
  });

  it('has its name alone where a column cannot be read', () => {
    expect(customPrinter([column('string', '.spec[')]).columns).toHaveLength(1);
  });
});
