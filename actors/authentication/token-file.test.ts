import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseCsv, parseTokenFile, tokenFileAuthenticator } from './token-file.ts';

function fieldsOf(text: string): (readonly string[])[] {
  const parsed = parseCsv(text);
  if (!parsed.ok) throw new Error(`line ${String(parsed.line)}: ${parsed.problem}`);
  return parsed.records.map(({ fields }) => fields);
}

describe('parseCsv', () => {
  it('reads what was written, whatever is in it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'ä') });
    const record = fc.array(text, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(record), fc.constantFrom('\n', '\r\n'), (records, lineEnd) => {
        const quoted = records.map((fields) =>
          fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(','),
        );
        expect(fieldsOf(quoted.join(lineEnd))).toEqual(records);
        expect(fieldsOf(quoted.map((line) => `${line}${lineEnd}`).join(''))).toEqual(records);
      }),
    );
  });

  it('reads fields without quotes to the comma or the end of the line', () => {
    expect(fieldsOf('a,b\nc')).toEqual([['a', 'b'], ['c']]);
    expect(fieldsOf('a,,\r\nb')).toEqual([['a', '', ''], ['b']]);
    expect(fieldsOf(',')).toEqual([['', '']]);
    expect(fieldsOf(' a , b ')).toEqual([[' a ', ' b ']]);
    expect(fieldsOf('a\rb')).toEqual([['a\rb']]);
    expect(fieldsOf('a\r,b\r')).toEqual([['a\r', 'b']]);
    expect(fieldsOf('a,"b"\r\n"c"')).toEqual([['a', 'b'], ['c']]);
    expect(fieldsOf('"a\r\nb"')).toEqual([['a\nb']]);
  });

  it('counts lines, also those in fields and those that are empty', () => {
    const parsed = parseCsv('\n\r\na\n"b\n\nc",d\ne\n');
    expect(parsed).toEqual({
      ok: true,
      records: [
        { line: 3, fields: ['a'] },
        { line: 4, fields: ['b\n\nc', 'd'] },
        { line: 7, fields: ['e'] },
      ],
    });
    expect(parseCsv('')).toEqual({ ok: true, records: [] });
  });

  it.each([
    ['a\nb"c', 2, 'bare " in non-quoted field'],
    ['a,b"', 1, 'bare " in non-quoted field'],
    ['a\n\n"b', 3, 'extraneous or missing " in quoted field'],
    ['"a"b', 1, 'extraneous or missing " in quoted field'],
    ['"a"\rb', 1, 'extraneous or missing " in quoted field'],
    ['"a"\r', 1, 'extraneous or missing " in quoted field'],
    ['"', 1, 'extraneous or missing " in quoted field'],
  ])('says where %j is wrong', (text, line, problem) => {
    expect(parseCsv(text)).toEqual({ ok: false, line, problem });
  });
});

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

  it('knows no user where the file is empty', () => {
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
