/**
 * Which resources of beta and alpha versions a server has: `--runtime-config` asks for them, and some
 * need a feature gate as well.
 *
 * In Kubernetes: NewRESTStorage of kubernetes/pkg/registry/*\/rest, whose warnings are kept.
 */
import type { FeatureGates, GateName } from '../../../actors/lifecycle/feature-gates.ts';
import type { BuiltInOptions } from '../../../api/kinds/built-in.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { isEnabled } from '../../../api/kinds/runtime-config.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import {
  allResourceFacts,
  isOnByDefault,
  type ResourceFacts,
} from '../../../api/scheme/resource-facts.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';

interface NeededGate {
  readonly gate: GateName;
  readonly kind: string;
}

const NEEDED: ReadonlyMap<string, NeededGate> = new Map([
  ['clustertrustbundles', { gate: 'ClusterTrustBundle', kind: 'ClusterTrustBundle' }],
  ['storageversionmigrations', { gate: 'StorageVersionMigrator', kind: 'StorageVersionMigration' }],
]);

/** What the options say of the kinds that are built in. */
export function builtInOptions({
  admission,
  features,
}: Pick<ServeOptions, 'admission' | 'features'>): BuiltInOptions {
  const { featureGates, runtimeConfig } = features;
  return {
    allowPrivileged: admission.allowPrivileged,
    hasOptional: (facts) => isEnabled(facts, runtimeConfig) && hasGate(facts, featureGates),
  };
}

function hasGate({ resource }: ResourceFacts, gates: FeatureGates): boolean {
  const needed = NEEDED.get(resource);
  return needed === undefined || gates.isOn(needed.gate);
}

/** Resources that were asked for by their names or with others like them, and that are not there: sentences. */
export function missingResources(
  { features }: Pick<ServeOptions, 'features'>,
  clock: Clock,
): readonly string[] {
  const { featureGates, runtimeConfig } = features;
  const all = builtInResources(clock, { allowPrivileged: false, hasOptional: () => true });
  const known = new Set(all.map(({ facts }) => pathOf(facts)));
  const asked = allResourceFacts().filter(
    (facts) => !isOnByDefault(facts) && isEnabled(facts, runtimeConfig),
  );
  const sentences = asked.flatMap((facts) => {
    const path = pathOf(facts);
    if (!known.has(path)) return [`without effect: --runtime-config: ${path} is not there`];
    const needed = NEEDED.get(facts.resource);
    if (needed === undefined || hasGate(facts, featureGates)) return [];
    const { gate, kind } = needed;
    return [`${kind} storage is disabled because the ${gate} feature gate is disabled`];
  });
  return [...new Set(sentences)];
}

function pathOf({ group, version, resource }: ResourceFacts): string {
  return `${group}/${version}/${resource}`;
}
