/**
 * Names of resources that a container can ask for.
 *
 * In Kubernetes: ValidateContainerResourceName, pkg/apis/core/validation and pkg/apis/core/helper.
 */
import { isQualifiedName, qualifiedNameProblems } from '../../api/meta/names.ts';
import { invalidValue, type FieldErrors } from '../../api/schema/field-errors.ts';
import { invalidFor } from './value-validation.ts';

const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
/** Beside those of containers: what quotas and nodes count. */
const STANDARD_RESOURCES = [
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
  'storage',
  'requests.storage',
];
const HUGE_PAGES = 'hugepages-';
const REQUESTS = 'requests.';
const NATIVE_DOMAIN = 'kubernetes.io/';

export function validateContainerResourceName(field: string, name: string): FieldErrors {
  const errors = invalidFor(field, name, qualifiedNameProblems(name));
  if (errors.length > 0) return errors;
  if (!name.includes('/')) return validatePlainName(field, name);
  if (name.includes(NATIVE_DOMAIN) || isExtended(name)) return [];
  return [invalidValue(field, name, "doesn't follow extended resource name standard")];
}

/** Upstream looks at such a name twice. */
function validatePlainName(field: string, name: string): FieldErrors {
  const isHugePages = name.startsWith(HUGE_PAGES);
  const isStandard =
    isHugePages || name.startsWith(`${REQUESTS}${HUGE_PAGES}`) || STANDARD_RESOURCES.includes(name);
  const isOfContainers = isHugePages || CONTAINER_RESOURCES.includes(name);
  const detail = 'must be a standard resource type or fully qualified';
  return [
    ...(isStandard ? [] : [invalidValue(field, name, detail)]),
    ...(isOfContainers
      ? []
      : [invalidValue(field, name, 'must be a standard resource for containers')]),
  ];
}

/** A resource of somebody else's domain, which must still be a name when a quota counts it. */
function isExtended(name: string): boolean {
  return !name.startsWith(REQUESTS) && isQualifiedName(`${REQUESTS}${name}`);
}
