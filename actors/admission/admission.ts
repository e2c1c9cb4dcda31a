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
import type { AdmissionPlugin, AdmissionStep } from './admission-plugin.ts';

interface Steps {
  readonly mutating: readonly AdmissionStep[];
  readonly validating: readonly AdmissionStep[];
}

type StepsBySubresource = Map<string, Steps>;
type StepsOf = Record<AdmissionOperation, StepsBySubresource>;

export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  /** By the resource as it is served just now: a custom one that changes is another one. */
  readonly #steps = new WeakMap<ServedResource, StepsOf>();

  /** @param plugins in the order in which they are asked. */
  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Whether anybody wants to see what is done there. */
  concerns(place: AdmissionPlace): boolean {
    const { mutating, validating } = this.#at(place);
    return mutating.length > 0 || validating.length > 0;
  }

  /** The first room. */
  mutate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    const { mutating } = this.#at(attributes);
    if (mutating.length === 0) return undefined;
    return andThen(through(mutating, attributes, 0), (problem) => {
      if (problem !== undefined || !attributes.reinvocation.begin()) return problem;
      return through(mutating, attributes, 0);
    });
  }

  /** The second room. */
  validate(attributes: AdmissionAttributes): MaybePromise<Status | undefined> {
    return through(this.#at(attributes).validating, attributes, 0);
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
    const isStep = (step: AdmissionStep | undefined): step is AdmissionStep => step !== undefined;
    return {
      mutating: this.#plugins.map((one) => one.mutatesAt?.(place)).filter(isStep),
      validating: this.#plugins.map((one) => one.validatesAt?.(place)).filter(isStep),
    };
  }
}

/** One behind the other, at once as long as nobody has to ask somebody. */
function through(
  steps: readonly AdmissionStep[],
  attributes: AdmissionAttributes,
  first: number,
): MaybePromise<Status | undefined> {
  for (let at = first; at < steps.length; at += 1) {
    const answer = steps[at]?.(attributes);
    if (answer instanceof Promise) {
      return answer.then((problem) => problem ?? through(steps, attributes, at + 1));
    }
    if (answer !== undefined) return answer;
  }
  return undefined;
}
