/**
 * What a node may say, also of pods that it would rather not have: JSON in an annotation, the
 * forerunner of taints.
 *
 * In Kubernetes: ValidateNode and ValidateAvoidPodsInNodeAnnotations, pkg/apis/core/validation.
 */
import { mapItems } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { Node, NodeSpec, NodeStatus, Taint } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../../json/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { compareGoStrings, goQuote } from '../../../json/go-format.ts';
import { internalForm } from '../../internal-struct.ts';
import { familyOf, parseIpRange } from '../../rules/ip-address.ts';
import { validateLegacyIpRange } from '../../rules/ip-validation.ts';
import { TAINT_EFFECTS } from '../../pod-spec/placement/tolerations-validation.ts';
import { validateAmount } from '../../rules/resource-names.ts';
import { sameValue } from '../../rules/same-value.ts';
import { errorsOfKeys, invalidFor, objectsAt, ofEach } from '../../rules/value-validation.ts';
import { presentAt } from '../../pod-spec/pod-rules.ts';
import { jsonProblem } from '../../../json/json-problem.ts';
import { parseJson } from '../../../json/json-text.ts';

const FEATURE = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const FEATURE_BYTES_MAX = 253;
const FEATURE_SENTENCE =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' " +
  '(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes';

export function validateNode(node: Node): FieldErrors {
  const status = node.status;
  return [
    ...validateAvoidedPods(node),
    ...validateTaints(node.spec),
    ...validateAmounts(status),
    ...validateSwap(status),
    ...validateFeatures(status),
    ...validateCidrs(items(node.spec.podCIDRs)),
  ];
}

function validateAmounts(status: NodeStatus): FieldErrors {
  return (['capacity', 'allocatable'] as const).flatMap((key) =>
    errorsOfKeys(status[key] ?? {}, (name) =>
      validateAmount(`status.${key}.${name}`, name, status[key]?.[name]),
    ),
  );
}

function validateSwap(status: NodeStatus): FieldErrors {
  const capacity = status.nodeInfo.swap?.capacity;
  return capacity === undefined || capacity > 0
    ? []
    : [invalidValue('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero')];
}

/** Sorted, each once. */
function validateFeatures(status: NodeStatus): FieldErrors {
  const features = items(status.declaredFeatures);
  return features.flatMap((feature, index) => {
    const path = (at: number): string => indexPath('status.declaredFeatures', at);
    const next = features[index + 1];
    const sorted = 'list must be sorted alphabetically';
    return [
      ...invalidFor(path(index), feature, featureProblems(feature)),
      ...(next === feature ? [duplicateValue(path(index + 1), next)] : []),
      ...(next !== undefined && compareGoStrings(feature, next) > 0
        ? [invalidValue(path(index + 1), next, sorted)]
        : []),
    ];
  });
}

function featureProblems(feature: string): readonly string[] {
  const begin = `invalid feature name ${goQuote(feature)}: `;
  if (Buffer.byteLength(feature) > FEATURE_BYTES_MAX) {
    return [`${begin}must be no more than ${String(FEATURE_BYTES_MAX)} characters`];
  }
  return FEATURE.test(feature) ? [] : [begin + FEATURE_SENTENCE];
}

/** At most one of each family. */
function validateCidrs(cidrs: readonly string[]): FieldErrors {
  const field = 'spec.podCIDRs';
  const ranges = mapItems(cidrs, (cidr) => parseIpRange(cidr));
  const wrong = ranges.indexOf(undefined);
  const families = new Set(
    ranges.flatMap((range) => (range === undefined ? [] : [familyOf(range.address)])),
  );
  const isPair = wrong < 0 && families.size === 2 && cidrs.length === 2;
  const detail = 'may specify no more than one CIDR for each IP family';
  return [
    ...ofEach(cidrs, (cidr, index) => validateLegacyIpRange(indexPath(field, index), cidr)),
    ...(cidrs.length > 1 && wrong >= 0 ? [unreadable(field, wrong, cidrs[wrong] ?? '')] : []),
    ...(cidrs.length > 1 && !isPair ? [invalidValue(field, [...cidrs], detail)] : []),
  ];
}

/** Upstream's own check fails when a range cannot be read. */
function unreadable(field: string, index: number, cidr: string): FieldError {
  const why =
    'invalid PodCIDRs. failed to check with dual stack with error:' +
    `invalid CIDR[${String(index)}]: <nil> (invalid CIDR address: ${cidr})`;
  return { type: 'InternalError', field, body: `Internal error: ${why}` };
}

