/**
 * Stands in for a kube-apiserver whose control plane is in a process that suites share: finds that process or
 * starts it, passes flags and signals on, says what the plane says, and ends with its exit code. It loads nothing
 * of the server, because a suite waits until it has done its part.
 *
 * Suites may begin in the same moment. Each starts a process then, and of these one gets the lock of the
 * directory (shared-main.ts); the others end, and their stand-ins find the one that stays.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../process/system-clock.ts';
import { type FromPlanes, hear, tell } from './messages.ts';
import type { MeetingPlace } from './meeting-place.ts';

/** The exit code of a process that found the directory taken. */
export const IS_TAKEN = 75;
/** What it is called in `dist/`. */
const PROGRAM = 'envtest-shared.js';

const LOOK_EVERY_MS = 10;
/** For one that holds the lock and does not listen yet, or does not listen any more. */
const AGAIN_AFTER_MS = 1_000;
const FAILURES_MAX = 3;
const WAIT_MS = 60_000;

/** Where the control plane of a stand-in comes from. */
export type Outcome =
  | { readonly kind: 'ended'; readonly code: number }
  /** The process that has the control plane has ended, and this one with it. */
  | { readonly kind: 'broken' }
  /** The flags want a process for this control plane alone. */
  | { readonly kind: 'alone'; readonly why: string };

interface StandInParts {
  readonly argv: readonly string[];
  readonly signals: Pick<NodeJS.EventEmitter, 'on'>;
  readonly say: (stream: 'info' | 'error', text: string) => void;
}

/** Settles when the control plane has ended, or there will be none. */
export async function standInFor(met: Meeting, parts: StandInParts): Promise<Outcome> {
  const { argv, signals, say } = parts;
  const { socket } = met;
  const outcome = new Promise<Outcome>((resolve) => {
    met.hear((message) => {
      if (message.type === 'said') say(message.stream, message.text);
      if (message.type === 'refused') resolve({ kind: 'alone', why: message.why });
      if (message.type === 'ended') resolve({ kind: 'ended', code: message.code });
    });
    socket.once('close', () => {
      resolve({ kind: 'broken' });
    });
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    signals.on(signal, () => {
      tell(socket, { type: 'signal', signal });
    });
  }
  tell(socket, { type: 'start', argv });
  return outcome.finally(() => socket.destroy());
}

/** Starts the process where there is none, and waits for nothing: a stand-in that asks then finds it sooner. */
export async function prepareShared(place: MeetingPlace, dist: string): Promise<void> {
  const met = await greetedAt(place.socket);
  met?.socket.destroy();
  if (met === undefined) startShared(place, dist).unref();
}

/** A connection that was greeted. */
export interface Meeting {
  readonly socket: Socket;
  /** Calls back for each message that comes from now on. */
  hear(take: (message: FromPlanes) => void): void;
}

interface MeetParts {
  readonly place: MeetingPlace;
  /** Of the built server. */
  readonly dist: string;
  /** Whether {@link prepareShared} was called a moment ago. */
  readonly isPrepared: boolean;
}

/** Meets the process that suites share, and starts it where there is none. undefined: there is none to be had. */
export async function meetShared(parts: MeetParts): Promise<Meeting | undefined> {
  const { place, dist, isPrepared } = parts;
  const until = systemClock.now() + WAIT_MS;
  let started: ChildProcess | undefined;
  let again = isPrepared ? systemClock.now() + AGAIN_AFTER_MS : 0;
  let failures = 0;
  while (systemClock.now() < until && failures < FAILURES_MAX) {
    const met = await greetedAt(place.socket);
    if (met !== undefined) {
      started?.unref();
      return met;
    }
    const code = started === undefined ? IS_TAKEN : codeOf(started);
    if (code !== undefined && systemClock.now() >= again) {
      if (code !== IS_TAKEN) failures += 1;
      started = startShared(place, dist);
      again = systemClock.now() + AGAIN_AFTER_MS;
    }
    await pause(LOOK_EVERY_MS);
  }
  return undefined;
}

/** undefined: it runs. */
function codeOf({ exitCode, signalCode }: ChildProcess): number | undefined {
  return exitCode ?? (signalCode === null ? undefined : 1);
}

/** undefined: nothing listens there, or what listened was about to end. */
export function greetedAt(path: string): Promise<Meeting | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    // What is wrong with it is told by its end.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve(undefined);
    });
    let take = (message: FromPlanes): void => {
      if (message.type === 'hello') resolve(meeting);
    };
    const meeting: Meeting = {
      socket,
      hear(next) {
        take = next;
      },
    };
    hear(socket, (message) => {
      take(message as FromPlanes); // It is of this build.
    });
  });
}

/** In a group of its own, since a suite ends its groups; it belongs to no suite. */
function startShared({ directory, log }: MeetingPlace, dist: string): ChildProcess {
  const said = openSync(log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [join(dist, PROGRAM), directory], {
      ...{ cwd: '/', detached: true, stdio: ['ignore', said, said] },
    });
    child.once('error', () => undefined);
    return child;
  } finally {
    closeSync(said);
  }
}
