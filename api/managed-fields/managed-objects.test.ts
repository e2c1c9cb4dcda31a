import { expect, it } from 'vitest';

import type { MergeType } from '../merge/merge-type.ts';
import type { JsonObject } from '../json/json.ts';
import { ownFields } from './managed-objects.ts';
import type { ManagedResource } from './managed-resource.ts';

it('of metadata keeps what has a manager, and takes no key for a prototype', () => {
  const text = '{"metadata":{"name":"a","uid":"b","__proto__":{"labels":{"a":"b"}}}}';
  const object = JSON.parse(text) as JsonObject; // An object, as can be seen.
  const resource = { apiVersion: 'v1' } as ManagedResource; // Nothing else is looked at.
  const type = {} as MergeType; // Handed on.
  const { metadata } = ownFields(resource, object, type).object;
  const fields: string[] = [];
  for (const name in metadata as JsonObject) fields.push(name);
  expect(fields).toContain('__proto__');
  expect(fields).not.toContain('labels');
});
