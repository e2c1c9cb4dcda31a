/** Says yes to nobody. In Kubernetes: `--authorization-mode=AlwaysDeny`. */
import type { Authorizer, Decision } from './authorizer.ts';

const NOBODY: Decision = { verdict: 'noOpinion', reason: 'Everything is forbidden.' };

export const alwaysDeny: Authorizer = { authorize: () => NOBODY };
