/**
 * The file of --admission-control-config-file: for each plug-in what it has to know, inline or in a
 * file of its own.
 *
 *     apiVersion: apiserver.config.k8s.io/v1
 *     kind: AdmissionConfiguration
 *     plugins:
 *       - name: EventRateLimit
 *         path: event-limits.yaml
 *
 * In Kubernetes: ReadAdmissionConfiguration, apiserver/pkg/admission/config.go.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { formatJson } from '../../api/json/json-text.ts';
import type { PluginConfiguration } from '../../actors/admission/plugin-configuration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { parseYaml } from '../negotiation/yaml-codec.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

/** By the name of the plug-in. */
export type AdmissionConfiguration = ReadonlyMap<string, PluginConfiguration>;

const API_VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'];
const KIND = 'AdmissionConfiguration';
/** From before this file had a form: then all of it is for these. */
const WITHOUT_FORM: Readonly<Record<string, string>> = {
  ImagePolicyWebhook: 'imagePolicy',
  PodNodeSelector: 'podNodeSelectorPluginConfig',
};

/** @throws StartupError that says what is wrong, and in which file. */
export function readAdmissionConfiguration(file: string): AdmissionConfiguration {
  const content = readYamlFile(file);
  const { apiVersion, kind } = content;
  const isOfForm = API_VERSIONS.some((known) => known === apiVersion) && kind === KIND;
  if (!isOfForm) return withoutForm(content, file);
  expectKeys(content, ['apiVersion', 'kind', 'plugins'], file);
  const { plugins = [] } = content;
  if (!Array.isArray(plugins)) throw new StartupError(`${file}: plugins must be a list`);
  const found = new Map<string, PluginConfiguration>();
  for (const plugin of plugins) {
    const [name, configuration] = entryOf(plugin, file);
    // The first of a name counts.
    if (configuration !== undefined && !found.has(name)) found.set(name, configuration);
  }
  return found;
}

function withoutForm(content: JsonObject, file: string): AdmissionConfiguration {
  const isOld = Object.values(WITHOUT_FORM).some((key) => content[key] !== undefined);
  if (!isOld) {
    const said = `${formatJson(content['apiVersion'] ?? '')}, ${formatJson(content['kind'] ?? '')}`;
    throw new StartupError(`${file}: must be ${API_VERSIONS[0] ?? ''}, ${KIND}, not ${said}`);
  }
  return new Map(Object.keys(WITHOUT_FORM).map((name) => [name, { content, file }]));
}

function entryOf(
  plugin: JsonValue,
  file: string,
): readonly [name: string, configuration: PluginConfiguration | undefined] {
  if (!isJsonObject(plugin) || typeof plugin['name'] !== 'string') {
    throw new StartupError(`${file}: each of plugins must have a name`);
  }
  const { name, path = '', configuration } = plugin;
  expectKeys(plugin, ['name', 'path', 'configuration'], `${file}: plugin ${name}`);
  if (isJsonObject(configuration)) return [name, { content: configuration, file }];
  if (configuration !== undefined && configuration !== null) {
    throw new StartupError(`${file}: the configuration of plugin ${name} must be an object`);
  }
  if (typeof path !== 'string') {
    throw new StartupError(`${file}: the path of plugin ${name} must be a text`);
  }
  if (path === '') return [name, undefined];
  const own = resolve(dirname(file), path);
  return [name, { content: readYamlFile(own), file: own }];
}

/** In Kubernetes the decoder is strict here: what is misspelt is not a default. */
function expectKeys(content: JsonObject, keys: readonly string[], where: string): void {
  const unknown = Object.keys(content).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new StartupError(`${where}: unknown field ${JSON.stringify(unknown)}`);
}

function readYamlFile(file: string): JsonObject {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new StartupError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error });
  }
  let content: JsonValue;
  try {
    content = parseYaml(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartupError(`${file}: ${why}`, { cause: error });
  }
  if (!isJsonObject(content)) throw new StartupError(`${file}: must be a YAML mapping`);
  return content;
}
