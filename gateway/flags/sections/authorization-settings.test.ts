import { describe, expect, it } from 'vitest';
import { parseServeOptions } from '../flags.ts';

const CONFIG = `apiVersion: everwatch.dev/v1
kind: ServerConfiguration
authorizationMode: [RBAC]
`;

function parsed(argv: string[], config?: string) {
  return () => parseServeOptions(argv, () => config ?? '');
}

describe('the flags of authorization', () => {
  it.each([
    [
      ['--authorization-mode=RBAC', '--authorization-policy-file=p'],
      'cannot specify --authorization-policy-file without mode ABAC',
    ],
    [
      ['--authorization-mode=RBAC', '--authorization-webhook-config-file=w'],
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    ],
    [
      ['--authorization-config=a', '--authorization-mode=RBAC'],
      '--authorization-config can not be specified when --authorization-mode or ' +
        '--authorization-webhook-* flags are defined',
    ],
    [
      ['--authorization-config=a', '--authorization-webhook-cache-authorized-ttl=1s'],
      '--authorization-config can not be specified when --authorization-mode or ' +
        '--authorization-webhook-* flags are defined',
    ],
  ])('passes over none in silence: %j', (argv, problem) => {
    expect(parsed(argv)).toThrow(problem);
  });

  it('counts what stands in the configuration file as given', () => {
    const argv = ['--config=c.yaml', '--authorization-config=a'];
    expect(parsed(argv, CONFIG)).toThrow('--authorization-config can not be specified');
  });

  it.each([
    [['--authorization-config=a', '--authorization-policy-file=p']],
    [['--authorization-mode=ABAC,RBAC', '--authorization-policy-file=p']],
    [['--authorization-mode=Webhook', '--authorization-webhook-config-file=w']],
  ])('takes %j', (argv) => {
    expect(parsed(argv)).not.toThrow();
  });
});
