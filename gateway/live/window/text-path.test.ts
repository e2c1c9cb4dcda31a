import { expect, it } from 'vitest';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { textKeys } from './text-path.ts';

const SERVED = new ServedResources(builtInResources(new ManualClock()));

it.each([
  ['v1/pods', '.spec.nodeName', true],
  ['v1/pods', '.spec.priority', false],
  ['v1/pods', '.spec.unknown', false],
  ['v1/pods', '.metadata.labels.app', true],
  ['v1/pods', '.metadata.labels', false],
  ['v1/pods', '.metadata.creationTimestamp', true],
  ['v1/pods', '.spec.containers[0].image', false],
  ['v1/configmaps', '.data.a', true],
  ['v1/secrets', '.data.a', false],
  ['autoscaling/v1/horizontalpodautoscalers', '.spec.scaleTargetRef.name', false],
  ['autoscaling/v2/horizontalpodautoscalers', '.spec.scaleTargetRef.name', true],
])('of %s, the bytes alone tell what is at %s: %s', (name, jsonPath, isTold) => {
  const [resource = '', apiVersion = '', apiGroup = ''] = name.split('/').reverse();
  const served = SERVED.lookup({ apiGroup, apiVersion, resource });
  if (served === undefined) throw new Error(`no ${name} are served`);
  expect(textKeys(served, jsonPath) !== undefined).toBe(isTold);
});
