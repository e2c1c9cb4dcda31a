/**
 * What the operator says of quotas: which resources cannot be used where no quota says how much.
 *
 * In Kubernetes: ResourceQuotaConfiguration, apiserver/pkg/admission/plugin/resourcequota/apis.
 */
import { itemsAt, stringAt, textsAt } from '../../../../api/json/json.ts';
import type { LimitedResource } from '../../../../api/quota/quota-check.ts';
import { selectorOf } from '../../../../api/quota/quota-scopes.ts';
import {
  configurationOf,
  PluginConfigurationError,
  type PluginConfiguration,
} from '../../plugin-configuration.ts';

const OLD_VERSIONS = ['v1beta1', 'v1alpha1'].map((one) => `resourcequota.admission.k8s.io/${one}`);

/** @throws PluginConfigurationError */
export function limitedResourcesIn(
  configuration: PluginConfiguration | undefined,
): readonly LimitedResource[] {
  if (configuration === undefined) return [];
  const isOld = configuration.content['kind'] === 'Configuration';
  const content = configurationOf(configuration, {
    kind: isOld ? 'Configuration' : 'ResourceQuotaConfiguration',
    versions: isOld ? OLD_VERSIONS : ['apiserver.config.k8s.io/v1'],
  });
  return itemsAt(content, 'limitedResources').map((one, index) => {
    const group = stringAt(one, 'apiGroup');
    const resource = stringAt(one, 'resource');
    if (resource === '') {
      const field = `limitedResources[${String(index)}].resource`;
      throw new PluginConfigurationError(`${configuration.file}: ${field}: Required value`);
    }
    return {
      resource: `${group === '' ? 'core' : group}/${resource}`,
      matchContains: textsAt(one, 'matchContains'),
      matchScopes: itemsAt(one, 'matchScopes').map(selectorOf),
    };
  });
}
