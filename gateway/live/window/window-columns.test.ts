import { describe, expect, it } from 'vitest';
import { loggedEvent } from '../../../projections/given.fixture.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import { configMaps } from '../../given-config-maps.fixture.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { SharedCells } from './shared-cells.ts';
import { rowMakerOf } from './window-columns.ts';

const METADATA = {
  name: 'a',
  uid: 'u',
  labels: { app: 'web' },
  managedFields: [{ manager: 'kubectl', fieldsV1: { 'f:data': { 'f:a]': {} } } }],
};
const JSON_TEXT = JSON.stringify({
  ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata: METADATA },
  data: { a: '1', b: ']', quoted: '"\n', empty: '', grün: 'ü', name: 'other' },
});

function cellOf(jsonPath: string) {
  const object = storedObject({ ...loggedEvent(7), json: Buffer.from(JSON_TEXT) });
  const shared = new SharedCells(new ManualClock());
  const maker = rowMakerOf(configMaps, [{ name: 'X', jsonPath }], shared);
  return 'kind' in maker ? maker.message : maker.row(object, 0).cells[0];
}

describe('a column by JSONPath', () => {
  it.each([
    ['.data.a', '1'],
    ['.data.quoted', '"\n'],
    ['.data.empty', ''],
    ['.data.none', null],
    [".data['grün']", 'ü'],
    ['.metadata.uid', 'u'],
    ['.metadata.labels.app', 'web'],
    ['.metadata.name', 'a'],
    ['.metadata.resourceVersion', '7'],
    ['.metadata.managedFields[0].manager', 'kubectl'],
    ['.metadata.managedFields[*].manager', 'kubectl'],
    ['..manager', 'kubectl'],
  ])('shows what the object has, whatever is read of it: %s', (jsonPath, cell) => {
    expect(cellOf(jsonPath)).toBe(cell);
  });

  it('shows a part with all that is in it', () => {
    const shown = JSON.stringify(cellOf('.metadata'));
    expect(shown).toContain('kubectl');
    expect(shown).toMatch(/resourceVersion\W+7/);
  });
});
