/**
 * What an operator tells the plug-ins that ask webhooks, and those of policies: a kubeconfig file
 * with the users as which the server calls webhooks, each named as the server that it is for.
 * Manifests in a directory are an alpha feature whose gate is off, so naming one ends the start.
 *
 * In Kubernetes: LoadConfig of plugin/webhook/config and of plugin/policy/config, and
 * ValidateStaticManifestsDir, apiserver/pkg/admission; AuthenticationInfoResolver,
 * apiserver/pkg/util/webhook.
 */
import { isAbsolute } from 'node:path/posix';

import { type JsonObject, stringAt } from '../../../api/json/json.ts';
import {
  configurationOf,
  type PluginConfiguration,
  PluginConfigurationError,
} from '../plugin-configuration.ts';
import type {
  WebhookCredentials,
  WebhookTarget,
} from '../../../api/kinds/custom/webhook-client.ts';

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

/** `credentials` undefined: the webhook is called without any. */
export type FoundCredentials =
  | { readonly ok: true; readonly credentials: WebhookCredentials | undefined }
  | { readonly ok: false; readonly message: string };

/** The users of one plug-in's kubeconfig file, by the host or service of the webhook. */
export interface WebhookUsers {
  /** Never rejects. */
  credentialsFor(target: WebhookTarget): Promise<FoundCredentials>;
}

/** What a user of the webhook's server is called by: `check.shop.svc:443`, `example.com:8443`. */
export function serverOf({ url, service }: WebhookTarget): string {
  if (service !== undefined) {
    return `${service.name}.${service.namespace}.svc:${String(service.port)}`;
  }
  const address = URL.parse(url);
  return address === null ? '' : `${address.hostname}:${address.port || '443'}`;
}

/**
 * The name among `names` that is meant for `server`: its own, then with ever more of its head as
 * `*`, then the same without the port 443, then `*`; undefined: none is.
 */
export function userNameFor(
  server: string,
  names: { has(name: string): boolean },
): string | undefined {
  const withoutPort = server.endsWith(':443') ? candidates(server.slice(0, -':443'.length)) : [];
  return [...candidates(server), ...withoutPort, '*'].find((name) => names.has(name));
}

function candidates(server: string): readonly string[] {
  const steps = server.split('.');
  return [server, ...steps.slice(1).map((_step, at) => `*.${steps.slice(at + 1).join('.')}`)];
}
