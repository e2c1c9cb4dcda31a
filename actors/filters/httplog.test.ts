import { describe, expect, it } from 'vitest';
import { internalError } from '../../api/meta/status.ts';
import { statusAnswer } from '../request/answer.ts';
import {
  givenRouted,
  testClock,
  testFaults,
  testLogger,
  sendThrough,
} from '../request/given.fixture.ts';
import type { Seating } from '../request/request-layers.ts';
import { httplog } from './httplog.ts';

const SEATING: Seating = {
  flow: { level: { spec: { name: 'workload-low' } }, flowSchema: { name: 'global-default' } },
  ticket: { initialSeats: 1, finalSeats: 2, lingerMs: 5, startedAt: 1_000 },
};

function logOf(code: number, { shown = 0, url = '/api/v1/pods?watch=1', seating = false } = {}) {
  const logger = testLogger(shown);
  const clock = testClock();
  const given = givenRouted({
    url,
    headers: { authorization: 'Bearer top-secret', 'user-agent': 'kubectl' },
  });
  const { request } = given;
  request.received(clock.now());
  request.auditedAs('a'.repeat(70));
  if (seating) {
    const ticket = { ...SEATING.ticket, startedAt: clock.now() };
    request.seatedBy({ ...SEATING, ticket });
  }
  sendThrough(given, (next) => httplog({ clock, logger, faults: testFaults() }, next));
  clock.advance(3);
  if (code >= 500) request.reply(statusAnswer(internalError('it broke')));
  request.finish({ code, sizeBytes: 10 });
  return logger.lines;
}

describe('the line of a request', () => {
  it('is not there below verbosity 3', () => {
    expect(logOf(200)).toEqual([]);
    expect(logOf(404, { shown: 2 })).toEqual([]);
  });

  it('says from 3 on what was asked and what came of it, in the order of kube-apiserver', () => {
    const [line] = logOf(200, { shown: 3, seating: true });
    expect(line?.level).toBe('v3');
    expect(line?.message).toBe('HTTP');
    expect(Object.entries(line?.fields ?? {})).toEqual([
      ['verb', 'WATCH'],
      ['URI', '/api/v1/pods?watch=1'],
      ['latency', '3ms'],
      ['userAgent', 'kubectl'],
      ['audit-ID', 'a'.repeat(64)],
      ['srcIP', '192.0.2.1'],
      ['apf_pl', 'workload-low'],
      ['apf_fs', 'global-default'],
      ['apf_iseats', 1],
      ['apf_fseats', 2],
      ['apf_additionalLatency', '5ms'],
      ['apf_execution_time', '3ms'],
      ['resp', 200],
    ]);
    expect(JSON.stringify(line)).not.toContain('top-secret');
  });

  it('says of a WebSocket that it left HTTP', () => {
    const [line] = logOf(101, { shown: 3 });
    expect(line?.fields).toMatchObject({ hijacked: true });
    expect(line?.fields).not.toHaveProperty('resp');
  });

  it.each([
    ['/api/v1/pods', 'LIST'],
    ['/api/v1/namespaces/a/pods/b', 'GET'],
    ['/version', 'GET'],
  ])('names the verb of %s %s', (url, verb) => {
    expect(logOf(200, { shown: 3, url })[0]?.fields).toMatchObject({ verb, URI: url });
  });

  it('is always there where the server was at fault, with what it answered', () => {
    const [line, ...more] = logOf(500);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', message: 'HTTP', fields: { resp: 500 } });
    expect(line?.fields['addedInfo']).toMatch(
      /^logging error output: "\{.*\\"message\\":\\"Internal error occurred: it broke\\".*\}\\n"\n$/,
    );
  });
});
