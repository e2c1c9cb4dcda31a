/** For tests of filters: requests without a connection, a clock that is moved by hand, a log to look at. */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { type Behavior, type Ref, startActor } from './actor.ts';
import { faultsTo } from './faults.ts';
import type { LogFields, Logger } from './logger.ts';
import { resolveRequestInfo } from './request-info.ts';
import type { Answer } from './answer.ts';
import type { ClientCertificate, IncomingHeaders } from './request-line.ts';
import {
  receivedRequest,
  type AuthenticatedRequest,
  type ReceivedRequest,
  type RoutedRequest,
  type UserInfo,
} from './request.ts';

export interface GivenRequest {
  readonly method?: string;
  /** Path and query, as in `/api/v1/pods?watch=1`. */
  readonly url?: string;
  readonly headers?: IncomingHeaders;
  readonly certificate?: ClientCertificate;
  readonly isWebSocket?: boolean;
  readonly body?: string;
}

export interface Given<Request extends ReceivedRequest> {
  readonly request: Request;
  /** What was answered, in order. */
  readonly answers: readonly Answer[];
}

export function givenReceived(given: GivenRequest = {}): Given<ReceivedRequest> {
  const { method = 'GET', url = '/api/v1/pods', headers = {}, certificate } = given;
  const [path = '', ...query] = url.split('?');
  const answers: Answer[] = [];
  const request = receivedRequest(
    {
      method,
      path,
      query: query.join('?'),
      headers,
      connection: { remoteAddress: '192.0.2.1', clientCertificate: () => certificate },
      accepted: undefined,
      isWebSocket: given.isWebSocket ?? false,
    },
    {
      readBody: () => ({ ok: true, bytes: Buffer.from(given.body ?? '') }),
      answer(_request, answer) {
        answers.push(answer);
      },
    },
  );
  return { request, answers };
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

export interface TestClock extends Clock {
  /** How many callbacks are still to come. */
  readonly waiting: number;
  /** Moves the time on and calls back whatever falls due on the way, in order. */
  advance(ms: number): void;
}

export function testClock(startAt = 1_000_000): TestClock {
  let time = startAt;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  return {
    now: () => time,
    after(delayMs, callback) {
      const timer = { at: time + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    get waiting() {
      return timers.length;
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const [due] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (due === undefined) break;
        time = due.at;
        timers = timers.filter((other) => other !== due);
        due.callback();
      }
      time = end;
    },
  };
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
