/**
 * Which parts of a schema have defaults, lists that are sets or maps, or embedded resources in
 * them. Most have not, and what walks through objects leaves those out.
 */
import type { StructuralSchema } from './structural-schema.ts';

export interface SchemaTraits {
  /** Schemas that have one, and those in which such a schema is. */
  readonly defaults: ReadonlySet<StructuralSchema>;
  readonly listTypes: ReadonlySet<StructuralSchema>;
  readonly embedded: ReadonlySet<StructuralSchema>;
}

export function schemaTraits(root: StructuralSchema): SchemaTraits {
  const traits = {
    defaults: new Set<StructuralSchema>(),
    listTypes: new Set<StructuralSchema>(),
    embedded: new Set<StructuralSchema>(),
  };
  collect(root, traits);
  return traits;
}

interface Collected {
  readonly defaults: Set<StructuralSchema>;
  readonly listTypes: Set<StructuralSchema>;
  readonly embedded: Set<StructuralSchema>;
}

function collect(schema: StructuralSchema, traits: Collected): void {
  const { extensions } = schema;
  if (schema.default !== undefined) traits.defaults.add(schema);
  if (extensions.listType === 'set' || extensions.listType === 'map') traits.listTypes.add(schema);
  if (extensions.embeddedResource) traits.embedded.add(schema);
  for (const child of partsOf(schema)) {
    collect(child, traits);
    if (traits.defaults.has(child)) traits.defaults.add(schema);
    if (traits.listTypes.has(child)) traits.listTypes.add(schema);
    if (traits.embedded.has(child)) traits.embedded.add(schema);
  }
}

function* partsOf(schema: StructuralSchema): Iterable<StructuralSchema> {
  const { properties, items, additionalProperties } = schema;
  yield* properties.values();
  if (items !== undefined) yield items;
  if (additionalProperties !== undefined && additionalProperties !== true) {
    yield additionalProperties;
  }
}

/** The schema of a field; undefined: fields of this name are of any kind, or are not known. */
export function fieldSchema(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const known = schema.properties.get(name);
  if (known !== undefined) return known;
  const others = schema.additionalProperties;
  return others === true ? undefined : others;
}
