/**
 * Whom a request wants to be taken for, as its `Impersonate-…` headers say it.
 *
 * In Kubernetes: processImpersonationHeaders, apiserver/pkg/endpoints/filters/impersonation.
 */
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { headerValues } from '../../request/header-values.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { ReceivedRequest, UserInfo } from '../../request/request.ts';
import { extraOf } from '../extra-keys.ts';

const PREFIX = 'impersonate-';
const USER = 'impersonate-user';
const UID = 'impersonate-uid';
const GROUP = 'impersonate-group';
const EXTRA_PREFIX = 'impersonate-extra-';

export type Wanted =
  | { readonly ok: true; readonly user: UserInfo }
  | { readonly ok: false; readonly status: Status };

/** undefined: the request comes as no other user. Else its headers are forgotten, unless it is refused. */
export function wantedUser(request: ReceivedRequest): Wanted | undefined {
  if (!mayWant(request)) return undefined;
  const names = Object.keys(request.headers).filter((name) => isOurs(request, name));
  if (names.length === 0) return undefined;
  const user: UserInfo = {
    name: headerValues(request, USER)[0] ?? '',
    uid: headerValues(request, UID)[0] ?? '',
    groups: headerValues(request, GROUP),
    extra: extraOf(request, [EXTRA_PREFIX]),
  };
  if (user.name !== '') {
    for (const name of names) request.forgetHeader(name);
    return { ok: true, user };
  }
  const isBare = user.uid === '' && user.groups.length === 0 && !hasExtra(user);
  if (isBare) return undefined;
  const message = `requested ${goSyntax(user)} without impersonating a user name`;
  return { ok: false, status: badRequest(message) };
}

const LETTER_I = 0x69;
const LOWER_CASE = 0x20;

/** Nearly no request does, and the names as sent are looked through several times faster. */
function mayWant({ rawHeaders }: ReceivedRequest): boolean {
  if (rawHeaders === undefined) return true;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const first = (rawHeaders[at] ?? '').charCodeAt(0);
    if ((first | LOWER_CASE) === LETTER_I) return true;
  }
  return false;
}

function isOurs({ headers }: ReceivedRequest, name: string): boolean {
  if (!name.startsWith(PREFIX) || headers[name] === undefined) return false;
  return name === USER || name === UID || name === GROUP || name.startsWith(EXTRA_PREFIX);
}

function hasExtra({ extra }: UserInfo): boolean {
  return Object.keys(extra).length > 0;
}

/** As Go's `%#v` writes the user that upstream has. */
function goSyntax({ name, uid, groups, extra }: UserInfo): string {
  const keys = Object.keys(extra).sort();
  const pairs = keys.map((key) => `${goQuote(key)}:${goStrings(extra[key] ?? [])}`);
  const map = pairs.length === 0 ? '(nil)' : `{${pairs.join(', ')}}`;
  return (
    `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, ` +
    `Groups:${goStrings(groups)}, Extra:map[string][]string${map}}`
  );
}

function goStrings(texts: readonly string[]): string {
  if (texts.length === 0) return '[]string(nil)';
  return `[]string{${texts.map((text) => goQuote(text)).join(', ')}}`;
}
