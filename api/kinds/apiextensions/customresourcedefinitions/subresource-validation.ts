/**
 * Where the parts of an object lie that `scale` and tables show.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionSubresources and
 * ValidateCustomResourceColumnDefinition.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { childPath } from '../../../field/field-path.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];

export function validateSubresources(
  subresources: JsonObject | undefined,
  path: string,
): FieldErrors {
  const scale = objectAt(subresources, 'scale');
  if (scale === undefined) return [];
  const specReplicas = stringAt(scale, 'specReplicasPath');
  const statusReplicas = stringAt(scale, 'statusReplicasPath');
  const selector = stringAt(scale, 'labelSelectorPath');
  const at = (key: string): string => childPath(path, `scale.${key}`);
  return [
    ...(specReplicas === ''
      ? [required(at('specReplicasPath'))]
      : validateBelow(at('specReplicasPath'), specReplicas, ['.spec'])),
    ...(statusReplicas === ''
      ? [required(at('statusReplicasPath'))]
      : validateBelow(at('statusReplicasPath'), statusReplicas, ['.status'])),
    ...(selector === ''
      ? []
      : validateBelow(at('labelSelectorPath'), selector, ['.spec', '.status'])),
  ];
}

function validateBelow(field: string, path: string, roots: readonly string[]): FieldErrors {
  const problems = validateSimplePath(field, path);
  if (problems.length > 0 || roots.some((root) => path.startsWith(`${root}.`))) return problems;
  const where = roots.length > 1 ? `either ${roots.join(' or ')}` : roots.join();
  return [invalidValue(field, path, `should be a json path under ${where}`)];
}

export function validateColumn(column: JsonObject, path: string): FieldErrors {
  const type = stringAt(column, 'type');
  const format = stringAt(column, 'format');
  const jsonPath = stringAt(column, 'jsonPath');
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const formats = `must be one of ${COLUMN_FORMATS.join(',')}`;
  const isKnown = COLUMN_TYPES.includes(type);
  return [
    ...(stringAt(column, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(type === '' ? [required(`${path}.type`, types)] : []),
    ...(type === '' || isKnown ? [] : [invalidValue(`${path}.type`, type, types)]),
    ...(format === '' || COLUMN_FORMATS.includes(format)
      ? []
      : [invalidValue(`${path}.format`, format, formats)]),
    // The field is named so.
    ...(jsonPath === ''
      ? [required(`${path}.JSONPath`)]
      : validateSimplePath(`${path}.JSONPath`, jsonPath)),
  ];
}

function validateSimplePath(field: string, path: string): FieldErrors {
  return path.startsWith('.')
    ? []
    : [invalidValue(field, path, 'must be a simple json path starting with .')];
}
