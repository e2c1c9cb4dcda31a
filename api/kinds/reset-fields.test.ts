import { describe, expect, it } from 'vitest';

import { fieldSetOf } from '../merge/field-set.ts';
import type { JsonObject } from '../json/json.ts';
import { asKubeObject, type KubeObject } from '../meta/object-meta.ts';
import type { FieldFilter } from '../managed-fields/field-filter.ts';
import { ManualClock } from '../meta/manual-clock.fixture.ts';
import { builtInResources } from './built-in.ts';

const served = builtInResources(new ManualClock());

function find(storage: string) {
  const found = served.find(({ definition }) => definition.storage === storage);
  if (found === undefined) throw new Error(`${storage} is not served`);
  return found.definition.strategy;
}

/** What is left of some fields that every object could have. */
function left(filter: FieldFilter | undefined): unknown {
  const all = fieldSetOf(
    ['f:spec', 'f:x'],
    ['f:status', 'f:conditions'],
    ['f:status', 'f:certificate'],
    ['f:metadata', 'f:labels', 'f:a'],
    ['f:metadata', 'f:annotations', 'f:a'],
  );
  return filter?.(all);
}

describe('what a write resets', () => {
  it('is the status through the resource, and the spec through the status', () => {
    const { resetFields, subresources } = find('core/services');
    expect(left(resetFields)).toEqual(
      fieldSetOf(
        ['f:spec', 'f:x'],
        ['f:metadata', 'f:labels', 'f:a'],
        ['f:metadata', 'f:annotations', 'f:a'],
      ),
    );
    expect(left(subresources.get('status')?.resetFields)).toEqual(
      fieldSetOf(
        ['f:status', 'f:conditions'],
        ['f:status', 'f:certificate'],
        ['f:metadata', 'f:labels', 'f:a'],
        ['f:metadata', 'f:annotations', 'f:a'],
      ),
    );
  });

  it('is more where a kind says so', () => {
    const requests = find('certificates.k8s.io/certificatesigningrequests').subresources;
    expect(left(requests.get('approval')?.resetFields)).toEqual(
      fieldSetOf(
        ['f:status', 'f:conditions'],
        ['f:metadata', 'f:labels', 'f:a'],
        ['f:metadata', 'f:annotations', 'f:a'],
      ),
    );
    const deployments = find('apps/deployments').subresources;
    expect(left(deployments.get('status')?.resetFields)).toEqual(
      fieldSetOf(
        ['f:status', 'f:conditions'],
        ['f:status', 'f:certificate'],
        ['f:metadata', 'f:annotations', 'f:a'],
      ),
    );
  });

  it('is nothing where there is no status', () => {
    expect(find('core/configmaps').resetFields).toBeUndefined();
  });
});

/** The manager of a write is entered before the rules of the kind come, and must not be lost by them. */
describe('the rules of a kind', () => {
  const entries = (manager: string): JsonObject[] => [
    { manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
  ];
  const object = (manager: string): KubeObject => ({
    kind: 'X',
    apiVersion: 'v1',
    metadata: { name: 'x', managedFields: entries(manager) },
    spec: { template: { metadata: {}, spec: { containers: [] } } },
    status: {},
  });
  const cases = served
    .filter(({ facts }) => facts.storageVersionHash)
    .flatMap(({ definition }) =>
      [['', definition.strategy] as const, ...definition.strategy.subresources].map(
        ([name, rules]) => [definition.storage, name, { rules, codec: definition.codec }] as const,
      ),
    );

  it.each(cases)('keep the managers of %s/%s', (_storage, _name, { rules, codec }) => {
    const read = (manager: string): KubeObject => {
      const decoded = codec.decode(object(manager));
      if (!decoded.ok) throw new Error(decoded.message);
      return asKubeObject(decoded.value); // What was given is one.
    };
    const written = read('new');
    rules.prepareForUpdate(written, read('old'));
    expect(written.metadata['managedFields']).toEqual(entries('new'));
  });
});
