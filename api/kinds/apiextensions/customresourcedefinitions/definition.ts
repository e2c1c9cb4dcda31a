/**
 * Custom resource definitions, their defaults, and what the first delete does to one: it holds the
 * definition back until all of its objects are gone, and says so. actors/served-resources serves what
 * they define, and actors/controllers looks after them once they are written.
 *
 * In Kubernetes: apiextensions-apiserver/pkg/registry/customresourcedefinition (there a
 * deletecollection forgets to hold it back, and leaves the objects behind);
 * SetDefaults_CustomResourceDefinition; getUnrecognizedFormatsInCRD.
 */
import { isEqualJson } from '../../../json/json-tree.ts';
import { flatMapItems, forEachItem, remembered, someItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  JSONSchemaProps,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { defineKind } from '../../kind.ts';
import { specChanged } from '../../strategy-of.ts';
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from './validation.ts';
import { withCondition } from './conditions.ts';
import { goQuote } from '../../../json/go-format.ts';
import { isCheckedFormat } from '../../../structural-schema/formats.ts';
import { hoistSpec, schemasIn } from './hoisted-spec.ts';
import { someSchema } from './schema-parts.ts';

/** The kind CustomResourceDefinition; its first delete sets a finalizer instead of removing it. */
export const customResourceDefinitions = defineKind(
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  {
    rules: {
      takesAnyFinalizer: true,
      allowsUnconditionalUpdate: false,
      isNewGeneration: (definition, old) =>
        specChanged(definition, old) || valuesChanged(definition, old),
      status: {
        initial: () => ({
          conditions: null,
          acceptedNames: { plural: '', kind: '' },
          storedVersions: null,
        }),
        validateUpdate: validateDefinitionStatus,
      },
      prepareForCreate: addStoredVersion,
      prepareForUpdate: addStoredVersion,
      validate: validateDefinition,
      validateUpdate: validateDefinitionUpdate,
      warningsOnCreate: formatWarnings,
      warningsOnUpdate: formatWarnings,
      holdOnDelete: holdForInstances,
    },
  },
);

/** Of specs that are the same as far as types tell: defaults and examples have none, so null is another value there than none. */
function valuesChanged({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): boolean {
  const before = items(old.spec.versions);
  return someItem(items(spec.versions), ({ schema }, index) => {
    return !isEqualJson(schema, before[index]?.schema);
  });
}

/** Objects may lie in every version that was ever the storage version. */
function addStoredVersion(definition: CustomResourceDefinition): void {
  const { status } = definition;
  const storedVersions = items(status.storedVersions);
  const storage = items(definition.spec.versions).find((one) => one.storage);
  const version = storage?.name ?? '';
  if (storage === undefined || storedVersions.includes(version)) return;
  definition.status = { ...status, storedVersions: [...storedVersions, version] };
}

/**
 * The names that can be told from its kind, no conversion, and the first version that is marked for
 * storage as the one that has been stored.
 */
export function setCustomResourceDefinitionDefaults({
  spec,
  status,
}: CustomResourceDefinition): void {
  const { names } = spec;
  const { kind } = names;
  if (kind !== '') {
    names.singular ||= kind.toLowerCase();
    names.listKind ||= `${kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;

  const stored = items(spec.versions).find((version) => version.storage);
  if (items(status.storedVersions).length === 0 && stored !== undefined) {
    status.storedVersions = [stored.name];
  }
}

/** Holds a definition that is deleted until the controller has deleted its objects. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** @param now RFC 3339 */
function holdForInstances(definition: CustomResourceDefinition, now: string): void {
  const { metadata } = definition;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(CLEANUP_FINALIZER)) {
    metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
  }
  const message =
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  definition.status = withCondition(
    definition.status,
    { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message },
    now,
  );
}

/** @param old what it was before, which is not warned of again. */
function formatWarnings(
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): readonly string[] {
  const before = remembered(() => new Set(old === undefined ? [] : unknownFormats(old)));
  const now = remembered(() => unknownFormats(definition));
  return flatMapItems(now, (format) =>
    before.has(format) ? [] : [`unrecognized format ${goQuote(format)}`],
  );
}

function unknownFormats(definition: CustomResourceDefinition): string[] {
  const unknown = remembered((): string[] => []);
  const collect = ({ type = '', format = '' }: JSONSchemaProps): boolean => {
    if (format !== '' && !isFormatOf(type, format)) unknown.push(format);
    return false;
  };
  const spec = remembered(() => hoistSpec(definition.spec));
  forEachItem(schemasIn(spec), (schema) => {
    someSchema(schema, collect);
  });
  return unknown;
}

function isFormatOf(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return isCheckedFormat(format);
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}
