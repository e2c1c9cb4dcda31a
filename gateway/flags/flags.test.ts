import { describe, expect, it } from 'vitest';

import { CONTROLLER_NAMES } from '../../actors/controllers/optional-controllers.ts';
import { linearPattern } from '../../api/meta/regular-expression.ts';
import { headingOf, parseServeOptions, serveCommand } from './flags.ts';
import {
  AGGREGATION,
  AUDIT,
  AUTHENTICATION,
  AUTHORIZATION,
  KUBELETS,
  LIFECYCLE,
  LISTENING,
  LOGGING,
  parsed,
  problem,
  SERVICES,
  TLS,
} from './given-flags.fixture.ts';
import { configKeyOf, SERVE_SETTINGS } from './serve-settings.ts';

const DAY_MS = 86_400_000;

describe('parseServeOptions', () => {
  it('takes empty arguments for none, and refuses others', () => {
    expect(parsed(['', '--kafka-client-id=a', '']).kafkaClientId).toBe('a');
    expect(() => parsed(['', 'a', 'b'])).toThrow(
      'too many arguments. Expected 0 arguments but got 2.',
    );
  });

  it('has a default for everything', () => {
    expect(parsed([])).toEqual({
      dataDir: './everwatch-data',
      address: { engine: 'embedded' },
      kafkaClientId: 'everwatch',
      kafkaTls: false,
      kafkaTlsCaFile: undefined,
      kafkaTlsCertFile: undefined,
      kafkaTlsKeyFile: undefined,
      kafkaTlsServerName: undefined,
      kafkaSaslMechanism: undefined,
      kafkaSaslUsername: undefined,
      kafkaSaslPasswordFile: undefined,
      kafkaSaslTokenFile: undefined,
      kafkaConnectionTimeoutMs: 2_000,
      kafkaRequestTimeoutMs: 2_000,
      kafkaReplicationFactor: 'auto',
      encryptionProviderConfigAutomaticReload: false,
      keyFile: undefined,
      readConsistency: 'linearizable',
      snapshotEvery: 100_000,
      snapshotDir: undefined,
      readOnly: false,
      unsafeNoFsync: false,
      historyRetention: { kind: 'ever' },
      historyRetentionResource: new Map([
        ['coordination.k8s.io/leases', { kind: 'for', ms: DAY_MS }],
        ['core/events', { kind: 'for', ms: DAY_MS }],
      ]),
      eventTtlMs: DAY_MS / 24,
      bindAddress: '127.0.0.1',
      securePort: 6443,
      tokenAuthFile: undefined,
      clientCaFile: undefined,
      tlsCertFile: undefined,
      tlsPrivateKeyFile: undefined,
      requestTimeoutMs: 60_000,
      minRequestTimeoutMs: 1_800_000,
      ...LISTENING,
      corsAllowedOrigins: [],
      hstsDirectives: [],
      ...AUTHENTICATION,
      anonymousAuth: true,
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      allowPrivileged: false,
      enableAdmissionPlugins: [],
      admissionControl: undefined,
      disableAdmissionPlugins: [],
      ...AUDIT,
      ...AUTHORIZATION,
      authorizationMode: ['AlwaysAllow'],
      controllers: new Set(CONTROLLER_NAMES),
      shutdownDelayMs: 0,
      ...LIFECYCLE,
      ...SERVICES,
      ...TLS,
      ...LOGGING,
      ...KUBELETS,
      ...AGGREGATION,
    });
  });

  it('reads every flag, with a space or an equals sign', () => {
    const argv = [
      ...['--data-dir', '/d', '--bind-address=::', '--secure-port', '0'],
      ...['--token-auth-file=t.csv', '--client-ca-file=ca.pem'],
      ...['--tls-cert-file=a.crt', '--tls-private-key-file=a.key'],
      ...['--request-timeout=30s', '--min-request-timeout=60', '--anonymous-auth=false'],
      ...['--cors-allowed-origins=^https://a$,^https://b$', '--cors-allowed-origins', '//c(:|$)'],
      ...['--strict-transport-security-directives=max-age=5,preload'],
      ...['--authorization-mode=AlwaysDeny', '--shutdown-delay-duration=1m5s'],
      ...['--log-level', 'debug'],
      ...['--log', 'kafka://a.example:9092,[::1]:9093/control.plane', '--kafka-client-id=c'],
      ...['--kafka-tls', '--kafka-tls-ca-file=k.ca', '--kafka-tls-cert-file=k.crt'],
      ...['--kafka-tls-key-file=k.key', '--kafka-tls-server-name=kafka'],
      ...['--kafka-sasl-mechanism=scram-sha-512', '--kafka-sasl-username=u'],
      ...['--kafka-sasl-password-file=p', '--kafka-sasl-token-file=t'],
      ...['--kafka-connection-timeout=3s', '--kafka-request-timeout=4s'],
      ...['--kafka-replication-factor=5', '--key-file=secret', '--read-consistency=fresh'],
      ...['--snapshot-every=0', '--snapshot-dir=/s', '--read-only', '--unsafe-no-fsync'],
      ...['--history-retention=720h', '--history-retention-resource=pods=100'],
      '--event-ttl=1m30s',
      '--controllers=namespace-controller',
    ];
    expect(parsed(argv)).toEqual({
      dataDir: '/d',
      address: {
        engine: 'kafka',
        brokers: ['a.example:9092', '[::1]:9093'],
        topic: 'control.plane',
      },
      kafkaClientId: 'c',
      kafkaTls: true,
      kafkaTlsCaFile: 'k.ca',
      kafkaTlsCertFile: 'k.crt',
      kafkaTlsKeyFile: 'k.key',
      kafkaTlsServerName: 'kafka',
      kafkaSaslMechanism: 'scram-sha-512',
      kafkaSaslUsername: 'u',
      kafkaSaslPasswordFile: 'p',
      kafkaSaslTokenFile: 't',
      kafkaConnectionTimeoutMs: 3_000,
      kafkaRequestTimeoutMs: 4_000,
      kafkaReplicationFactor: 5,
      encryptionProviderConfigAutomaticReload: false,
      keyFile: 'secret',
      readConsistency: 'fresh',
      snapshotEvery: 0,
      snapshotDir: '/s',
      readOnly: true,
      unsafeNoFsync: true,
      historyRetention: { kind: 'for', ms: 30 * DAY_MS },
      historyRetentionResource: new Map([['core/pods', { kind: 'events', count: 100 }]]),
      eventTtlMs: 90_000,
      bindAddress: '::',
      securePort: 0,
      tokenAuthFile: 't.csv',
      clientCaFile: 'ca.pem',
      tlsCertFile: 'a.crt',
      tlsPrivateKeyFile: 'a.key',
      requestTimeoutMs: 30_000,
      minRequestTimeoutMs: 60_000,
      ...LISTENING,
      corsAllowedOrigins: ['^https://a$', '^https://b$', '//c(:|$)'].map(linearPattern),
      hstsDirectives: ['max-age=5', 'preload'],
      ...AUTHENTICATION,
      anonymousAuth: false,
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      allowPrivileged: false,
      enableAdmissionPlugins: [],
      admissionControl: undefined,
      disableAdmissionPlugins: [],
      ...AUDIT,
      ...AUTHORIZATION,
      authorizationMode: ['AlwaysDeny'],
      controllers: new Set(['namespace-controller']),
      shutdownDelayMs: 65_000,
      ...LIFECYCLE,
      ...SERVICES,
      ...TLS,
      ...LOGGING,
      ...KUBELETS,
      ...AGGREGATION,
      logLevel: 'debug',
    });
  });

  it('takes a bare boolean flag for true', () => {
    expect(parsed(['--anonymous-auth']).anonymousAuth).toBe(true);
  });

  it.each([
    [['--secure-port=70000'], '--secure-port: must be a port between 0 and 65535, not "70000"'],
    [
      ['--secure-port=http'],
      'invalid argument "http" for "--secure-port" flag: strconv.ParseInt: parsing "http": invalid syntax',
    ],
    [
      ['--bind-address=localhost'],
      'invalid argument "localhost" for "--bind-address" flag: failed to parse IP: "localhost"',
    ],
    [
      ['--request-timeout=5'],
      'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"',
    ],
    [
      ['--controllers=nobody'],
      `--controllers: "nobody" is no controller; there are ${CONTROLLER_NAMES.join(', ')}`,
    ],
    [['--request-timeout=0s'], '--request-timeout: must be more than 0'],
    [
      ['--shutdown-delay-duration=-1s'],
      '--shutdown-delay-duration: must be a duration like 30s or 1m30s, not "-1s"',
    ],
    ...['kafka://a:9092', 'kafka:///t', 'kafka://a/t', 'kafka://a:9092/..', 'file:///x'].map(
      (text): [string[], string] => [
        [`--log=${text}`],
        `--log: must be embedded or kafka://HOST:PORT,HOST:PORT/TOPIC, not "${text}"`,
      ],
    ),
    [
      ['--kafka-sasl-mechanism=gssapi'],
      '--kafka-sasl-mechanism: must be plain, scram-sha-256, scram-sha-512 or oauthbearer, not "gssapi"',
    ],
    [
      ['--kafka-sasl-mechanism=plain', '--kafka-sasl-username=u'],
      '--kafka-sasl-mechanism plain needs --kafka-sasl-username and --kafka-sasl-password-file',
    ],
    [
      ['--kafka-sasl-mechanism=oauthbearer'],
      '--kafka-sasl-mechanism oauthbearer needs --kafka-sasl-token-file',
    ],
    [
      ['--kafka-tls-cert-file=c'],
      '--kafka-tls-cert-file and --kafka-tls-key-file belong together: give both',
    ],
    [
      ['--kafka-replication-factor=0'],
      '--kafka-replication-factor: must be auto or a number of brokers, not "0"',
    ],
    [
      ['--read-consistency=eventual'],
      '--read-consistency: must be linearizable or fresh, not "eventual"',
    ],
    [['--memory-footprint=tiny'], '--memory-footprint: must be small, medium or large, not "tiny"'],
    [['--snapshot-every=-1'], '--snapshot-every: must be a whole number, not "-1"'],
    [
      ['--anonymous-auth=no'],
      'invalid argument "no" for "--anonymous-auth" flag: strconv.ParseBool: parsing "no": invalid syntax',
    ],
    [
      ['--authorization-mode=Magic'],
      '--authorization-mode: must be ABAC, AlwaysAllow, AlwaysDeny, Node, RBAC or Webhook, not "Magic"',
    ],
    [
      ['--log-level=loud'],
      '--log-level: must be one of trace, debug, info, warn, error, not "loud"',
    ],
    [
      ['--cors-allowed-origins=good.example'],
      '--cors-allowed-origins: "good.example" does not pin to start/end of host in the origin ' +
        'header; write it like ^https://example\\.com$ or //example\\.com(:|$)',
    ],
    [
      ['--cors-allowed-origins=^(a$'],
      '--cors-allowed-origins: "^(a$" is not a regular expression: error parsing regexp: missing closing ): `^(a$`',
    ],
    [
      ['--strict-transport-security-directives=forever'],
      '--strict-transport-security-directives: must be max-age=SECONDS, includeSubDomains or ' +
        'preload, not "forever"',
    ],
    [['--data-dir='], '--data-dir: must not be empty'],
    [
      ['--tls-cert-file=a.crt'],
      '--tls-cert-file and --tls-private-key-file belong together: give both',
    ],
    [['--no-such-flag'], "unknown option '--no-such-flag'"],
    [['--secure-port'], "option '--secure-port <PORT>' argument missing"],
    [['--config=c.yaml'], 'cannot read --config c.yaml: no such file or directory'],
  ])('says in one line what is wrong with %j', (argv, message) => {
    expect(problem(argv)).toBe(message);
  });
});

