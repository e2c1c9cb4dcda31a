/** What stands in front of a body: the path, the query, and the headers that the server reads. */
import { parseFieldSelector, type FieldSelector } from '../../../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../api/selectors/label-selector.ts';
import { parseDeleteOptions } from '../../../api/options/options-delete.ts';
import { parseListOptions } from '../../../api/options/options-list.ts';
import {
  parseCreateOptions,
  parseGetOptions,
  parsePatchOptions,
} from '../../../api/options/options.ts';
import {
  formatContinueToken,
  parseContinueToken,
} from '../../../projections/list/continue-token.ts';
import { requestWithHeaders } from '../request-with-headers.ts';
import { wantedUser } from '../../../actors/authentication/impersonation/impersonation-headers.ts';
import {
  bearerTokenAuthenticator,
  websocketProtocolAuthenticator,
} from '../../../actors/authentication/bearer-token.ts';
import { UNKNOWN, type TokenAuthenticator } from '../../../actors/authentication/authenticator.ts';
import {
  formatCompactToken,
  parseCompactToken,
} from '../../../actors/authentication/jwt/compact-token.ts';
import {
  readClaims,
  timeProblem,
} from '../../../actors/authentication/service-accounts/token-claims.ts';
import {
  isMalformed,
  placeOf,
  prefixOf,
  resolveRequestInfo,
} from '../../../actors/request/request-info.ts';
import { parseTraceParent } from '../../../actors/tracing/request-tracer.ts';
import { requestLine } from '../../../gateway/inbound/request-reader.ts';
import { bodyDecoder } from '../../../gateway/negotiation/body-decoder.ts';
import {
  holds,
  partsOf,
  prototypesAreUntouched,
  seedOfParts,
  textOf,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { isAnAnswer, jsonOf } from '../target-values.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'constructor'];
const PATH_WORDS = [
  '/api/v1', '/apis/apps/v1', '/namespaces/', '/watch/', '/proxy/', '/status', '/finalize', '/at/5', '/still', '/forks/a',
  '%2F', '%2e%2e', '%00', '%ff', '%', '//', '..', ';', '?', '&', 'watch=true', 'fieldSelector=metadata.name%3D',
]; // prettier-ignore

const requestInfo: FuzzTarget = {
  seeds: [
    seedOfParts('GET', '/api/v1/namespaces/default/pods/web/status', 'watch=1&limit=5'),
    seedOfParts('DELETE', '/apis/apps/v1/namespaces/a/deployments', 'labelSelector=a%3Db'),
    seedOfParts('GET', '/forks/try/at/12/api/v1/pods', 'fieldSelector=metadata.name%3Dweb'),
    seedOfParts('GET', '/forks/try/at/12/still/api/v1/pods', 'watch=1'),
    seedOfParts('PATCH', '/apis/example.com/v1/watch/things', ''),
    seedOfParts('GET', '/api/v1/proxy/namespaces/a/services/b:80/x/y', ''),
    seedOfParts('GET', '//api//v1/%6eodes/%ff', '%zz&a;b=c&watch'),
  ],
  dictionary: [...METHODS, ...PATH_WORDS],
  stretchedBytesMax: 64 * 1024,
  bytesMax: 512,
  run(input) {
    const [method = '', path = '', query = ''] = partsOf(input, 3);
    const info = resolveRequestInfo(method, path, query);
    for (const value of Object.values(info)) {
      if (typeof value === 'string') holds(value.length <= input.length + 32, 'no part is longer');
    }
    holds(info.isResourceRequest || info.resource === '', 'a path has no resource');
    holds(info.parts.length > 0 || info.resource === '', 'without parts there is no resource');
    isMalformed(info);
    const place = placeOf(path);
    const joined = prefixOf(place) + place.path;
    holds(joined === path || joined === `${path}/`, 'a place is what stands in front');
    const again = resolveRequestInfo(method, path, query);
    holds(JSON.stringify(info) === JSON.stringify(again), 'the same request is the same');
    prototypesAreUntouched();
  },
};

const QUERY_WORDS = [
  'labelSelector=', 'fieldSelector=', 'watch=true', 'allowWatchBookmarks=1', 'resourceVersion=', 'timeoutSeconds=',
  'resourceVersionMatch=Exact', 'resourceVersionMatch=NotOlderThan', 'limit=', 'continue=', 'sendInitialEvents=true',
  'dryRun=All', 'fieldManager=', 'fieldValidation=Strict', 'force=true', 'gracePeriodSeconds=', 'propagationPolicy=Orphan',
  'orphanDependents=', 'preconditions=', 'shardSelector=', '%2C', '%3D', '%21', '%00', '+', '&', '99999999999999999999',
]; // prettier-ignore

const queryOptions: FuzzTarget = {
  seeds: [
    'labelSelector=a%3Db%2Cc+in+%28d%2Ce%29&fieldSelector=metadata.name%21%3Dx&limit=500&continue=abc',
    'watch=true&allowWatchBookmarks=true&resourceVersion=12&resourceVersionMatch=NotOlderThan&sendInitialEvents=true',
    'dryRun=All&fieldManager=kubectl&fieldValidation=Strict&force=true',
    'gracePeriodSeconds=0&propagationPolicy=Foreground&orphanDependents=false',
    'timeoutSeconds=-1&limit=9223372036854775808&resourceVersion=01',
  ],
  dictionary: QUERY_WORDS,
  stretchedBytesMax: 64 * 1024,
  bytesMax: 512,
  run(input) {
    const query = textOf(input);
    for (const parsed of [
      parseListOptions(query),
      parseCreateOptions(query),
      parsePatchOptions(query, false),
      parsePatchOptions(query, true),
      parseDeleteOptions(query),
    ]) {
      if (!parsed.ok) isAnAnswer(parsed.status);
    }
    parseGetOptions(query);
    prototypesAreUntouched();
  },
};

/** DeleteOptions that come as a body. */
const deleteOptions: FuzzTarget = {
  seeds: [
    '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Background"}',
    '{"preconditions":{"uid":"a","resourceVersion":"1"},"dryRun":["All"],"orphanDependents":true}',
    '{"apiVersion":"meta.k8s.io/v1","ignoreStoreReadErrorWithClusterBreakingPotential":false}',
  ],
  dictionary: [
    '"gracePeriodSeconds":',
    '"preconditions":',
    '"uid":',
    '"dryRun":',
    '"All"',
    '"kind":',
    '"Status"',
    '"__proto__":',
  ],
  bytesMax: 512,
  run(input) {
    const body = jsonOf(textOf(input));
    if (body === undefined) return;
    const parsed = parseDeleteOptions('', body);
    if (!parsed.ok) isAnAnswer(parsed.status);
  },
};

const SELECTOR_WORDS = [
  ' in ',
  ' notin ',
  '(',
  ')',
  ',',
  '=',
  '==',
  '!=',
  '!',
  '>',
  '<',
  '\\,',
  '\\=',
  '\\\\',
  'constructor',
  '__proto__',
];

const labelSelector: FuzzTarget = {
  seeds: [
    'a=b,c!=d',
    'x in (a,b),y notin (c)',
    '!z,example.com/k',
    'n>5,n<10',
    'a == b',
    'a in (,)',
  ],
  dictionary: SELECTOR_WORDS,
  stretchedBytesMax: 64 * 1024,
  bytesMax: 256,
  run(input) {
    const text = textOf(input);
    const parsed = parseLabelSelector(text);
    if (!parsed.ok) return;
    const { selector } = parsed;
    const again = parseLabelSelector(selector.canonical);
    holds(again.ok, 'what a selector is written as can be read');
    if (again.ok) holds(again.selector.canonical === selector.canonical, 'and is the same');
    for (const labels of [undefined, {}, { a: 'b', n: '7', x: 'a' }]) {
      holds(
        !again.ok || selector.matches(labels) === again.selector.matches(labels),
        'and selects the same',
      );
    }
    prototypesAreUntouched();
  },
};

const fieldSelector: FuzzTarget = {
  seeds: [
    'metadata.name=web',
    'spec.nodeName!=,status.phase==Running',
    'a=b\\,c\\=d\\\\',
    'x',
    '=,=',
  ],
  dictionary: [...SELECTOR_WORDS, 'metadata.name', 'metadata.namespace'],
  stretchedBytesMax: 64 * 1024,
  bytesMax: 256,
  run(input) {
    const parsed = parseFieldSelector(textOf(input));
    if (!parsed.ok) return;
    const again = parseFieldSelector(parsed.selector.canonical);
    holds(again.ok, 'what a selector is written as can be read');
    if (!again.ok) return;
    // Terms are in the order of their text as it was sent, which may have two signs for one.
    const sorted = ({ requirements }: FieldSelector) =>
      requirements
        .map((one) => JSON.stringify(one))
        .sort()
        .join();
    holds(sorted(again.selector) === sorted(parsed.selector), 'and is the same');
  },
};

const continueToken: FuzzTarget = {
  seeds: [
    formatContinueToken({ version: undefined, after: 'default/web', since: 5 }),
    Buffer.from('{"v":"meta.k8s.io/v1","rv":12,"start":"a\\u0000","since":1}').toString(
      'base64url',
    ),
    Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"../\\u0000"}').toString('base64url'),
    'no token',
  ],
  dictionary: ['eyJ2Ijo', 'In0', '=', '-', '_'],
  bytesMax: 256,
  run(input) {
    // Half of the inputs are what stands within the token, which chance does not reach through base64.
    const isInner = (input[0] ?? 0) === 0x7b;
    const text = isInner ? Buffer.from(input).toString('base64url') : textOf(input);
    const token = parseContinueToken(text);
    if (typeof token === 'string') return;
    const again = parseContinueToken(formatContinueToken(token));
    holds(JSON.stringify(again) === JSON.stringify(token), 'a token comes back as it was');
  },
};

