/**
 * The two phases of admission: in the first, plug-ins may change what is going to be written; in the
 * second, behind the rules of the kind, they may only refuse it. Which plug-ins there are, and in
 * which order, is in admission-plugins.ts.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlace,
} from './admission-attributes.ts';
import type { AdmissionMeters, AdmissionPhase } from './admission-meters.ts';
import type { AdmissionPlugin, StepAt } from './admission-plugin.ts';
import { PluginChain } from './plugin-chain.ts';

interface Chains {
  readonly mutating: PluginChain;
  readonly validating: PluginChain;
}

type ChainsOf = Record<AdmissionOperation, Map<string, Chains>>;

export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #meters: AdmissionMeters;
  /** By the resource as it is served just now: a custom one that changes is another one. */
  readonly #chains = new WeakMap<ServedResource, ChainsOf>();

  /** @param plugins in the order in which they are asked. */
  constructor(plugins: readonly AdmissionPlugin[], meters: AdmissionMeters) {
    this.#plugins = plugins;
    this.#meters = meters;
  }

  /** Whether any plug-in has something to do there. */
  concerns(place: AdmissionPlace): boolean {
    const { mutating, validating } = this.#at(place);
    return !mutating.isEmpty || !validating.isEmpty;
  }

  /** The first phase. Gives the refusal, or undefined. */
  mutate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    return this.#at(attributes).mutating.run(attributes);
  }

  /** The second phase. Gives the refusal, or undefined. */
  validate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    return this.#at(attributes).validating.run(attributes);
  }

  #at({ served, operation, subresource }: AdmissionPlace): Chains {
    let chains = this.#chains.get(served);
    if (chains === undefined) {
      chains = { CREATE: new Map(), UPDATE: new Map(), DELETE: new Map(), CONNECT: new Map() };
      this.#chains.set(served, chains);
    }
    let found = chains[operation].get(subresource);
    if (found === undefined) {
      const place = { served, operation, subresource };
      found = {
        mutating: this.#chain('admit', place, ({ mutatesAt }) => mutatesAt),
        validating: this.#chain('validate', place, ({ validatesAt }) => validatesAt),
      };
      chains[operation].set(subresource, found);
    }
    return found;
  }

  #chain(
    phase: AdmissionPhase,
    place: AdmissionPlace,
    of: (plugin: AdmissionPlugin) => StepAt | undefined,
  ): PluginChain {
    const steps = this.#plugins.flatMap((plugin) => {
      const step = of(plugin)?.(place);
      return step === undefined ? [] : [{ name: plugin.name, step }];
    });
    return new PluginChain(steps, phase, place.operation, this.#meters);
  }
}
