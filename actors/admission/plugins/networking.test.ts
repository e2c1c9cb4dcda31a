import { expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import { defaultIngressClass } from './networking.ts';

const V1 = 'networking.k8s.io/v1';
const URL = `/apis/${V1}/namespaces/default/ingresses`;
const MARK = 'ingressclass.kubernetes.io/is-default-class';

function ingressClass(name: string, isDefault: string) {
  const metadata = { name, annotations: { [MARK]: isDefault } };
  const spec = { controller: 'example.com/c' };
  return [
    `/apis/${V1}/ingressclasses`,
    { kind: 'IngressClass', apiVersion: V1, metadata, spec },
  ] as const;
}

function ingress(spec: JsonObject = {}, annotations = {}): JsonObject {
  return { kind: 'Ingress', apiVersion: V1, metadata: { name: 'i', annotations }, spec };
}

it('DefaultIngressClass gives an ingress the default class', async () => {
  const classes = [
    ingressClass('a', 'false'),
    ingressClass('c', 'true'),
    ingressClass('b', 'true'),
  ];
  const { admit } = await givenPlugin(defaultIngressClass, classes);
  const { object } = await admit({ url: URL, object: ingress() });
  expect(object['spec']).toMatchObject({ ingressClassName: 'b' });
});

it('DefaultIngressClass leaves alone what names a class in either way', async () => {
  const { admit } = await givenPlugin(defaultIngressClass, [ingressClass('a', 'true')]);
  const named = await admit({ url: URL, object: ingress({ ingressClassName: 'x' }) });
  expect(named.object['spec']).toMatchObject({ ingressClassName: 'x' });
  const annotated = ingress({}, { 'kubernetes.io/ingress.class': 'y' });
  const { object } = await admit({ url: URL, object: annotated });
  expect(object['spec'] ?? {}).not.toHaveProperty('ingressClassName');
});
