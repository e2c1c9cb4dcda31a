/**
 * Which fields a write leaves alone whatever it says of them, kind by kind: the resource itself its
 * status, the status its spec. The writer does not come to manage what is reset.
 *
 * The surprise: some statuses do reset metadata and some do not, and those of some that do not
 * name it here all the same. It is a list of upstream's, not a rule.
 *
 * In Kubernetes: GetResetFields of every strategy in kubernetes/pkg/registry.
 */
import { excludeFields, type FieldFilter } from '../managed-fields/field-filter.ts';
import type { Strategy, UpdateRules } from './strategy.ts';

/** By subresource; '' is the resource itself. */
type ResetFields = Readonly<Record<string, FieldFilter>>;

const STATUS = excludeFields(['status']);
const SPEC = excludeFields(['spec']);
const SPEC_AND_METADATA = excludeFields(['spec'], ['metadata']);

const USUAL: ResetFields = { '': STATUS, status: SPEC };
const WITH_METADATA: ResetFields = { '': STATUS, status: SPEC_AND_METADATA };

/** A Map, because a custom resource may be named like anything. */
const RESET_FIELDS: ReadonlyMap<string, ResetFields> = new Map([
  ['admissionregistration.k8s.io/validatingadmissionpolicies', WITH_METADATA],
  ['apiextensions.k8s.io/customresourcedefinitions', USUAL],
  ['apiregistration.k8s.io/apiservices', WITH_METADATA],
  ['apps/daemonsets', USUAL],
  ['apps/deployments', { '': STATUS, status: excludeFields(['spec'], ['metadata', 'labels']) }],
  ['apps/replicasets', USUAL],
  ['apps/statefulsets', USUAL],
  ['autoscaling/horizontalpodautoscalers', USUAL],
  ['batch/cronjobs', USUAL],
  ['batch/jobs', USUAL],
  [
    'certificates.k8s.io/certificatesigningrequests',
    {
      '': excludeFields(['spec'], ['status']),
      status: excludeFields(['spec'], ['status', 'conditions']),
      approval: excludeFields(['spec'], ['status', 'certificate']),
    },
  ],
  ['certificates.k8s.io/podcertificaterequests', { status: SPEC }],
  ['core/namespaces', { ...USUAL, finalize: STATUS }],
  ['core/nodes', USUAL],
  ['core/persistentvolumeclaims', USUAL],
  ['core/persistentvolumes', USUAL],
  [
    'core/pods',
    {
      '': STATUS,
      status: excludeFields(
        ['spec'],
        ['metadata', 'deletionTimestamp'],
        ['metadata', 'ownerReferences'],
      ),
      // What `ephemeralcontainers` and `resize` reset is known to upstream's strategies, and its store does not ask them.
    },
  ],
  ['core/replicationcontrollers', USUAL],
  ['core/resourcequotas', USUAL],
  ['core/services', USUAL],
  ['flowcontrol.apiserver.k8s.io/flowschemas', WITH_METADATA],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', WITH_METADATA],
  ['internal.apiserver.k8s.io/storageversions', WITH_METADATA],
  ['networking.k8s.io/ingresses', USUAL],
  ['networking.k8s.io/servicecidrs', WITH_METADATA],
  ['policy/poddisruptionbudgets', USUAL],
  ['resource.k8s.io/devicetaintrules', WITH_METADATA],
  ['resource.k8s.io/resourceclaims', WITH_METADATA],
  ['resource.k8s.io/resourcepoolstatusrequests', WITH_METADATA],
  ['scheduling.k8s.io/podgroups', WITH_METADATA],
  ['storage.k8s.io/volumeattachments', WITH_METADATA],
  ['storagemigration.k8s.io/storageversionmigrations', WITH_METADATA],
]);

/** The same rules, which say what they reset. */
export function withResetFields(strategy: Strategy, storage: string): Strategy {
  const filters = RESET_FIELDS.get(storage);
  if (filters === undefined) return strategy;
  const { '': own } = filters;
  const subresources = Array.from(
    strategy.subresources,
    ([name, rules]) => [name, resetting(rules, filters[name])] as const,
  );
  return { ...resetting(strategy, own), subresources: new Map(subresources) };
}

function resetting<Rules extends UpdateRules>(rules: Rules, filter?: FieldFilter): Rules {
  return filter === undefined ? rules : { ...rules, resetFields: filter };
}
