/**
 * Plug-ins about PodGroups, which exist where the feature gate GenericWorkload is on.
 *
 * In Kubernetes: plugin/pkg/admission/scheduling/podgroupprotection; plugin/pkg/admission/podgroup and job.
 */
import type { Job } from '../../../../api/generated/kinds/batch-v1.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { items } from '../../../../api/json/go-values.ts';
import type { Parts } from '../../../../api/json/json-parts.ts';
import { andThen } from '../../../../api/meta/maybe-promise.ts';
import { metadataOf } from '../../../../projections/objects/object-metadata.ts';
import { pathOf, type StoredObject } from '../../../../streams/event.ts';
import { LARGE_BYTES, whole } from '../../../request/large-work.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { MutatingPlugin, ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { stepFor } from '../../kind-steps.ts';
import { remembered } from '../../remembered.ts';

const GROUPS = 'scheduling.k8s.io/v1alpha2/podgroups';
const FINALIZER = 'scheduling.k8s.io/podgroup-protection';

/** A group is held by a finalizer, which a controller removes when no pod is of the group any more. */
export function podGroupProtection(): MutatingPlugin {
  return {
    name: 'PodGroupProtection',
    mutatesAt: stepFor(GROUPS, ['CREATE'], ({ object: { metadata } }) => {
      const own = metadata.finalizers ?? [];
      if (!own.includes(FINALIZER)) metadata.finalizers = [...own, FINALIZER];
      return undefined;
    }),
  };
}

const workloadOf = remembered('scheduling.k8s.io/v1alpha2/workloads', ({ metadata, spec }) => ({
  isBeingDeleted: metadata.deletionTimestamp !== undefined,
  templates: new Set(items(spec.podGroupTemplates).map(({ name }) => name)),
}));

/** A group that names a Workload is of one of its templates. */
export function podGroupWorkloadExists(): ValidatingPlugin {
  return {
    name: 'PodGroupWorkloadExists',
    validatesAt: stepFor(GROUPS, ['CREATE'], (attributes) => {
      const { object, objects, namespace } = attributes;
      const named = object.spec.podGroupTemplateRef?.workload ?? undefined;
      if (named === undefined) return undefined;
      const { workloadName, podGroupTemplateName } = named;
      const workload = goQuote(workloadName);
      const refused = (why: string) => refusedAt(attributes, `PodGroup rejected: ${why}`);
      const found = objects.get('scheduling.k8s.io/workloads', pathOf(namespace, workloadName));
      if (found === undefined) return refused(`Workload ${workload} not found`);
      const { isBeingDeleted, templates } = workloadOf(found);
      if (isBeingDeleted) return refused(`Workload ${workload} is being deleted`);
      if (templates.has(podGroupTemplateName)) return undefined;
      const template = goQuote(podGroupTemplateName);
      return refused(`PodGroupTemplate ${template} not found in Workload ${workload}`);
    }),
  };
}

const groupOf = remembered(GROUPS, ({ metadata, spec }) => ({
  name: metadata.name ?? '',
  isGang: (spec.schedulingPolicy.gang ?? undefined) !== undefined,
}));

/** Groups that are looked at before others have their turn. */
const SLICE = 1_000;

function controllerOf(stored: StoredObject): string | undefined {
  const { ownerReferences } = metadataOf(stored);
  return items(ownerReferences).find(({ controller }) => controller === true)?.uid;
}

/** As many pods of a Job as are scheduled together stay as many. */
export function jobValidation({
  objects,
  served,
}: Pick<AdmissionWorld, 'objects' | 'served'>): ValidatingPlugin {
  const stored = 'scheduling.k8s.io/podgroups';
  /** The name of a gang that the job is of. */
  function* gangOf(job: Job, namespace: string): Parts<string | undefined> {
    const named = job.spec.template.spec.schedulingGroup?.podGroupName;
    if (named !== undefined) {
      const found = objects.get(stored, pathOf(namespace, named));
      return found === undefined ? undefined : gangIn(found);
    }
    let seen = 0;
    for (const one of [...objects.of(stored).inOrder(namespace)]) {
      seen += 1;
      if (seen % SLICE === 0) yield;
      const gang = controllerOf(one) === job.metadata.uid ? gangIn(one) : undefined;
      if (gang !== undefined) return gang;
    }
    return undefined;
  }
  return {
    name: 'JobValidation',
    validatesAt: stepFor('batch/v1/jobs', ['UPDATE'], (attributes) => {
      const { object, oldObject, namespace } = attributes;
      if (object.spec.parallelism === oldObject.spec.parallelism) return undefined;
      if (served.lookup(SERVED) === undefined) return undefined;
      const count = objects.of(stored).size;
      const found = whole(count > SLICE ? LARGE_BYTES : 0, gangOf(oldObject, namespace));
      return andThen(found, (name) => {
        if (name === undefined) return undefined;
        const of = `gang-scheduled PodGroup ${goQuote(name)}`;
        return refusedAt(attributes, `cannot change parallelism for a Job referencing ${of}`);
      });
    }),
  };
}

function gangIn(stored: StoredObject): string | undefined {
  const { name, isGang } = groupOf(stored);
  return isGang ? name : undefined;
}

const SERVED = {
  ...{ apiGroup: 'scheduling.k8s.io', apiVersion: 'v1alpha2', resource: 'podgroups' },
};
