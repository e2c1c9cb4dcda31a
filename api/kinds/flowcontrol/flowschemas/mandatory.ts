/**
 * The specs of the two flow schemas that every cluster has: nobody may change them.
 *
 * In Kubernetes: MandatoryFlowSchemas, apiserver/pkg/apis/flowcontrol/bootstrap.
 */
import type { JsonObject } from '../../../json/json.ts';

const everything = {
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** By name. */
export const mandatoryFlowSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: [groupOf('system:masters')], ...everything }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [groupOf('system:unauthenticated'), groupOf('system:authenticated')],
          ...everything,
        },
      ],
    },
  ],
]);

function groupOf(name: string): JsonObject {
  return { kind: 'Group', group: { name } };
}