const ACCEPT_WORDS = [
  'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', ';as=Table', ';v=v1', ';g=meta.k8s.io',
  ';as=PartialObjectMetadataList', ';stream=watch', ';q=0.5', '*/*', 'application/*', ',', ';', '"', 'pretty=1',
  'application/json-patch+json', 'application/apply-patch+yaml', 'charset=utf-8',
]; // prettier-ignore

const negotiation: FuzzTarget = {
  seeds: [
    seedOfParts(
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'pretty=true',
      'application/json',
    ),
    seedOfParts(
      'application/vnd.kubernetes.protobuf;q=0.9, */*;q=0.1',
      '',
      'application/yaml; charset=utf-8',
    ),
    seedOfParts(
      'application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'includeObject=Object',
      '',
    ),
    seedOfParts('*', '', 'constructor'),
  ],
  dictionary: ACCEPT_WORDS,
  stretchedBytesMax: 64 * 1024,
  bytesMax: 512,
  run(input) {
    const [accept = '', query = '', contentType = ''] = partsOf(input, 3);
    const { accepted } = requestLine({
      method: 'GET',
      target: `/api?${query}`,
      headers: { accept },
      connection: { remoteAddress: '', clientCertificate: () => undefined },
      isWebSocket: false,
    });
    const types = ['json', 'yaml', 'protobuf'];
    holds(accepted === undefined || types.includes(accepted.type), 'the form is one there is');
    const decoded = bodyDecoder.decode(Buffer.from('{}'), contentType);
    if (!decoded.ok) isAnAnswer(decoded.status);
  },
};

