/**
 * RuntimeClass: what a runtime costs by itself, and on which nodes it is to be found, is written
 * into the pods that name it. A pod cannot say that on its own.
 *
 * In Kubernetes: plugin/pkg/admission/runtimeclass.
 */
import { items } from '../../../../api/json/go-values.ts';
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import type { Overhead, Scheduling } from '../../../../api/generated/kinds/node-v1.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { setOwn } from '../../../../api/json/own-property.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { compareAmounts } from '../../../../api/kinds/rules/resource-names.ts';
import { stringEntriesAt } from '../../../../api/kinds/rules/value-validation.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { TwoPhasePlugin } from '../../admission-plugin.ts';
import { inSlicesFor } from '../../large-objects.ts';
import { remembered } from '../../remembered.ts';
import { mergeTolerations } from './tolerations.ts';

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const WITHOUT_CLASS =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

type Amounts = NonNullable<Overhead['podFixed']>;

interface RuntimeClass {
  /** Amounts by resource; undefined where the class speaks of no overhead. */
  readonly overhead: Amounts | undefined;
  readonly scheduling: Scheduling | undefined;
}

const classOf = remembered(
  'node.k8s.io/v1/runtimeclasses',
  ({ overhead, scheduling }): RuntimeClass => ({
    overhead: overhead === undefined ? undefined : (overhead.podFixed ?? {}),
    scheduling,
  }),
);

type Write = AttributesOf<Pod, 'CREATE'>;

export function runtimeClass(): TwoPhasePlugin {
  return {
    name: 'RuntimeClass',
    mutatesAt: stepFor('v1/pods', ['CREATE'], mutate),
    validatesAt: stepFor('v1/pods', ['CREATE'], validate),
  };
}

function mutate(attributes: Write): MaybePromise<Status | undefined> {
  const found = lookUpClass(attributes);
  if (!found.ok) return found.refusal;
  if (found.runtimeClass === undefined) return undefined;
  return (
    setOverhead(attributes, found.runtimeClass) ?? setScheduling(attributes, found.runtimeClass)
  );
}

function validate(attributes: Write): Status | undefined {
  const found = lookUpClass(attributes);
  if (!found.ok) return found.refusal;
  const own = attributes.object.spec.overhead;
  if (found.runtimeClass?.overhead === undefined) {
    return own !== undefined ? refusedAt(attributes, WITHOUT_CLASS) : undefined;
  }
  const isSame = sameAmounts(found.runtimeClass.overhead, own);
  return isSame ? undefined : refusedAt(attributes, MISMATCH);
}

/** undefined: the pod names no class. */
type FoundClass =
  | { readonly ok: true; readonly runtimeClass: RuntimeClass | undefined }
  | { readonly ok: false; readonly refusal: Status };

function lookUpClass(attributes: Write): FoundClass {
  const { runtimeClassName: name } = attributes.object.spec;
  if (name === undefined) return { ok: true, runtimeClass: undefined };
  const stored = attributes.objects.get('node.k8s.io/runtimeclasses', pathOf('', name));
  if (stored !== undefined) return { ok: true, runtimeClass: classOf(stored) };
  const why = `pod rejected: RuntimeClass ${goQuote(name)} not found`;
  return { ok: false, refusal: refusedAt(attributes, why) };
}

function setOverhead(attributes: Write, { overhead }: RuntimeClass): Status | undefined {
  if (overhead === undefined) return undefined;
  const { spec } = attributes.object;
  const own = spec.overhead ?? {};
  if (Object.keys(own).length > 0 && !sameAmounts(overhead, own)) {
    return refusedAt(attributes, MISMATCH);
  }
  spec.overhead = { ...overhead };
  return undefined;
}

function setScheduling(
  attributes: Write,
  { scheduling }: RuntimeClass,
): MaybePromise<Status | undefined> {
  if (scheduling === undefined) return undefined;
  const { spec } = attributes.object;
  const selector: StringMap = { ...spec.nodeSelector };
  for (const [key, value] of stringEntriesAt(scheduling, 'nodeSelector')) {
    const own = Object.hasOwn(selector, key) ? selector[key] : undefined;
    if (own !== undefined && own !== value) {
      const theirs = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
      const ours = `pod.spec.nodeSelector[${key}] = ${own}`;
      return refusedAt(attributes, `conflict: ${theirs}; ${ours}`);
    }
    setOwn(selector, key, value);
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  return inSlicesFor(
    attributes,
    () => mergeTolerations(items(spec.tolerations), items(scheduling.tolerations)),
    (tolerations) => {
      if (tolerations.length > 0) spec.tolerations = tolerations;
      return undefined;
    },
  );
}

/** One is no list of amounts at all: the same as one without any. */
function sameAmounts(wanted: Amounts, given: Amounts = {}): boolean {
  const names = Object.keys(wanted);
  if (names.length !== Object.keys(given).length) return false;
  return names.every(
    (name) => Object.hasOwn(given, name) && compareAmounts(wanted[name], given[name]) === 0,
  );
}
