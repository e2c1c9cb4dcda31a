import { expect, it } from 'vitest';
import { fieldSetOf } from '../merge/field-set.ts';
import { reportConflicts } from './apply-conflicts.ts';
import { decodeEntries } from './managed-entries.ts';
import type { JsonObject } from '../json/json.ts';

function entry(manager: string, more: JsonObject = {}): JsonObject {
  return {
    ...{ manager, operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1' },
    ...{ fieldsV1: {}, ...more },
  };
}

const decoded = decodeEntries([
  entry('kubectl'),
  entry('helm', { operation: 'Apply' }),
  entry('autoscaler', { subresource: 'scale' }),
]);
if (!decoded.ok) throw new Error(decoded.message);
const { managed } = decoded;
const [kubectl = '', helm = '', autoscaler = ''] = managed.owners.keys();

it('one conflict is told in one line', () => {
  const conflicting = new Map([[kubectl, fieldSetOf(['f:spec', 'f:replicas'])]]);
  expect(reportConflicts(conflicting, managed)).toEqual({
    message: 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas',
    conflicts: [{ message: 'conflict with "kubectl" using apps/v1', field: '.spec.replicas' }],
  });
});

it('several are told by manager, the fields of an object before those within them', () => {
  const ports = 'k:{"containerPort":80,"protocol":"TCP"}';
  const conflicting = new Map([
    [kubectl, fieldSetOf(['f:b', 'f:c'], ['f:b'], ['f:a', ports], ['f:z'])],
    [autoscaler, fieldSetOf(['f:spec', 'f:replicas'])],
    [helm, fieldSetOf(['f:list', 'v:1.5'], ['f:list', 'i:3'])],
  ]);
  const { message, conflicts } = reportConflicts(conflicting, managed);
  expect(message.split('\n')).toEqual([
    'Apply failed with 7 conflicts: conflicts with "autoscaler" with subresource "scale" using apps/v1:',
    '- .spec.replicas',
    'conflicts with "helm":',
    '- .list[=1.5]',
    '- .list[3]',
    'conflicts with "kubectl" using apps/v1:',
    '- .b',
    '- .z',
    '- .a[containerPort=80,protocol="TCP"]',
    '- .b.c',
  ]);
  expect(conflicts).toHaveLength(7);
});

it('a manager without an entry has no name', () => {
  const conflicting = new Map([['another', fieldSetOf(['f:a'])]]);
  expect(reportConflicts(conflicting, managed).message).toBe(
    'Apply failed with 1 conflict: conflict with "": .a',
  );
});
