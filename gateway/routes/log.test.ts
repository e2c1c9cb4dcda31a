import { describe, expect, it } from 'vitest';
import { codeOf, givenAuthenticated, messageOf } from '../../actors/request/given.fixture.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import { IndexedLogSource } from '../../projections/past/indexed-log-source.ts';
import { parseJudgedLine } from '../../projections/past/judged-line.ts';
import type { LogSource } from '../../projections/past/log-source.ts';
import { logRoute } from './log.ts';
import { statusRoute, type ServerStatus } from './status.ts';

const UNASKED = { hold: () => () => undefined };

async function given() {
  const given = await givenViews();
  await given.append({}, { previous: 1 }, { previous: 1, writer: 'late' }, { path: 'other/b' });
  const stopping = new AbortController();
  const close = (): Promise<void> => Promise.resolve();
  const source = new IndexedLogSource({ ...given, name: 'a log', grows: true, close });
  const route = logRoute({ source, stopping: stopping.signal, rights: UNASKED });
  const asked = async (url: string, groups: string[] = ['system:masters'], method = 'GET') =>
    await route(givenAuthenticated({ url: `/everwatch/v1/log${url}`, method }, { groups }).request);
  const lines = async (url: string): Promise<string[]> => {
    const text = await streamed(await asked(url));
    return text.map((line) => {
      const { event, verdict } = parseJudgedLine(Buffer.from(line));
      return `${String(event.resourceVersion)} ${verdict} ${event.path}`;
    });
  };
  const past = async () => {
    const url = '/at/1/everwatch/v1/log';
    return await route(givenAuthenticated({ url }, { groups: ['system:masters'] }).request);
  };
  return { ...given, stopping, asked, past, lines };
}

async function streamed(answer: Answer | undefined, signal?: AbortSignal): Promise<string[]> {
  if (answer?.kind !== 'Stream') throw new Error(`no stream: ${messageOf(answer)}`);
  expect(answer.headers).toEqual({ 'Content-Type': 'application/json' });
  const chunks: Buffer[] = [];
  const reading = answer.chunks(signal ?? new AbortController().signal);
  for await (const chunk of reading) chunks.push(chunk);
  return Buffer.concat(chunks).toString().split('\n').slice(0, -1);
}

describe('/everwatch/v1/log', () => {
  it('shows what was asked for', async () => {
    const { lines, stop } = await given();
    const [one, two, late, other] = [
      '1 effective ns/a',
      '2 effective ns/a',
      '3 overtaken ns/a',
      '4 effective other/b',
    ];
    expect(await lines('')).toEqual([one, two, late, other]);
    expect(await lines('?from=2&to=3')).toEqual([two, late]);
    expect(await lines('?effectiveOnly=true&resource=core/configmaps&path=ns/a')).toEqual([
      one,
      two,
    ]);
    expect(await lines('?effectiveOnly=true&resource=core%2Fpods')).toEqual([]);
    expect(await lines('/state?version=1')).toEqual([one]);
    expect(await lines('/state?version=4')).toEqual([two, other]);
    await stop();
  });

  it('follows until the client goes, and breaks off when the server stops', async () => {
    const { asked, append, stopping, stop } = await given();
    const answer = await asked('?from=4&follow=true');
    if (answer?.kind !== 'Stream') throw new Error('no stream');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of answer.chunks(new AbortController().signal)) {
        seen.push(chunk.toString());
        if (seen.length === 1) await append({ path: 'ns/later' });
        if (seen.length === 2) stopping.abort();
      }
    })();
    await expect(reading).rejects.toThrow('the server stops');
    expect(seen.join('')).toContain('"name":"later"');
    await stop();
  });

  it('tells its bounds, and the version of a time', async () => {
    const { asked, stop } = await given();
    expect(JSON.parse(messageOf(await asked('/bounds')))).toEqual({
      oldest: 1,
      newest: 4,
      cuts: { everything: 0, resources: {} },
    });
    const time = encodeURIComponent(new Date(0).toISOString());
    expect(JSON.parse(messageOf(await asked(`/version-at?time=${time}`)))).toEqual({
      resourceVersion: 4,
    });
    await stop();
  });

  it('tells of one object how long the log is, and no other resources', async () => {
    const cuts = {
      everything: 1,
      resources: new Map([
        ['core/a', 2],
        ['core/b', 3],
      ]),
    };
    const source = { bounds: () => Promise.resolve({ oldest: 1, newest: 4, cuts }) };
    const route = logRoute({
      source: source as unknown as LogSource,
      stopping: new AbortController().signal,
      rights: UNASKED,
    });
    const url = '/everwatch/v1/log/bounds?resource=core/a&path=x/y';
    const answer = await route(givenAuthenticated({ url }).request);
    expect(JSON.parse(messageOf(answer))).toMatchObject({ cuts: { resources: { 'core/a': 2 } } });
    expect(messageOf(answer)).not.toContain('core/b');
  });

  it.each([
    ['?from=x', 'from must be a version: a whole number'],
    ['?to=-1', 'to must be a version: a whole number'],
    ['?from=9999999999999999999', 'from must be a version: a whole number'],
    ['?follow=perhaps', 'follow must be true or false'],
    ['?path=ns/a', 'path must not be given without resource'],
    ['/state', 'version must be given'],
    ['/version-at?time=yesterday', 'time must be a time in RFC 3339'],
  ])('%s is a bad request', async (url, message) => {
    const { asked, stop } = await given();
    const answer = await asked(url);
    expect(answer).toMatchObject({ kind: 'Status', status: { code: 400, message } });
    await stop();
  });

  it('is not shown without credentials, and only read', async () => {
    const { asked, past, stop } = await given();
    for (const url of ['', '/state?version=1', '/bounds', '/version-at?time=now']) {
      const answer = await asked(url, ['system:unauthenticated']);
      expect(answer).toMatchObject({ status: { code: 403, reason: 'Forbidden' } });
      expect(codeOf(await asked(url, ['system:masters'], 'POST'))).toBe(405);
    }
    expect(await asked('/nonesuch')).toBeUndefined();
    expect(await asked('s')).toBeUndefined();
    expect(await past()).toBeUndefined();
    await stop();
  });
});

describe('/everwatch/v1/status', () => {
  const found: ServerStatus = {
    version: '0',
    engine: 'embedded',
    log: { oldest: 1, newest: 2 },
    applied: 2,
    objects: { 'core/pods': 1 },
  };
  const route = statusRoute(() => Promise.resolve(found));
  const asked = async (groups: string[], url = '/everwatch/v1/status') =>
    await route(givenAuthenticated({ url }, { groups }).request);

  it('tells clients that may know', async () => {
    expect(JSON.parse(messageOf(await asked([])))).toEqual(found);
    expect(await asked(['system:unauthenticated'])).toMatchObject({ status: { code: 403 } });
    expect(await asked([], '/everwatch/v1/statusz')).toBeUndefined();
  });
});
