import { expect, it } from 'vitest';
import { anonymousOf } from './authentication.ts';
import { parsed } from './given-flags.fixture.ts';

it.each([
  [[], false, 1],
  [['--authorization-mode=AlwaysAllow'], false, 1],
  [['--authorization-mode=RBAC,AlwaysAllow'], false, 1],
  [['--anonymous-auth=true'], false, 1],
  [['--anonymous-auth=false'], false, 0],
  [['--authorization-mode=Node,RBAC'], true, 0],
  [['--authorization-mode=AlwaysDeny'], true, 0],
  [['--authorization-mode=Node,RBAC', '--anonymous-auth=false'], false, 0],
  // Upstream looks at the flag only, which has no default beside a file.
  [['--authorization-config=/etc/authorization.yaml'], true, 0],
])('with %j anonymous users are let in: %s', (args, isOn, warnings) => {
  const said: string[] = [];
  const logger = { warn: (_fields: unknown, message: string) => void said.push(message) };
  expect(anonymousOf(parsed(args), logger)).toBe(isOn);
  expect(said).toEqual(
    Array.from({ length: warnings }, () => {
      const why = 'Resetting AnonymousAuth to false. You should use a different authorizer';
      return `AnonymousAuth is not allowed with the AlwaysAllow authorizer. ${why}`;
    }),
  );
});
