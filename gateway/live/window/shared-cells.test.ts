import { describe, expect, it } from 'vitest';

import { builtInResources } from '../../../api/kinds/built-in.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { LiveColumn } from '../../../api/live/live-messages.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { loggedEvent } from '../../../projections/given.fixture.ts';
import { storedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import { SharedCells } from './shared-cells.ts';
import { RowOfCells } from './read-row.ts';
import { rowMakerOf } from './window-columns.ts';

const SERVED = new ServedResources(builtInResources(new ManualClock()));
const CREATED = Date.parse('2026-11-20T10:00:00Z');
const MINUTE = 60_000;

function served(resource: string) {
  const found = SERVED.lookup({ apiGroup: '', apiVersion: 'v1', resource });
  if (found === undefined) throw new Error(`no ${resource} are served`);
  return found;
}

function makerOf(shared: SharedCells, resource = 'pods', columns?: LiveColumn[]) {
  const maker = rowMakerOf(served(resource), columns, shared);
  if ('kind' in maker) throw new Error(maker.message);
  return maker;
}

function stored(resource: string, json: JsonObject): StoredObject {
  const text = Buffer.from(JSON.stringify(json));
  return storedObject({ ...loggedEvent(7), resource: `core/${resource}`, json: text });
}

function pod(finishedAt?: string): StoredObject {
  const lastState = finishedAt === undefined ? {} : { terminated: { exitCode: 1, finishedAt } };
  const restartCount = finishedAt === undefined ? 0 : 2;
  const status = { name: 'c', ready: true, restartCount, image: '', imageID: '', lastState };
  return stored('pods', {
    ...{ kind: 'Pod', apiVersion: 'v1' },
    metadata: { name: 'a', namespace: 'ns', creationTimestamp: '2026-11-20T10:00:00Z' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Running', containerStatuses: [{ ...status, state: { running: {} } }] },
  });
}

describe('cells that were read', () => {
  it('are the same for all windows of the same columns, and for no others', () => {
    const shared = new SharedCells(new ManualClock());
    const object = pod();
    const read = makerOf(shared).row(object, CREATED);
    expect(makerOf(shared).row(object, CREATED + MINUTE)).toBe(read);
    const other = makerOf(shared, 'pods', ['Name', 'Ready']).row(object, CREATED);
    expect(other.cells).toEqual(['a', '1/1']);
    expect(makerOf(shared).row(pod(), CREATED)).not.toBe(read);
    expect(makerOf(new SharedCells(new ManualClock())).row(object, CREATED)).not.toBe(read);
  });

  it('are read anew where one of them tells how long ago something was', () => {
    const shared = new SharedCells(new ManualClock());
    const object = pod('2026-11-20T10:00:00Z');
    const restarts = (now: number) => makerOf(shared, 'pods', ['Restarts']).row(object, now).cells;
    expect(restarts(CREATED + 30_000)).toEqual(['2 (30s ago)']);
    expect(restarts(CREATED + 5 * MINUTE)).toEqual(['2 (5m ago)']);
  });

  it('are kept as long as a window is open, and a minute more', () => {
    const clock = new ManualClock();
    const shared = new SharedCells(clock);
    const object = pod();
    const [one, other] = [shared.use(), shared.use()];
    const read = makerOf(shared).row(object, CREATED);
    const isKept = () => makerOf(shared).row(object, CREATED) === read;
    one();
    one();
    clock.advance(2 * MINUTE);
    expect(isKept()).toBe(true);
    other();
    clock.advance(MINUTE - 1);
    const third = shared.use();
    clock.advance(2 * MINUTE);
    expect([isKept(), clock.waiting]).toEqual([true, 0]);
    third();
    clock.advance(MINUTE);
    expect(isKept()).toBe(false);
  });

  it('are of so many rows and sets of columns at most', () => {
    const shared = new SharedCells(new ManualClock());
    const first = pod();
    const names = (count: number): LiveColumn[] => [{ name: `c${String(count)}`, jsonPath: '.a' }];
    const read = makerOf(shared).row(first, CREATED);
    for (let count = 0; count < 62; count += 1) {
      makerOf(shared, 'pods', names(count)).row(first, CREATED);
    }
    expect(makerOf(shared).row(first, CREATED)).toBe(read);
    for (let count = 62; count < 66; count += 1) {
      makerOf(shared, 'pods', names(count)).row(first, CREATED);
    }
    expect(makerOf(shared).row(first, CREATED)).not.toBe(read);

    const table = shared.table(served('pods'), 'x');
    const row = new RowOfCells('a', ['a']);
    table.keep(first, row);
    expect(table.of(first)).toBe(row);
    for (let count = 0; count < 100_000; count += 1) table.keep({ ...first }, row);
    expect(table.of(first)).toBeUndefined();

    const long = [{ name: 'x'.repeat(3_000), jsonPath: '.a' }];
    const once = makerOf(shared, 'pods', long).row(first, CREATED);
    expect(makerOf(shared, 'pods', long).row(first, CREATED)).not.toBe(once);
  });
});
