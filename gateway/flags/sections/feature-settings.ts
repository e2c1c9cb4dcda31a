/** Which features and APIs there are, and which controllers run. */
import { parseFeatureGates, type FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import { parseRuntimeConfig, type RuntimeConfig } from '../../../api/kinds/runtime-config.ts';
import { StartupError } from '../../process/startup-error.ts';
import { parseControllers } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface FeatureSettings {
  readonly featureGates: FeatureGates;
  readonly runtimeConfig: RuntimeConfig;
  /** Names of controllers that can be left out. */
  readonly controllers: ReadonlySet<string>;
}

export const FEATURE_SETTINGS: SettingsOf<FeatureSettings> = {
  featureGates: {
    flag: 'feature-gates',
    placeholder: 'NAME=BOOLEAN,...',
    help: 'features to switch on or off, by their names in Kubernetes; /metrics shows them as kubernetes_feature_enabled',
    takes: 'list',
    form: 'pairs',
    default: [],
    parse: parseGates,
  },
  runtimeConfig: {
    flag: 'runtime-config',
    placeholder: 'KEY=BOOLEAN,...',
    help: 'APIs to switch on or off: group/version, group/version/resource, api/all, api/ga, api/beta, api/alpha; api/v1 is the core group',
    takes: 'list',
    form: 'pairs',
    default: [],
    parse: parseConfig,
  },
  controllers: {
    flag: 'controllers',
    placeholder: 'LIST',
    help: 'controllers to run beside the server: * for all, NAME for one, -NAME for all but one; they stand aside while a kube-controller-manager holds its lease. There are garbage-collector-controller, namespace-controller, serviceaccount-controller, serviceaccount-token-controller, root-ca-certificate-publisher-controller, clusterrole-aggregation-controller, resourcequota-controller, service-cidr-controller and validatingadmissionpolicy-status-controller',
    takes: 'list',
    default: ['*'],
    parse: parseControllers,
  },
};

function parseGates(texts: readonly string[]): FeatureGates {
  const gates = parseFeatureGates(texts);
  if (typeof gates === 'string') throw new StartupError(gates);
  return gates;
}

function parseConfig(texts: readonly string[]): RuntimeConfig {
  const config = parseRuntimeConfig(texts);
  if (typeof config === 'string') throw new StartupError(config);
  return config;
}
