import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import type { ModelTypes } from '../../api/generated/kinds/kinds.ts';
import { decodedAs } from '../../api/kinds/kind.ts';
import type { RowPrinters } from './row-printers.ts';
import { horizontalPodAutoscalerCells } from './rows/autoscaling.ts';
import { podCells } from './rows/pods.ts';
import { controllerRevisionCells } from './rows/workloads.ts';

it('a printer is registered for the kind that it prints, and for one that there is', () => {
  const registered: RowPrinters = {
    'v1/pods': { cells: podCells },
    // @ts-expect-error a node has no containers
    'v1/nodes': { cells: podCells },
    // @ts-expect-error the field is called handler
    'node.k8s.io/v1/runtimeclasses': { cells: ({ handlers }) => [handlers === ''] },
  };
  // @ts-expect-error the plural is pods
  const misnamed: RowPrinters = { 'v1/pod': { cells: podCells } };
  expect(Object.keys({ ...registered, ...misnamed })).toHaveLength(4);
});

it('an autoscaler that was stored without a least number of replicas has none', () => {
  const autoscaler = decoded('io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler', {
    metadata: { name: 'a' },
    spec: {},
  });
  const cells = horizontalPodAutoscalerCells(autoscaler, 0);
  expect(cells.slice(0, 4)).toEqual(['a', '/', '<none>', '<unset>']);
});

it('a revision is that of its controller, not of its first owner', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'owner', uid: '1' };
  const controller = { ...owner, name: 'controller', uid: '2', controller: true };
  const revision = (...ownerReferences: (typeof owner)[]) =>
    decoded('io.k8s.api.apps.v1.ControllerRevision', {
      metadata: { name: 'r', ownerReferences },
      revision: 3,
    });
  expect(controllerRevisionCells(revision(owner, controller), 0)[1]).toBe(
    'statefulset.apps/controller',
  );
  expect(controllerRevisionCells(revision(owner), 0)[1]).toBe('<none>');
});

function decoded<Id extends keyof ModelTypes>(typeId: Id, object: JsonObject): ModelTypes[Id] {
  const read = decodedAs(typeId, object);
  if (read === undefined) throw new Error(`no ${typeId}`);
  return read;
}
