/** Says yes to everybody. In Kubernetes: `--authorization-mode=AlwaysAllow`. */
import { ALLOW, type Authorizer } from './authorizer.ts';

export const alwaysAllow: Authorizer = { authorize: () => ALLOW };
