/** What a definition need not be for the sake of what it was; see leniency.ts. */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { isKnownType, isStructural, someSchema } from './schema-parts.ts';
import { sameValue } from '../../rules/same-value.ts';
import { caBundleProblem, hasKnownReview } from './conversion-validation.ts';
import { hasCondition } from './conditions.ts';
import { hasUnprunedDefaults } from './default-validation.ts';
import { hoistSpec, schemaOfVersion, schemasIn, type HoistedSpec } from './hoisted-spec.ts';
import type { Leniency } from './leniency.ts';
import { listKeyErrors, nonAtomicKey } from './extension-validation.ts';

const FIELDS_MAX = 8;

/** What an update of `old` may leave as wrong as it was. */
export function leniencyTowards(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Leniency {
  const oldSpec = old.spec;
  const before = hoistSpec(oldSpec);
  const after = hoistSpec(definition.spec);
  const schemas = schemasIn(before);
  const none = (isWrong: (schema: JSONSchemaProps) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, isWrong));
  return {
    needsKnownReview: hasKnownReview(oldSpec.conversion),
    needsSameNames: hasCondition(old, 'Established'),
    needsSchema: allHaveSchemas(before),
    needsKnownTypes: none((schema) => !isKnownType(schema.type ?? '')),
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
  return versions.every((version) => hasSchema(version.schema));
}

function hasSchema(validation: CustomResourceValidation | undefined): boolean {
  return validation?.openAPIV3Schema !== undefined;
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
  const isKept = (old: readonly SelectableField[], next: readonly SelectableField[]): boolean =>
    old.length > FIELDS_MAX && sameValue([...old], [...next]);
  if (isKept(before.selectableFields, after.selectableFields)) allowed.add('');
  for (const version of after.versions) {
    const old = before.versions.findLast((one) => one.name === version.name);
    if (old === undefined) continue;
    const fields = items(version.selectableFields);
    if (isKept(items(old.selectableFields), fields)) allowed.add(version.name);
  }
  return allowed;
}

function sameSchemas(before: HoistedSpec, after: HoistedSpec): ReadonlySet<string> {
  const names = after.versions.map((version) => version.name);
  return new Set(
    names.filter((name) => sameValue(schemaOfVersion(before, name), schemaOfVersion(after, name))),
  );
}
