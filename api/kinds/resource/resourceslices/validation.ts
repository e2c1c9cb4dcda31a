/**
 * The devices of a driver, and from which nodes they can be used.
 *
 * In Kubernetes: ValidateResourceSlice, pkg/apis/resource/validation.
 */
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import {
  immutable,
  invalidFor,
  isMissing,
  objectsAt,
  specOf,
} from '../../rules/value-validation.ts';
import { validateSet } from '../list-validation.ts';
import { validatePoolName } from '../name-validation.ts';
import { validateCounters, validateDevice } from './device-validation.ts';
import { hasListValues } from './gated-fields.ts';

const DEVICES_MAX = 128;
/** With taints, counters or lists, fewer devices have room. */
const LARGE_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;
const CHOICE =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

export function validateSlice(slice: KubeObject): FieldErrors {
  return validateSpec(specOf(slice), undefined);
}

export function validateSliceChange(slice: KubeObject, old: KubeObject): FieldErrors {
  return validateSpec(specOf(slice), specOf(old));
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const devices = objectsAt(spec, 'devices');
  const oldDevices = new Map(objectsAt(old, 'devices').map((one) => [stringAt(one, 'name'), one]));
  const choosesNodes = spec['perDeviceNodeSelection'] === true;
  const isBoth = !isMissing(spec['sharedCounters']) && !isMissing(spec['devices']);
  return [
    ...validateDriverName('spec.driver', stringAt(spec, 'driver')),
    ...validatePool(objectAt(spec, 'pool') ?? {}),
    ...(old === undefined ? [] : validateKept(spec, old)),
    ...validateNodes(spec),
    ...(isBoth
      ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...validateSet('spec.devices', devices, {
      itemsMax: devices.some(isLarge) ? LARGE_DEVICES_MAX : DEVICES_MAX,
      keyOf: (device) => stringAt(device, 'name'),
      check: (path, device) =>
        validateDevice(path, device, {
          old: oldDevices.get(stringAt(device, 'name')),
          choosesNodes,
        }),
    }),
    ...validateSet('spec.sharedCounters', objectsAt(spec, 'sharedCounters'), {
      itemsMax: COUNTER_SETS_MAX,
      keyOf: (counters) => stringAt(counters, 'name'),
      check: (path, counters) => validateCounters(path, counters, 'name'),
    }),
  ];
}

function isLarge(device: JsonObject): boolean {
  const { taints, consumesCounters } = device;
  return !isMissing(taints) || !isMissing(consumesCounters) || hasListValues(device);
}

function validatePool(pool: JsonObject): FieldErrors {
  const field = 'spec.pool';
  const count = numberAt(pool, 'resourceSliceCount') ?? 0;
  const generation = numberAt(pool, 'generation') ?? 0;
  return [
    ...validatePoolName(`${field}.name`, stringAt(pool, 'name')),
    ...(count <= 0
      ? [invalidValue(`${field}.resourceSliceCount`, count, 'must be greater than zero')]
      : []),
    ...(generation < 0
      ? [invalidValue(`${field}.generation`, generation, 'must be greater than or equal to zero')]
      : []),
  ];
}

function validateKept(spec: JsonObject, old: JsonObject): FieldErrors {
  const poolOf = (one: JsonObject): string => stringAt(objectAt(one, 'pool'), 'name');
  return [
    ...immutable('spec.pool.name', poolOf(spec), poolOf(old)),
    ...immutable('spec.driver', stringAt(spec, 'driver'), stringAt(old, 'driver')),
    ...immutable('spec.nodeName', spec['nodeName'], old['nodeName']),
  ];
}

function validateNodes(spec: JsonObject): FieldErrors {
  const name = stringAt(spec, 'nodeName');
  const flags = ['allNodes', 'perDeviceNodeSelection'];
  const chosen = [
    ...(name === '' ? [] : ['`nodeName`']),
    ...(isJsonObject(spec['nodeSelector']) ? ['`nodeSelector`'] : []),
    ...flags.filter((key) => spec[key] === true).map((key) => `\`${key}\``),
  ];
  const empty = 'must be either unset or set to a non-empty string';
  return [
    ...invalidFor('spec.nodeName', name, name === '' ? [] : dns1123SubdomainProblems(name)),
    ...(spec['nodeName'] === '' ? [invalidValue('spec.nodeName', '', empty)] : []),
    ...validateSelector(objectAt(spec, 'nodeSelector')),
    ...flags
      .filter((key) => spec[key] === false)
      .map((key) => invalidValue(`spec.${key}`, false, 'must be either unset or set to true')),
    ...(chosen.length === 0 ? [required('spec', CHOICE)] : []),
    ...(chosen.length > 1
      ? [invalidValue('spec', `{${chosen.join(', ')}}`, `${CHOICE}, but multiple fields are set`)]
      : []),
  ];
}

function validateSelector(selector: JsonObject | undefined): FieldErrors {
  if (selector === undefined) return [];
  const field = 'spec.nodeSelector';
  const terms = selector['nodeSelectorTerms'];
  const isOne = Array.isArray(terms) && terms.length === 1;
  const detail = 'must have exactly one node selector term';
  return [
    ...validateNodeSelector(field, selector),
    ...(isOne
      ? []
      : [
          invalidValue(
            `${field}.nodeSelectorTerms`,
            isMissing(terms) && Array.isArray(terms)
              ? []
              : internalForm('[]NodeSelectorTerm', terms),
            detail,
          ),
        ]),
  ];
}
