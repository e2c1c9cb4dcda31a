/** What the live protocol says of windows: tables that the server sorts, filters and cuts out. */
import { LIVE_LIMITS } from './live-limits.ts';
import { ID, REVISION } from './live-names.ts';

const columnName = { type: 'string', maxLength: 256 } as const;

/** A column of a window, printed or by a path of its own. */
export const COLUMN = {
  oneOf: [
    { ...columnName, description: 'A printed column of the resource by its name, or Namespace.' },
    {
      type: 'object',
      required: ['name', 'jsonPath'],
      additionalProperties: false,
      properties: {
        name: columnName,
        jsonPath: {
          type: 'string',
          maxLength: 1_024,
          description: 'As in additionalPrinterColumns: .spec.nodeName.',
        },
        type: { enum: ['string', 'integer', 'number', 'boolean', 'date'] },
      },
    },
  ],
} as const;

/** What a client has on its screen. */
export const WINDOW_SHOWN = {
  type: 'object',
  required: ['offset', 'limit'],
  additionalProperties: false,
  description: 'Which rows are shown: filtered, then sorted, then cut out.',
  properties: {
    offset: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
    limit: {
      type: 'integer',
      minimum: 0,
      maximum: LIVE_LIMITS.windowRowsMax,
      description: '0: no rows, but counts and groups.',
    },
    sort: {
      type: 'array',
      maxItems: 4,
      description: 'The first that tells two rows apart decides; behind them all, the key does.',
      items: {
        type: 'object',
        required: ['column'],
        additionalProperties: false,
        properties: { column: columnName, descending: { type: 'boolean' } },
      },
    },
    filter: {
      type: 'array',
      maxItems: 8,
      description: 'A row has to pass each of them.',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          column: { ...columnName, description: 'Left out: any cell, or the key.' },
          contains: {
            type: 'string',
            maxLength: 256,
            description: 'A part of the cell as text, in any case of letters.',
          },
          in: {
            type: 'array',
            maxItems: 256,
            items: { type: 'string', maxLength: 1_024 },
            description: 'The whole cell as text.',
          },
        },
      },
    },
    groups: {
      type: 'array',
      maxItems: 4,
      items: columnName,
      description: 'Columns whose values are counted, over all rows that pass the filter.',
    },
  },
} as const;

/** What is to be painted of a window; the client keeps rows by their keys. */
export const ROWS = {
  type: 'object',
  required: ['type', 'id', 'revision', 'total', 'matched', 'offset'],
  properties: {
    type: { const: 'rows' },
    id: ID,
    revision: REVISION,
    total: { type: 'integer', description: 'How many objects the path and the query select.' },
    matched: { type: 'integer', description: 'How many of them pass the filter.' },
    offset: { type: 'integer' },
    columns: {
      type: 'array',
      description: 'In the first frame, and where they have changed; then all rows follow anew.',
      items: {
        type: 'object',
        required: ['name', 'type', 'format', 'priority'],
        properties: {
          name: { type: 'string' },
          type: { type: 'string', description: 'date: the cells are times in RFC 3339, or null.' },
          format: { type: 'string' },
          priority: { type: 'integer' },
        },
      },
    },
    order: {
      type: 'array',
      description:
        'Keys (NAMESPACE/NAME, or /NAME) from the first row of the window to its last; left out: as before.',
      items: { type: 'string' },
    },
    rows: {
      type: 'array',
      description: 'Rows that the client has not: each a key and a cell for each column.',
      items: {
        type: 'object',
        required: ['key', 'cells'],
        properties: { key: { type: 'string' }, cells: { type: 'array', items: {} } },
      },
    },
    cells: {
      type: 'array',
      description: 'Cells that have changed of rows that the client has.',
      items: {
        type: 'object',
        required: ['key', 'column', 'cell'],
        properties: { key: { type: 'string' }, column: { type: 'integer' }, cell: {} },
      },
    },
    groups: {
      type: 'array',
      description: 'In the order in which they were asked for; left out: as before.',
      items: {
        type: 'object',
        required: ['column', 'counts', 'others'],
        properties: {
          column: { type: 'string' },
          counts: {
            type: 'array',
            description: 'The most frequent values first.',
            items: {
              type: 'object',
              required: ['value', 'count'],
              properties: { value: { type: 'string' }, count: { type: 'integer' } },
            },
          },
          others: { type: 'integer', description: 'Rows of values that are not listed.' },
        },
      },
    },
  },
} as const;
