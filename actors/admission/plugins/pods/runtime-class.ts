/**
 * RuntimeClass: what a runtime costs by itself, and on which nodes it is to be found, is written
 * into the pods that name it. A pod cannot say that on its own.
 *
 * In Kubernetes: plugin/pkg/admission/runtimeclass.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { ownValue, setOwn } from '../../../../api/json/own-property.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { compareAmounts } from '../../../../api/kinds/rules/resource-names.ts';
import { objectsAt, stringEntriesAt } from '../../../../api/kinds/rules/value-validation.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, TwoPhasePlugin } from '../../admission-plugin.ts';
import { isItself, PODS } from '../../places.ts';
import { specToFill } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { remembered } from '../../remembered.ts';
import { mergeTolerations } from './tolerations.ts';

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const WITHOUT_CLASS =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

interface RuntimeClass {
  /** Amounts by resource; undefined where the class speaks of no overhead. */
  readonly overhead: JsonObject | undefined;
  readonly scheduling: JsonObject | undefined;
}

const classOf = remembered((object): RuntimeClass => {
  const overhead = objectAt(object, 'overhead');
  return {
    overhead: overhead === undefined ? undefined : (objectAt(overhead, 'podFixed') ?? {}),
    scheduling: objectAt(object, 'scheduling'),
  };
});

export function runtimeClass(): TwoPhasePlugin {
  return {
    name: 'RuntimeClass',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE') ? mutate : undefined),
    validatesAt: (place) => (isItself(place, PODS, 'CREATE') ? validate : undefined),
  };
}

const mutate: AdmissionStep = (attributes) => {
  const { object: pod } = attributes;
  if (pod === undefined) return undefined;
  const found = lookUpClass(attributes, pod);
  if (!found.ok) return found.refusal;
  if (found.runtimeClass === undefined) return undefined;
  return (
    setOverhead(attributes, pod, found.runtimeClass) ??
    setScheduling(attributes, pod, found.runtimeClass)
  );
};

const validate: AdmissionStep = (attributes) => {
  const { object: pod } = attributes;
  if (pod === undefined) return undefined;
  const found = lookUpClass(attributes, pod);
  if (!found.ok) return found.refusal;
  const own = specToFill(pod)['overhead'];
  if (found.runtimeClass?.overhead === undefined) {
    return isJsonObject(own) ? refusedAt(attributes, WITHOUT_CLASS) : undefined;
  }
  const isSame = sameAmounts(found.runtimeClass.overhead, own);
  return isSame ? undefined : refusedAt(attributes, MISMATCH);
};

/** undefined: the pod names no class. */
type FoundClass =
  | { readonly ok: true; readonly runtimeClass: RuntimeClass | undefined }
  | { readonly ok: false; readonly refusal: Status };

function lookUpClass(attributes: AdmissionAttributes, pod: KubeObject): FoundClass {
  const name = specToFill(pod)['runtimeClassName'];
  if (typeof name !== 'string') return { ok: true, runtimeClass: undefined };
  const stored = attributes.objects.get('node.k8s.io/runtimeclasses', pathOf('', name));
  if (stored !== undefined) return { ok: true, runtimeClass: classOf(stored) };
  const why = `pod rejected: RuntimeClass ${goQuote(name)} not found`;
  return { ok: false, refusal: refusedAt(attributes, why) };
}

function setOverhead(
  attributes: AdmissionAttributes,
  pod: KubeObject,
  { overhead }: RuntimeClass,
): Status | undefined {
  if (overhead === undefined) return undefined;
  const spec = specToFill(pod);
  const own = objectAt(spec, 'overhead') ?? {};
  if (Object.keys(own).length > 0 && !sameAmounts(overhead, own)) {
    return refusedAt(attributes, MISMATCH);
  }
  spec['overhead'] = { ...overhead };
  return undefined;
}

function setScheduling(
  attributes: AdmissionAttributes,
  pod: KubeObject,
  { scheduling }: RuntimeClass,
): Status | undefined {
  if (scheduling === undefined) return undefined;
  const spec = specToFill(pod);
  const selector: JsonObject = { ...objectAt(spec, 'nodeSelector') };
  for (const [key, value] of stringEntriesAt(scheduling, 'nodeSelector')) {
    const own = ownValue(selector, key);
    if (own !== undefined && own !== value) {
      const theirs = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
      const ours = `pod.spec.nodeSelector[${key}] = ${stringAt(selector, key)}`;
      return refusedAt(attributes, `conflict: ${theirs}; ${ours}`);
    }
    setOwn(selector, key, value);
  }
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = selector;
  const tolerations = mergeTolerations(
    objectsAt(spec, 'tolerations'),
    objectsAt(scheduling, 'tolerations'),
  );
  if (tolerations.length > 0) spec['tolerations'] = tolerations;
  return undefined;
}

/** One is no list of amounts at all: the same as one without any. */
function sameAmounts(wanted: JsonObject, own: JsonObject[string]): boolean {
  const given = isJsonObject(own) ? own : {};
  const names = Object.keys(wanted);
  if (names.length !== Object.keys(given).length) return false;
  return names.every(
    (name) => Object.hasOwn(given, name) && compareAmounts(wanted[name], given[name]) === 0,
  );
}
