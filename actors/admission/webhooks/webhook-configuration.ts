/**
 * What an operator tells the plug-ins that ask webhooks, and those of policies: a kubeconfig file
 * with the users the server presents itself as. Manifests in a directory are an alpha feature whose
 * gate is off, so naming one ends the start.
 *
 * In Kubernetes: LoadConfig of plugin/webhook/config and of plugin/policy/config, and
 * ValidateStaticManifestsDir, apiserver/pkg/admission.
 */
import { isAbsolute } from 'node:path/posix';

import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import {
  configurationOf,
  PluginConfigurationError,
  type PluginConfiguration,
} from '../plugin-configuration.ts';

const VERSIONS = ['apiserver.config.k8s.io/v1'];

/**
 * The absolute path of the kubeconfig file with credentials for webhooks; '' where there is none.
 *
 * @throws PluginConfigurationError
 */
export function webhookKubeconfigIn(
  plugin: string,
  configuration: PluginConfiguration | undefined,
): string {
  const kind = 'WebhookAdmissionConfiguration';
  const content = contentOf(plugin, configuration, { kind, keys: ['kubeConfigFile'] });
  const file = stringAt(content, 'kubeConfigFile');
  if (file === '' || isAbsolute(file)) return file;
  const shown = JSON.stringify(file);
  return refuse(plugin, `kubeConfigFile: Invalid value: ${shown}: must be an absolute file path`);
}

/**
 * Refuses what a plug-in of policies cannot be told.
 *
 * @param kind `ValidatingAdmissionPolicy` or `MutatingAdmissionPolicy`, which also is the plug-in's name.
 * @throws PluginConfigurationError
 */
export function checkPolicyConfiguration(
  kind: string,
  configuration: PluginConfiguration | undefined,
): void {
  contentOf(kind, configuration, { kind: `${kind}Configuration`, keys: [] });
}

const GATE = 'ManifestBasedAdmissionControlConfig';

function contentOf(
  plugin: string,
  configuration: PluginConfiguration | undefined,
  { kind, keys }: { readonly kind: string; readonly keys: readonly string[] },
): JsonObject {
  if (configuration === undefined) return {};
  const content = configurationOf(configuration, { kind, versions: VERSIONS });
  const known = ['apiVersion', 'kind', 'staticManifestsDir', ...keys];
  const unknown = Object.keys(content).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    refuse(plugin, `strict decoding error: unknown field ${JSON.stringify(unknown)}`);
  }
  if (stringAt(content, 'staticManifestsDir') === '') return content;
  const why = `staticManifestsDir requires the ${GATE} feature gate to be enabled`;
  return refuse(plugin, `staticManifestsDir: Forbidden: ${why}`);
}

function refuse(plugin: string, why: string): never {
  throw new PluginConfigurationError(
    `couldn't init admission plugin ${JSON.stringify(plugin)}: ${why}`,
  );
}
