import { describe, expect, it } from 'vitest';

import { acceptanceOf, acceptClauses } from './accept.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** `json`, or `json Table`. */
function formOf(accept: string): string | undefined {
  const media = acceptanceOf({ accept }, '').any;
  if (media === undefined) return undefined;
  const { type, transform, metaVersion } = media;
  if (transform === 'none') return type;
  return [type, transform, ...(metaVersion === undefined ? [] : [metaVersion])].join(' ');
}

describe('what a client takes', () => {
  it.each([
    ['', 'json'],
    ['application/json', 'json'],
    ['APPLICATION/JSON', 'json'],
    [' application/json ', 'json'],
    ['application/yaml', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'protobuf'],
    ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
    ['*/*', 'json'],
    ['*', 'json'],
    ['application/*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/json;charset=utf-8', 'json'],
    [TABLE, 'json Table'],
    [`${TABLE},application/json`, 'json Table'],
    ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'yaml Table'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json Table v1beta1'],
    [`application/json;as=Table;v=v1beta1;g=meta.k8s.io,${TABLE}`, 'json Table v1beta1'],
    ['application/json;as="Table";v="v1";g="meta.k8s.io"', 'json Table'],
    [`application/vnd.kubernetes.protobuf;${PARTIAL}`, 'protobuf PartialObjectMetadata'],
    [
      `application/json;${PARTIAL.replace('Metadata', 'MetadataList')}`,
      'json PartialObjectMetadataList',
    ],
  ])('%s is %s', (accept, form) => {
    expect(formOf(accept)).toBe(form);
  });

  it('may be CBOR where its gate is on', () => {
    const accept = `application/cbor;${PARTIAL},application/cbor,application/json;q=0.9`;
    const { any, custom, status } = acceptanceOf({ accept }, '', true);
    expect([any, custom, status].map((one) => [one?.type, one?.transform])).toEqual([
      ['cbor', 'PartialObjectMetadata'],
      ['cbor', 'PartialObjectMetadata'],
      ['cbor', 'none'],
    ]);
    expect(acceptanceOf({ accept }, '').any?.type).toBe('json');
  });

  it.each([
    ['application/json;q=0.5,application/yaml', 'yaml'],
    ['application/yaml;q=0.9,application/json;q=0.8', 'yaml'],
    ['application/json,application/yaml', 'json'],
    ['application/json;q=x,application/yaml;q=0.1', 'yaml'],
    // What is named goes before what is not, whatever is wanted more.
    ['*/*,application/yaml', 'yaml'],
    ['*/*,application/yaml;q=0.5', 'yaml'],
    ['application/*,application/vnd.kubernetes.protobuf', 'protobuf'],
  ])('%s is best served with %s', (accept, form) => {
    expect(formOf(accept)).toBe(form);
  });

  it.each([
    'text/html',
    'application',
    'application/cbor',
    ',',
    ';',
    'application/json/x',
    'application/json;as=Nonesuch;v=v1;g=meta.k8s.io',
    'application/json;as=Table',
    'application/json;as=Table;v=v1',
    'application/json;as=Table;v=v2;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=apps',
    'application/json;v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
    'constructor',
    '__proto__/x',
  ])('%s cannot be given', (accept) => {
    expect(formOf(accept)).toBeUndefined();
  });

  it('that cannot be given is passed over', () => {
    expect(formOf('text/html,,;=;,application/json;as=x,application/yaml')).toBe('yaml');
    expect(
      formOf('application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json'),
    ).toBe('json');
    expect(formOf('application/json;as')).toBe('json');
  });

  it('may be said in a thousand ways and one', () => {
    for (let version = 0; version < 1_001; version += 1) {
      expect(formOf(`application/json;x=${String(version)}`)).toBe('json');
    }
    expect(formOf('application/yaml')).toBe('yaml');
  });
});

