/**
 * The plug-ins that have something to do in one phase at one place, asked one behind the other. It is
 * the one place that waits for a plug-in, and where none has to wait, all are asked on one stack.
 *
 * In Kubernetes: chainAdmissionHandler and reinvoker, apiserver/pkg/admission.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionOperation } from './admission-attributes.ts';
import type { AdmissionMeters, AdmissionPhase, ObserveDuration } from './admission-meters.ts';
import type { AdmissionStep } from './admission-plugin.ts';
import { PLUGIN_NAMES } from './plugin-names.ts';

/** A plug-in with what it does at the place. */
export interface PluginStep {
  readonly name: string;
  readonly step: AdmissionStep;
}

interface MeasuredStep {
  readonly step: AdmissionStep;
  readonly observe: ObserveDuration;
}

export class PluginChain {
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
