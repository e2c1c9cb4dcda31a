/** Rows of objects as clusters have them, and of what chance leaves of those; recorded as kube-apiserver prints them. */
import { join } from 'node:path';
import type { JsonObject } from '../../../api/json/json.ts';
import { resourceFacts, type ResourceFacts } from '../../../api/scheme/resource-facts.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { asKubeObject } from '../../../api/meta/object-meta.ts';
import { partialOf } from '../../../tools/partial-objects.fixture.ts';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { tableFor } from '../table.ts';
import { NOW } from './cluster-object.fixture.ts';
import { clusterObjects } from './cluster-objects.fixture.ts';

/** A section for each of {@link rowQuestions}. */
export const recordedRows = recordedAnswers(join(import.meta.dirname, 'rows.answers.txt'));

export interface RowQuestions {
  /** `v1 Pod`. */
  readonly name: string;
  readonly facts: ResourceFacts;
  /** As they are stored. */
  readonly objects: readonly JsonObject[];
}

const SEED = 20_261_123;
/** Of each object. */
const PARTS = 3;
/** What is left of one is often none that upstream can print. */
const WHOLE_ONLY = 'HorizontalPodAutoscaler';

/** Of each kind that has objects. */
export function rowQuestions(): readonly RowQuestions[] {
  const chance = chanceFrom(SEED);
  const served = builtInResources({ now: () => NOW, after: () => () => undefined });
  return resourceFacts().flatMap((facts): RowQuestions[] => {
    const { group, version, kind, typeId } = facts;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const whole = clusterObjects.filter(
      (one) => one['apiVersion'] === apiVersion && one['kind'] === kind,
    );
    const codec = typedCodec(typeId);
    const conversion = served.find((one) => one.facts.typeId === typeId)?.conversion;
    const stored = (object: JsonObject): JsonObject =>
      conversion?.toStorage(asKubeObject(object)) ?? object; // Decoded.
    const objects = whole
      .flatMap((one) => [
        one,
        ...Array.from({ length: kind === WHOLE_ONLY ? 0 : PARTS }, () =>
          partialOf(one, { kept: 0.8, nulls: false }, chance),
        ),
      ])
      .flatMap((one) => {
        const decoded = codec.decode(structuredClone(one));
        return decoded.ok ? [stored(decoded.value)] : [];
      });
    return objects.length === 0 ? [] : [{ name: `${apiVersion} ${kind}`, facts, objects }];
  });
}

export function ourRows({ facts, objects }: RowQuestions): unknown[] {
  const options = { includeObject: 'None', now: NOW } as const;
  return objects.map((one) => rowOf(tableFor(facts, [one], options)));
}

/** What of a table of one row is compared. */
export function rowOf(table: JsonObject): unknown {
  const rows = table['rows'];
  // A table of ours, or of the program that answers with tables.
  const [row] = Array.isArray(rows) ? (rows as JsonObject[]) : [];
  return { cells: row?.['cells'] ?? null, conditions: row?.['conditions'] ?? null };
}
