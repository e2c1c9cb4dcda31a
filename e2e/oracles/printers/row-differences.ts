/**
 * Where our tables differ from upstream's, cell by cell. Objects are first brought to the form in
 * which they would be stored; upstream is shown them in the version that serves them.
 */
import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../../api/meta/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { asKubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { tableFor } from '../../../projections/table/table.ts';
import type { OracleProgram } from '../oracle-program.ts';
import type { Chance } from '../../../tools/seeded-chance.fixture.ts';
import { NOW } from '../../../projections/table/printed/cluster-object.fixture.ts';

export interface RowDifference {
  /** The name of the column; `columns`, `conditions` and `rows` are what they say. */
  readonly where: string;
  readonly ours: JsonValue;
  readonly upstream: JsonValue;
  /** As upstream was shown it. */
  readonly object: JsonObject;
}

export interface RowComparison {
  /** Of how many objects upstream could print a row. */
  readonly compared: number;
  readonly differences: readonly RowDifference[];
}

interface Case {
  readonly stored: JsonObject;
  readonly shown: JsonObject;
}

type Resource = Parameters<typeof tableFor>[0];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const SECOND = 1000;
const LIST_ITEMS_MAX = 40;
const AGES = [0, 1, 59, 60, 119, 120, 599, 600, 10_799, 10_800, 28_799, 28_800, 172_800, 691_200];

/** Each object alone, then many of them as a list, then a list of none. */
export function rowDifferences(
  program: OracleProgram,
  served: ServedResource,
  objects: readonly JsonObject[],
): RowComparison {
  const cases = objects.flatMap((object) => asStored(served, object) ?? []);
  const printed: Case[] = [];
  const differences: RowDifference[] = [];
  for (const [index, answer] of program.ask(cases.map(({ shown }) => shown)).entries()) {
    const one = cases[index];
    const wanted = asObject(answer);
    if (one === undefined || 'error' in wanted) continue;
    printed.push(one);
    differences.push(...differencesOf(served.facts, [one], wanted));
  }
  const lists = [printed.slice(-LIST_ITEMS_MAX), []];
  const tables = program.ask(lists.map((list) => listOf(served, list)));
  for (const [index, list] of lists.entries()) {
    differences.push(...differencesOf(served.facts, list, asObject(tables[index])));
  }
  return { compared: printed.length, differences };
}

/** Of rows of one resource, given upstream's table of them. */
export function differencesOf(
  resource: Resource,
  cases: readonly Case[],
  wanted: JsonObject,
): RowDifference[] {
  const stored = cases.map((one) => one.stored);
  const table = tableFor(resource, stored, { includeObject: 'None', now: NOW });
  const object = cases.length === 1 ? (cases[0]?.shown ?? {}) : { items: cases.length };
  const found: RowDifference[] = [];
  const compare = (where: string, ours: JsonValue, upstream: JsonValue): void => {
    if (!isDeepStrictEqual(ours, upstream)) found.push({ where, ours, upstream, object });
  };
  const columns = columnsOf(table);
  // Descriptions are upstream's sentences and are left empty here.
  const bare = columnsOf(wanted).map((column) => ({ ...column, description: '' }));
  compare('columns', columns, bare);
  const ourRows = table['rows'] ?? null;
  const theirRows = wanted['rows'] ?? null;
  if (!Array.isArray(ourRows) || !Array.isArray(theirRows) || ourRows.length !== theirRows.length) {
    compare('rows', ourRows, theirRows);
    return found;
  }
  for (const [index, row] of ourRows.entries()) {
    const [ours, theirs] = [asObject(row), asObject(theirRows[index])];
    compare('conditions', ours['conditions'] ?? null, theirs['conditions'] ?? null);
    const [ourCells, theirCells] = [cellsOf(ours), cellsOf(theirs)];
    for (let at = 0; at < Math.max(ourCells.length, theirCells.length); at += 1) {
      const name = columns[at]?.['name'];
      const where = typeof name === 'string' ? name : `cell ${String(at)}`;
      compare(where, ourCells[at] ?? null, theirCells[at] ?? null);
    }
  }
  return found;
}

/**
 * With a name of its own, as objects of a list have, and with times that lie a telling while ago;
 * some are being deleted.
 */
export function livedIn(object: JsonObject, name: string, chance: Chance): JsonObject {
  const copy = structuredClone(object);
  const metadata = isJsonObject(copy['metadata']) ? copy['metadata'] : {};
  copy['metadata'] = metadata;
  metadata['name'] = name;
  const at = '2000-01-01T00:00:00Z';
  if (chance() < 0.9) metadata['creationTimestamp'] = at;
  delete metadata['deletionTimestamp'];
  if (chance() < 0.25) metadata['deletionTimestamp'] = at;
  return asObject(withTimes(copy, chance));
}

/** undefined: no such object can be read. */
function asStored(served: ServedResource, object: JsonObject): Case[] | undefined {
  const decoded = served.codec.decode(object);
  if (!decoded.ok) return undefined;
  const { value } = decoded;
  served.setDefaults?.(value);
  const { conversion, definition } = served;
  if (conversion === undefined) return [{ stored: value, shown: value }];
  const stored = conversion.toStorage(asKubeObject(value));
  const asDecoded = definition.codec.decode(stored);
  if (!asDecoded.ok) return undefined;
  definition.strategy.canonicalize?.(asKubeObject(asDecoded.value));
  const shown = conversion.fromStorage(asKubeObject(structuredClone(asDecoded.value)));
  return [{ stored: asDecoded.value, shown }];
}

function listOf(served: ServedResource, cases: readonly Case[]): JsonObject {
  const { apiVersion, facts } = served;
  return { apiVersion, kind: facts.listKind, items: cases.map(({ shown }) => shown) };
}

function withTimes(value: JsonValue, chance: Chance): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withTimes(item, chance));
  if (isJsonObject(value)) {
    const changed: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) changed[key] = withTimes(item, chance);
    }
    return changed;
  }
  if (typeof value !== 'string' || !TIME.test(value)) return value;
  const age = AGES[Math.floor(chance() * AGES.length)] ?? 0;
  const seconds = age + Math.floor((chance() - 0.3) * age * 3);
  const micros = value.includes('.') ? '.000000' : '';
  return formatTime(NOW - seconds * SECOND).replace('Z', `${micros}Z`);
}

function columnsOf(table: JsonObject): JsonObject[] {
  const columns = table['columnDefinitions'];
  if (!Array.isArray(columns)) throw new Error('a table without columns');
  return columns.map(asObject);
}

function cellsOf(row: JsonObject): readonly JsonValue[] {
  const cells = row['cells'];
  return Array.isArray(cells) ? cells : [];
}

export function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON, or made from what was.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}
