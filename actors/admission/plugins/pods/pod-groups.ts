/**
 * Two plug-ins about PodGroups, which exist where the feature gate GenericWorkload is on.
 *
 * In Kubernetes: plugin/pkg/admission/scheduling/podgroupprotection; plugin/pkg/admission/podgroup.
 */
import { goQuote } from '../../../../api/json/go-format.ts';
import { items } from '../../../../api/json/go-values.ts';
import { pathOf } from '../../../../streams/event.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { MutatingPlugin, ValidatingPlugin } from '../../admission-plugin.ts';
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
