/** ConfigMaps: small files and settings for pods. In Kubernetes: registry/core/configmap. */
import type { Kind } from '../../kind.ts';
import { strategyOf } from '../../strategy-of.ts';
import { validateConfigMap, validateConfigMapUpdate } from './validation.ts';

export const configMaps: Kind = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  strategy: strategyOf({
    validate: validateConfigMap,
    validateUpdate: validateConfigMapUpdate,
  }),
};