const TOKENS: TokenAuthenticator = { authenticateToken: () => UNKNOWN };
const bearer = bearerTokenAuthenticator(TOKENS);
const protocols = websocketProtocolAuthenticator(TOKENS);
const HEADER_WORDS = [
  'impersonate-user', 'impersonate-group', 'impersonate-uid', 'impersonate-extra-', 'authorization', 'Bearer ', '\r\n',
  'sec-websocket-protocol', 'base64url.bearer.authorization.k8s.io.', 'traceparent', 'tracestate', '%', '%2f', '__proto__',
]; // prettier-ignore

/** Names and values by turns, a header in each line. */
const headers: FuzzTarget = {
  seeds: [
    'impersonate-user: jane\nimpersonate-group: a\nimpersonate-group: b\nimpersonate-extra-scopes%2fx: view',
    'authorization: Bearer abc.def.ghi\nimpersonate-uid: 1',
    'sec-websocket-protocol: base64url.bearer.authorization.k8s.io.YWJj, v4.channel.k8s.io',
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\ntracestate: a=b',
    'impersonate-extra-__proto__: x\nimpersonate-extra-constructor: y\nimpersonate-user: a',
  ],
  dictionary: HEADER_WORDS,
  stretchedBytesMax: 64 * 1024,
  bytesMax: 512,
  run(input) {
    const request = requestWithHeaders(Buffer.from(input).toString('latin1'));
    void bearer.authenticate(request, []);
    void protocols.authenticate(request, []);
    parseTraceParent(
      String(request.headers['traceparent'] ?? ''),
      String(request.headers['tracestate'] ?? ''),
    );
    const wanted = wantedUser(request);
    if (wanted?.ok === false) isAnAnswer(wanted.status);
    if (wanted?.ok === true) {
      const left = Object.entries(request.headers).filter(([name]) =>
        name.startsWith('impersonate-'),
      );
      holds(
        left.every(
          ([name, value]) => value === undefined || !/^impersonate-(?:user|uid|group)$/.test(name),
        ),
        'what was believed is forgotten',
      );
    }
    prototypesAreUntouched();
  },
};

