/** Objects behind their decoder: patches, field management, and the rules of every built-in kind. */
import { formatJson } from '../../../api/json/json-text.ts';
import { managedApply, managedUpdate } from '../../../api/managed-fields/field-manager.ts';
import { readFieldsV1, asJson, sortFields } from '../../../api/merge/fields-v1.ts';
import { isJsonObject, stringAt, type JsonValue } from '../../../api/json/json.ts';
import { atOnce } from '../../../api/meta/maybe-promise.ts';
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../../api/patch/merge-patch.ts';
import { isDeeperThan, isEqualJson } from '../../../api/json/json-tree.ts';
import type { PatchResult } from '../../../api/patch/patch-result.ts';
import { patchSchemaOf } from '../../../api/patch/patch-schema.ts';
import { applyStrategicMergePatch } from '../../../api/patch/strategic-merge-patch.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  canonicalObject,
  prepareCreate,
  prepareUpdate,
  toStorage,
} from '../../../actors/registry/objects/candidate.ts';
import { candidateOf } from '../../../actors/registry/objects/read-candidate.ts';
import { managedResource } from '../../../actors/registry/objects/managed-fields.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { readReview } from '../../../actors/admission/webhooks/admission-review.ts';
import { convertedIn } from '../../../api/kinds/custom/conversion-review.ts';
import { readJsonBody } from '../../../gateway/negotiation/json-body.ts';
import {
  bufferOf,
  decodedBy,
  holds,
  partsOf,
  prototypesAreUntouched,
  seedOfParts,
  textOf,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { frozen, isAnAnswer, isBounded, jsonOf } from '../target-values.ts';
import { DEPLOYMENT, KEYS, OBJECTS, POD } from '../seeds.ts';

const NOW = '2026-11-21T09:00:00Z';
const CLOCK = { now: () => Date.parse(NOW), after: () => () => undefined };

/** The document comes from the input too; where none does it is a pod. */
function patchTarget(
  apply: (document: JsonValue, patch: JsonValue) => PatchResult,
  seeds: FuzzTarget['seeds'],
  dictionary: readonly string[],
): FuzzTarget {
  return {
    seeds,
    dictionary: [...dictionary, ...KEYS],
    bytesMax: 1_024,
    stretchedBytesMax: 3 * 1024 * 1024,
    run(input) {
      const [text = '', sent = ''] = partsOf(input, 2);
      const body = decodedBy([Error], () => readJsonBody(Buffer.from(text), false));
      if (body === undefined) return;
      const said = sent === '' ? undefined : jsonOf(sent);
      const document = frozen(isJsonObject(said) && !isDeeperThan(said, 500) ? said : POD);
      const patched = apply(document, frozen(body.value));
      if (patched.ok) {
        const isCopying = text.includes('copy');
        if (!isCopying) isBounded(formatJson(patched.value).length, input.length, 'the result');
      } else {
        holds([400, 413, 422, 500].includes(patched.code), 'a refusal has a code');
        holds(patched.message !== '', 'a refusal has a message');
      }
      prototypesAreUntouched();
    },
  };
}

const JSON_PATCHES = [
  '[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"remove","path":"/spec/containers/0"}]',
  '[{"op":"test","path":"/metadata/name","value":"web"},{"op":"replace","path":"/spec","value":{}}]',
  '[{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"},{"op":"copy","from":"/spec","path":"/spec/containers/-"}]',
  '[{"op":"add","path":"/a~1b~0c","value":null},{"op":"add","path":"/spec/containers/-1","value":1}]',
  '[{"op":"add","path":"/__proto__/x","value":1},{"op":"add","path":"/constructor/prototype/x","value":1}]',
  '[{"op":"add","path":"","value":[1]},{"op":"replace","path":"/0","value":2}]',
];
const MERGE_PATCHES = [
  '{"metadata":{"labels":{"app":null,"x":"y"}},"spec":{"containers":[{"name":"a"}]}}',
  '{"a":{"b":{"c":null}},"spec":null}',
  '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
  '[{"a":null}]',
];
const STRATEGIC_PATCHES = [
  '{"spec":{"containers":[{"name":"main","image":"b"},{"$patch":"delete","name":"x"}]}}',
  '{"spec":{"$setElementOrder/containers":[{"name":"main"}],"containers":[{"name":"main","env":[{"name":"A","value":"c"}]}]}}',
  '{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/wait"],"labels":{"$patch":"replace","a":"b"}}}',
  '{"spec":{"$retainKeys":["containers"],"volumes":[{"name":"v","$retainKeys":["name"],"emptyDir":null}]}}',
  '{"$patch":"replace","spec":{"tolerations":[{"key":"a","$patch":"merge"}]}}',
];

const podSchema = patchSchemaOf('io.k8s.api.core.v1.Pod');
if (podSchema === undefined) throw new Error('pods have a schema');

const withDocuments = (patches: readonly string[]): FuzzTarget['seeds'] => [
  ...patches,
  ...patches.map((patch) => seedOfParts(patch, '{"a":[{"b":1},[2]],"metadata":{"name":"x"}}')),
];

const fieldsV1: FuzzTarget = {
  seeds: [
    '{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"main\\"}":{".":{},"f:image":{}}}}}',
    '{"f:list":{"v:\\"a\\"":{},"v:1":{},"v:1.5":{},"v:true":{},"v:null":{},"i:0":{}}}',
    '{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{},"x:unknown":{},"f:":{}}',
    '{".":{}}',
  ],
  dictionary: [
    '"f:',
    '"k:{',
    '"v:',
    '"i:',
    '".":{}',
    '\\"',
    '"f:__proto__":',
    '"f:constructor":',
    'k:{\\"a\\":1}',
  ],
  bytesMax: 512,
  run(input) {
    const json = jsonOf(textOf(input));
    const set = readFieldsV1(frozen(json));
    if (set === undefined) return;
    const sorted = asJson(sortFields(set));
    const again = readFieldsV1(sorted);
    holds(again !== undefined, 'what was read once is read again');
    if (again !== undefined)
      holds(isEqualJson(asJson(sortFields(again)), sorted), 'and is the same');
    holds(
      formatJson(sorted).length <= textOf(input).length * 6 + 16,
      'a set is no longer than its text',
    );
    prototypesAreUntouched();
  },
};

const served = builtInResources(CLOCK);
const byKind = new Map(served.map((one) => [`${one.apiVersion}/${one.facts.kind}`, one]));

function servedAs(object: JsonValue | undefined): ServedResource | undefined {
  if (!isJsonObject(object)) return undefined;
  return byKind.get(`${stringAt(object, 'apiVersion')}/${stringAt(object, 'kind')}`);
}

const deployments = byKind.get('apps/v1/Deployment');
const APPLIED_BY = { now: NOW, force: false };

/** Two configurations, one applied over the other, and an update behind them. */
const apply: FuzzTarget = {
  seeds: [
    seedOfParts(
      JSON.stringify(DEPLOYMENT),
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"},"spec":{"replicas":3}}',
    ),
    seedOfParts(
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","labels":{"a":"b"}},"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":1}]}]}}}}',
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","labels":{"c":"d"}},"spec":{"template":{"spec":{"containers":[{"name":"b"},{"name":"a","ports":[{"containerPort":1,"protocol":"UDP"}]}]}}}}',
    ),
    seedOfParts(
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","managedFields":[{"manager":"x","operation":"Apply","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]}}',
      '{}',
    ),
  ],
  dictionary: [
    ...KEYS,
    '"managedFields":',
    '"fieldsV1":',
    '"f:spec":{}',
    '"finalizers":["a"]',
    '"containers":',
    '"replicas":',
  ],
  bytesMax: 1_536,
  async run(input) {
    if (deployments === undefined) throw new Error('deployments are served');
    const resource = managedResource(deployments, '');
    const [first, second] = partsOf(input, 2).map(jsonOf);
    if (!isJsonObject(first) || isDeeperThan(first, 500)) return;
    const made = await managedApply(resource, {
      ...APPLIED_BY,
      live: undefined,
      applied: frozen(first),
      manager: 'a',
    });
    if (!made.ok) return;
    const candidate = candidateOf(deployments, structuredClone(made.object));
    if (!candidate.ok) return;
    const live = frozen(candidate.object);
    if (!isJsonObject(second) || isDeeperThan(second, 500)) return;
    for (const force of [false, true]) {
      await managedApply(resource, {
        ...APPLIED_BY,
        force,
        live,
        applied: frozen(second),
        manager: 'b',
      });
    }
    const updated = candidateOf(deployments, structuredClone(second));
    if (!updated.ok) return;
    const entries = await managedUpdate(resource, {
      live,
      object: frozen(updated.object),
      manager: 'c',
      now: NOW,
    });
    isBounded(JSON.stringify(entries ?? []).length, input.length, 'what is noted of managers');
    prototypesAreUntouched();
  },
};

