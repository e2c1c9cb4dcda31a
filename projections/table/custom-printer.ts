/**
 * The rows of custom resources: the name, and what the columns of the definition find.
 *
 * In Kubernetes: tableconvertor, apiextensions-apiserver/pkg/registry/customresource.
 */
import { fitsInt64, int64Of } from '../../api/json/go-numbers.ts';
import { compileJsonPath, printedValue, type PathFinder } from '../../api/json-path/json-path.ts';
import { type JsonObject, type JsonValue, isNumber } from '../../api/json/json.ts';
import type { PrinterColumn } from '../../api/kinds/custom-serving.ts';
import { parseTime } from '../../api/scheme/typed-json-scalars.ts';
import { nameOf, type Cell } from './cells.ts';
import { humanDuration } from './human-duration.ts';
import type { TablePrinter } from './table.ts';

const MS = 1_000;
const INT64_MIN = -(2n ** 63n);

/** The columns of a version never change, and a new version of them is another list. */
const printers = new WeakMap<readonly PrinterColumn[], TablePrinter>();

export function customPrinter(columns: readonly PrinterColumn[]): TablePrinter {
  let printer = printers.get(columns);
  if (printer === undefined) {
    printer = makePrinter(columns);
    printers.set(columns, printer);
  }
  return printer;
}

const NAME = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };

function makePrinter(columns: readonly PrinterColumn[]): TablePrinter {
  const finders = columns.map(({ jsonPath }) => compileJsonPath(jsonPath));
  // A column that cannot be read takes all of them along, as the name always can be shown.
  const shown = finders.includes(undefined) ? [] : columns;
  return {
    columns: [NAME, ...shown.map(definitionOf)],
    rowsOfNothing: [],
    cells: (object, now) => [
      nameOf(object),
      ...shown.map(({ type }, index) => columnCell(finders[index], type, { object, now })),
    ],
  };
}

function definitionOf({ name, type, format, description, priority }: PrinterColumn) {
  return { name, type, format, description, priority };
}

interface Row {
  readonly object: JsonObject;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a column of this type shows of what is found; null: nothing that it can show. */
export function columnCell(find: PathFinder | undefined, type: string, { object, now }: Row): Cell {
  const value = find?.(object)?.[0];
  if (value === undefined) return null;
  if (type === 'string') return value === null ? '<no value>' : printedValue(value);
  return valueOf(value, type, now);
}

/** In Kubernetes: cellForJSONValue. */
function valueOf(value: JsonValue, type: string, now: number): Cell {
  switch (type) {
    case 'integer':
      return isNumber(value) ? truncated(value) : null;
    case 'number':
      return isNumber(value) ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageSince(value, now) : null;
    default:
      return null;
  }
}

/** The whole part as Go's int64; what none can hold is the least of them. */
function truncated(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value;
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole;
  return fitsInt64(whole) ? int64Of(BigInt(whole)) : INT64_MIN;
}

function ageSince(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  const parsed = parseTime(text, 'seconds');
  if (!parsed.ok) return '<invalid>';
  return humanDuration(now - parsed.unixSeconds * MS);
}
