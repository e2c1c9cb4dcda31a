import { describe, expect, it } from 'vitest';
import { linearPattern } from '../../api/meta/regular-expression.ts';
import { AUTHENTICATION, parsed, problem } from './given-flags.fixture.ts';

const HEADER = 'apiVersion: everwatch.dev/v1\nkind: ServerConfiguration\n';

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
      corsAllowedOrigins: ['^https://a,b$', '^https://c$'].map(linearPattern),
      defaultNotReadyTolerationSeconds: 300,
      defaultUnreachableTolerationSeconds: 300,
      enableAdmissionPlugins: [],
      admissionControl: undefined,
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
    [
      `${HEADER}dataDir: *a`,
      'c.yaml: Unresolved alias (the anchor must be set before the alias): a',
    ],
    ['- a', 'c.yaml: must be a YAML mapping of settings'],
    ['', 'c.yaml: must be a YAML mapping of settings'],
  ])('says in one line what is wrong with %j', (config, message) => {
    expect(problem(argv, config)).toBe(message);
  });
});