const REQUESTER = { name: 'jane', uid: '', groups: [], extra: {} };

/** A body on its way to be stored, as a new object and over another of its kind. */
const kinds: FuzzTarget = {
  seeds: OBJECTS,
  dictionary: [
    ...KEYS,
    '"status":',
    '"selector":',
    '"matchExpressions":',
    '"rules":',
    '"ports":',
    '"IntOrString"',
    '"25%"',
    '"10.0.0.0/8"',
    '"1Gi"',
  ],
  bytesMax: 3_072,
  run(input) {
    const body = decodedBy([Error], () => readJsonBody(bufferOf(input), false));
    const resource = servedAs(body?.value);
    if (body === undefined || resource === undefined) return;
    const made = madeOf(resource, body.value);
    if (made === undefined) return;
    const stored = canonicalObject(resource, made);
    const twice = canonicalObject(resource, structuredClone(stored));
    holds(isEqualJson(stored, twice), 'the canonical form of an object is its own');
    const old = frozen(structuredClone(stored));
    const young = { object: structuredClone(stored), sizeBytes: 0 };
    atOnce(prepareUpdate(resource, resource.definition.strategy, young, old));
    prototypesAreUntouched();
  },
};

/** undefined where it was refused, with an answer. */
function madeOf(resource: ServedResource, value: JsonValue) {
  const candidate = candidateOf(resource, value);
  if (!candidate.ok) {
    isAnAnswer(candidate.status);
    return undefined;
  }
  resource.setDefaults?.(candidate.object);
  const object = toStorage(resource, candidate.object);
  const refused = atOnce(prepareCreate(resource, { object, sizeBytes: 0 }, REQUESTER));
  if (refused !== undefined) isAnAnswer(refused);
  return refused === undefined ? object : undefined;
}

