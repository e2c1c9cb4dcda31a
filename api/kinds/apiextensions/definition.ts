/**
 * Custom resource definitions. What they define is served by `resources/custom`, and what becomes of
 * them after they were written is the work of `controllers/crd-controllers.ts`.
 *
 * In Kubernetes: apiextensions-apiserver/pkg/registry/customresourcedefinition.
 */
import { items } from '../../json/go-values.ts';
import type { CustomResourceDefinition } from '../../generated/kinds/apiextensions-v1.ts';
import { defineKind } from '../kind.ts';
import { specChanged } from '../strategy-of.ts';
import { holdForInstances } from './customresourcedefinitions/deletion.ts';
import { formatWarnings } from './customresourcedefinitions/format-warnings.ts';
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from './customresourcedefinitions/validation.ts';

export const customResourceDefinitions = defineKind(
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  {
    rules: {
      takesAnyFinalizer: true,
      allowsUnconditionalUpdate: false,
      isNewGeneration: specChanged,
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

/** Objects may lie in every version that was ever the storage version. */
function addStoredVersion(definition: CustomResourceDefinition): void {
  const status = definition.status;
  const storedVersions = items(status.storedVersions);
  const storage = items(definition.spec.versions).find((one) => one.storage);
  const version = storage?.name ?? '';
  if (storage === undefined || storedVersions.includes(version)) return;
  definition.status = { ...status, storedVersions: [...storedVersions, version] };
}
