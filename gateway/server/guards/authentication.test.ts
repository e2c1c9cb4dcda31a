import { expect, it } from 'vitest';
import { anonymousOf } from './authentication.ts';
import { parsed } from '../../flags/given-flags.fixture.ts';

it.each([
  [[], false, true],
  [['--authorization-mode=AlwaysAllow'], false, true],
  [['--authorization-mode=RBAC,AlwaysAllow'], false, true],
  [['--anonymous-auth=true'], false, true],
  [['--anonymous-auth=false'], false, false],
  [['--authorization-mode=Node,RBAC'], true, false],
  [['--authorization-mode=AlwaysDeny'], true, false],
  [['--authorization-mode=Node,RBAC', '--anonymous-auth=false'], false, false],
  // Upstream looks at the flag only, which has no default beside a file.
  [['--authorization-config=/etc/authorization.yaml'], true, false],
])('with %j anonymous users are let in: %s', (args, isOn, warns) => {
  const anonymous = anonymousOf(parsed(args));
  const why = 'Resetting AnonymousAuth to false. You should use a different authorizer';
  expect(anonymous).toEqual({
    isAllowed: isOn,
    warning: warns
      ? `AnonymousAuth is not allowed with the AlwaysAllow authorizer. ${why}`
      : undefined,
  });
});