const ASKED = { kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a', uid: 'u' } };

/** What webhooks answer. */
const webhookAnswers: FuzzTarget = {
  seeds: [
    '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true,"patchType":"JSONPatch","patch":"W10=","warnings":["a"],"auditAnnotations":{"a":"b"}}}',
    '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":false,"status":{"code":403,"message":"no","reason":"Forbidden"}}}',
    '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":"Success"},"convertedObjects":[{"kind":"Thing","apiVersion":"example.com/v2","metadata":{"name":"a","uid":"u"}}]}}',
  ],
  dictionary: [
    ...KEYS,
    '"response":',
    '"uid":"u"',
    '"allowed":true',
    '"patch":',
    '"convertedObjects":',
    '"status":{"code":',
  ],
  bytesMax: 768,
  run(input) {
    const body = bufferOf(input);
    readReview(body, { version: 'v1', uid: 'u', isMutating: true });
    const question = {
      objects: [ASKED],
      desiredAPIVersion: 'example.com/v2',
      uid: 'u',
      version: 'v1',
    };
    convertedIn(body, question);
    prototypesAreUntouched();
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'json-patch': patchTarget(
    (document, patch) => applyJsonPatch(document, patch, { fieldValidation: 'Strict' }),
    withDocuments(JSON_PATCHES),
    [
      '"op":',
      '"path":',
      '"from":',
      '"value":',
      '"add"',
      '"remove"',
      '"copy"',
      '"move"',
      '"test"',
      '/-',
      '~0',
      '~1',
      '/__proto__',
      '/constructor/prototype',
    ],
  ),
  'merge-patch': patchTarget(
    (document, patch) => applyMergePatch(document, patch, 'Strict'),
    withDocuments(MERGE_PATCHES),
    ['null'],
  ),
  'strategic-merge-patch': patchTarget(
    (document, patch) => applyStrategicMergePatch(document, patch, podSchema),
    withDocuments(STRATEGIC_PATCHES),
    [
      '"$patch":"delete"',
      '"$patch":"replace"',
      '"$retainKeys":',
      '"$setElementOrder/',
      '"$deleteFromPrimitiveList/',
      '"name":"main"',
      '"containers":',
      '"finalizers":',
      '"$patch":',
    ],
  ),
  'fields-v1': fieldsV1,
  apply,
  kinds,
  'webhook-answers': webhookAnswers,
};
