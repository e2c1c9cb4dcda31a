/**
 * The headers that tell an aggregated server which user asks. They count there because this server shows
 * a certificate that `extension-apiserver-authentication` names; none of them is passed on from a client.
 *
 * In Kubernetes: SetAuthProxyHeaders and headerKeyEscape, client-go/transport.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { UserInfo } from '../../actors/request/request.ts';
import type { RawHeaders } from '../node-streams/passed-headers.ts';

/** A name or a group that no header can carry. */
export class UserHeaderError extends Error {
  override readonly name = 'UserHeaderError';
}

/** A user is the same object in each request of its certificate or token. */
const known = new WeakMap<UserInfo, RawHeaders>();

/** @returns what is not to be changed. @throws UserHeaderError where the user cannot be told. */
export function remoteUserHeaders(user: UserInfo): readonly string[] {
  const found = known.get(user);
  if (found !== undefined) return found;
  const headers = headersOf(user);
  known.set(user, headers);
  return headers;
}

function headersOf({ name, uid, groups, extra }: UserInfo): RawHeaders {
  const headers: RawHeaders = ['X-Remote-User', valueOf('X-Remote-User', name)];
  if (uid !== '') headers.push('X-Remote-Uid', valueOf('X-Remote-Uid', uid));
  for (const group of groups) headers.push('X-Remote-Group', valueOf('X-Remote-Group', group));
  for (const [key, values] of Object.entries(extra)) {
    const header = `X-Remote-Extra-${escapedKey(key)}`;
    for (const value of values) headers.push(header, valueOf(header, value));
  }
  return headers;
}

const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** In UTF-8, whose bytes Node's headers are. */
function valueOf(header: string, text: string): string {
  if (CONTROL.test(text)) {
    throw new UserHeaderError(`net/http: invalid header field value for "${header}"`);
  }
  return ASCII.test(text) ? text : Buffer.from(text).toString('latin1');
}

const ASCII = /^[\t\u0020-\u007e]*$/;
const KEY_SIGNS = /^[A-Za-z0-9!#$&'*+\-.^_`|~]*$/;
const KEY_SIGN = /^[A-Za-z0-9!#$&'*+\-.^_`|~]$/;
const KEYS_MAX = 1_000;

/** Keys are few, and each request of a user has the same ones. */
const escapedKeys = new BoundedMap<string, string>(KEYS_MAX);

/** What no name of a header may have in it is escaped as in a URL, and so is the percent sign. */
function escapedKey(key: string): string {
  if (KEY_SIGNS.test(key)) return key;
  const known = escapedKeys.peek(key);
  if (known !== undefined) return known;
  let escaped = '';
  for (const byte of Buffer.from(key)) {
    const sign = String.fromCharCode(byte);
    escaped += KEY_SIGN.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  escapedKeys.set(key, escaped);
  return escaped;
}
