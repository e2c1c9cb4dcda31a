import { CONTROLLER_NAMES } from '../../actors/controllers/optional-controllers.ts';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { flagTextsOf } from './flag-texts.ts';
import { parseServeOptions, serveCommand } from './flags.ts';
import { configKeyOf, SERVE_SETTINGS } from './serve-settings.ts';
import { StartupError } from './startup-error.ts';

const DAY_MS = 86_400_000;
const HEADER = 'apiVersion: everwatch.dev/v1\nkind: ServerConfiguration\n';

function noFile(path: string): string {
  throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
}

function parsed(argv: string[], config?: string) {
  return parseServeOptions(argv, config === undefined ? noFile : () => config);
}

function problem(argv: string[], config?: string): string {
  try {
    parsed(argv, config);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  return 'no problem';
}

/** What is said of authentication where no flag says anything. */
const AUTHORIZATION = {
  authorizationConfig: undefined,
  authorizationPolicyFile: undefined,
  authorizationWebhookConfigFile: undefined,
  authorizationWebhookVersion: 'v1beta1',
  authorizationWebhookCacheAuthorizedTtlMs: 300_000,
  authorizationWebhookCacheUnauthorizedTtlMs: 30_000,
};

const AUTHENTICATION = {
  serviceAccountIssuer: ['https://kubernetes.default.svc.cluster.local'],
  serviceAccountKeyFile: [],
  apiAudiences: [],
  serviceAccountMaxTokenExpirationMs: 0,
  serviceAccountExtendTokenExpiration: true,
  enableBootstrapTokenAuth: false,
  requestheaderAllowedNames: [],
  requestheaderUsernameHeaders: [],
  requestheaderUidHeaders: [],
  requestheaderGroupHeaders: [],
  requestheaderExtraHeadersPrefix: [],
  oidcUsernameClaim: 'sub',
  oidcSigningAlgs: ['RS256'],
  oidcRequiredClaim: new Map(),
};

/** Of the audit. */
const AUDIT = {
  auditLogFormat: 'json',
  auditLogVersion: 'audit.k8s.io/v1',
  auditLogMaxage: 366,
  auditLogMaxbackup: 100,
  auditLogMaxsize: 100,
  auditLogCompress: false,
  auditLogMode: 'blocking',
  auditLogBatchBufferSize: 10_000,
  auditLogBatchMaxSize: 1,
  auditLogBatchMaxWaitMs: 30_000,
  auditLogBatchThrottleEnable: false,
  auditLogBatchThrottleQps: 0,
  auditLogBatchThrottleBurst: 0,
  auditLogTruncateEnabled: false,
  auditLogTruncateMaxBatchSize: 10_485_760,
  auditLogTruncateMaxEventSize: 102_400,
  auditWebhookInitialBackoffMs: 10_000,
  auditWebhookVersion: 'audit.k8s.io/v1',
  auditWebhookMode: 'batch',
  auditWebhookBatchBufferSize: 10_000,
  auditWebhookBatchMaxSize: 400,
  auditWebhookBatchMaxWaitMs: 30_000,
  auditWebhookBatchThrottleEnable: true,
  auditWebhookBatchThrottleQps: 10,
  auditWebhookBatchThrottleBurst: 15,
  auditWebhookTruncateEnabled: false,
  auditWebhookTruncateMaxBatchSize: 10_485_760,
  auditWebhookTruncateMaxEventSize: 102_400,
};

/** Of starting and stopping. */
const LIFECYCLE = {
  livezGraceMs: 0,
  shutdownSendRetryAfter: false,
  shutdownWatchGraceMs: 0,
  goawayChance: 0,
  http2MaxStreams: 250,
  enablePriorityAndFairness: true,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  featureGates: new FeatureGates(),
  runtimeConfig: new Map(),
  profiling: true,
};

describe('parseServeOptions', () => {
  it('has a default for everything', () => {
    expect(parsed([])).toEqual({
      dataDir: './everwatch-data',
      log: { engine: 'embedded' },
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
      historyRetention: { kind: 'ever' },
      historyRetentionResource: new Map([
        ['coordination.k8s.io/leases', { kind: 'for', ms: DAY_MS }],
        ['core/events', { kind: 'for', ms: DAY_MS }],
      ]),
      bindAddress: '127.0.0.1',
      securePort: 6443,
      tokenAuthFile: undefined,
      clientCaFile: undefined,
      tlsCertFile: undefined,
      tlsPrivateKeyFile: undefined,
      requestTimeoutMs: 60_000,
      minRequestTimeoutMs: 1_800_000,
      corsAllowedOrigins: [],
      hstsDirectives: [],
      ...AUTHENTICATION,
      anonymousAuth: true,
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      enableAdmissionPlugins: [],
      disableAdmissionPlugins: [],
      ...AUDIT,
      ...AUTHORIZATION,
      authorizationMode: ['AlwaysAllow'],
      controllers: new Set(CONTROLLER_NAMES),
      shutdownDelayMs: 0,
      ...LIFECYCLE,
      logLevel: 'info',
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
      ...['--snapshot-every=0', '--snapshot-dir=/s', '--read-only'],
      ...['--history-retention=720h', '--history-retention-resource=pods=100'],
      '--controllers=namespace-controller',
    ];
    expect(parsed(argv)).toEqual({
      dataDir: '/d',
      log: {
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
      historyRetention: { kind: 'for', ms: 30 * DAY_MS },
      historyRetentionResource: new Map([['core/pods', { kind: 'events', count: 100 }]]),
      bindAddress: '::',
      securePort: 0,
      tokenAuthFile: 't.csv',
      clientCaFile: 'ca.pem',
      tlsCertFile: 'a.crt',
      tlsPrivateKeyFile: 'a.key',
      requestTimeoutMs: 30_000,
      minRequestTimeoutMs: 60_000,
      corsAllowedOrigins: [/^https:\/\/a$/u, /^https:\/\/b$/u, /\/\/c(:|$)/u],
      hstsDirectives: ['max-age=5', 'preload'],
      ...AUTHENTICATION,
      anonymousAuth: false,
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      enableAdmissionPlugins: [],
      disableAdmissionPlugins: [],
      ...AUDIT,
      ...AUTHORIZATION,
      authorizationMode: ['AlwaysDeny'],
      controllers: new Set(['namespace-controller']),
      shutdownDelayMs: 65_000,
      ...LIFECYCLE,
      logLevel: 'debug',
    });
  });

  it('takes a bare boolean flag for true', () => {
    expect(parsed(['--anonymous-auth']).anonymousAuth).toBe(true);
  });

  it.each([
    [['--secure-port=70000'], '--secure-port: must be a port between 0 and 65535, not "70000"'],
    [['--secure-port=http'], '--secure-port: must be a port between 0 and 65535, not "http"'],
    [['--bind-address=localhost'], '--bind-address: must be an IP address, not "localhost"'],
    [['--request-timeout=5'], '--request-timeout: must be a duration like 30s or 1m30s, not "5"'],
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
    [['--snapshot-every=-1'], '--snapshot-every: must be a whole number, not "-1"'],
    [['--anonymous-auth=no'], '--anonymous-auth: must be true or false, not "no"'],
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
    [['--cors-allowed-origins=^(a$'], '--cors-allowed-origins: "^(a$" is not a regular expression'],
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

describe('--config', () => {
  const argv = ['--config', 'c.yaml'];

  it('is read where no flag says otherwise', () => {
    const config = `${HEADER}securePort: 8443
anonymousAuth: false
requestTimeout: 30s
minRequestTimeout: 90
corsAllowedOrigins: ['^https://a,b$', '^https://c$']
authorizationMode: AlwaysDeny
`;
    const options = parsed([...argv, '--secure-port=1234'], config);
    expect(options).toMatchObject({
      securePort: 1234,
      ...AUTHENTICATION,
      anonymousAuth: false,
      requestTimeoutMs: 30_000,
      minRequestTimeoutMs: 90_000,
      corsAllowedOrigins: [/^https:\/\/a,b$/u, /^https:\/\/c$/u],
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      enableAdmissionPlugins: [],
      disableAdmissionPlugins: [],
      authorizationMode: ['AlwaysDeny'],
    });
  });

  it.each([
    ['securePort: 1', 'c.yaml: apiVersion must be everwatch.dev/v1, not nothing'],
    [
      'apiVersion: everwatch.dev/v1\nkind: Pod',
      'c.yaml: kind must be ServerConfiguration, not "Pod"',
    ],
    [`${HEADER}securePorts: 1`, 'c.yaml: unknown key "securePorts"'],
    [`${HEADER}constructor: 1`, 'c.yaml: unknown key "constructor"'],
    [`${HEADER}__proto__: 1`, 'c.yaml: unknown key "__proto__"'],
    [`${HEADER}requestTimeoutMs: 1`, 'c.yaml: unknown key "requestTimeoutMs"'],
    [`${HEADER}securePort: x`, 'c.yaml: securePort must be a port between 0 and 65535, not "x"'],
    [`${HEADER}securePort: [1, 2]`, 'c.yaml: securePort must be one value, not a list'],
    [
      `${HEADER}securePort: {a: 1}`,
      'c.yaml: securePort must be a text, a number, a boolean or a list of them',
    ],
    [`${HEADER}dataDir: "a`, 'c.yaml: line 3: Missing closing "quote'],
    ['- a', 'c.yaml: must be a YAML mapping of settings'],
    ['', 'c.yaml: must be a YAML mapping of settings'],
  ])('says in one line what is wrong with %j', (config, message) => {
    expect(problem(argv, config)).toBe(message);
  });
});

describe('the help', () => {
  it('names every flag and its default', () => {
    const help = serveCommand().helpInformation();
    for (const setting of Object.values(SERVE_SETTINGS)) {
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
    [
      ['--http2-max-streams-per-connection=0'],
      '--http2-max-streams-per-connection: must be more than 0',
    ],
    [['--feature-gates=NoSuch=true'], '--feature-gates: unrecognized feature gate: NoSuch'],
    [['--runtime-config=v1=true'], '--runtime-config: runtime-config invalid key v1'],
  ])('refuses %j', (argv, sentence) => {
    expect(problem(argv)).toBe(sentence);
  });

  it('remembers what was said, for /flagz', () => {
    const options = parsed([
      '--goaway-chance=.01',
      '--feature-gates=WatchList=true,OpenAPIEnums=true',
    ]);
    const texts = flagTextsOf(options);
    expect(texts.get('goaway-chance')).toBe('.01');
    expect(texts.get('feature-gates')).toBe('WatchList=true,OpenAPIEnums=true');
    expect(texts.get('secure-port')).toBe('6443');
    expect(texts.get('tls-cert-file')).toBe('');
  });
});
