/**
 * What a schema says about values, at its top and inside its junctors alike, in the form in which
 * both the fast and the telling validation read it.
 *
 * In Kubernetes: ConvertJSONSchemaPropsWithPostProcess and the removal of formats that a version
 * does not know, apiextensions-apiserver/pkg/apiserver/validation.
 */
import { isCheckedFormat } from './formats.ts';
import { NO_VALUES } from './parse-structural-schema.ts';
import type {
  NestedValueValidation,
  SchemaType,
  StructuralSchema,
  ValueValidation,
} from './structural-schema.ts';

export type AnySchema = StructuralSchema | NestedValueValidation;

export interface CheckedSchema {
  /** Empty: every type will do. Two for int-or-string. */
  readonly types: readonly SchemaType[];
  readonly nullable: boolean;
  /** '' unless it is one that is checked for this type. */
  readonly format: string;
  readonly values: ValueValidation;
  readonly items: AnySchema | undefined;
  readonly properties: ReadonlyMap<string, AnySchema>;
  readonly additionalProperties: AnySchema | undefined;
}

const ANY_TYPE: readonly SchemaType[] = [];
const INT_OR_STRING: readonly SchemaType[] = ['integer', 'string'];
const ONE_TYPE = new Map<SchemaType, readonly SchemaType[]>();

export function checkedSchema(schema: AnySchema): CheckedSchema {
  const { type, items, properties, additionalProperties } = schema;
  const isIntOrString = 'extensions' in schema && schema.extensions.intOrString;
  const types = isIntOrString ? INT_OR_STRING : typesOf(type);
  const values = schema.values ?? NO_VALUES;
  return {
    types,
    nullable: 'nullable' in schema && schema.nullable,
    format: checkedFormat(types, values.format),
    values,
    items,
    properties,
    additionalProperties: additionalProperties === true ? undefined : additionalProperties,
  };
}

function typesOf(type: SchemaType | ''): readonly SchemaType[] {
  if (type === '') return ANY_TYPE;
  let types = ONE_TYPE.get(type);
  if (types === undefined) ONE_TYPE.set(type, (types = [type]));
  return types;
}

function checkedFormat(types: readonly SchemaType[], format: string): string {
  if (format === '') return '';
  const type = types.length === 1 ? types[0] : 'string';
  switch (type) {
    case 'string':
      return isCheckedFormat(format) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}
