/** Schemas that nobody wrote: of the fields that every object has. */
import type { SchemaType, StructuralSchema } from '../structural-schema/structural-schema.ts';

/** Of a type and nothing else. */
export function plainSchema(
  type: SchemaType,
  properties: ReadonlyMap<string, StructuralSchema> = new Map(),
): StructuralSchema {
  return {
    type,
    title: '',
    description: '',
    nullable: false,
    default: undefined,
    properties,
    items: undefined,
    additionalProperties: undefined,
    extensions: {
      preserveUnknownFields: false,
      embeddedResource: false,
      intOrString: false,
      listType: undefined,
      listMapKeys: [],
      mapType: undefined,
      validations: [],
    },
    values: undefined,
  };
}
