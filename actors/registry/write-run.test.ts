import { describe, expect, it } from 'vitest';

import { AppendOutcomeUnknownError, LogUnavailableError } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { badRequest } from '../../api/meta/status.ts';
import { codeOf, givenAuthenticated, messageOf } from '../request/given.fixture.ts';
import type { AdmissionPlugin, AdmissionStep } from '../admission/admission-plugin.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { startActor } from '../request/actor.ts';
import { configMap, givenControlPlane, type ControlPlane } from './given-registry.fixture.ts';
import { registry } from './registry.ts';
import { type Stage, writePath } from './stage.ts';
import { type HasAttempt, type HasChange, type HasKey, noted, type Received } from './write.ts';
import { writesTo } from './write-run.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const KEY = { resource: 'core/configmaps', path: 'default/a' };
const FOREVER = Number.POSITIVE_INFINITY;
const NO_BYTES = new Uint8Array(0);

type Decision = Answer | HasChange;

/** A write of one stage, which decides what the test says. */
function write(
  { context, served }: Pick<ControlPlane, 'context' | 'served'>,
  decide: () => Decision,
  request = givenAuthenticated({ url: MAPS, method: 'POST' }).request,
): Promise<Answer> {
  const deciding: Stage<
    Received & HasKey & HasAttempt,
    Received & HasKey & HasAttempt & HasChange
  > = {
    name: 'decide',
    run(one) {
      const decision = decide();
      return 'change' in decision ? noted(one, decision) : decision;
    },
  };
  const path = writePath<Received & HasKey>('test').once().eachAttempt(deciding);
  const maps = served.lookup({ apiGroup: '', apiVersion: 'v1', resource: 'configmaps' });
  if (maps === undefined) throw new Error('ConfigMaps are not served');
  const writes = writesTo(startActor(registry('core/configmaps', context)));
  return writes.perform(context, path, { request, served: maps, facts: { key: KEY } });
}

function creation(answerOf: () => Answer): HasChange {
  return {
    change: {
      type: 'added',
      ...KEY,
      previousResourceVersion: 0 as never,
      requires: [],
      json: Buffer.from(JSON.stringify(configMap('a', {}, { uid: 'u' }))),
      labels: {},
      uid: 'u',
      origin: { user: '', verb: '', auditID: '', fieldManager: '', deadline: FOREVER },
    },
    answerOf,
  };
}

it('tells the request how long the log took', async () => {
  const plane = await givenControlPlane();
  const { request } = givenAuthenticated({ url: MAPS, method: 'POST' });
  const written = write(plane, () => creation(() => statusAnswer(badRequest('fine'))), request);
  plane.clock.advance(30);
  expect(messageOf(await written)).toBe('fine');
  expect([...request.layers]).toEqual([['etcd', 30]]);
});

describe('an attempt that throws', () => {
  it('is answered 500 and lets the next one have the object', async () => {
    const plane = await givenControlPlane();
    const failed = await write(plane, () => {
      throw new Error('broken');
    });
    expect([codeOf(failed), messageOf(failed)]).toEqual([500, 'Internal error occurred: broken']);
    expect(plane.context.faults.count).toBe(1);
    expect(plane.context.slots.size).toBe(0);
    expect((await plane.post(MAPS, configMap('a'))).code).toBe(201);
  });

  it('when the answer is made, is answered 500 and does not end the fold', async () => {
    const plane = await givenControlPlane();
    const answer = await write(plane, () =>
      creation(() => {
        throw new Error('broken');
      }),
    );
    expect(codeOf(answer)).toBe(500);
    expect(plane.context.slots.size).toBe(0);
    expect((await plane.get(`${MAPS}/a`)).code).toBe(200);
    expect((await plane.post(MAPS, configMap('b'))).code).toBe(201);
  });
});

describe('a deadline', () => {
  it('that has passed means that nothing is written any more', async () => {
    const { send, get, clock, applied } = await givenControlPlane();
    clock.advance(1_000);
    const before = applied.current;
    const late = await send({ method: 'POST', url: MAPS, body: configMap('a'), deadline: 1_000 });
    expect(late).toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within requested timeout',
    });
    expect(applied.current).toBe(before);
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it.each([
    ['a moment before it', 999, 201],
    ['at the deadline', 1_000, 504],
    ['after it', 5_000, 504],
  ])('means that nothing is written that a webhook admits %s', async (_when, answeredAt, code) => {
    let answer: () => void = () => undefined;
    const slow: AdmissionPlugin = {
      name: 'Slow',
      validatesAt: ({ served }) =>
        served.definition.storage === 'core/configmaps'
          ? () =>
              new Promise((resolve) => {
                answer = () => {
                  resolve(undefined);
                };
              })
          : undefined,
    };
    const { send, get, clock, context } = await givenControlPlane({ plugins: () => [slow] });
    const mine = send({ method: 'POST', url: MAPS, body: configMap('a'), deadline: 1_000 });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(answeredAt);
    answer();
    expect((await mine).code).toBe(code);
    expect((await get(`${MAPS}/a`)).code).toBe(code === 201 ? 200 : 404);
    expect(context.slots.size).toBe(0);
  });

  it('ends the attempts of a write that is overtaken again and again', async () => {
    const { post, send, elsewhere, clock } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const body = configMap('a', { by: 'me' });
    const mine = send({ method: 'PUT', url: `${MAPS}/a`, body, deadline: 1_000 });
    const there = elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { by: 'elsewhere' };
      return undefined;
    });
    clock.advance(1_000);
    await there;
    expect(await mine).toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within requested timeout',
    });
  });
});

