/** What conversion makes of objects; every kind of it is compared with Go in e2e/oracles/defaults. */
import { describe, expect, it } from 'vitest';
import { objectAt, type JsonObject } from '../json/json.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { unconvertedMetadata } from './apps/settled-form.ts';
import { convertingCodec, defaultsAndConversion } from './settled-form.ts';

const APPS = 'io.k8s.api.apps.v1';
const GENERATION = 'deprecated.daemonset.template.generation';
const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

function settled(typeId: string, object: JsonObject): JsonObject {
  const decoded = typedCodec(typeId).decode(structuredClone(object));
  if (!decoded.ok) throw new Error(decoded.message);
  defaultsAndConversion(typeId, undefined)?.(decoded.value);
  return decoded.value;
}

describe('the metadata of a partial form', () => {
  it('have no annotation that a conversion made of a field', () => {
    const shown = (kind: string, apiVersion: string, annotations: JsonObject): unknown => {
      const object = { kind, apiVersion, metadata: { name: 'a', annotations } };
      const metadata = unconvertedMetadata(object);
      expect(object.metadata.annotations).toBe(annotations);
      return metadata['annotations'];
    };
    const both = { [GENERATION]: '1', mine: 'kept' };
    expect(shown('DaemonSet', 'apps/v1', both)).toEqual({ mine: 'kept' });
    expect(shown('DaemonSet', 'apps/v1', { [GENERATION]: '1' })).toBeUndefined();
    expect(shown('Deployment', 'apps/v1', { [ROLLBACK_TO]: '1' })).toBeUndefined();
    expect(shown('DaemonSet', 'example.com/v1', both)).toBe(both);
    expect(shown('ConfigMap', 'v1', both)).toBe(both);
  });
});

describe('the settled form', () => {
  it('of a rolling update has all of its numbers', () => {
    const spec = { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } } };
    expect(settled(`${APPS}.DaemonSet`, { metadata: {}, spec })).toMatchObject({
      spec: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    });
    expect(settled(`${APPS}.StatefulSet`, { metadata: {}, spec })).toMatchObject({
      spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
    });
  });

  it('of a claim in a stateful set has its type', () => {
    const spec = { volumeClaimTemplates: [{ kind: 'Other', metadata: { name: 'd' } }] };
    expect(settled(`${APPS}.StatefulSet`, { metadata: {}, spec })['spec']).toMatchObject({
      volumeClaimTemplates: [
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'd' } },
      ],
    });
  });

  it('has numbers in annotations as Go writes them', () => {
    const daemonSet = settled(`${APPS}.DaemonSet`, {
      metadata: { annotations: { [GENERATION]: '+007' } },
    });
    expect(daemonSet['metadata']).toEqual({ annotations: { [GENERATION]: '7' } });
    const bare = settled(`${APPS}.DaemonSet`, { metadata: {} });
    expect(bare['metadata']).toEqual({ annotations: { [GENERATION]: '0' } });
    const deployment = settled(`${APPS}.Deployment`, {
      metadata: { annotations: { [ROLLBACK_TO]: '' } },
    });
    expect(deployment['metadata']).toEqual({});
  });

  it('of an autoscaler in v1 has the target that it means where it says none', () => {
    const type = 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler';
    const target = (spec: JsonObject, annotations: JsonObject = {}): unknown =>
      objectAt(settled(type, { metadata: { annotations }, spec }), 'spec')?.[
        'targetCPUUtilizationPercentage'
      ];
    const metrics = 'autoscaling.alpha.kubernetes.io/metrics';
    const other = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1"}}]';
    expect(target({ maxReplicas: 3 })).toBe(80);
    expect(target({ maxReplicas: 3, targetCPUUtilizationPercentage: 50 })).toBe(50);
    expect(target({ maxReplicas: 3 }, { [metrics]: other })).toBeUndefined();
    expect(target({ maxReplicas: 3 }, { [metrics]: '[]' })).toBe(80);
  });

  it('of a pod ends in time and tells nothing of its containers in annotations', () => {
    const annotations = { 'pod.beta.kubernetes.io/init-containers': '[]' };
    const spec = { terminationGracePeriodSeconds: -5 };
    const pod = settled('io.k8s.api.core.v1.Pod', { metadata: { annotations }, spec });
    expect(pod).toMatchObject({ metadata: {}, spec: { terminationGracePeriodSeconds: 1 } });
    expect(pod['metadata']).toEqual({});
    const template = settled('io.k8s.api.core.v1.PodTemplate', {
      metadata: {},
      template: { metadata: { annotations: { ...annotations, mine: 'kept' } }, spec },
    });
    expect(template['template']).toEqual({
      metadata: { annotations: { mine: 'kept' } },
      spec: { ...spec, containers: null },
    });
  });

  it('of a budget keeps the obsolete expression where it stands alone', () => {
    const key = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
    const obsolete = { key, operator: 'Exists' };
    const other = { key: 'a', operator: 'Exists' };
    const selectorOf = (selector: JsonObject) =>
      settled('io.k8s.api.policy.v1.PodDisruptionBudget', { metadata: {}, spec: { selector } })[
        'spec'
      ];
    const alone = { matchExpressions: [obsolete] };
    expect(selectorOf(alone)).toEqual({ selector: alone });
    expect(selectorOf({ matchExpressions: [obsolete, other] })).toEqual({
      selector: { matchExpressions: [other] },
    });
    expect(selectorOf({ ...alone, matchLabels: { a: 'b' } })).toEqual({
      selector: { matchLabels: { a: 'b' } },
    });
  });

  it('of a definition has no webhook that is empty', () => {
    const typeId =
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';
    const conversion = { strategy: 'None', webhook: { conversionReviewVersions: null } };
    const definition = settled(typeId, { metadata: {}, spec: { conversion } });
    expect(objectAt(definition, 'spec')?.['conversion']).toEqual({ strategy: 'None' });
  });
});

describe('what cannot be converted', () => {
  const read = (kind: string, annotations: JsonObject) =>
    convertingCodec(`${APPS}.${kind}`).decode({ metadata: { annotations } });

  it('is refused in Go’s words', () => {
    expect(read('DaemonSet', { [GENERATION]: '3' })).toMatchObject({ ok: true });
    expect(read('DaemonSet', { [GENERATION]: 'x' })).toEqual({
      ok: false,
      message: 'strconv.ParseInt: parsing "x": invalid syntax',
    });
    expect(read('Deployment', { [ROLLBACK_TO]: '' })).toMatchObject({ ok: true });
    expect(read('Deployment', { [ROLLBACK_TO]: '9223372036854775808' })).toEqual({
      ok: false,
      message:
        `failed to parse annotation[${ROLLBACK_TO}]=9223372036854775808 as int64: ` +
        'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    });
  });
});
