import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { givenVirtual, type Said } from '../given-virtual.fixture.ts';
import type { Component } from '../../../api/kinds/core/componentstatuses/component.ts';
import { logComponent } from './log-component.ts';

const PATH = '/api/v1/componentstatuses';

const scheduler: Component = {
  name: 'scheduler',
  check: () => Promise.resolve({ isHealthy: false, message: 'connection refused', error: '' }),
};
const unknown: Component = {
  name: 'x',
  check: () => Promise.resolve({ isHealthy: undefined, message: '', error: 'not probed' }),
};

function given() {
  return givenVirtual({ components: [scheduler, unknown] });
}

function itemsOf({ answer }: Said): JsonObject[] {
  return answer.kind === 'List' ? Array.from(answer.items, parsedObject) : [];
}

describe('componentstatuses', () => {
  it('are found out when they are listed', async () => {
    const { ask } = await given();
    const said = await ask('GET', PATH);
    const status = (name: string, condition: JsonObject): JsonObject => ({
      kind: 'ComponentStatus',
      apiVersion: 'v1',
      metadata: { name },
      conditions: [{ type: 'Healthy', ...condition }],
    });
    expect(said.answer).toMatchObject({ resourceVersion: undefined });
    expect(itemsOf(said)).toEqual([
      status('scheduler', { status: 'False', message: 'connection refused' }),
      status('x', { status: 'Unknown', error: 'not probed' }),
      status('etcd-0', { status: 'True', message: 'ok' }),
    ]);
  });

  it.each([
    ['fieldSelector=metadata.name%3Dx', ['x']],
    ['fieldSelector=metadata.name!%3Dx', ['scheduler', 'etcd-0']],
    ['labelSelector=a', []],
    ['labelSelector=!a', ['scheduler', 'x', 'etcd-0']],
  ])('can be selected by %s', async (query, names) => {
    const { ask } = await given();
    const items = itemsOf(await ask('GET', `${PATH}?${query}`));
    expect(items.map(({ metadata }) => metadata)).toEqual(names.map((name) => ({ name })));
  });

  it('refuse selectors that are not known', async () => {
    const { ask } = await given();
    expect(await ask('GET', `${PATH}?fieldSelector=a%3Db`)).toMatchObject({ code: 400 });
    expect(await ask('GET', `${PATH}?labelSelector=a%3D%3D%3Db`)).toMatchObject({ code: 400 });
  });

  it('can be read one by one', async () => {
    const { ask } = await given();
    const said = await ask('GET', `${PATH}/etcd-0`);
    expect(said).toMatchObject({ code: 200 });
    expect(said.body).toMatchObject({ kind: 'ComponentStatus', metadata: { name: 'etcd-0' } });
    const message = 'componentstatus "y" not found';
    expect(await ask('GET', `${PATH}/y`)).toMatchObject({ code: 404, message });
  });
});

it('the log is unhealthy when it gives no answer', async () => {
  const gone = logComponent({ newest: () => Promise.reject(new Error('the log is gone')) });
  expect(await gone.check()).toEqual({ isHealthy: false, message: '', error: 'the log is gone' });
});
