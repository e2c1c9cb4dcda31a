import { describe, expect, it } from 'vitest';
import { codeOf, givenAuthenticated, messageOf } from '../../actors/given.fixture.ts';
import { logLevelRoute } from './log-level.ts';

async function put(body: string, method = 'PUT') {
  const levels: string[] = [];
  const route = logLevelRoute((level) => void levels.push(level));
  const answer = await route(givenAuthenticated({ url: '/debug/flags/v', method, body }).request);
  return { levels, code: codeOf(answer), message: messageOf(answer) };
}

describe('the level of the log', () => {
  it.each([
    ['0', 'info'],
    ['4', 'debug'],
    ['10', 'trace'],
  ])('at verbosity %s is %s', async (text, level) => {
    const { levels, code, message } = await put(text);
    expect(levels).toEqual([level]);
    expect(code).toBe(200);
    expect(message).toBe(`successfully set klog.logging.verbosity to ${text}`);
  });

  it('stays where the text is no number, or nothing is put', async () => {
    expect(await put('x')).toMatchObject({ levels: [], code: 400 });
    expect(await put('', 'GET')).toMatchObject({ levels: [], code: 406 });
  });

  it('is nothing that other paths change', () => {
    const route = logLevelRoute(() => undefined);
    expect(route(givenAuthenticated({ url: '/debug/flags' }).request)).toBeUndefined();
  });
});
