/**
 * Which of upstream's optional features are on. A gate is known when what stands behind it exists
 * here; those that upstream has locked, or that are one way of doing what can be done in no other here,
 * cannot be changed.
 *
 * In Kubernetes: component-base/featuregate and the gates of apiserver/pkg/features.
 */
interface Gate {
  readonly isOn: boolean;
  /** As upstream writes it: '' for what is generally available. */
  readonly stage: 'ALPHA' | 'BETA' | '';
  /** It can be named, and cannot be changed. */
  readonly isLocked: boolean;
}

const on = (stage: Gate['stage']): Gate => ({ isOn: true, stage, isLocked: true });
const off = (stage: Gate['stage']): Gate => ({ isOn: false, stage, isLocked: true });
const free = (stage: Gate['stage']): Gate => ({ isOn: true, stage, isLocked: false });
const freeAndOff = (stage: Gate['stage']): Gate => ({ isOn: false, stage, isLocked: false });

const GATES = {
  APIResponseCompression: free('BETA'),
  APIServerTracing: on(''),
  AllAlpha: off('ALPHA'),
  AllBeta: off('BETA'),
  AnonymousAuthConfigurableEndpoints: on(''),
  AuthorizeWithSelectors: on(''),
  CBORServingAndStorage: off('ALPHA'),
  ConsistentListFromCache: on(''),
  ConstrainedImpersonation: free('BETA'),
  ContextualLogging: on('BETA'),
  LoggingAlphaOptions: freeAndOff('ALPHA'),
  LoggingBetaOptions: free('BETA'),
  MutatingAdmissionPolicy: on(''),
  OpenAPIEnums: free('BETA'),
  RetryGenerateName: on(''),
  StorageVersionHash: free('BETA'),
  StreamingCollectionEncodingToJSON: on(''),
  StreamingCollectionEncodingToProtobuf: on(''),
  StructuredAuthenticationConfiguration: on(''),
  StructuredAuthorizationConfiguration: on(''),
  UnauthenticatedHTTP2DOSMitigation: free('BETA'),
  WatchList: free('BETA'),
} as const satisfies Record<string, Gate>;

export type GateName = keyof typeof GATES;

export class FeatureGates {
  readonly #changed: ReadonlyMap<string, boolean>;

  constructor(changed: ReadonlyMap<string, boolean> = new Map()) {
    this.#changed = changed;
  }

  isOn(name: GateName): boolean {
    return this.#changed.get(name) ?? GATES[name].isOn;
  }

  /** All that are known, for `/metrics`. */
  *entries(): Iterable<{
    readonly name: GateName;
    readonly stage: Gate['stage'];
    readonly isOn: boolean;
  }> {
    for (const name of Object.keys(GATES) as GateName[]) {
      yield { name, stage: GATES[name].stage, isOn: this.isOn(name) };
    }
  }
}

/**
 * @param texts each `Name=true` or `Name=false`.
 * @returns a sentence, upstream's, where one of them is no good.
 */
export function parseFeatureGates(texts: readonly string[]): FeatureGates | string {
  const changed = new Map<string, boolean>();
  for (const text of texts.map((one) => one.trim()).filter((one) => one !== '')) {
    const [name = '', value] = text.split('=', 2).map((part) => part.trim());
    if (value === undefined) return `missing bool value for ${name}`;
    const isOn = GO_BOOLEANS.get(value);
    if (isOn === undefined) {
      const why = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
      return `invalid value of ${name}=${value}, err: ${why}`;
    }
    const gate = Object.hasOwn(GATES, name) ? GATES[name as GateName] : undefined;
    if (gate === undefined) return `unrecognized feature gate: ${name}`;
    if (gate.isLocked && gate.isOn !== isOn) {
      const [wanted, is] = [String(isOn), String(gate.isOn)];
      return `cannot set feature gate ${name} to ${wanted}, feature is locked to ${is}`;
    }
    changed.set(name, isOn);
  }
  return new FeatureGates(changed);
}

const GO_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);
