/**
 * Which of upstream's optional features are on. All gates of kube-apiserver 1.36 are known, from generated
 * facts; some of them have two ways here. A gate without a second way is taken as well, since manifests set
 * gates for all components at once, and the operator is warned where it asks for the way that is not there.
 *
 * In Kubernetes: component-base/featuregate, and the gates of apiserver/pkg/features and pkg/features.
 */
import { readGenerated } from '../../api/generated/read-generated.ts';

interface Gate {
  readonly name: string;
  readonly default: boolean;
  /** As upstream writes it; undefined for what is generally available. */
  readonly stage?: 'ALPHA' | 'BETA' | 'DEPRECATED';
  /** Upstream refuses another value than the default. */
  readonly locked?: boolean;
  readonly dependsOn?: readonly string[];
  /** Asked for by code of the API server; others are of the kubelet, the scheduler or the controllers. */
  readonly ofServer?: boolean;
}

/** Gates with two ways in this server. */
const SWITCHED = [
  ...(['AllowUnsafeMalformedObjectDeletion', 'CBORServingAndStorage'] as const),
  ...(['APIResponseCompression', 'APIServerIdentity', 'ConstrainedImpersonation'] as const),
  ...(['LoggingAlphaOptions', 'UnknownVersionInteroperabilityProxy'] as const),
  ...(['LoggingBetaOptions', 'OpenAPIEnums', 'StorageVersionHash'] as const),
  ...(['ShardedListAndWatch', 'UnauthenticatedHTTP2DOSMitigation', 'WatchList'] as const),
  ...(['ComponentFlagz', 'ComponentStatusz'] as const),
  ...(['ClusterTrustBundle', 'CoordinatedLeaderElection', 'GenericWorkload'] as const),
  ...(['ClusterTrustBundleProjection', 'ContainerStopSignals'] as const),
  ...(['InPlacePodLevelResourcesVerticalScaling'] as const),
  ...(['InPlacePodVerticalScalingInitContainers'] as const),
  ...(['DRADeviceTaintRules', 'DRAResourcePoolStatus'] as const),
  ...(['PodCertificateRequest', 'StorageVersionMigrator'] as const),
  ...(['ServiceAccountNodeAudienceRestriction', 'StorageVersionAPI', 'WorkloadWithJob'] as const),
] as const;

/** A gate that this server asks for. */
export type GateName = (typeof SWITCHED)[number];

let facts: ReadonlyMap<string, Gate> | undefined;

function gates(): ReadonlyMap<string, Gate> {
  facts ??= new Map(
    (JSON.parse(readGenerated('feature-gates.json')) as Gate[]).map((gate) => [gate.name, gate]),
  );
  return facts;
}

/** What `--feature-gates` says, over the defaults. */
export class FeatureGates {
  readonly #changed: ReadonlyMap<string, boolean>;

  constructor(changed: ReadonlyMap<string, boolean> = new Map()) {
    this.#changed = changed;
  }

