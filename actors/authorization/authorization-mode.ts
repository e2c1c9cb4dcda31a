/** The ways in which an operator can say who may do what, as `--authorization-mode` names them. */
export const AUTHORIZATION_MODES = [
  'ABAC',
  'AlwaysAllow',
  'AlwaysDeny',
  'Node',
  'RBAC',
  'Webhook',
] as const;

export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

export function isAuthorizationMode(text: string): text is AuthorizationMode {
  return (AUTHORIZATION_MODES as readonly string[]).includes(text);
}
