/** The types that values can have. In Kubernetes: openapiV3Types. */
export const SCHEMA_TYPES: readonly string[] = [
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
];

/** None is known too. */
export function isKnownType(type: string): boolean {
  return type === '' || SCHEMA_TYPES.includes(type);
}
