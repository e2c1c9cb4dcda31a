/**
 * What a pod may be told of itself, by environment variables and by files.
 *
 * In Kubernetes: validateObjectFieldSelector and validateContainerResourceFieldSelector,
 * pkg/apis/core/validation.
 */
import type {
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { nanosOf } from '../../rules/resource-names.ts';
import { invalidFor } from '../../rules/value-validation.ts';

export const FIELDS_OF_VARIABLES = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/**
 * The fields of a pod that a volume can show as files. Single keys of labels and annotations are
 * allowed besides.
 */
export const FIELDS_OF_FILES = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
/** All that can be asked for at all. */
const FIELDS = new Set([
  ...FIELDS_OF_VARIABLES,
  ...FIELDS_OF_FILES,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const AMOUNTS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** In Kubernetes: SplitMaybeSubscriptedPath, pkg/fieldpath. */
function splitSubscript(path: string): { base: string; subscript: string | undefined } {
  const at = path.indexOf("['");
  const isSubscripted = at > 0 && path.endsWith("']") && at + 2 <= path.length - 2;
  if (!isSubscripted) return { base: path, subscript: undefined };
  return { base: path.slice(0, at), subscript: path.slice(at + 2, -2) };
}

/** `fields` are those that may be asked for here. */
export function validateFieldRef(
  field: string,
  { apiVersion: version = '', fieldPath: path }: ObjectFieldSelector,
  fields: readonly string[],
): FieldErrors {
  if (version === '') return [required(`${field}.apiVersion`)];
  if (path === '') return [required(`${field}.fieldPath`)];
  const { base, subscript } = splitSubscript(path);
  const isMap = base === 'metadata.annotations' || base === 'metadata.labels';
  const problem = unknownField(version, path, { isMap, isSubscripted: subscript !== undefined });
  if (problem !== undefined) {
    return [invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: ${problem}`)];
  }
  if (subscript !== undefined) {
    const key = base === 'metadata.annotations' ? subscript.toLowerCase() : subscript;
    return invalidFor(field, key, qualifiedNameProblems(key));
  }
  // The old name, for clients of long ago.
  const known = path === 'spec.host' ? 'spec.nodeName' : path;
  return fields.includes(known) ? [] : [notSupported(`${field}.fieldPath`, known, fields)];
}

interface FieldShape {
  readonly isMap: boolean;
  readonly isSubscripted: boolean;
}

function unknownField(version: string, path: string, shape: FieldShape): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (shape.isSubscripted) {
    return shape.isMap ? undefined : `field label does not support subscript: ${path}`;
  }
  const isKnown = FIELDS.has(path) || path === 'spec.host';
  return isKnown ? undefined : `field label not supported: ${path}`;
}

/** A file names the container whose amount it tells; a variable may leave it out. */
export function validateResourceFieldRef(
  field: string,
  reference: ResourceFieldSelector,
  isFile: boolean,
): FieldErrors {
  const { resource, divisor } = reference;
  return [
    ...validateResource(field, reference, isFile),
    ...validateDivisor(`${field}.divisor`, resource, divisor),
  ];
}

function validateResource(
  field: string,
  { resource, containerName = '' }: ResourceFieldSelector,
  isFile: boolean,
): FieldErrors {
  if (isFile && containerName === '') {
    return [required(`${field}.containerName`)];
  }
  if (resource === '') return [required(`${field}.resource`)];
  const isKnown = AMOUNTS.includes(resource) || HUGE_PAGES.test(resource);
  return isKnown ? [] : [notSupported(`${field}.resource`, resource, AMOUNTS)];
}

function validateDivisor(field: string, resource: string, divisor: string): FieldErrors {
  if (nanosOf(divisor) === 0n) return [];
  const supported = resource.endsWith('.cpu') ? ['1m', '1'] : SIZES;
  const name = AMOUNTS.includes(resource)
    ? NAME_OF_AMOUNT[resource.slice(resource.indexOf('.') + 1)]
    : HUGE_PAGES.test(resource)
      ? 'hugepages'
      : undefined;
  if (name === undefined || supported.includes(divisor)) return [];
  const values = supported.length === 2 ? '1m and 1' : SIZES.join(', ');
  const detail = `only divisor's values ${values} are supported with the ${name} resource`;
  return [invalidValue(field, resource, detail)];
}

const NAME_OF_AMOUNT: Readonly<Record<string, string>> = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};
