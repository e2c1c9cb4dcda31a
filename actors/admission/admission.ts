/**
 * The two phases of admission: in the first, plug-ins may change what is going to be written; in the
 * second, behind the rules of the kind, they may only refuse it. Which plug-ins there are, and in
 * which order, is in admission-plugins.ts.
 *
 * The plug-ins that have something to do in one phase at one place are a chain, found once. It is the
 * one place that waits for a plug-in, and where none has to wait, all are asked on one stack.
 *
 * In Kubernetes: chainAdmissionHandler and reinvoker, apiserver/pkg/admission.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlace,
} from './admission-attributes.ts';
import type { AdmissionMeters, AdmissionPhase, ObserveDuration } from './admission-meters.ts';
import type { AdmissionPlugin, AdmissionStep, RightsStep, StepAt } from './admission-plugin.ts';
import { PLUGIN_NAMES } from './plugin-names.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';

/** A plug-in with what it does at the place. */
interface PluginStep {
  readonly name: string;
  readonly step: AdmissionStep;
}

interface MeasuredStep {
  readonly step: AdmissionStep;
  readonly observe: ObserveDuration;
}

class PluginChain {
  readonly #steps: readonly MeasuredStep[];
  readonly #phase: AdmissionPhase;
  readonly #meters: AdmissionMeters;
  readonly #observe: ObserveDuration;

  /** @param steps in the order in which they are asked. */
  constructor(
    steps: readonly PluginStep[],
    phase: AdmissionPhase,
    operation: AdmissionOperation,
    meters: AdmissionMeters,
  ) {
    this.#phase = phase;
    this.#meters = meters;
    this.#observe = meters.durationsOf(undefined, phase, operation);
    this.#steps = steps.map(({ name, step }) => {
      const isMeasured = MEASURED.has(name);
      return { step, observe: isMeasured ? meters.durationsOf(name, phase, operation) : UNSEEN };
    });
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Asks the plug-ins until one refuses. Gives the refusal, or undefined. */
  run(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    const begun = this.#meters.now();
    const refusal = this.#from(0, attributes, begun);
    if (refusal instanceof Promise) return refusal.then((late) => this.#ended(begun, late));
    return this.#ended(begun, refusal);
  }

  #from(
    first: number,
    attributes: AdmissionAttributes,
    since: number,
  ): MaybePromise<Status | undefined> {
    let begun = since;
    for (let index = first; ; index += 1) {
      const next = this.#steps[index];
      if (next === undefined) return this.#again(attributes, begun);
      const refusal = next.step(attributes);
      if (refusal instanceof Promise) return this.#late(refusal, index, attributes, begun);
      // Where one ends the next begins: the time is asked for once.
      const ended = this.#meters.now();
      next.observe(ended - begun, refusal !== undefined);
      if (refusal !== undefined) return refusal;
      begun = ended;
    }
  }

  async #late(
    coming: Promise<Status | undefined>,
    index: number,
    attributes: AdmissionAttributes,
    begun: number,
  ): Promise<Status | undefined> {
    const refusal = await coming;
    const now = this.#meters.now();
    this.#steps[index]?.observe(now - begun, refusal !== undefined);
    return refusal ?? this.#from(index + 1, attributes, now);
  }

  /** Mutating plug-ins are asked a second time where one of them wants it. */
  #again(attributes: AdmissionAttributes, begun: number): MaybePromise<Status | undefined> {
    if (this.#phase !== 'admit' || !attributes.reinvocation.begin()) return undefined;
    return this.#from(0, attributes, begun);
  }

  #ended(begun: number, refusal: Status | undefined): Status | undefined {
    this.#observe(this.#meters.now() - begun, refusal !== undefined);
    return refusal;
  }
}

/** Figures know the plug-ins that kube-apiserver has. */
const MEASURED: ReadonlySet<string> = new Set(PLUGIN_NAMES);
const UNSEEN: ObserveDuration = () => undefined;

interface Chains {
  readonly mutating: PluginChain;
  readonly validating: PluginChain;
  readonly rights: RightsStep | undefined;
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

  /** Asks with the rules of the kind, between the phases, which rights the user lacks; undefined: none are asked for. */
  rightsAt(place: AdmissionPlace): RightsStep | undefined {
    return this.#at(place).rights;
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
        rights: this.#rights(place),
      };
      chains[operation].set(subresource, found);
    }
    return found;
  }

  /** Of the first plug-in that asks for some there. */
  #rights(place: AdmissionPlace): RightsStep | undefined {
    for (const plugin of this.#plugins) {
      const step = 'rightsAt' in plugin ? plugin.rightsAt(place) : undefined;
      if (step !== undefined) return step;
    }
    return undefined;
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
