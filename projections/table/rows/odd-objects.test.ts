import { expect, it } from 'vitest';
import { horizontalPodAutoscalerCells } from './autoscaling.ts';
import { controllerRevisionCells } from './workloads.ts';

it('an autoscaler that was stored without a least number of replicas has none', () => {
  const cells = horizontalPodAutoscalerCells({ metadata: { name: 'a' }, spec: {} }, 0);
  expect(cells.slice(0, 4)).toEqual(['a', '/', '<none>', '<unset>']);
});

it('a revision is that of its controller, not of its first owner', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'owner', uid: '1' };
  const controller = { ...owner, name: 'controller', uid: '2', controller: true };
  const revision = (...ownerReferences: (typeof owner)[]) => ({
    metadata: { name: 'r', ownerReferences },
    revision: 3,
  });
  expect(controllerRevisionCells(revision(owner, controller), 0)[1]).toBe(
    'statefulset.apps/controller',
  );
  expect(controllerRevisionCells(revision(owner), 0)[1]).toBe('<none>');
});
