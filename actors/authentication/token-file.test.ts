import { describe, expect, it } from 'vitest';
import { parseTokenFile, tokenFileAuthenticator } from './token-file.ts';

describe('parseTokenFile', () => {
  it('reads users with and without groups', () => {
    const parsed = parseTokenFile('t1,jane,1\nt2,omar,2,"dev,ops"\n\nt3,"q,uo""ted",3,dev\r\n');
    expect(parsed).toMatchObject({ ok: true, warnings: [] });
    expect(parsed.ok ? [...parsed.users] : []).toEqual([
      ['t1', { name: 'jane', uid: '1', groups: [], extra: {} }],
      ['t2', { name: 'omar', uid: '2', groups: ['dev', 'ops'], extra: {} }],
      ['t3', { name: 'q,uo"ted', uid: '3', groups: ['dev'], extra: {} }],
    ]);
  });

  it.each([
    [
      't1,jane,1\n\nt2,omar\n',
      'line 3: must have at least 3 columns (token, user name, user uid), found 2',
    ],
    ['t1,ja"ne,1', 'line 1: bare " in non-quoted field'],
    ['t1,jane,1\nt2,"omar,2', 'line 2: extraneous or missing " in quoted field'],
    ['t1,jane,1\nt2,"om"ar,2', 'line 2: extraneous or missing " in quoted field'],
  ])('names the line of what it cannot read: %j', (text, problem) => {
    expect(parseTokenFile(text)).toEqual({ ok: false, problem });
  });

  it('warns of lines without effect, never with the token', () => {
    const parsed = parseTokenFile(',nobody,0\nsecret,jane,1\n"secret",omar,"2\n2"\n,x,1');
    expect(parsed).toMatchObject({
      ok: true,
      warnings: [
        'line 1: empty token, the line is ignored',
        'line 3: duplicate token, the earlier line is ignored',
        'line 5: empty token, the line is ignored',
      ],
    });
    expect(parsed.ok ? parsed.users.get('secret')?.name : '').toBe('omar');
  });

  it('knows nobody where the file is empty', () => {
    expect(parseTokenFile('')).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('tokenFileAuthenticator', () => {
  const jane = { name: 'jane', uid: '1', groups: [], extra: {} };
  const tokens = tokenFileAuthenticator(new Map([['t1', jane]]));

  it('knows the tokens of the file and no other', () => {
    expect(tokens.authenticateToken('t1')).toEqual({ verdict: 'identified', user: jane });
    expect(tokens.authenticateToken('t2')).toEqual({ verdict: 'unknown' });
    expect(tokens.authenticateToken('')).toEqual({ verdict: 'unknown' });
    expect(tokens.authenticateToken('constructor')).toEqual({ verdict: 'unknown' });
  });
});
