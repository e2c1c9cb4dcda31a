/**
 * Which parts of a schema have defaults, lists that are sets or maps, embedded resources or rules
 * in them. Most have not, and what walks through objects or schemas leaves those out.
 */
import { forEachValue, remembered } from '../json/work-in-slices.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface SchemaTraits {
  /** Schemas that have one, and those in which such a schema is. */
  readonly defaults: ReadonlySet<StructuralSchema>;
  readonly listTypes: ReadonlySet<StructuralSchema>;
  readonly embedded: ReadonlySet<StructuralSchema>;
  readonly rules: ReadonlySet<StructuralSchema>;
}

const known = new WeakMap<StructuralSchema, SchemaTraits>();

/** Found once for each schema that is asked about. */
export function schemaTraits(root: StructuralSchema): SchemaTraits {
  return remembered(() => {
    let traits = known.get(root);
    if (traits === undefined) {
      traits = collectTraits(root);
      known.set(root, traits);
    }
    return traits;
  });
}

function collectTraits(root: StructuralSchema): SchemaTraits {
  const traits = remembered(() => ({
    defaults: new Set<StructuralSchema>(),
    listTypes: new Set<StructuralSchema>(),
    embedded: new Set<StructuralSchema>(),
    rules: new Set<StructuralSchema>(),
  }));
  collect(root, traits);
  return traits;
}

interface Collected {
  readonly defaults: Set<StructuralSchema>;
  readonly listTypes: Set<StructuralSchema>;
  readonly embedded: Set<StructuralSchema>;
  readonly rules: Set<StructuralSchema>;
}

function collect(schema: StructuralSchema, traits: Collected): void {
  const { extensions } = schema;
  if (schema.default !== undefined) traits.defaults.add(schema);
  if (extensions.listType === 'set' || extensions.listType === 'map') traits.listTypes.add(schema);
  if (extensions.embeddedResource) traits.embedded.add(schema);
  if (extensions.validations.length > 0) traits.rules.add(schema);
  const { properties, items, additionalProperties } = schema;
  if (properties.size > 0) {
    forEachValue(properties, (property) => {
      collectPart(schema, property, traits);
    });
  }
  if (items !== undefined) collectPart(schema, items, traits);
  if (additionalProperties !== undefined && additionalProperties !== true) {
    collectPart(schema, additionalProperties, traits);
  }
}

function collectPart(schema: StructuralSchema, part: StructuralSchema, traits: Collected): void {
  collect(part, traits);
  if (traits.defaults.has(part)) traits.defaults.add(schema);
  if (traits.listTypes.has(part)) traits.listTypes.add(schema);
  if (traits.embedded.has(part)) traits.embedded.add(schema);
  if (traits.rules.has(part)) traits.rules.add(schema);
}

/** The schema of a field; undefined: fields of this name are of any kind, or are not known. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const known = schema.properties.get(name);
  if (known !== undefined) return known;
  const others = schema.additionalProperties;
  return others === true ? undefined : others;
}