const NOW = Date.parse('2026-01-02T03:04:05Z');

/** Header and payload as they are before base64, or the token as it is sent. */
const tokens: FuzzTarget = {
  seeds: [
    seedOfParts(
      '{"alg":"RS256","kid":"a"}',
      '{"iss":"https://a","sub":"system:serviceaccount:a:b","aud":["c"],"exp":1767323045,"nbf":0,"iat":1,"jti":"j","kubernetes.io":{"namespace":"a","serviceaccount":{"name":"b","uid":"u"},"pod":{"name":"p","uid":"q"},"warnafter":5}}',
    ),
    formatCompactToken({ alg: 'ES256' }, { aud: 'x', exp: 1e300 }, () => Buffer.of(1)),
    seedOfParts('{"alg":"none","crit":["b64"]}', '{"aud":[1],"exp":"1"}'),
  ],
  dictionary: [
    '"alg":',
    '"crit":',
    '"kid":',
    '"exp":',
    '"nbf":',
    '"iat":',
    '"aud":',
    '"kubernetes.io":',
    '"node":',
    '"secret":',
    '.',
  ],
  stretchedBytesMax: 64 * 1024,
  bytesMax: 768,
  run(input) {
    const [first = '', second = ''] = partsOf(input, 2);
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const text = second === '' ? first : `${encode(first)}.${encode(second)}.AA`;
    const token = parseCompactToken(text);
    if (token === undefined) return;
    const claims = readClaims(token.payload);
    if (claims !== undefined) timeProblem(claims, NOW);
    const again = parseCompactToken(
      formatCompactToken(token.header, token.payload, () => token.signature),
    );
    holds(JSON.stringify(again?.payload) === JSON.stringify(token.payload), 'a token comes back');
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  'request-info': requestInfo,
  'query-options': queryOptions,
  'delete-options': deleteOptions,
  'label-selector': labelSelector,
  'field-selector': fieldSelector,
  'continue-token': continueToken,
  negotiation,
  headers,
  tokens,
};
