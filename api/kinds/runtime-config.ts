/**
 * Which of the built-in group versions and resources are served: `--runtime-config`.
 *
 * In Kubernetes: MergeAPIResourceConfigs, apiserver/pkg/server/resourceconfig.
 */
import type { ServedResource } from './resource-definition.ts';
import { allResourceFacts, isOnByDefault, type ResourceFacts } from '../scheme/resource-facts.ts';

/** `api/beta`, `apps/v1`, `apps/v1/deployments` to whether it is on. The last of a key counts. */
export type RuntimeConfig = ReadonlyMap<string, boolean>;

type Preference = (version: string) => boolean;

/** In the order in which they are applied; later ones win. */
const MATCHERS: ReadonlyMap<string, Preference> = new Map<string, Preference>([
  ['api/all', () => true],
  ['api/ga', (version) => /^v\d+$/.test(version)],
  ['api/beta', (version) => /^v\d+beta\d+$/.test(version)],
  ['api/alpha', (version) => /^v\d+alpha\d+$/.test(version)],
]);

const VALUES: ReadonlyMap<string, boolean> = new Map([
  // A key without a value is switched on.
  ...['', '1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

/** @returns a sentence, upstream's, where one of the texts is no good in itself. */
export function parseRuntimeConfig(texts: readonly string[]): RuntimeConfig | string {
  const config = new Map<string, boolean>();
  for (const text of texts.map((one) => one.trim()).filter((one) => one !== '')) {
    const [key = '', value = ''] = text.split('=', 2).map((part) => part.trim());
    const isOn = VALUES.get(value);
    if (isOn === undefined) return `invalid value of ${key}: ${value}`;
    const parts = key.split('/');
    if (parts.length < 2 || parts.length > 3) return `runtime-config invalid key ${key}`;
    const resource = parts[2] ?? '';
    if (resource !== resource.toLowerCase()) {
      return `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`;
    }
    config.set(key, isOn);
  }
  if (config.size === 1 && config.get('api/all') === false) {
    return 'invalid key with only api/all=false';
  }
  return config;
}

/** @returns a sentence, upstream's, where the configuration names what there is not. */
export function enabledResources(
  all: readonly ServedResource[],
  config: RuntimeConfig,
): ServedResource[] | string {
  return unknownIn(config) ?? all.filter(({ facts }) => isEnabled(facts, config));
}

/** Whether the server is to serve it: told of the resource, of its version, of versions like it, or by default. */
export function isEnabled(
  facts: Pick<ResourceFacts, 'group' | 'version' | 'resource'>,
  config: RuntimeConfig,
): boolean {
  const { version, resource } = facts;
  const groupVersion = groupVersionOf(facts);
  const said = config.get(`${groupVersion}/${resource}`) ?? config.get(groupVersion);
  return said ?? matched(version, config) ?? isOnByDefault(facts);
}

function unknownIn(config: RuntimeConfig): string | undefined {
  const versions = new Set([...allResourceFacts().map(groupVersionOf), ...WITHOUT_RESOURCES]);
  const groups = new Set([...versions].map((key) => key.slice(0, key.indexOf('/'))));
  const named = [...config.keys()]
    .filter((key) => !MATCHERS.has(key))
    .map((key) => key.split('/') as [string, string]); // Two parts at least: see parse.
  const unknown = named.map(([group]) => group).filter((group) => !groups.has(group));
  if (unknown.length > 0) return `unknown api groups ${[...new Set(unknown)].sort().join(',')}`;
  const missing = named.find(([group, version]) => !versions.has(`${group}/${version}`));
  if (missing === undefined) return undefined;
  return `group version ${missing.join('/')} that has not been registered`;
}

/** undefined: nothing is said about such versions. */
function matched(version: string, config: RuntimeConfig): boolean | undefined {
  let isOn: boolean | undefined;
  for (const [key, matches] of MATCHERS) {
    const wanted = config.get(key);
    if (wanted !== undefined && matches(version)) isOn = wanted;
  }
  return isOn;
}

/** `apps/v1`; the core group is called `api` here. */
function groupVersionOf({ group, version }: Pick<ResourceFacts, 'group' | 'version'>): string {
  return `${group === '' ? 'api' : group}/${version}`;
}

/**
 * Group versions that kube-apiserver 1.36 knows and of which it serves nothing any more: they may be
 * switched on and off. A test compares them with the packages of k8s.io/api.
 */
export const WITHOUT_RESOURCES: readonly string[] = [
  ...['admission.k8s.io/v1', 'admission.k8s.io/v1beta1', 'imagepolicy.k8s.io/v1alpha1'],
  ...['apps/v1beta1', 'apps/v1beta2'],
  ...['authentication.k8s.io/v1alpha1', 'authentication.k8s.io/v1beta1'],
  ...['authorization.k8s.io/v1beta1', 'batch/v1beta1', 'discovery.k8s.io/v1beta1'],
  ...['events.k8s.io/v1beta1', 'extensions/v1beta1'],
  ...['v1beta1', 'v1beta2', 'v1beta3'].map((one) => `flowcontrol.apiserver.k8s.io/${one}`),
  ...['node.k8s.io/v1alpha1', 'node.k8s.io/v1beta1', 'policy/v1beta1'],
  ...['rbac.authorization.k8s.io/v1alpha1', 'rbac.authorization.k8s.io/v1beta1'],
  ...['scheduling.k8s.io/v1beta1', 'storage.k8s.io/v1alpha1'],
];
