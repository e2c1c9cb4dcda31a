/**
 * The cookies in which Headlamp's page keeps its token: out of reach of scripts, in portions, since a
 * browser takes 4 KiB of each. The names are those of Headlamp's own backend.
 *
 * The surprise: that gives them the path of the cluster alone, where a browser does not send them with the
 * WebSocket that carries the watches. Here each is given twice, for that socket and for the API of all clusters, which are
 * places of one server with the same users, and for nothing else.
 */
import {
  HEADLAMP_CLUSTER,
  HEADLAMP_CLUSTERS_PATH,
  HEADLAMP_SOCKET_PATH,
} from '../../actors/request/page-paths.ts';

const NAME = `headlamp-auth-${HEADLAMP_CLUSTER}.`;
const PORTION = 3_800;
/** A longer token is refused; so a browser never has more cookies than this many. */
const PORTIONS_MAX = 8;
const DAY_S = 86_400;
const PATHS = [HEADLAMP_CLUSTERS_PATH.slice(0, -1), HEADLAMP_SOCKET_PATH];
/** As in RFC 6750; all of it may stand in a cookie. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const INDEX = /^\d$/;

/** What a request has in its cookies. */
export interface SentCookies {
  /** undefined: none. */
  readonly token: string | undefined;
  /** The other cookies, as they came; '' for none. */
  readonly others: string;
}

/** Takes apart what a browser sent, which may be several headers. */
export function sentCookies(headers: readonly string[]): SentCookies {
  const portions: string[] = [];
  const others: string[] = [];
  for (const cookie of headers.flatMap((header) => header.split(';'))) {
    const text = cookie.trim();
    const equals = text.indexOf('=');
    const index = text.startsWith(NAME) ? text.slice(NAME.length, equals) : '';
    if (INDEX.test(index)) portions[Number(index)] ??= text.slice(equals + 1);
    else if (text !== '') others.push(text);
  }
  const token = portions.join('');
  return { token: TOKEN.test(token) ? token : undefined, others: others.join('; ') };
}

/** Values of `Set-Cookie`, that keep the token, or with '' forget it; undefined: it is none that a cookie can hold. */
export function tokenCookies(token: string): readonly string[] | undefined {
  if (token !== '' && !TOKEN.test(token)) return undefined;
  if (token.length > PORTION * PORTIONS_MAX) return undefined;
  return Array.from({ length: PORTIONS_MAX }, (_, index) => {
    const portion = token.slice(index * PORTION, (index + 1) * PORTION);
    const age = portion === '' ? 0 : DAY_S;
    return PATHS.map((path) => {
      const kept = `Path=${path}; Max-Age=${String(age)}`;
      return `${NAME}${String(index)}=${portion}; ${kept}; HttpOnly; Secure; SameSite=Strict`;
    });
  }).flat();
}
