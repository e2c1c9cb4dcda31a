import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from './csv-records.ts';

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
