/** ConfigMaps: small files and settings for pods. In Kubernetes: registry/core/configmap. */
import { defineKind } from '../../kind.ts';
import { validateConfigMap, validateConfigMapUpdate } from './validation.ts';

export const configMaps = defineKind('v1/configmaps', {
  rules: {
    validate: validateConfigMap,
    validateUpdate: validateConfigMapUpdate,
  },
});