describe('pretty', () => {
  const pretty = (query: string, agent = '', accept = ''): boolean | undefined =>
    acceptanceOf({ accept, 'user-agent': agent }, query).any?.pretty;

  it('is what is asked for', () => {
    expect(pretty('pretty=true')).toBe(true);
    expect(pretty('a=b&pretty=1')).toBe(true);
    expect(pretty('pretty=false', 'curl/8')).toBe(false);
    expect(pretty('pretty=maybe', 'curl/8')).toBe(false);
    expect(pretty('')).toBe(false);
  });

  it('is what people want that look themselves', () => {
    expect(pretty('', 'curl/8.5.0')).toBe(true);
    expect(pretty('pretty=', 'Wget/1.2')).toBe(true);
    expect(pretty('', 'Mozilla/5.0 (X11)')).toBe(true);
    expect(pretty('', 'kubectl/v1.36')).toBe(false);
  });

  it('is a matter of JSON', () => {
    expect(pretty('pretty=1', '', 'application/yaml')).toBe(false);
    expect(pretty('pretty=1', '', 'application/vnd.kubernetes.protobuf')).toBe(false);
  });

  it('does not stumble over a query that is none', () => {
    expect(pretty('%&=&pretty=%E0%A4%A')).toBe(false);
  });
});

describe('the rows of a Table', () => {
  const objects = (query: string): unknown =>
    acceptanceOf({ accept: TABLE }, query).any?.includeObject;

  it('hold what is asked for, or the metadata', () => {
    expect(objects('')).toBe('Metadata');
    expect(objects('includeObject=None')).toBe('None');
    expect(objects('includeObject=Object')).toBe('Object');
    expect(objects('includeObject=Nonesuch')).toEqual({ unknown: 'Nonesuch' });
  });
});

describe('a header of 48 KB', () => {
  const LENGTH = 48 * 1024;

  /** What costs more for each clause than the one before it. */
  function long(clause: (at: number) => string): string {
    const clauses: string[] = [];
    for (let length = 0; length < LENGTH;) {
      const text = clause(clauses.length);
      clauses.push(text);
      length += text.length + 1;
    }
    return clauses.join(',');
  }

  it.each<readonly [string, (at: number) => string, string | undefined]>([
    [
      'unknown types, each wanted more',
      (at) => `a/b;q=0.${String(at).padStart(5, '0')}`,
      undefined,
    ],
    ['wildcards before names', (at) => (at < 6_000 ? '*/*' : 'application/yaml'), 'yaml'],
    [
      'known types, each wanted more',
      (at) => `application/json;q=0.${String(at).padStart(5, '0')}`,
      'json',
    ],
    ['nothing', () => '', undefined],
    ['parameters', () => `*/*${';a=b'.repeat(1_000)}`, 'json'],
  ])('is read in one pass: %s', (_, clause, form) => {
    const accept = long(clause);
    // A hundred of them took minutes.
    for (let at = 0; at < 100; at += 1) expect(formOf(`${accept}, a/${String(at)}`)).toBe(form);
  });

  it('prefers what is named, then what is wanted more, then what comes first', () => {
    const many = 'a/a,'.repeat(20);
    expect(formOf(`${many}*/*,application/yaml;q=0.5`)).toBe('yaml');
    expect(formOf(`${many}application/json;q=0.5,application/yaml`)).toBe('yaml');
    expect(formOf(`${many}application/yaml,application/json`)).toBe('yaml');
    expect(formOf(`${many}application/*;q=0.1,*/*`)).toBe('json');
    // The last of them is as much wanted as what stands between.
    const twice = 'application/yaml;q=0.1,application/json,application/yaml';
    expect(formOf(`${many}${twice}`)).toBe('json');
    expect(formOf(`${many} * ,`)).toBe('json');
    expect(formOf(`${many}*/*,${PARTIAL},${TABLE};q=0.5,application/yaml;q=0.4`)).toBe(
      'json Table',
    );
  });

  it.each([
    [256, 'json Table'],
    [257, undefined],
  ])('may have %d clauses of known types with details', (count, form) => {
    expect(formOf(`${'a/b,'.repeat(5_000)}${`${TABLE},`.repeat(count)}`)).toBe(form);
  });
});

describe('parameters of a media type', () => {
  it('are kept where some answer depends on them, of however many a client sends', () => {
    const others = Array.from({ length: 5_000 }, (_, at) => `p${String(at)}=v`).join(';');
    const [clause] = acceptClauses(`application/json;${others}; Q = "0.5" ;as=;;v=v1`);

    expect(clause?.quality).toBe(0.5);
    expect(acceptClauses('a/b;q=0.1;Q=0.2;q=;q')[0]?.quality).toBe(0.2);
    expect(Object.fromEntries(clause?.parameters ?? [])).toEqual({ q: '0.5', v: 'v1' });
  });
});
