/**
 * The merge types of custom resources, from their schemas. Every custom resource has apiVersion,
 * kind and metadata, whatever its schema says of them, and so has every embedded one.
 *
 * In Kubernetes: buildOpenAPIModelsForApply, apiextensions-apiserver/pkg/apiserver, and
 * ToSchemaFromOpenAPI, kube-openapi/pkg/schemaconv.
 */
import type { StructuralSchema } from '../structural-schema/structural-schema.ts';
import { mergeTypeOf } from './built-in-merge-types.ts';
import {
  DEDUCED,
  type MergeField,
  type MergeList,
  type MergeMap,
  type MergeType,
  UNTYPED_ATOMIC,
} from './merge-type.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Of a whole custom resource, with `apiVersion`, `kind` and `metadata`. */
export function mergeTypeOfSchema(schema: StructuralSchema): MergeType {
  return typeOf(schema, { isOpen: false, isResource: true });
}

interface SchemaContext {
  /** Something above keeps unknown fields. */
  readonly isOpen: boolean;
  readonly isResource: boolean;
}

function typeOf(schema: StructuralSchema, place: SchemaContext): MergeType {
  const isOpen = place.isOpen || schema.extensions.preserveUnknownFields;
  const isResource = place.isResource || schema.extensions.embeddedResource;
  switch (schema.type) {
    case 'object':
      return { map: mapOf(schema, { isOpen, isResource }) };
    case 'array':
      return { list: listOf(schema, isOpen) };
    case 'string':
      return isPlainText(schema) ? { scalar: 'string' } : UNTYPED_SCALAR;
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case '':
      return {
        scalar: 'untyped',
        list: listOf(schema, isOpen),
        map: mapOf(schema, { isOpen, isResource }),
      };
  }
}

const UNTYPED_SCALAR: MergeType = { scalar: 'untyped' };

/** What has a format need not be text, as far as merging is concerned. */
function isPlainText({ values }: StructuralSchema): boolean {
  return values === undefined || values.format === '' || values.format === 'byte';
}

function mapOf(schema: StructuralSchema, place: SchemaContext): MergeMap {
  const fields = new Map<string, MergeField>();
  for (const [name, field] of schema.properties) {
    const type = typeOf(field, { isOpen: place.isOpen, isResource: false });
    fields.set(name, { type, default: field.default });
  }
  if (place.isResource) addResourceFields(fields);
  const values = valuesOf(schema, { hasFields: fields.size > 0, ...place });
  const isUntyped = values === DEDUCED || values?.scalar === 'untyped';
  return {
    atomic: schema.extensions.mapType === 'atomic',
    fields,
    values,
    isOpen: fields.size === 0 && isUntyped,
  };
}

function addResourceFields(fields: Map<string, MergeField>): void {
  fields.set('apiVersion', { type: { scalar: 'string' }, default: undefined });
  fields.set('kind', { type: { scalar: 'string' }, default: undefined });
  fields.set('metadata', { type: mergeTypeOf(OBJECT_META), default: undefined });
}

function valuesOf(
  { additionalProperties }: StructuralSchema,
  { isOpen, hasFields }: { readonly isOpen: boolean; readonly hasFields: boolean },
): MergeType | undefined {
  if (additionalProperties === true) return DEDUCED;
  if (additionalProperties !== undefined) {
    return typeOf(additionalProperties, { isOpen, isResource: false });
  }
  return isOpen || !hasFields ? DEDUCED : undefined;
}

function listOf(schema: StructuralSchema, isOpen: boolean): MergeList {
  const relation = schema.extensions.listType ?? 'atomic';
  const keys = relation === 'map' ? schema.extensions.listMapKeys : [];
  const items =
    schema.items === undefined
      ? UNTYPED_ATOMIC
      : typeOf(schema.items, { isOpen, isResource: false });
  return { relation, keys, items };
}
