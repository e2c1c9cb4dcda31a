/**
 * A look at the defaults that are easiest to get wrong. All of them are compared with kube-apiserver's
 * in e2e/oracles/defaults, except those of the last two kinds here, which that program does not know.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { defaultersByType } from './built-in-defaults.ts';

const CORE = 'io.k8s.api.core.v1';

function given(typeId: string, object: JsonObject): JsonObject {
  const setDefaults = defaultersByType.get(typeId);
  if (setDefaults === undefined) throw new Error(`no defaults: ${typeId}`);
  const decoded = typedCodec(typeId).decode(object);
  if (!decoded.ok) throw new Error(decoded.message);
  setDefaults(decoded.value);
  return decoded.value;
}

describe('defaults of a pod', () => {
  it('of nothing at all', () => {
    expect(given(`${CORE}.Pod`, {})).toEqual({
      metadata: {},
      status: {},
      spec: {
        containers: null,
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
    });
  });

  it('pull a floating tag always, and request what is the limit', () => {
    const containers = [
      { name: 'a', image: 'nginx', resources: { limits: { cpu: '1' } } },
      { name: 'b', image: 'nginx:1', resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } },
    ];
    expect(given(`${CORE}.Pod`, { spec: { containers } })).toMatchObject({
      spec: {
        containers: [
          { imagePullPolicy: 'Always', resources: { requests: { cpu: '1' } } },
          { imagePullPolicy: 'IfNotPresent', resources: { requests: { cpu: '2' } } },
        ],
      },
    });
  });

  it('are not filled into templates beyond the shared spec', () => {
    const deployment = given('io.k8s.api.apps.v1.Deployment', { spec: { template: {} } });
    expect(deployment).toMatchObject({
      spec: { replicas: 1, template: { spec: { restartPolicy: 'Always' } } },
    });
    expect(JSON.stringify(deployment)).not.toContain('enableServiceLinks');
  });
});

describe('defaults of other kinds', () => {
  it('leave an explicit 0 of a pointer alone', () => {
    const spec = { replicas: 0, revisionHistoryLimit: 0 };
    expect(given('io.k8s.api.apps.v1.Deployment', { spec })).toMatchObject({
      spec: { replicas: 0, revisionHistoryLimit: 0 },
    });
  });

  it('take away what a service without affinity says about it', () => {
    const spec = { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } };
    expect(given(`${CORE}.Service`, { spec })).toEqual({
      metadata: {},
      status: { loadBalancer: {} },
      spec: { sessionAffinity: 'None', type: 'ClusterIP', internalTrafficPolicy: 'Cluster' },
    });
  });

  it('label a namespace with its name, unless the name is still to come', () => {
    expect(given(`${CORE}.Namespace`, { metadata: { name: 'n' } })).toEqual({
      metadata: { name: 'n', labels: { 'kubernetes.io/metadata.name': 'n' } },
      spec: {},
      status: { phase: 'Active' },
    });
    expect(given(`${CORE}.Namespace`, { metadata: { generateName: 'n-' } })).toEqual({
      metadata: { generateName: 'n-' },
      spec: {},
      status: { phase: 'Active' },
    });
  });

  it('give a custom resource its names and the version it is stored in', () => {
    const typeId =
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';
    const versions = [{ name: 'v1' }, { name: 'v2', storage: true }];
    const conversion = { webhook: { clientConfig: { service: { name: 's' } } } };
    const spec = { names: { kind: 'CronTab', plural: 'crontabs' }, versions };
    expect(given(typeId, { spec })).toMatchObject({
      spec: {
        names: { singular: 'crontab', listKind: 'CronTabList' },
        conversion: { strategy: 'None' },
      },
      status: { storedVersions: ['v2'] },
    });
    expect(given(typeId, { spec: { conversion } })).toMatchObject({
      spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } },
    });
  });

  it('send an aggregated API to port 443', () => {
    const typeId = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService';
    const always = { groupPriorityMinimum: 0, versionPriority: 0 };
    expect(given(typeId, { spec: { service: { name: 's' } } })).toEqual({
      metadata: {},
      spec: { ...always, service: { name: 's', port: 443 } },
      status: {},
    });
    expect(given(typeId, { spec: {} })).toEqual({ metadata: {}, spec: always, status: {} });
  });
});