describe('work behind a commit', () => {
  /** Leaves work that ends when it is told to. */
  async function given() {
    let end: () => void = () => undefined;
    const leaveWork: AdmissionStep = ({ attempt }) => {
      attempt.whenCommitted(() => new Promise<void>((resolve) => (end = resolve)));
      return undefined;
    };
    const leaving: AdmissionPlugin = {
      name: 'Leaving',
      validatesAt: ({ served }) =>
        served.definition.storage === 'core/configmaps' ? leaveWork : undefined,
    };
    const plane = await givenControlPlane({ plugins: () => [leaving] });
    const answers: number[] = [];
    const asked = async (deadline: number): Promise<void> => {
      const sent = { method: 'POST', url: MAPS, body: configMap('a'), deadline };
      void plane.send(sent).then(({ code }) => answers.push(code));
      await turns();
    };
    return {
      ...plane,
      answers,
      asked,
      end: () => {
        end();
      },
    };
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is waited for before the client is answered, and that once', async () => {
    const { answers, asked, end, clock } = await given();
    await asked(60_000);
    expect(answers).toEqual([]);
    end();
    await turns();
    expect(answers).toEqual([201]);
    clock.advance(60_000);
    await turns();
    expect(answers).toEqual([201]);
  });

  it.each([
    [60_000, 10_000],
    [4_000, 2_000],
  ])('of a client with %i ms is waited for no longer than %i ms', async (deadline, waitMs) => {
    const { answers, asked, clock, get } = await given();
    await asked(deadline);
    clock.advance(waitMs - 1);
    await turns();
    expect(answers).toEqual([]);
    clock.advance(1);
    await turns();
    expect(answers).toEqual([201]);
    expect((await get(`${MAPS}/a`)).code).toBe(200);
  });
});

describe('a log that cannot be written', () => {
  it('is 503 where nothing was written', async () => {
    const { post, log, context } = await givenControlPlane();
    log.append = () => Promise.reject(new LogUnavailableError('gone'));
    expect(await post(MAPS, configMap('a'))).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
    });
    expect(context.slots.size).toBe(0);
  });

  it('is 504 where it is not known', async () => {
    const { send, log, context, clock } = await givenControlPlane();
    log.append = () => Promise.reject(new AppendOutcomeUnknownError('timed out'));
    const mine = send({ method: 'POST', url: MAPS, body: configMap('a'), deadline: 150 });
    for (let turn = 0; turn < 10; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    const { code, message } = await mine;
    expect(code).toBe(504);
    expect(message).toContain('the outcome is unknown');
    expect(context.slots.size).toBe(0);
  });
});

describe('thousands that wait for one object', () => {
  it('are all answered, and none of them ends the fold', async () => {
    const { post, put, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const first = put(`${MAPS}/a`, configMap('a', { by: 'first' }));
    // All of them are decided at once when the first is done, one on top of the other.
    const stale = configMap('a', {}, { resourceVersion: '1' });
    const others = Array.from({ length: 10_000 }, () => put(`${MAPS}/a`, stale));
    expect((await first).code).toBe(200);
    const codes = new Set((await Promise.all(others)).map(({ code }) => code));
    expect([...codes]).toEqual([409]);
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ by: 'first' });
  });
});

describe('a server that is behind others on its log', () => {
  /** Its fold has not met the last change yet when the request comes. */
  async function givenBehind() {
    const plane = await givenControlPlane();
    let catchUp: () => Promise<unknown> = () => Promise.resolve();
    let asked = 0;
    const behind = { ...plane.context, moment: { newest } };
    async function newest(): Promise<ResourceVersion> {
      asked += 1;
      await catchUp();
      plane.clock.advance(0);
      await new Promise((resolve) => setImmediate(resolve));
      return plane.applied.current;
    }
    return {
      ...plane,
      context: behind,
      askedCount: () => asked,
      meanwhile: (change: () => Promise<unknown>) => {
        catchUp = change;
      },
    };
  }

  it('refuses nothing because of what it has not seen', async () => {
    const plane = await givenBehind();
    plane.meanwhile(() =>
      plane.elsewhere('core/configmaps', 'default/a', () => {
        return undefined;
      }),
    );
    const seen: (number | undefined)[] = [];
    const answer = await write(plane, () => {
      const stored = plane.objects.get(KEY.resource, KEY.path);
      seen.push(stored?.resourceVersion);
      const code = stored === undefined ? 404 : 200;
      return { kind: 'Document', code, headers: {}, body: NO_BYTES };
    });
    expect(codeOf(answer)).toBe(200);
    expect(seen).toEqual([undefined, plane.applied.current]);
    expect(plane.askedCount()).toBe(1);
    expect(plane.context.slots.size).toBe(0);
  });

  it('says 503 where it cannot be told what now is', async () => {
    const plane = await givenBehind();
    const context = {
      ...plane.context,
      moment: { newest: () => undefined },
    };
    const answer = await write({ ...plane, context }, () => ({
      kind: 'Document',
      code: 404,
      headers: {},
      body: NO_BYTES,
    }));
    expect(codeOf(answer)).toBe(503);
    expect(context.slots.size).toBe(0);
  });
});
