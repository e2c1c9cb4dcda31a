import { describe, expect, it } from 'vitest';
import { auditEventJson, type AuditEvent } from '../../actors/audit/audit-event.ts';
import { testClock, testRandom } from '../../actors/request/given.fixture.ts';
import { ignoringFailures, unionOf, type AuditBackend } from './audit-backend.ts';
import { BatchingBackend, type BatchingOptions, truncatingBackend } from './batching-backend.ts';
import { givenEvent, givenEvents, givenLost, givenRequest } from './given-event.fixture.ts';
import { LogBackend, type AuditLogFormat } from './log-backend.ts';
import { webhookBackend } from './webhook-backend.ts';

interface Collector extends AuditBackend {
  /** The ids of each batch. */
  readonly batches: readonly string[][];
  readonly events: readonly AuditEvent[];
  readonly isShutDown: boolean;
}

function collector(kept: boolean | Promise<boolean> = true): Collector {
  const batches: string[][] = [];
  const events: AuditEvent[] = [];
  let isShutDown = false;
  return {
    batches,
    events,
    get isShutDown() {
      return isShutDown;
    },
    process(batch) {
      batches.push(batch.map(({ request }) => request.auditID));
      events.push(...batch);
      return kept;
    },
    shutdown() {
      isShutDown = true;
      return Promise.resolve();
    },
  };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function writing(format: AuditLogFormat = 'json') {
  const written: string[] = [];
  const lost = givenLost();
  const writer = { write: (text: string) => written.push(text), close: () => Promise.resolve() };
  return { written, lost, log: new LogBackend({ writer, format, lost }) };
}

describe('the log', () => {
  it('has written what it is given when it says so, and knows what it could not write', () => {
    const lines: string[] = [];
    const lost = givenLost();
    const writer = {
      write(line: string) {
        if (lines.length === 2) throw new Error('no space left');
        lines.push(line);
      },
      close: () => Promise.resolve(),
    };
    const log = new LogBackend({ writer, format: 'json', lost });
    expect(log.process([givenEvent({ stage: 'RequestReceived' })])).toBe(true);
    expect(lines[0]).toMatch(/^\{"kind":"Event","apiVersion":"audit.k8s.io\/v1",.*\}\n$/);
    expect(log.process([givenEvent({ stage: 'ResponseComplete' })])).toBe(true);
    expect(lines[1]).toContain('"stage":"ResponseComplete"');
    expect(log.process(givenEvents(2))).toBe(false);
    expect(lost.counts.get('log')).toBe(2);
  });

  it('writes text where that is wanted', () => {
    const { log, written } = writing('legacy');
    const user = { name: 'ann', uid: '', groups: ['g'], extra: {} };
    const unknown = givenRequest({ user: undefined });
    log.process([givenEvent(), givenEvent({ request: unknown, impersonatedUser: user })]);
    const about = 'user-agent="kubectl" namespace="<none>" uri="/api/v1/pods" response="200"\n';
    const head =
      '1970-01-12T13:46:40.12Z AUDIT: id="id-1" stage="ResponseComplete" ip="192.0.2.1" method="list" ';
    const jane = String.raw`user="jane" groups="\"a\",\"b\"" as="<self>" asgroups="<lookup>" `;
    const ann = String.raw`user="<none>" groups="<none>" as="ann" asgroups="\"g\"" `;
    expect(written).toEqual([head + jane + about + head + ann + about]);
  });

  it('writes the lines of a batch together, and one that is very long by itself', async () => {
    const { log, written } = writing();
    const uri = (length: number) => givenRequest({ path: `/${'x'.repeat(length)}` });
    const lengths = [1, 2, 100_000, 3, 4];
    const events = lengths.map((length) => givenEvent({ request: uri(length) }));
    expect(log.process(events)).toBe(true);
    await log.shutdown();
    expect(written.map((text) => text.split('\n').length - 1)).toEqual([2, 1, 2]);
    expect(written.join('')).toBe(events.map((event) => `${auditEventJson(event)}\n`).join(''));
  });
});

describe('several backends', () => {
  it('all get the events, and all have to keep them', async () => {
    const backends = [collector(true), collector(false)];
    expect(unionOf(backends).process(givenEvents(1))).toBe(false);
    expect(backends.map(({ batches }) => batches.length)).toEqual([1, 1]);
    const waiting = unionOf([collector(true), collector(Promise.resolve(true))]);
    await expect(waiting.process(givenEvents(1))).resolves.toBe(true);
  });

  it('are not asked whether they kept them where no caller needs to know', async () => {
    expect(ignoringFailures(collector(false)).process([])).toBe(true);
    const later = ignoringFailures(collector(Promise.resolve(false)));
    await expect(later.process([])).resolves.toBe(true);
  });
});

describe('batches', () => {
  const OPTIONS: BatchingOptions = {
    bufferSize: 10,
    batchSizeMax: 3,
    batchWaitMaxMs: 1_000,
    throttle: undefined,
  };

  function batching(options: Partial<BatchingOptions> = {}) {
    const backend = collector();
    const clock = testClock();
    const lost = givenLost();
    const batches = new BatchingBackend({ ...OPTIONS, ...options }, { backend, clock, lost });
    return { backend, clock, lost, batches };
  }

  it('go when they are full, or when their time has come', () => {
    const { backend, clock, batches } = batching();
    batches.process(givenEvents(7));
    expect(backend.batches).toEqual([]);
    clock.advance(0);
    expect(backend.batches.map(({ length }) => length)).toEqual([3, 3]);
    clock.advance(999);
    expect(backend.batches).toHaveLength(2);
    clock.advance(1);
    expect(backend.batches.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(clock.waiting).toBe(0);
  });

  it('go at once when one that waited for its time is filled', () => {
    const { backend, clock, batches } = batching();
    batches.process(givenEvents(1));
    clock.advance(500);
    batches.process(givenEvents(2));
    batches.process(givenEvents(2));
    clock.advance(0);
    expect(backend.batches.map(({ length }) => length)).toEqual([3]);
  });

  it('lose what there is no room for', () => {
    const { lost, clock, backend, batches } = batching();
    expect(batches.process(givenEvents(12))).toBe(true);
    expect(lost.counts.get('buffered')).toBe(2);
    clock.advance(2_000);
    expect(backend.events).toHaveLength(10);
  });

  it('are held back by the throttle', () => {
    const throttle = { perSecond: 2, burst: 1 };
    const { backend, clock, batches } = batching({ throttle });
    batches.process(givenEvents(9));
    clock.advance(0);
    expect(backend.batches).toHaveLength(1);
    clock.advance(499);
    expect(backend.batches).toHaveLength(1);
    clock.advance(1);
    expect(backend.batches).toHaveLength(2);
    clock.advance(500);
    expect(backend.batches).toHaveLength(3);
  });

  it('all go at the end, and nothing behind it', async () => {
    const { backend, lost, batches } = batching({ throttle: { perSecond: 1, burst: 1 } });
    batches.process(givenEvents(8));
    await batches.shutdown();
    expect([backend.events.length, backend.isShutDown]).toEqual([8, true]);
    batches.process(givenEvents(1));
    expect(lost.counts.get('buffered')).toBe(1);
  });
});

describe('truncating', () => {
  const object = JSON.stringify({ data: 'x'.repeat(2_000) });

  it('takes the objects out of events that are too large, and loses those that still are', () => {
    const backend = collector();
    const lost = givenLost();
    const options = { eventBytesMax: 1_000, batchBytesMax: 10_000 };
    const truncating = truncatingBackend(backend, options, lost);
    const large = givenEvent({ responseObject: object });
    const path = `/${'x'.repeat(2_000)}`;
    const request = givenRequest({ path });
    const hopeless = givenEvent({ request });
    const plain = givenEvent({ request: givenRequest({ path, level: 'Metadata' }) });
    void truncating.process([givenEvent(), large, hopeless, plain]);
    expect(backend.events.map(({ responseObject }) => responseObject)).toEqual([
      undefined,
      undefined,
    ]);
    expect([...(backend.events[1]?.annotations ?? [])]).toEqual([
      ['audit.k8s.io/truncated', 'true'],
    ]);
    expect(lost.counts.get('truncate')).toBe(2);
  });

  it('makes several batches of one that is too large', () => {
    const backend = collector();
    const options = { eventBytesMax: 1_000, batchBytesMax: 1_000 };
    void truncatingBackend(backend, options, givenLost()).process(givenEvents(5));
    expect(backend.batches.map(({ length }) => length)).toEqual([2, 2, 1]);
  });
});

describe('the webhook', () => {
  function webhook(answers: (string | undefined)[]) {
    const clock = testClock();
    const lost = givenLost();
    const posted: string[] = [];
    const post = (body: Buffer) => {
      posted.push(body.toString());
      return Promise.resolve(answers.shift());
    };
    const random = testRandom();
    const parts = { post, initialBackoffMs: 100, clock, random, lost };
    return { backend: webhookBackend(parts), clock, lost, posted };
  }

  it('gets a list of events', async () => {
    const { backend, posted } = webhook([undefined]);
    await expect(backend.process(givenEvents(2))).resolves.toBe(true);
    const list = JSON.parse(posted[0] ?? '') as { items: object[] };
    expect(list).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} });
    expect(list.items).toMatchObject([{ auditID: 'id-1' }, { auditID: 'id-2' }]);
    expect(list.items[0]).not.toHaveProperty('kind');
  });

  it('is asked again, ever later, and then no more', async () => {
    const { backend, clock, lost, posted } = webhook(Array<string>(9).fill('down'));
    const kept = backend.process(givenEvents(3));
    const tries: number[] = [];
    for (let step = 0; step < 6; step += 1) {
      await settled();
      tries.push(posted.length);
      clock.advance(10_000);
    }
    await expect(kept).resolves.toBe(false);
    expect(tries).toEqual([1, 2, 3, 4, 5, 5]);
    expect(lost.counts.get('webhook')).toBe(3);
  });

  it('is asked a last time when the server stops', async () => {
    const { backend, posted, lost } = webhook(['down', undefined]);
    const kept = backend.process(givenEvents(1));
    await settled();
    await backend.shutdown();
    await expect(kept).resolves.toBe(true);
    expect([posted.length, lost.counts.size]).toEqual([2, 0]);
  });
});
