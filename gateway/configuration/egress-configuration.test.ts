import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEgressConfiguration } from './egress-configuration.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'everwatch-egress-'));
  for (const name of ['ca', 'cert', 'key']) writeFileSync(join(directory, name), `pem of ${name}`);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** @param selections as JSON, which is YAML too. */
function read(selections: unknown, more: object = {}) {
  const file = join(directory, 'egress.yaml');
  const header = { apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' };
  writeFileSync(file, JSON.stringify({ ...header, egressSelections: selections, ...more }));
  return readEgressConfiguration(file);
}

function connecting(transport: unknown, proxyProtocol = 'HTTPConnect') {
  return () => read([{ name: 'cluster', connection: { proxyProtocol, transport } }]);
}

function tls(more: object = {}) {
  const [clientCert, clientKey] = [join(directory, 'cert'), join(directory, 'key')];
  return { clientCert, clientKey, ...more };
}

describe('the selection of ways out', () => {
  it('knows a socket, an address with TLS, one without, and the straight way', () => {
    const socket = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/run/p' } } };
    expect(read([{ name: 'Cluster', connection: socket }])).toEqual({
      cluster: { kind: 'socket', path: '/run/p' },
      controlPlane: undefined,
    });
    const grpc = { proxyProtocol: 'GRPC', transport: { uds: { udsName: '/run/p' } } };
    expect(read([{ name: 'cluster', connection: grpc }]).cluster).toEqual({
      kind: 'grpc',
      path: '/run/p',
    });
    const tlsConfig = tls({ caBundle: join(directory, 'ca'), tlsServerName: 'proxy' });
    const tcp = { tcp: { url: 'https://[::1]:8131', tlsConfig } };
    const plain = { tcp: { url: 'http://proxy.example' } };
    expect(
      read([
        { name: 'controlplane', connection: { proxyProtocol: 'HTTPConnect', transport: tcp } },
        { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: plain } },
        { name: 'etcd', connection: { proxyProtocol: 'Direct' } },
      ]),
    ).toEqual({
      controlPlane: {
        ...{ kind: 'tcp', host: '::1', port: 8131 },
        tls: { ca: 'pem of ca', cert: 'pem of cert', key: 'pem of key', serverName: 'proxy' },
      },
      cluster: { kind: 'tcp', host: 'proxy.example', port: 80, tls: undefined },
    });
    expect(read([{ name: 'cluster', connection: { proxyProtocol: 'Direct' } }])).toEqual({
      cluster: undefined,
      controlPlane: undefined,
    });
  });

  it.each<[string, unknown, string]>([
    ['HTTPConnect', undefined, 'service.connection.transport: Required value: transport must be'],
    ['HTTPConnect', {}, 'service.connection.tcp: Required value: One of TCP or UDS must be set'],
    ['HTTPConnect', { tcp: {}, uds: {} }, 'TCP and UDS cannot both be set'],
    ['HTTPConnect', { uds: {} }, 'udsName: Invalid value: "nil": must be present for UDS'],
    ['HTTPConnect', { tcp: { url: 'ftp://a' } }, 'supported connection protocols are http:// and'],
    ['HTTPConnect', { tcp: { url: 'https://' } }, 'supported connection protocols are http:// and'],
    ['HTTPConnect', { tcp: { url: 'http://[::x]:1' } }, 'supported connection protocols are http'],
    ['HTTPConnect', { tcp: { url: 'https://a' } }, 'TLSConfig must be present when using HTTPS'],
    [
      'HTTPConnect',
      { tcp: { url: 'http://a', tlsConfig: {} } },
      'config must not be present when using HTTP',
    ],
    [
      'HTTPConnect',
      { tcp: { url: 'https://a', tlsConfig: { clientCert: '/nonesuch' } } },
      '[service.connection.tlsConfig.clientCert: Invalid value: "/nonesuch": TLS client cert ' +
        'does not exist, service.connection.tlsConfig.clientKey: Invalid value: "nil": ' +
        'Using TLS requires requires clientKey]',
    ],
    ['Direct', { uds: { udsName: 'a' } }, 'config must be absent for direct connect'],
    ['GRPC', undefined, 'service.connection.transport: Required value: transport must be set for'],
    ['GRPC', { tcp: { url: 'http://a' } }, 'service.connection.uds: Required value: UDS must be'],
    ['GRPC', { uds: {} }, 'udsName: Invalid value: "nil": must be present for UDS connections'],
    ['Magic', undefined, 'Unsupported value: "Magic": supported values: "Direct", "HTTPConnect"'],
    ['HTTPConnect', { uds: { name: 'a' } }, 'unknown field "egressSelections[0].connection.tr'],
  ])('does not take %s with %j', (protocol, transport, why) => {
    expect(connecting(transport, protocol)).toThrow(why);
  });

  it('knows each name once, and no others', () => {
    const connection = { proxyProtocol: 'Direct' };
    const twice = [
      { name: 'cluster', connection },
      { name: 'CLUSTER', connection },
    ];
    expect(() => read(twice)).toThrow('service.connection[1]: Duplicate value: "cluster"');
    expect(() => read([{ name: 'master', connection }])).toThrow('Unsupported value: "master"');
  });

  it('says that the file is not there, or is another', () => {
    expect(() => readEgressConfiguration('nonesuch')).toThrow(
      'unable to read egress selector configuration from "nonesuch" [no such file or directory]',
    );
    expect(() => read([], { kind: 'Other' })).toThrow('must be apiserver.k8s.io/v1beta1, Egress');
  });
});
