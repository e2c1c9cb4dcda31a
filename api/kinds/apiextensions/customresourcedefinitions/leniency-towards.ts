/** What a definition need not be for the sake of what it was; see leniency.ts. */
import type { CustomResourceDefinition } from '../../../generated/kinds/apiextensions-v1.ts';
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { isStructural } from './schema-structure.ts';
import { sameValue } from '../../rules/same-value.ts';
import { objectsAt } from '../../rules/value-validation.ts';
import { caBundleProblem } from './ca-bundle.ts';
import { hasCondition } from './conditions.ts';
import { hasKnownReview } from './conversion-validation.ts';
import { hasUnprunedDefaults } from './default-validation.ts';
import { hoistSpec, schemaOfVersion, schemasIn, type HoistedSpec } from './hoisted-spec.ts';
import type { Leniency } from './leniency.ts';
import { listKeyErrors, nonAtomicKey } from './list-key-validation.ts';
import { someSchema } from './schema-parts.ts';
import { isKnownType } from './schema-type.ts';

const FIELDS_MAX = 8;

export function leniencyTowards(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Leniency {
  const oldSpec = old.spec;
  const before = hoistSpec(oldSpec);
  const after = hoistSpec(definition.spec);
  const schemas = schemasIn(before);
  const none = (isWrong: (schema: JsonObject) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, isWrong));
  return {
    needsKnownReview: hasKnownReview(oldSpec.conversion),
    needsSameNames: hasCondition(old, 'Established'),
    needsSchema: allHaveSchemas(before),
    needsKnownTypes: none((schema) => !isKnownType(stringAt(schema, 'type'))),
    needsStructure: schemas.every(isStructural),
    needsPrunedDefaults: !schemas.some(hasUnprunedDefaults),
    needsAtomicSets: none((schema) => nonAtomicKey(schema) !== undefined),
    needsListKeys: none((schema) => listKeyErrors(schema, '').length > 0),
    allowsInvalidCaBundle: allowsInvalidCaBundle(old),
    tooManyFields: tooManyFields(before, after),
    sameSchemas: sameSchemas(before, after),
  };
}

function allHaveSchemas({ schema, versions }: HoistedSpec): boolean {
  if (hasSchema(schema)) return true;
  return versions.every((version) => hasSchema(objectAt(version, 'schema')));
}

function hasSchema(validation: JsonObject | undefined): boolean {
  return objectAt(validation, 'openAPIV3Schema') !== undefined;
}

function allowsInvalidCaBundle(old: CustomResourceDefinition): boolean {
  if (!hasCondition(old, 'Established')) return true;
  const webhook = old.spec.conversion?.webhook;
  const bundle = webhook?.clientConfig?.caBundle ?? '';
  return bundle !== '' && caBundleProblem(bundle) !== undefined;
}

/** Where there were too many before, and still are the same. */
function tooManyFields(before: HoistedSpec, after: HoistedSpec): ReadonlySet<string> {
  const allowed = new Set<string>();
  const isKept = (old: readonly JsonValue[], next: readonly JsonValue[]): boolean =>
    old.length > FIELDS_MAX && sameValue([...old], [...next]);
  if (isKept(before.selectableFields, after.selectableFields)) allowed.add('');
  for (const version of after.versions) {
    const old = before.versions.findLast((one) => one['name'] === version['name']);
    if (old === undefined) continue;
    const fields = objectsAt(version, 'selectableFields');
    if (isKept(objectsAt(old, 'selectableFields'), fields)) allowed.add(stringAt(version, 'name'));
  }
  return allowed;
}

function sameSchemas(before: HoistedSpec, after: HoistedSpec): ReadonlySet<string> {
  const names = after.versions.map((version) => stringAt(version, 'name'));
  return new Set(
    names.filter((name) => sameValue(schemaOfVersion(before, name), schemaOfVersion(after, name))),
  );
}
