/** Inputs that several targets begin with. They are ours, small, and have a bit of everything. */
import type { KubeObject } from '../../api/meta/object-meta.ts';

/** A pod with most of what readers of objects look at. */
export const POD: KubeObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'b0f9',
    creationTimestamp: '2026-01-02T03:04:05Z',
    labels: { app: 'web', tier: 'front' },
    annotations: { 'example.com/note': 'ä\u{1f600}' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' }],
    finalizers: ['example.com/wait'],
  },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'web:1',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        env: [{ name: 'A', value: 'b' }],
        resources: { limits: { cpu: '500m', memory: '1Gi' } },
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 10 },
      },
    ],
    tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 30 }],
    volumes: [{ name: 'v', emptyDir: {} }],
    terminationGracePeriodSeconds: 30,
  },
};

/** A workload with amounts that are numbers or percentages. */
export const DEPLOYMENT: KubeObject = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', generation: 3 },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    template: { metadata: { labels: { app: 'web' } }, spec: POD['spec'] ?? null },
  },
};

/** Names that mean something to JavaScript, and those of most objects. */
export const KEYS: readonly string[] = [
  '"__proto__":', '"constructor":', '"prototype":', '"toString":', '"hasOwnProperty":', '"length":',
  '"kind":', '"apiVersion":', '"metadata":', '"name":', '"spec":', '"items":', '"":',
]; // prettier-ignore

/** Bodies in JSON: whole, indented, with repeated keys, and hostile ones. */
export const JSON_BODIES: readonly string[] = [
  JSON.stringify(POD),
  JSON.stringify(DEPLOYMENT),
  JSON.stringify(POD, undefined, 2),
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","name":"b"},"spec":{"containers":null}}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '[1,-0,1.5e3,"\\u00e4\\ud83d\\ude00\\n\\"",true,false,null,[],{}]',
  '{"a":[[[[{"b":{"c":{}}}]]]],"n":9007199254740991}',
  '"text"',
];

/** Bodies in YAML: block and flow style, anchors, and hostile ones. */
export const YAML_BODIES: readonly string[] = [
  'kind: Pod\napiVersion: v1\nmetadata:\n  name: web\n  labels: {app: web}\nspec:\n  containers:\n' +
    '  - name: main\n    image: \'web:1\'\n    command: ["a", b, c]\n',
  'a: &anchor {x: 1, y: [2, 3]}\nb: *anchor\nc:\n  <<: *anchor\n  z: ~\n',
  'text: |\n  line one\n  line two\nfolded: >-\n  some\n  words\nbinary: !!binary aGVsbG8=\n',
  '? complex\n: value\n1: number\ntrue: bool\nnull: nothing\n2026-01-02: date\n0x1f: hex\n.inf: inf\n',
  '%YAML 1.1\n---\n- 1_000\n- 0o17\n- 1:30\n- yes\n- ""\n...\n---\nsecond: document\n',
  '{"json": [1, 2.5, "x\\u00e4"], "__proto__": {"a": 1}, "constructor": 0}',
];
