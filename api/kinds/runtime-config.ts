/**
 * Which of the built-in group versions and resources are served: `--runtime-config`.
 *
 * In Kubernetes: MergeAPIResourceConfigs, apiserver/pkg/server/resourceconfig.
 */
import type { ServedResource } from './resource-definition.ts';

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
  const problem = unknownIn(all, config);
  if (problem !== undefined) return problem;
  return all.filter(({ facts: { version, resource }, ...served }) => {
    const groupVersion = groupVersionOf(served);
    const ofResource = config.get(`${groupVersion}/${resource}`);
    return ofResource ?? config.get(groupVersion) ?? matched(version, config) ?? true;
  });
}

function unknownIn(all: readonly ServedResource[], config: RuntimeConfig): string | undefined {
  const versions = new Set(all.map(groupVersionOf));
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
function groupVersionOf({ apiVersion }: Pick<ServedResource, 'apiVersion'>): string {
  return apiVersion.includes('/') ? apiVersion : `api/${apiVersion}`;
}
