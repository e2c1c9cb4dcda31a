import { describe, expect, it } from 'vitest';
import {
  codeOf,
  givenAuthenticated,
  messageOf,
  testClock,
} from '../../actors/request/given.fixture.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { profilesRoute } from './profiles.ts';
import { until } from '../../tools/until.fixture.ts';

function given() {
  const clock = testClock();
  const route = profilesRoute(clock);
  return {
    clock,
    ask: (url: string, method = 'GET') => route(givenAuthenticated({ url, method }).request),
  };
}

async function passing(clock: ReturnType<typeof testClock>, coming: unknown): Promise<Answer> {
  await until(() => clock.waiting > 0);
  clock.advance(60_000);
  return (await coming) as Answer;
}

describe('profiles', () => {
  it.each([
    ['profile', 'nodes'],
    ['heap', 'head'],
  ])('are made by V8: %s', async (name, field) => {
    const { clock, ask } = given();
    const answer = await passing(clock, ask(`/debug/pprof/${name}?seconds=1`));
    expect(codeOf(answer)).toBe(200);
    expect(JSON.parse(messageOf(answer))).toHaveProperty(field);
  });

  it('are made one at a time', async () => {
    const { clock, ask } = given();
    const first = ask('/debug/pprof/profile');
    expect(codeOf(await ask('/debug/pprof/heap'))).toBe(503);
    expect(codeOf(await passing(clock, first))).toBe(200);
  });

  it.each([
    ['/debug/pprof/', 200],
    ['/debug/pprof/goroutine', 404],
    ['/debug/pprof/profile?seconds=0', 400],
    ['/debug/pprof/profile?seconds=x', 400],
    ['/debug/pprof/profile?seconds=1000000', 400],
  ])('answers %s with %s', async (url, code) => {
    expect(codeOf(await given().ask(url))).toBe(code);
  });

  it.each([
    ['/debug/pprof', 'GET', '/debug/pprof/', '<a href="/debug/pprof/">Found</a>.\n\n'],
    ['/debug/pprof?x=1', 'HEAD', '/debug/pprof/', ''],
    ['/debug/pprof', 'POST', '/debug/pprof/', ''],
    [
      '/forks/try/debug/pprof',
      'GET',
      '/forks/try/debug/pprof/',
      '<a href="/forks/try/debug/pprof/">Found</a>.\n\n',
    ],
  ])('are below a slash, to which %s of %s leads', async (url, method, location, body) => {
    const answer = await given().ask(url, method);
    expect(answer).toMatchObject({ code: 302, headers: { Location: location } });
    expect(messageOf(answer)).toBe(body);
  });

  it('leave other paths alone', () => {
    expect(given().ask('/debug')).toBeUndefined();
  });
});
