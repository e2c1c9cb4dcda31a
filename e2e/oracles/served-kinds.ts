/**
 * Every built-in kind in every version that serves it, and any number of objects of it: complete
 * ones from k8s.io/api's test data and those whose rules are measured, with a seeded chance taking
 * parts away, changing them, and filling whole sections by their types. Few of them would be
 * accepted; what is asked of them here is done to objects before a rule judges them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { asKubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { resourceFacts, type ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { jsonFieldsOf } from '../../api/scheme/type-facts.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { type Chance } from '../../tools/seeded-chance.fixture.ts';
import { writtenDefinitions } from './crd/crd-samples.ts';
import type { OracleProgram } from './oracle-program.ts';
import { heldIn, oneOf, valueFor, type Choice } from './parity/chosen-value.ts';
import { mutated } from './parity/mutation.ts';
import { parityKinds } from './parity/parity-kinds.ts';
import { partialOf } from '../../tools/partial-objects.fixture.ts';

export interface KnownKind {
  /** `autoscaling/v1 HorizontalPodAutoscaler`. */
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly typeId: string;
  /** Objects to begin with, in this version's form; where it has none, one that is empty. */
  readonly bases: readonly JsonObject[];
}

export interface ServedKind extends KnownKind {
  readonly served: ServedResource;
}

export interface Variation {
  readonly count: number;
  readonly chance: Chance;
  /** Whether there may be nulls, as clients send them and stores never hold. */
  readonly nulls: boolean;
  /** Objects whose fields say what other fields of the same name may say as well. */
  readonly words?: readonly JsonObject[];
}

/** The group of this project's own kinds, which upstream has not. */
const OURS = 'dev.everwatch';

/** Whatever can be served, in the order of discovery. */
export function servedKinds(program: OracleProgram): ServedKind[] {
  const known = [...parityKinds.flatMap(({ bases }) => bases), ...writtenDefinitions()];
  const served = builtInResources(
    { now: () => 0, after: () => () => undefined },
    { allowPrivileged: false, hasOptional: () => true },
  );
  return served
    .filter(({ facts }) => facts.group !== OURS)
    .map((one): ServedKind => {
      const { apiVersion, facts } = one;
      const own = known.filter((base) => isOf(base, apiVersion, facts.kind));
      const bases = [...completeObject(program, facts), ...own, ...shownIn(one, known)];
      const empty = { apiVersion, kind: facts.kind };
      return {
        name: `${apiVersion} ${facts.kind}`,
        apiVersion,
        kind: facts.kind,
        typeId: facts.typeId,
        served: one,
        bases: bases.length === 0 ? [empty] : bases,
      };
    });
}

/** Kinds that are spoken by subresources only: `autoscaling/v1 Scale`, `policy/v1 Eviction`. */
export function subresourceKinds(program: OracleProgram): KnownKind[] {
  const found = new Map<string, KnownKind>();
  const resources = new Set(resourceFacts().map(({ typeId }) => typeId));
  for (const one of resourceFacts().flatMap(({ subresources }) => subresources)) {
    const { group, version, kind, typeId } = one;
    if (resources.has(typeId) || kind.endsWith('Options')) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const bases = [...completeObject(program, one), { apiVersion, kind }];
    found.set(typeId, { name: `${apiVersion} ${kind}`, apiVersion, kind, typeId, bases });
  }
  return [...found.values()];
}

/** The bases as they are, an empty object, and what chance makes of them. */
export function variedObjects(of: KnownKind, how: Variation): JsonObject[] {
  const { chance, count, nulls, words = [] } = how;
  const { apiVersion, kind, typeId, bases } = of;
  const choice: Choice = { chance, held: heldIn([...bases, ...words]) };
  const objects: JsonObject[] = [...bases, { apiVersion, kind }];
  while (objects.length < count) {
    const luck = chance();
    let object = oneOf(chance, bases);
    if (luck < 0.7) object = changed(object, typeId, choice);
    if (luck > 0.4) object = partialOf(object, { kept: 0.4 + 0.58 * chance(), nulls }, chance);
    objects.push({ ...object, apiVersion, kind });
  }
  return objects;
}

/** Some sections are made anew; in what there is, some things are changed. */
function changed(base: JsonObject, typeId: string, choice: Choice): JsonObject {
  const object = structuredClone(base);
  const fields = jsonFieldsOf(typeId).filter(
    ({ name }) => name !== 'apiVersion' && name !== 'kind',
  );
  for (const field of fields) {
    const isTold = field.name !== 'metadata';
    if (isTold && choice.chance() < 0.25) object[field.name] = valueFor(field, choice);
  }
  const sections = fields.map(({ name }) => name);
  let result = object;
  for (let times = oneOf(choice.chance, [0, 1, 1, 2, 4]); times > 0; times -= 1) {
    result = mutated(result, typeId, sections, choice);
  }
  return result;
}

function completeObject(
  program: OracleProgram,
  { group, version, kind }: Pick<ResourceFacts, 'group' | 'version' | 'kind'>,
): JsonObject[] {
  const file = join(program.fixtures, `${group === '' ? 'core' : group}.${version}.${kind}.json`);
  if (!existsSync(file)) return [];
  const object = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
  if (!isJsonObject(object)) throw new Error(`no object: ${file}`);
  return [object];
}

/** What is known of the version that is stored, in the form of this one. */
function shownIn({ conversion, definition }: ServedResource, known: readonly JsonObject[]) {
  const { group, version, kind } = definition.storageFacts;
  const stored = group === '' ? version : `${group}/${version}`;
  if (conversion === undefined) return [];
  return known
    .filter((base) => isOf(base, stored, kind))
    .map((base): JsonObject => conversion.fromStorage(asKubeObject(structuredClone(base))));
}

function isOf(object: JsonObject, apiVersion: string, kind: string): boolean {
  return object['apiVersion'] === apiVersion && object['kind'] === kind;
}
