import { describe, expect, it } from 'vitest';

import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { parseSelectorMap, podNodeSelector } from './pod-node-selector.ts';

const PODS = '/api/v1/namespaces/ns/pods';
const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';

function given(annotation: string | undefined, selectors?: StringMap) {
  const annotations = annotation === undefined ? {} : { [ANNOTATION]: annotation };
  const metadata = { name: 'ns', annotations };
  const configuration = selectors && {
    content: { podNodeSelectorPluginConfig: selectors },
    file: 'f',
  };
  return givenPlugin(
    (world) => podNodeSelector(world, configuration),
    [['/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata }]],
  );
}

const asking = (nodeSelector: StringMap) => ({ url: PODS, object: pod('p', { nodeSelector }) });

describe('PodNodeSelector', () => {
  it('adds what the namespace says', async () => {
    const { admit } = await given('env=test, zone=a');
    const { object } = await admit(asking({ disk: 'ssd' }));
    const nodeSelector = { env: 'test', zone: 'a', disk: 'ssd' };
    expect(object['spec']).toMatchObject({ nodeSelector });
  });

  it('takes that of the cluster where the namespace says nothing', async () => {
    const { admit } = await given(undefined, { clusterDefaultNodeSelector: 'env=prod' });
    const { object } = await admit({ url: PODS, object: pod('p') });
    expect(object['spec']).toMatchObject({ nodeSelector: { env: 'prod' } });
    const silent = await given('', { clusterDefaultNodeSelector: 'env=prod' });
    const left = await silent.admit({ url: PODS, object: pod('p') });
    expect(left.object['spec']).not.toHaveProperty('nodeSelector');
  });

  it('refuses a pod that wants to go elsewhere', async () => {
    const { admit } = await given('env=test');
    expect((await admit(asking({ env: 'prod' }))).message).toBe(
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
  });

  it('refuses what the list of the namespace does not have', async () => {
    const { admit } = await given('', { ns: 'env=test,disk=ssd' });
    expect((await admit(asking({ env: 'test' }))).message).toBe('');
    expect((await admit(asking({ disk: 'slow' }))).message).toBe(
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    );
  });

  it('says what is wrong with an annotation', async () => {
    const { admit } = await given('env');
    const { status } = await admit({ url: PODS, object: pod('p') });
    expect(status).toMatchObject({ code: 500, message: 'invalid selector: [env]' });
  });
});

it.each([
  ['', {}],
  ['a=b', { a: 'b' }],
  [' a = b , c= ', { a: 'b', c: '' }],
  ['a=1,a=2', { a: '2' }],
  ['example.com/a=b', { 'example.com/a': 'b' }],
])('%j selects %j', (text, labels) => {
  const parsed = parseSelectorMap(text);
  expect(parsed.ok && Object.fromEntries(parsed.labels)).toEqual(labels);
});

it.each([
  ['a', 'invalid selector: [a]'],
  ['a=b=c', 'invalid selector: [a b c]'],
  ['a=b,', 'invalid selector: []'],
  ['=b', /^<nil>: Invalid value: "": name part must be non-empty; name part must consist of/],
  ['a b=c', /^<nil>: Invalid value: "a b": name part must consist of/],
  ['a=b c', /^\[a\]: Invalid value: "b c": a valid label must be/],
])('%j is none', (text, why) => {
  const parsed = parseSelectorMap(text);
  expect(parsed.ok ? '' : parsed.why).toMatch(why);
});
