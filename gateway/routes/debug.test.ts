import { describe, expect, it } from 'vitest';
import { codeOf, givenAuthenticated, messageOf } from '../../actors/request/given.fixture.ts';
import { verbosityRoute } from './debug.ts';

async function put(body: string, method = 'PUT') {
  const levels: number[] = [];
  const route = verbosityRoute((level) => void levels.push(level));
  const answer = await route(givenAuthenticated({ url: '/debug/flags/v', method, body }).request);
  return { levels, code: codeOf(answer), message: messageOf(answer) };
}

describe('the verbosity of the log', () => {
  it.each([
    ['0', 0],
    ['4', 4],
    ['0010', 10],
  ])('is changed by %s', async (text, level) => {
    const { levels, code, message } = await put(text);
    expect(levels).toEqual([level]);
    expect(code).toBe(200);
    expect(message).toBe(`successfully set klog.logging.verbosity to ${text}\n`);
  });

  it('stays where the text is no number, or nothing is put', async () => {
    expect(await put('', 'GET')).toMatchObject({ levels: [], code: 406 });
  });

  it.each([
    ['', 'strconv.ParseUint: parsing "": invalid syntax\n'],
    ['x"', 'strconv.ParseUint: parsing "x\\"": invalid syntax\n'],
    ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax\n'],
    ['4294967296', 'strconv.ParseUint: parsing "4294967296": value out of range\n'],
    [
      '4294967295',
      'failed set klog.logging.verbosity 4294967295: strconv.ParseInt: parsing "4294967295": value out of range\n',
    ],
  ])('stays where %j was put', async (text, message) => {
    expect(await put(text)).toEqual({ levels: [], code: 400, message });
  });

  it.each(['/debug/flags', '/debug/flags/', '/debug/flags/x', '/debug/flags/v/'])(
    'is the one flag that is named at %s, whatever the method',
    async (url) => {
      const route = verbosityRoute(() => undefined);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await route(givenAuthenticated({ url, method }).request);
        expect(codeOf(answer)).toBe(200);
        expect(messageOf(answer)).toContain('<tr>v<br>');
      }
    },
  );

  it('is nothing that other paths change', () => {
    const route = verbosityRoute(() => undefined);
    expect(route(givenAuthenticated({ url: '/debug/flagsx' }).request)).toBeUndefined();
  });
});
