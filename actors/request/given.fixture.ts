/** For tests of filters: requests without a connection, a clock that is moved by hand, a log to look at. */
import type { Random } from '../../api/meta/clock.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { type Behavior, type Ref, startActor } from './actor.ts';
import { faultsTo } from './faults.ts';
import type { LogFields, Logger } from './logger.ts';
import { resolveRequestInfo } from './request-info.ts';
import type { Answer } from './answer.ts';
import type {
  Acceptance,
  AcceptedMedia,
  ClientCertificate,
  IncomingHeaders,
} from './request-line.ts';
import type {
  AuthenticatedRequest,
  Door,
  ReceivedRequest,
  RoutedRequest,
  UserInfo,
} from './request.ts';
import { receivedRequest } from './server-request.ts';

export interface GivenRequest {
  readonly method?: string;
  /** Path and query, as in `/api/v1/pods?watch=1`. */
  readonly url?: string;
  readonly headers?: IncomingHeaders;
  readonly certificate?: ClientCertificate;
  /** Names and values by turns, as sent; `headers` are read from them unless they are given too. */
  readonly rawHeaders?: readonly string[];
  readonly remoteAddress?: string;
  readonly accepted?: AcceptedMedia | undefined;
  readonly acceptance?: Acceptance;
  readonly isWebSocket?: boolean;
  readonly body?: string | Buffer;
  /** What its door does otherwise than to read the body and to keep the answers. */
  readonly door?: Partial<Door>;
}

export interface Given<Request extends ReceivedRequest> {
  readonly request: Request;
  /** What was answered, in order. */
  readonly answers: readonly Answer[];
}

export function givenReceived(given: GivenRequest = {}): Given<ReceivedRequest> {
  const { method = 'GET', url = '/api/v1/pods', rawHeaders, certificate, body = '' } = given;
  const { headers = namedHeaders(rawHeaders ?? []), remoteAddress = '192.0.2.1' } = given;
  const [path = '', ...query] = url.split('?');
  const answers: Answer[] = [];
  const request = receivedRequest(
    {
      method,
      path,
      query: query.join('?'),
      headers,
      rawHeaders,
      connection: { remoteAddress, clientCertificate: () => certificate },
      accepted: given.accepted,
      ...(given.acceptance && { acceptance: given.acceptance }),
      isWebSocket: given.isWebSocket ?? false,
    },
    {
      readBody: () => ({ ok: true, bytes: Buffer.from(body) }),
      answer(_request, answer) {
        answers.push(answer);
      },
      ...given.door,
    },
  );
  return { request, answers };
}

/** Of a name that comes several times the first. */
function namedHeaders(raw: readonly string[]): IncomingHeaders {
  const named: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    named[(raw[at] ?? '').toLowerCase()] ??= raw[at + 1] ?? '';
  }
  return named;
}

export function givenRouted(given: GivenRequest = {}): Given<RoutedRequest> {
  const { request, answers } = givenReceived(given);
  const { method, path, query } = request;
  return { request: request.routedAs(resolveRequestInfo(method, path, query)), answers };
}

export function givenAuthenticated(
  given: GivenRequest = {},
  user: Partial<UserInfo> = {},
): Given<AuthenticatedRequest> {
  const { request, answers } = givenRouted(given);
  const whole: UserInfo = { name: 'jane', uid: '', groups: [], extra: {}, ...user };
  return { request: request.identifiedAs(whole), answers };
}

export interface FilterOutcome<Out> {
  readonly passedOn: readonly Out[];
  readonly answers: readonly Answer[];
  /** The code of the first answer; undefined where there is none. */
  readonly code: number | undefined;
  readonly message: string;
}

/** Sends the request into the filter and tells what became of it there. */
export function sendThrough<In extends ReceivedRequest, Out>(
  { request, answers }: Given<In>,
  filter: (next: Ref<Out>) => Behavior<In>,
): FilterOutcome<Out> {
  const passedOn: Out[] = [];
  startActor(filter({ send: (message) => void passedOn.push(message) })).send(request);
  return visited(passedOn, answers);
}

/** The same for a filter that has to wait: looks after all that is under way has settled. */
export async function sendThroughAndWait<In extends ReceivedRequest, Out>(
  given: Given<In>,
  filter: (next: Ref<Out>) => Behavior<In>,
): Promise<FilterOutcome<Out>> {
  const { passedOn } = sendThrough(given, filter);
  await new Promise((resolve) => setImmediate(resolve));
  return visited(passedOn, given.answers);
}

function visited<Out>(passedOn: readonly Out[], answers: readonly Answer[]): FilterOutcome<Out> {
  const [answer] = answers;
  return { passedOn, answers, code: codeOf(answer), message: messageOf(answer) };
}

export function codeOf(answer: Answer | undefined): number | undefined {
  if (answer?.kind === 'Status') return answer.status.code;
  return answer !== undefined && 'code' in answer ? answer.code : undefined;
}

export function messageOf(answer: Answer | undefined): string {
  if (answer?.kind === 'Status') return answer.status.message ?? '';
  return answer?.kind === 'Document' ? Buffer.from(answer.body).toString() : '';
}

/** Behind the beginning of time, so that what is before it can be asked for. */
export function testClock(startAt = 1_000_000): ManualClock {
  return new ManualClock(startAt);
}

/** Gives `uuid-1`, `uuid-2`, … and always the greatest integer. */
export function testRandom(): Random {
  let uuids = 0;
  return {
    integer: (below) => below - 1,
    uuid() {
      uuids += 1;
      return `uuid-${String(uuids)}`;
    },
  };
}

export interface TestLogger extends Logger {
  readonly lines: readonly { level: string; fields: LogFields; message: string }[];
}

/** @param shown the verbosity, as `-v` has it. */
export function testLogger(shown = 0): TestLogger {
  const lines: { level: string; fields: LogFields; message: string }[] = [];
  function at(name: string) {
    return (fields: LogFields, message: string): void => {
      lines.push({ level: name, fields, message });
    };
  }
  return {
    lines,
    verbose: (verbosity, fields, message) => {
      if (verbosity <= shown) lines.push({ level: `v${String(verbosity)}`, fields, message });
    },
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isVerbose: (verbosity) => verbosity <= shown,
  };
}

/** Faults that are logged where no test looks. */
export function testFaults() {
  return faultsTo(testLogger());
}
