/** Windows, and time that runs on in the past, show objects that a webhook converts as lists and watches do. */
import { expect, it } from 'vitest';
import { statusAnswer, type Answer } from '../../actors/request/answer.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type { AuthenticatedRequest, UserInfo } from '../../actors/request/request.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { Converted } from '../../api/kinds/custom-serving.ts';
import type { ClientMessage } from '../../api/live/live-messages.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { badRequest } from '../../api/meta/status.ts';
import {
  givenEvent,
  givenViews,
  selection,
  type GivenEvent,
} from '../../projections/given.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { convertedBy, plannedWatch } from '../watch/given-session.fixture.ts';
import { givenHub } from './given-hub.fixture.ts';

const HOUR_MS = 3_600_000;
const BOB: UserInfo = { name: 'bob', uid: '', groups: [], extra: {} };
const X = {
  ...selection({ fields: 'data.value=x' }),
  fieldsOf: (object: JsonObject) => ({ 'data.value': valueOf(object) }),
};

function valueOf(object: JsonObject): string {
  const value = objectAt(object, 'data')?.['value'];
  return typeof value === 'string' ? value : '';
}

/** What is stored as `old-x` is shown as `x`, and what is `slow` when the test says so. */
class Webhook {
  isWaitedFor = false;
  answerNow: () => void = () => undefined;
  readonly #mayAnswer = new Promise<void>((resolve) => {
    this.answerNow = resolve;
  });

  async convert(objects: readonly KubeObject[]): Promise<Converted> {
    if (objects.some((one) => valueOf(one) === 'slow')) {
      this.isWaitedFor = true;
      await this.#mayAnswer;
    }
    return toServed(objects);
  }
}

async function toServed(objects: readonly KubeObject[]): Promise<Converted> {
  await new Promise(setImmediate);
  if (objects.some((one) => valueOf(one) === 'odd')) return { ok: false, message: 'it is odd' };
  const shown = objects.map((one) => {
    return { ...one, data: { value: valueOf(one).replace('old-', '') } };
  });
  return { ok: true, objects: shown };
}

/** Objects of which each was written so many milliseconds after the first. */
async function given(...events: readonly (readonly [number, GivenEvent])[]) {
  const views = await givenViews();
  await views.log.append(events.map(([time, event]) => ({ ...givenEvent(event), time })));
  await views.applied.whenApplied(resourceVersion(events.length), 1_000);
  views.clock.advance(HOUR_MS);
  const webhook = new Webhook();
  const rights = { areThere: true };
  const served = { ...configMaps, custom: convertedBy((objects) => webhook.convert(objects)) };
  const failures: unknown[] = [];
  const answer = (request: AuthenticatedRequest): Answer => {
    if (!rights.areThere) return statusAnswer(badRequest('not any more'));
    const { at } = resolveRequestInfo('GET', request.path, '');
    if (at === '') return { kind: 'Watch', served, plan: plannedWatch(views, { selection: X }) };
    const version = resourceVersion(Number(at));
    request.readAt(version, views.log.at(version)?.time ?? 0);
    const plan = plannedWatch(views, { selection: X, start: { kind: 'past', version } });
    return { kind: 'Watch', served, plan };
  };
  const failed = (error: unknown): void => void failures.push(error);
  const hub = givenHub(views.clock, answer, { failed, actsFor: BOB });
  return { ...hub, append: views.append, failures, webhook, rights };
}

/** As `ADDED NAME VALUE`. */
function eventsIn(message: object): string[] {
  const { events = [] } = message as { events?: { type: string; object: KubeObject }[] };
  return events.map(({ type, object }) => {
    return [type, object.metadata.name, valueOf(object)].join(' ');
  });
}

const subscribe: ClientMessage = { type: 'subscribe', id: 's', path: '/api/v1/configmaps' };
const fromSecond: ClientMessage = { type: 'seek', at: '2', speed: 1 };

it('time that runs on selects by the fields that are shown', async () => {
  const { told } = await given(
    [0, { path: 'ns/a', data: 'old-x' }],
    [0, { path: 'ns/b', data: 'old-y' }],
    [300, { path: 'ns/b', data: 'old-x', previous: 2 }],
    [400, { path: 'ns/a', data: 'old-y', previous: 1 }],
    [450, { path: 'ns/c', data: 'old-z' }],
  );
  expect((await told(subscribe)).flatMap(eventsIn)).toEqual(['ADDED b x']);
  const events = (await told(fromSecond)).flatMap(eventsIn);
  expect(events).toEqual(['ADDED a x', 'ADDED b x', 'DELETED a x']);
});

