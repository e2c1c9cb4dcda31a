/**
 * Takes objects through our conversions and through upstream's, and compares them wherever they
 * are: as they are stored, as each other version shows them, and as that is stored again.
 */
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ResourceFacts } from '../../../api/scheme/resource-facts.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { OracleProgram } from '../oracle-program.ts';
import {
  asObject,
  differingPlaces,
  withoutTaintTimes,
  type ObjectDifference,
} from './object-differences.ts';

export interface Comparison {
  /** How many objects both could bring to the stored version. */
  readonly stored: number;
  /** How often one of them was shown in another version and brought back. */
  readonly shown: number;
  /** How many of those came back as they had been stored. */
  readonly unchanged: number;
  readonly differences: readonly ObjectDifference[];
}

interface Case {
  readonly object: JsonObject;
  /** By us, in the stored version. */
  readonly stored: KubeObject;
}

/** The objects of one kind that both can read, and what became different on the way. */
interface Journey {
  readonly program: OracleProgram;
  /** What upstream does to read an object and store it. */
  readonly toStorage: readonly string[];
  readonly cases: Case[];
  readonly differences: ObjectDifference[];
}

export function conversionsCompared(
  program: OracleProgram,
  served: ServedResource,
  objects: readonly JsonObject[],
): Comparison {
  const storage = apiVersionOf(served.definition.storageFacts);
  const toStorage = ['default', storage, 'default'];
  const journey: Journey = { program, toStorage, cases: [], differences: [] };
  const { cases, differences } = journey;
  const theirs = begin(journey, served, objects);
  const stored = canonical(
    program,
    cases.map((one) => one.stored),
  );
  compare(journey, storage, stored, theirs);
  let [shownCount, unchanged] = [0, 0];
  for (const other of served.definition.versions()) {
    const { apiVersion, conversion } = other;
    if (conversion === undefined) continue;
    const steps = [...toStorage, apiVersion];
    const shown = cases.map((one) => conversion.fromStorage(structuredClone(one.stored)));
    compare(journey, apiVersion, canonical(program, shown), upstreamBy(journey, steps));
    const back = canonical(
      program,
      shown.map((one) => storedForm(other, one) ?? {}),
    );
    const andBack = [...steps, 'default', storage, 'default'];
    compare(journey, `${apiVersion} and back`, back, upstreamBy(journey, andBack));
    shownCount += cases.length;
    unchanged += cases.filter((_, at) => isSame(back[at], stored[at])).length;
  }
  return { stored: cases.length, shown: shownCount, unchanged, differences };
}

/** Finds the objects that both can read, and how upstream stores them. */
function begin(
  { program, toStorage, cases, differences }: Journey,
  served: ServedResource,
  objects: readonly JsonObject[],
): JsonObject[] {
  const theirs: JsonObject[] = [];
  const answers = program.ask(objects.map((object) => ({ steps: toStorage, object })));
  for (const [index, object] of objects.entries()) {
    const upstream = asComparable(answers[index]);
    const { error } = upstream;
    const ours = storedForm(served, structuredClone(object));
    if (ours !== undefined && error === undefined) {
      cases.push({ object, stored: ours });
      theirs.push(upstream);
    } else if (ours !== undefined || error === undefined) {
      const why = { ours: ours === undefined ? 'refused' : 'read', upstream: error };
      differences.push({ path: '', ...why, way: 'reading', object });
    }
  }
  return theirs;
}

function compare(
  { cases, differences }: Journey,
  way: string,
  ours: readonly JsonObject[],
  theirs: readonly JsonObject[],
): void {
  for (const [index, { object }] of cases.entries()) {
    const places = differingPlaces(ours[index] ?? {}, theirs[index] ?? {});
    differences.push(...places.map((place) => ({ ...place, way, object })));
  }
}

function upstreamBy({ program, cases }: Journey, steps: readonly string[]): JsonObject[] {
  return program.ask(cases.map(({ object }) => ({ steps, object }))).map(asComparable);
}

function canonical(program: OracleProgram, ours: readonly JsonObject[]): JsonObject[] {
  return program.ask(ours.map((object) => ({ steps: [], object }))).map(asComparable);
}

/** As it is before a strategy has its turn; undefined: it cannot be read. */
function storedForm(served: ServedResource, object: JsonObject): KubeObject | undefined {
  const { codec, conversion, definition, setDefaults, apiVersion, facts } = served;
  const decoded = codec.decode(object);
  if (!decoded.ok) return undefined;
  const read = { ...decoded.value, apiVersion, kind: facts.kind };
  const owned: KubeObject = { ...read, metadata: asObject(decoded.value['metadata'] ?? {}) };
  setDefaults?.(owned);
  if (conversion === undefined) return owned;
  const stored = conversion.toStorage(owned);
  const storage = definition.versions().find((one) => one.conversion === undefined);
  storage?.setDefaults?.(stored);
  return stored;
}

/** But for the order of an autoscaler's metrics: the one that v1 has a field for comes last. */
function isSame(one: JsonObject = {}, other: JsonObject = {}): boolean {
  return differingPlaces(withSortedMetrics(one), withSortedMetrics(other)).length === 0;
}

function withSortedMetrics(object: JsonObject): JsonObject {
  const spec = objectAt(object, 'spec');
  if (!Array.isArray(spec?.['metrics'])) return object;
  const metrics = spec['metrics'].map((metric) => JSON.stringify(metric)).sort();
  return { ...object, spec: { ...spec, metrics } };
}

function asComparable(answer: unknown): JsonObject {
  return withoutTaintTimes(asObject(answer));
}

function apiVersionOf({ group, version }: ResourceFacts): string {
  return group === '' ? version : `${group}/${version}`;
}
