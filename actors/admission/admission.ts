/**
 * The two rooms of admission: in the first, plug-ins may change what is going to be written; in the
 * second, behind the rules of the kind, they may only refuse it.
 *
 * In Kubernetes: chainAdmissionHandler and reinvoker, apiserver/pkg/admission.
 */
import { andThen, type MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlace,
} from './admission-attributes.ts';
import type { AdmissionMeters, ObserveDuration, AdmissionPhase } from './admission-meters.ts';
import type { AdmissionPlugin, AdmissionStep } from './admission-plugin.ts';
import { PLUGIN_NAMES } from './plugin-names.ts';

interface Steps {
  /** Whether anybody has something to do in either room. */
  readonly hasAny: boolean;
  readonly mutate: AdmissionStep;
  readonly validate: AdmissionStep;
}

type StepsBySubresource = Map<string, Steps>;
type StepsOf = Record<AdmissionOperation, StepsBySubresource>;

export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #meters: AdmissionMeters;
  /** By the resource as it is served just now: a custom one that changes is another one. */
  readonly #steps = new WeakMap<ServedResource, StepsOf>();

  /** @param plugins in the order in which they are asked. */
  constructor(plugins: readonly AdmissionPlugin[], meters: AdmissionMeters) {
    this.#plugins = plugins;
    this.#meters = meters;
  }

  /** Whether anybody wants to see what is done there. */
  concerns(place: AdmissionPlace): boolean {
    return this.#at(place).hasAny;
  }

  /** The first room. */
  mutate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    return this.#at(attributes).mutate(attributes);
  }

  /** The second room. */
  validate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    return this.#at(attributes).validate(attributes);
  }

  #at({ served, operation, subresource }: AdmissionPlace): Steps {
    let steps = this.#steps.get(served);
    if (steps === undefined) {
      steps = { CREATE: new Map(), UPDATE: new Map(), DELETE: new Map(), CONNECT: new Map() };
      this.#steps.set(served, steps);
    }
    let found = steps[operation].get(subresource);
    if (found === undefined) {
      found = this.#stepsAt({ served, operation, subresource });
      steps[operation].set(subresource, found);
    }
    return found;
  }

  #stepsAt(place: AdmissionPlace): Steps {
    const mutating = this.#ofPhase('admit', place, (plugin) => plugin.mutatesAt?.(place));
    const validating = this.#ofPhase('validate', place, (plugin) => plugin.validatesAt?.(place));
    const { operation } = place;
    return {
      hasAny: mutating.length > 0 || validating.length > 0,
      mutate: this.#phase('admit', operation, (attributes) =>
        andThen(this.#through(mutating, attributes), (problem) => {
          if (problem !== undefined || !attributes.reinvocation.begin()) return problem;
          return this.#through(mutating, attributes);
        }),
      ),
      validate: this.#phase('validate', operation, (attributes) =>
        this.#through(validating, attributes),
      ),
    };
  }

  /** What plug-ins do in a room. Figures know those that kube-apiserver has. */
  #ofPhase(
    type: AdmissionPhase,
    { operation }: AdmissionPlace,
    stepOf: (plugin: AdmissionPlugin) => AdmissionStep | undefined,
  ): readonly MeasuredStep[] {
    return this.#plugins.flatMap((plugin) => {
      const step = stepOf(plugin);
      if (step === undefined) return [];
      const isMeasured = MEASURED.has(plugin.name);
      return [
        {
          step,
          observe: isMeasured ? this.#meters.durationsOf(plugin.name, type, operation) : UNSEEN,
        },
      ];
    });
  }

  /** A room as a whole, measured. */
  #phase(type: AdmissionPhase, operation: AdmissionOperation, step: AdmissionStep): AdmissionStep {
    const meters = this.#meters;
    const observe = meters.durationsOf(undefined, type, operation);
    return (attributes) => {
      const begun = meters.now();
      return andThen(step(attributes), (problem) => {
        observe(meters.now() - begun, problem !== undefined);
        return problem;
      });
    };
  }

  /** One behind the other, at once as long as nobody has to ask somebody. */
  #through(
    steps: readonly MeasuredStep[],
    attributes: AdmissionAttributes,
    first = 0,
  ): MaybePromise<Status | undefined> {
    let begun = this.#meters.now();
    for (let at = first; at < steps.length; at += 1) {
      const { step, observe } = steps[at] ?? NOTHING;
      const answer = step(attributes);
      if (answer instanceof Promise) {
        const from = begun;
        return answer.then((problem) => {
          observe(this.#meters.now() - from, problem !== undefined);
          return problem ?? this.#through(steps, attributes, at + 1);
        });
      }
      // Where one ends the next begins: the time is asked for once.
      const ended = this.#meters.now();
      observe(ended - begun, answer !== undefined);
      if (answer !== undefined) return answer;
      begun = ended;
    }
    return undefined;
  }
}

interface MeasuredStep {
  readonly step: AdmissionStep;
  readonly observe: ObserveDuration;
}

const MEASURED: ReadonlySet<string> = new Set(PLUGIN_NAMES);
const UNSEEN: ObserveDuration = () => undefined;
const NOTHING: MeasuredStep = { step: () => undefined, observe: UNSEEN };