it('it ends where the webhook refuses an object, and says why', async () => {
  const { told, failures } = await given(
    [0, { path: 'ns/a', data: 'old-x' }],
    [0, { path: 'ns/b', data: 'old-y' }],
    [300, { path: 'ns/a', data: 'odd', previous: 1 }],
    [HOUR_MS / 2, { path: 'ns/a', type: 'deleted', data: 'odd', previous: 3 }],
  );
  await told(subscribe);
  const messages = await told(fromSecond);
  expect(messages.flatMap(eventsIn)).toEqual(['ADDED a x']);
  const message = expect.stringContaining('it is odd') as unknown;
  const ended = {
    type: 'error',
    id: 's',
    status: expect.objectContaining({ code: 500, message }) as unknown,
  };
  expect(messages).toContainEqual(expect.objectContaining(ended));
  expect(failures).toEqual([new Error('it is odd')]);
});

it('nothing of a subscription is told behind its end, also where the webhook is slow', async () => {
  const { told, hub, webhook, rights } = await given(
    [0, { path: 'ns/a', data: 'old-x' }],
    [0, { path: 'ns/b', data: 'old-y' }],
    [300, { path: 'ns/a', data: 'slow', previous: 1 }],
    [HOUR_MS / 2, { path: 'ns/a', type: 'deleted', data: 'slow', previous: 3 }],
  );
  await told(subscribe);
  expect((await told(fromSecond)).flatMap(eventsIn)).toEqual(['ADDED a x']);
  expect(webhook.isWaitedFor).toBe(true);
  rights.areThere = false;
  hub.rulesChanged();
  expect(await told()).toContainEqual(expect.objectContaining({ type: 'error', id: 's' }));
  webhook.answerNow();
  expect((await told()).filter(({ id }) => id === 's')).toEqual([]);
});

const columns = ['Name', { name: 'Value', jsonPath: '.data.value' }];
const aWindow: ClientMessage = { ...subscribe, columns, window: { offset: 0, limit: 10 } };

/** What each row of the window shows, as the client has it behind these frames. */
function rowsAfter(messages: readonly object[]): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  for (const message of messages) {
    const frame = message as { order?: string[]; rows?: { key: string; cells: unknown }[] };
    for (const { key, cells } of frame.rows ?? []) rows.set(key, cells);
    const { order = [...rows.keys()] } = frame;
    for (const key of rows.keys()) if (!order.includes(key)) rows.delete(key);
  }
  return rows;
}

it('a window shows them converted, and selects by the fields that are shown', async () => {
  const { told, append } = await given(
    [0, { path: 'ns/a', data: 'old-x' }],
    [0, { path: 'ns/b', data: 'old-y' }],
  );
  const first = await told(aWindow);
  expect(rowsAfter(first)).toEqual(new Map([['ns/a', ['a', 'x']]]));
  await append(
    { path: 'ns/b', data: 'old-x', previous: 2 },
    { path: 'ns/a', data: 'old-z', previous: 1 },
    { path: 'ns/c', data: 'old-x' },
    { path: 'ns/c', type: 'deleted', previous: 5, data: 'old-x' },
  );
  const changed = await told();
  expect(changed.at(-1)).toMatchObject({ type: 'rows', revision: '6', total: 1 });
  expect(rowsAfter([...first, ...changed])).toEqual(new Map([['ns/b', ['b', 'x']]]));
});

it('a window is moved through the past, and time runs on there', async () => {
  const { told } = await given(
    [0, { path: 'ns/a', data: 'old-x' }],
    [0, { path: 'ns/b', data: 'old-y' }],
    [300, { path: 'ns/b', data: 'old-x', previous: 2 }],
    [400, { path: 'ns/a', data: 'old-y', previous: 1 }],
    [HOUR_MS / 2, { path: 'ns/b', data: 'old-y', previous: 3 }],
  );
  const now = await told(aWindow);
  expect(rowsAfter(now)).toEqual(new Map());
  const moved = await told(fromSecond);
  expect(rowsAfter([...now, ...moved])).toEqual(new Map([['ns/b', ['b', 'x']]]));
});

it('a window ends where the webhook refuses an object, and says why', async () => {
  const { told, append } = await given([0, { path: 'ns/a', data: 'old-x' }]);
  await told(aWindow);
  await append({ path: 'ns/b', data: 'odd' });
  const message = expect.stringContaining('it is odd') as unknown;
  const ended = { type: 'error', id: 's', status: { code: 500, message } };
  expect(await told()).toMatchObject([ended]);
  expect(await told(aWindow)).toMatchObject([ended]);
});
