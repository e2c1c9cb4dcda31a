/** Queries as upstream's parameter codec reads them into options of connections. */
import { describe, expect, it } from 'vitest';
import { optionsFromQuery } from './connect-options.ts';

const CORE = 'io.k8s.api.core.v1';

describe('options of a connection', () => {
  it.each([
    [
      'PodExecOptions',
      'command=sh&command=-c&stdin&tty=0&stdout=False&stderr=2',
      {
        ...{ command: ['sh', '-c'], stdin: true, stderr: true },
      },
    ],
    [
      'PodExecOptions',
      'container=a&container=b&nonesuch=1&kind=x',
      { container: 'a', command: null },
    ],
    ['PodPortForwardOptions', 'ports=80,443&ports=8080', { ports: [80, 443, 8080] }],
    [
      'PodLogOptions',
      'tailLines=%2B5&limitBytes=9223372036854775807',
      {
        ...{ tailLines: 5, limitBytes: 9223372036854775807n },
      },
    ],
    [
      'PodLogOptions',
      'sinceTime=2026-11-23T10:00:00%2B02:00',
      { sinceTime: '2026-11-23T08:00:00Z' },
    ],
    ['NodeProxyOptions', 'path=/x', { path: '/x' }],
    ['PodAttachOptions', '', {}],
  ])('%s of %s', (type, query, options) => {
    expect(optionsFromQuery(`${CORE}.${type}`, query)).toEqual({ ok: true, options });
  });

  it.each([
    ['PodLogOptions', 'tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['PodPortForwardOptions', 'ports=80,', 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'PodPortForwardOptions',
      'ports=2147483648',
      'strconv.ParseInt: parsing "2147483648": value out of range',
    ],
    [
      'PodLogOptions',
      'sinceTime=yesterday',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
  ])('%s of %s is refused', (type, query, message) => {
    const read = optionsFromQuery(`${CORE}.${type}`, query);
    expect(read).toMatchObject({ ok: false, status: { code: 400, message } });
  });
});
