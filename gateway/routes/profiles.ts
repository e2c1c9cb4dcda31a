/**
 * `/debug/pprof/`: profiles of the processor and of what is allocated, as V8 makes them; a browser's
 * developer tools show them. Reading them is a matter of authorization, as with any path. One
 * at a time, for each slows the server down while it is being made.
 *
 * In Kubernetes: Profiling, apiserver/pkg/server/routes.
 */
import type { Session } from 'node:inspector/promises';
import type { Clock } from '../../api/meta/clock.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { Answer, DocumentAnswer } from '../../actors/request/answer.ts';
import type { RoutedRequest } from '../../actors/request/request.ts';
import { prefixOf } from '../../actors/request/request-info.ts';
import { HTML, textAnswer, type Route } from './route.ts';

type Take = (session: Session, elapsed: Promise<void>) => Promise<unknown>;

interface Profile {
  readonly take: Take;
  readonly secondsByDefault: number;
  /** By which developer tools know the file. */
  readonly fileName: string;
}

const ROOT = '/debug/pprof';
const SECONDS_MAX = 300;
/** Bytes between two samples of the heap. */
const SAMPLING_BYTES = 32 * 1024;

const PROFILES: ReadonlyMap<string, Profile> = new Map([
  ['profile', { take: takeCpu, secondsByDefault: 30, fileName: 'everwatch.cpuprofile' }],
  ['heap', { take: takeHeap, secondsByDefault: 10, fileName: 'everwatch.heapprofile' }],
]);

const INDEX =
  '/debug/pprof/\n\nprofile?seconds=30: where the processor spends its time (V8 .cpuprofile)\n' +
  'heap?seconds=10: where memory is allocated (V8 .heapprofile)\n';

/** Whatever the method. The place that a request is for stays in front. */
export function profilesRoute(clock: Clock): Route {
  let isBusy = false;
  async function answer(profile: Profile, seconds: number): Promise<Answer> {
    if (isBusy) return textAnswer(503, 'a profile is being made already\n');
    isBusy = true;
    try {
      return fileAnswer(profile.fileName, await taken(profile.take, seconds, clock));
    } finally {
      isBusy = false;
    }
  }
  return (request) => {
    const { path } = request.info;
    if (path === ROOT) return redirected(request);
    if (!path.startsWith(`${ROOT}/`)) return undefined;
    const name = path.slice(ROOT.length + 1);
    if (name === '') return textAnswer(200, INDEX);
    const profile = PROFILES.get(name);
    if (profile === undefined) return textAnswer(404, 'Unknown profile\n');
    const asked = queryValue(request.query, 'seconds');
    const seconds = asked === undefined ? profile.secondsByDefault : Number(asked);
    if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
      return textAnswer(400, `seconds must be between 0 and ${String(SECONDS_MAX)}\n`);
    }
    return answer(profile, seconds);
  };
}

/** As Go redirects: with words for clients that can show them. */
function redirected({ method, info }: RoutedRequest): DocumentAnswer {
  const to = `${prefixOf(info)}${ROOT}/`;
  const isShown = method === 'GET' || method === 'HEAD';
  const headers = { Location: to, ...(isShown ? { 'Content-Type': HTML } : {}) };
  const body = Buffer.from(method === 'GET' ? `<a href="${to}">Found</a>.\n\n` : '');
  return { kind: 'Document', code: 302, headers, body };
}

async function taken(take: Take, seconds: number, clock: Clock): Promise<unknown> {
  const inspector = await import('node:inspector/promises');
  const session = new inspector.Session();
  session.connect();
  const elapsed = new Promise<void>((resolve) => {
    clock.after(seconds * 1_000, resolve);
  });
  try {
    return await take(session, elapsed);
  } finally {
    session.disconnect();
  }
}

async function takeCpu(session: Session, elapsed: Promise<void>): Promise<unknown> {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await elapsed;
  return (await session.post('Profiler.stop')).profile;
}

async function takeHeap(session: Session, elapsed: Promise<void>): Promise<unknown> {
  await session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLING_BYTES });
  await elapsed;
  return (await session.post('HeapProfiler.stopSampling')).profile;
}

function fileAnswer(fileName: string, profile: unknown): DocumentAnswer {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Disposition': `attachment; filename="${fileName}"`,
    'X-Content-Type-Options': 'nosniff',
  };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(JSON.stringify(profile)) };
}