/** The rules of every update, that of the status included. */
export function validateNodeChange(node: Node, old: Node): FieldErrors {
  const spec = node.spec;
  const oldSpec = old.spec;
  const oldCidrs = items(oldSpec.podCIDRs);
  const isCidrFixed = oldCidrs.length === 0 || sameValue(items(spec.podCIDRs), oldCidrs);
  const oldProvider = oldSpec.providerID ?? '';
  const isProviderFixed = oldProvider === '' || (spec.providerID ?? '') === oldProvider;
  const isIdFixed = (spec.externalID ?? '') === (oldSpec.externalID ?? '');
  const detail = 'may not change FIELD except from "" to valid';
  return [
    ...validateAvoidedPods(node),
    ...validateAmounts(node.status),
    ...validateFeatures(node.status),
    ...validateAddresses(node),
    ...(isCidrFixed
      ? []
      : [forbiddenField('spec.podCIDRs', `node updates ${detail.replace('FIELD', 'podCIDR')}`)]),
    ...(isProviderFixed
      ? []
      : [
          forbiddenField(
            'spec.providerID',
            `node updates ${detail.replace('FIELD', 'providerID')}`,
          ),
        ]),
    ...(isIdFixed ? [] : [forbiddenField('spec.externalID', 'may not be updated')]),
  ];
}

function validateAddresses(node: Node): FieldErrors {
  const seen = new Set<string>();
  return items(node.status.addresses).flatMap((address, index) => {
    const identity = JSON.stringify([address.type, address.address]);
    const isTaken = seen.has(identity);
    seen.add(identity);
    return isTaken
      ? [duplicateValue(indexPath('status.addresses', index), internalForm('NodeAddress', address))]
      : [];
  });
}

/** Upstream's paths begin with `metadata` here. */
function validateTaints(spec: NodeSpec): FieldErrors {
  const seen = new Set<string>();
  return items(spec.taints).flatMap((taint, index) => {
    const path = indexPath('metadata.taints', index);
    const key = taint.key;
    const value = taint.value ?? '';
    const effect = taint.effect;
    const identity = `${key}:${effect}`;
    const isTaken = seen.has(identity);
    seen.add(identity);
    return [
      ...invalidFor(`${path}.key`, key, qualifiedNameProblems(key)),
      ...invalidFor(`${path}.value`, value, joined(labelValueProblems(value))),
      ...validateEffect(`${path}.effect`, effect),
      ...(isTaken ? [duplicateTaint(path, taint)] : []),
    ];
  });
}

function duplicateTaint(path: string, taint: Taint): FieldError {
  // As Go prints its internal form.
  const shown = {
    Key: taint.key,
    Value: taint.value ?? '',
    Effect: taint.effect,
    TimeAdded: taint.timeAdded ?? null,
  };
  const error = duplicateValue(path, shown);
  return { ...error, body: `${error.body}: taints must be unique by key and effect pair` };
}

function joined(problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? [] : [problems.join(';')];
}

function validateEffect(field: string, effect: string): FieldErrors {
  if (effect === '') return [required(field)];
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];
}

const KEY = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const ANNOTATIONS = 'metadata.annotations';

function validateAvoidedPods({ metadata }: Node): FieldErrors {
  const text = metadata.annotations?.[KEY] ?? '';
  if (text === '') return [];
  const avoided = parsedObject(text);
  if (typeof avoided === 'string') {
    return [invalidValue(`${ANNOTATIONS}.AvoidPods`, KEY, avoided)];
  }
  return objectsAt(avoided, 'preferAvoidPods').flatMap((entry, index) => {
    const path = `${indexPath(`${ANNOTATIONS}.${KEY}`, index)}.PodSignature`;
    const controller = presentAt(objectAt(entry, 'podSignature'), 'podController');
    if (controller === undefined) return [required(path)];
    const isController = controller['controller'] === true;
    const detail = 'must point to a controller';
    return isController ? [] : [invalidValue(`${path}.PodController.Controller`, false, detail)];
  });
}

/** Or what Go says is wrong with it. What says `null` is an empty one, as there. */
function parsedObject(text: string): JsonObject | string {
  const problem = jsonProblem(Buffer.from(text));
  if (problem !== '') return problem;
  const value = parseJson(text);
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  const type = Array.isArray(value) ? 'array' : GO_TYPES[typeof value];
  return `json: cannot unmarshal ${type ?? 'number'} into Go value of type v1.AvoidPods`;
}

const GO_TYPES: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool' };
