/**
 * What is wrong with the metadata of an update. Upstream asks of every kind that a name, and what
 * it is generated from, be safe in a path; most kinds then ask their own rule as well. So what a
 * webhook returns is judged as what a client sends, and by the same function.
 *
 * In Kubernetes: validateCommonFields, apiserver/pkg/registry/rest/update.go, and the
 * ValidateUpdate of each kind. Compared in e2e/oracles/parity/metadata.test.ts.
 */
import { nameIsPathSegment } from '../../../api/meta/names.ts';
import { validateObjectMetaUpdate } from '../../../api/validation/object-meta-validation-update.ts';
import { validateObjectMeta } from '../../../api/validation/object-meta-validation.ts';
import type { ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { ResourceDefinition } from '../../../api/kinds/resource-definition.ts';
import type { FieldError, FieldErrors } from '../../../api/field/field-errors.ts';

/** Kinds that do not ask their own rule of names again. */
const ASK_ONCE: ReadonlySet<string> = new Set([
  ...['apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'apps/daemonsets'],
  ...['core/podtemplates', 'core/replicationcontrollers', 'core/services', 'core/events'],
  ...['core/resourcequotas', 'batch/cronjobs', 'coordination.k8s.io/leases'],
  ...['networking.k8s.io/networkpolicies', 'networking.k8s.io/servicecidrs'],
  ...['storage.k8s.io/csidrivers', 'autoscaling/horizontalpodautoscalers'],
  ...['policy/poddisruptionbudgets', 'scheduling.k8s.io/priorityclasses'],
  ...['certificates.k8s.io/certificatesigningrequests', 'resource.k8s.io/resourceslices'],
  ...['certificates.k8s.io/podcertificaterequests', 'resource.k8s.io/devicetaintrules'],
  ...['resource.k8s.io/resourcepoolstatusrequests', 'internal.apiserver.k8s.io/storageversions'],
  ...['scheduling.k8s.io/podgroups', 'scheduling.k8s.io/workloads'],
]);

export function changedMetadataErrors(
  { namespaced, strategy, storage, storageFacts }: ResourceDefinition,
  metadata: ObjectMeta,
  old: ObjectMeta,
): FieldErrors {
  const changes = validateObjectMetaUpdate(metadata, old);
  const own = validateObjectMeta(metadata, { namespaced, validateName: strategy.validateName });
  // A name that keeps the kind's own rule is safe.
  if (own.length === 0) return changes;
  const safe = validateObjectMeta(metadata, { namespaced, validateName: nameIsPathSegment });
  const isCustom = storageFacts.typeId === '';
  if (isCustom || ASK_ONCE.has(storage)) return [...safe, ...changes];
  const said = new Set(safe.map(textOf));
  return [...safe, ...changes, ...own.filter((error) => !said.has(textOf(error)))];
}

function textOf({ field, body }: FieldError): string {
  return `${field}: ${body}`;
}
