/**
 * Custom resource definitions, stored only: nothing is served from them yet.
 *
 * In Kubernetes: apiextensions-apiserver/pkg/registry/customresourcedefinition.
 */
import { objectAt, stringAt } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import { specChanged, strategyOf } from '../strategy-of.ts';
import { holdForInstances } from './customresourcedefinitions/deletion.ts';
import { isMissing, objectsAt, specOf, statusOf, stringsAt } from '../value-validation.ts';

export const customResourceDefinitions: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  strategy: strategyOf({
    allowsUnconditionalUpdate: false,
    isNewGeneration: specChanged,
    status: {
      initial: () => ({
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: null,
      }),
    },
    prepareForCreate: addStoredVersion,
    prepareForUpdate: addStoredVersion,
    validate: validateName,
    holdOnDelete: holdForInstances,
  }),
};

/** Objects may lie in every version that was ever the storage version. */
function addStoredVersion(definition: KubeObject): void {
  const status = statusOf(definition);
  const storedVersions = stringsAt(status, 'storedVersions');
  const storage = objectsAt(specOf(definition), 'versions').find((one) => one['storage'] === true);
  const version = stringAt(storage, 'name');
  if (version === '' || storedVersions.includes(version)) return;
  definition['status'] = { ...status, storedVersions: [...storedVersions, version] };
}

function validateName(definition: KubeObject): FieldErrors {
  const spec = specOf(definition);
  const plural = stringAt(objectAt(spec, 'names'), 'plural');
  const group = stringAt(spec, 'group');
  const { name = '' } = definition.metadata;
  const expected = `${plural}.${group}`;
  return [
    ...(name === expected
      ? []
      : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...(group === '' ? [required('spec.group')] : []),
    ...(isMissing(spec['scope']) ? [required('spec.scope')] : []),
    ...(plural === '' ? [required('spec.names.plural')] : []),
  ];
}
