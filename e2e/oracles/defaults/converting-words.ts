/** What conversion looks for, under the names of the fields that hold it. */
import type { JsonObject } from '../../../api/json/json.ts';

const ANNOTATIONS: readonly (readonly [key: string, values: readonly string[]])[] = [
  ['pod.beta.kubernetes.io/init-containers', ['[]']],
  ['pod.alpha.kubernetes.io/init-container-statuses', ['[]']],
  ['deprecated.deployment.rollback.to', ['7', '007', '', '-1', 'x', '9223372036854775808']],
  [
    'deprecated.daemonset.template.generation',
    ['1', '3', '+4', '007', '-1', '', '1.0', '-9223372036854775808'],
  ],
  [
    'autoscaling.alpha.kubernetes.io/metrics',
    [
      '[]',
      '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"3"}}]',
      '[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":7}}]',
      '[{"type":"External","external":{"metricName":"m","targetValue":"1500u","more":1}}]',
      '[{"type":"Object","object":{"targetValue":"0.50","averageValue":"1e3","target":{}}},null]',
      '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"none"}}]',
      '[{"type":7}]',
      'null',
      '{}',
      'no JSON',
    ],
  ],
  [
    'autoscaling.alpha.kubernetes.io/current-metrics',
    ['[]', 'null', '[1]', '[{"type":"Pods","pods":{"currentAverageValue":"0.5"}}]'],
  ],
  [
    'autoscaling.alpha.kubernetes.io/behavior',
    [
      '{}',
      '{"ScaleUp":{}}',
      '{"ScaleUp":{"SelectPolicy":"Min"},"ScaleDown":null}',
      '{"scaleup":{"tolerance":"0.10","Policies":[{"TYPE":"Pods","value":3},null]}}',
      '{"ScaleUp":{"Policies":[{"Value":"three"}]}}',
      '{"ScaleUp":{"Policies":[],"Tolerance":"some"}}',
      '{"ScaleUp":7}',
      '[]',
    ],
  ],
  [
    'autoscaling.alpha.kubernetes.io/conditions',
    [
      '[]',
      '[{"type":"T","status":"True","more":{}}]',
      '[{"type":"T","lastTransitionTime":"yesterday"}]',
      '[{"type":"T","lastTransitionTime":"2020-01-01T01:00:00+01:00"}]',
    ],
  ],
];

const PDB_LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const SELECTORS: readonly JsonObject[] = [
  { matchExpressions: [{ key: PDB_LABEL, operator: 'Exists' }] },
  { matchExpressions: [{ key: PDB_LABEL, operator: 'DoesNotExist' }] },
  {
    matchExpressions: [
      { key: PDB_LABEL, operator: 'Exists' },
      { key: 'a', operator: 'Exists' },
    ],
  },
];

export const convertingAnnotations: readonly JsonObject[] = ANNOTATIONS.flatMap(([key, values]) =>
  values.map((value) => ({ [key]: value })),
);

export const convertingWords: readonly JsonObject[] = [
  ...SELECTORS.map((selector) => ({ selector })),
  { terminationGracePeriodSeconds: -5 },
  { serviceAccount: 'old' },
  { serviceAccountName: 'new' },
  { podIP: '10.0.0.9', podCIDR: '10.9.0.0/24' },
  { rollingUpdate: {} },
  { type: 'OnDelete' },
  { type: 'Recreate' },
  { stringData: { a: 'told' } },
];
