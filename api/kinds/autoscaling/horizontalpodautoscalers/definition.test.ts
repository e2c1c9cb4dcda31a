import { expect, it } from 'vitest';

import type { JsonValue } from '../../../json/json.ts';
import { decodedAs } from '../../decoded.fixture.ts';
import { setHorizontalPodAutoscalerDefaults } from './definition.ts';
import { validateAutoscaler } from './validation.ts';

/** What kube-apiserver 1.36 answers to each. */
it.each<[string, JsonValue, readonly string[]]>([
  ['unset', {}, []],
  ['null', { policies: null }, []],
  [
    'empty',
    { policies: [] },
    ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
  ],
])('policies that are %s', (_, scaleUp, problems) => {
  const autoscaler = decodedAs('autoscaling/v2/horizontalpodautoscalers', {
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      behavior: { scaleUp },
    },
  });
  setHorizontalPodAutoscalerDefaults(autoscaler);
  const errors = [...validateAutoscaler(autoscaler)];
  expect(errors.map(({ field, body }) => `${field}: ${body}`)).toEqual(problems);
});