  isOn(name: GateName): boolean {
    return isOn(name, this.#changed);
  }

  /** All that are known, for `/metrics`: what the server was told, where it has but one way as well. */
  *entries(): Iterable<{
    readonly name: string;
    readonly stage: string;
    readonly isOn: boolean;
  }> {
    for (const { name, stage = '' } of gates().values()) {
      yield { name, stage, isOn: isOn(name, this.#changed) };
    }
  }

  /** Whether all gates but those are what they are by default. */
  areDefault(except: readonly GateName[]): boolean {
    const others = [...gates().values()].filter(({ name }) => !except.some((one) => one === name));
    return others.every((gate) => isOn(gate.name, this.#changed) === gate.default);
  }

  /** Gates of upstream's API server that were told to be what they cannot be here: sentences. */
  warnings(): string[] {
    return [...this.#changed].flatMap(([name, value]) => {
      const gate = gates().get(name);
      const set = `--feature-gates=${name}=${String(value)}`;
      if (name === 'AllAlpha' || name === 'AllBeta') {
        return [`${set}: has an effect on features only that can be switched here`];
      }
      const isSwitched = SWITCHED.some((one) => one === name);
      if (gate?.ofServer !== true || isSwitched || gate.default === value) return [];
      const why = value ? 'the feature is not there' : 'the feature cannot be switched off';
      return [`without effect: ${set}: ${why}`];
    });
  }

  /** Gates that were set and that upstream will remove, each with what it says of them. */
  outdated(): { readonly featureGate: string; readonly value: boolean; readonly text: string }[] {
    return [...this.#changed].flatMap(([featureGate, value]) => {
      const { stage } = gates().get(featureGate) ?? { stage: 'ALPHA' };
      if (stage === 'ALPHA' || stage === 'BETA') return [];
      const kind = stage === undefined ? 'GA' : 'deprecated';
      const text = `Warning: setting ${kind} feature gate. It will be removed in a future release.`;
      return [{ featureGate, value, text }];
    });
  }
}

function isOn(name: string, changed: ReadonlyMap<string, boolean>): boolean {
  const gate = gates().get(name);
  const ofStage = STAGES.get(gate?.stage ?? '');
  const byStage = ofStage === undefined || ofStage === name ? undefined : changed.get(ofStage);
  return changed.get(name) ?? byStage ?? gate?.default ?? false;
}

/** The gate that sets all gates of a stage that are not set by their own names. */
const STAGES: ReadonlyMap<string, string> = new Map([
  ['ALPHA', 'AllAlpha'],
  ['BETA', 'AllBeta'],
]);

/**
 * @param texts each `Name=true` or `Name=false`, with `kube:` before it or not.
 * @returns a sentence, upstream's, where one of them is no good.
 */
export function parseFeatureGates(texts: readonly string[]): FeatureGates | string {
  const changed = new Map<string, boolean>();
  const components = new Set<string>();
  for (const given of texts.map((one) => one.trim()).filter((one) => one !== '')) {
    const [component, text] = componentOf(given);
    components.add(component);
    const problem = componentProblem(component, components) ?? setGate(text, changed);
    if (problem !== undefined) return problem;
  }
  return lockedProblem(changed) ?? dependencyProblem(changed) ?? new FeatureGates(changed);
}

function componentOf(text: string): readonly [component: string, text: string] {
  const colon = text.indexOf(':');
  return colon < 0 ? ['', text] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function componentProblem(component: string, all: ReadonlySet<string>): string | undefined {
  if (component !== '' && component !== 'kube') return `component not registered: ${component}`;
  if (all.size < 2) return undefined;
  return 'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use';
}

function setGate(text: string, changed: Map<string, boolean>): string | undefined {
  const [name = '', value] = text.split(/=(.*)/s).map((part) => part.trim());
  if (value === undefined) return `missing bool value for ${name}`;
  const isSet = GO_BOOLEANS.get(value);
  if (isSet === undefined) {
    const why = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
    return `invalid value of ${name}=${value}, err: ${why}`;
  }
  changed.set(name, isSet);
  return gates().has(name) ? undefined : `unrecognized feature gate: ${name}`;
}

/** Several problems are one sentence, as upstream joins them. */
function joined(problems: readonly string[]): string | undefined {
  const [first, ...more] = [...new Set(problems)];
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`;
}

function lockedProblem(changed: ReadonlyMap<string, boolean>): string | undefined {
  const problems = [...changed].flatMap(([name, value]) => {
    const gate = gates().get(name);
    if (gate?.locked !== true || gate.default === value) return [];
    const [wanted, is] = [String(value), String(gate.default)];
    return [`cannot set feature gate ${name} to ${wanted}, feature is locked to ${is}`];
  });
  return joined(problems);
}

function dependencyProblem(changed: ReadonlyMap<string, boolean>): string | undefined {
  const problems = [...gates().values()].flatMap(({ name, dependsOn = [] }) => {
    const off = dependsOn.filter((one) => !isOn(one, changed));
    if (off.length === 0 || !isOn(name, changed)) return [];
    return [`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`];
  });
  return joined(problems);
}

const GO_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);