describe('the help', () => {
  it('names every flag and its default', () => {
    const help = serveCommand().helpInformation();
    for (const setting of SERVE_SETTINGS) {
      expect(help).toContain(`--${setting.flag} `);
    }
    expect(help).toContain('(default: 6443)');
    expect(help).toContain('--config <FILE>');
  });

  it('turns flags into keys', () => {
    expect(configKeyOf('shutdown-delay-duration')).toBe('shutdownDelayDuration');
  });
});

describe('how the server starts and stops', () => {
  it.each([
    [['--goaway-chance=0.5'], '--goaway-chance: must be between 0 and 0.02, not "0.5"'],
    [['--feature-gates=NoSuch=true'], '--feature-gates: unrecognized feature gate: NoSuch'],
    [['--runtime-config=v1=true'], '--runtime-config: runtime-config invalid key v1'],
  ])('refuses %j', (argv, sentence) => {
    expect(problem(argv)).toBe(sentence);
  });

  it('remembers what was said, for /flagz', () => {
    const { said } = parseServeOptions(
      ['--goaway-chance=.01', '--feature-gates=WatchList=true,OpenAPIEnums=true'],
      () => '',
    );
    const { texts } = said;
    expect(texts.get('goaway-chance')).toBe('.01');
    expect(texts.get('feature-gates')).toBe('WatchList=true,OpenAPIEnums=true');
    expect(texts.get('secure-port')).toBe('6443');
    expect(texts.get('tls-cert-file')).toBe('');
  });
});

describe('the help of serve', () => {
  it('has a heading for every flag', () => {
    const flags = SERVE_SETTINGS.map(({ flag }) => flag);
    expect(flags.filter((flag) => headingOf(flag) === 'More')).toEqual([]);
  });

  it('begins with what is needed first, and stays within the usual width', () => {
    const lines = serveCommand().helpInformation().split('\n');
    const headings = lines.filter((line) => /^\S.*:$/.test(line));
    expect(headings.slice(0, 3)).toEqual(['Begin here:', 'Connections:', 'Authentication:']);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('says beneath a flag what it is for', () => {
    expect(serveCommand().helpInformation()).toContain(
      '  --secure-port <PORT>\n        the port to serve HTTPS on; 0 takes any free one',
    );
  });
});
