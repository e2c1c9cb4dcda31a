/** Asks a server everything, and gives its answers as a table of facts. */
import { CONTENT_TYPES, DISCOVERY_ACCEPTS, OBJECT_ACCEPTS } from './accepts.ts';
import { gunzipSync } from 'node:zlib';

import { endingOf, observed } from './observe.ts';
import {
  BODY_SCENES,
  DOCUMENTS,
  ENDED_PATHS,
  ENCODINGS,
  FURNITURE,
  INCLUDED,
  INCLUDED_PATHS,
  LARGE,
  LARGE_OBJECT,
  PRETTY,
  SCENES,
  type Scene,
} from './scenes.ts';
import { wireClient, type Wire, type WireClient, type WireRequest } from './wire.ts';

/** By what is asked, the answers, each with the numbers of the headers that get it. */
export type Facts = Record<string, Record<string, readonly number[]>>;

/** What was said under a number; `no such header` where nothing was. */
export function headersOf(question: string): readonly string[] {
  const [kind = ''] = question.split(' ', 1);
  return (HEADERS.get(kind) ?? []).map((value) => value ?? 'no such header');
}

const HEADERS: ReadonlyMap<string, readonly (string | undefined)[]> = new Map([
  ['accept:', OBJECT_ACCEPTS],
  ['content-type:', CONTENT_TYPES],
  ['document', DISCOVERY_ACCEPTS],
  ['includeObject:', INCLUDED],
  ['ending:', PRETTY],
  ['accept-encoding:', ENCODINGS],
]);

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const PATIENCE_MS = 120_000;
/** Names are counted, so that they have no meaning of their own. */
const PREFIX = 'object';

export async function converse(wire: Wire): Promise<Facts> {
  const client = wireClient(wire);
  try {
    await furnishAll(client);
    const asking = new Conversation(client);
    for (const scene of SCENES) await asking.scene(scene, 'accept', OBJECT_ACCEPTS);
    for (const scene of BODY_SCENES) await asking.scene(scene, 'content-type', CONTENT_TYPES);
    for (const path of DOCUMENTS) {
      await asking.reads(`document ${path}`, { path }, 'accept', DISCOVERY_ACCEPTS);
    }
    for (const path of INCLUDED_PATHS) await asking.included(path);
    for (const path of ENDED_PATHS) await asking.endings(path);
    await furnish(client, LARGE_OBJECT);
    for (const path of [LARGE, `${LARGE}/large`]) await asking.encodings(path);
    return asking.facts;
  } finally {
    client.close();
  }
}

/** What is asked, and what was answered. */
export class Conversation {
  readonly facts: Facts = {};
  readonly #client: WireClient;
  #count = 0;

  constructor(client: WireClient) {
    this.#client = client;
  }

  async scene(
    scene: Scene,
    header: string,
    values: readonly (string | undefined)[],
  ): Promise<void> {
    const { resource, verb, before, ask } = scene;
    for (const [at, value] of values.entries()) {
      this.#count += 1;
      const name = `${PREFIX}${String(this.#count)}`;
      for (const one of before(name)) await furnish(this.#client, one);
      const said = await this.#said(withHeader(ask(name), header, value), name);
      this.#note(`${header}: ${verb} ${resource}`, said, at);
    }
  }

  async reads(
    what: string,
    asked: Pick<WireRequest, 'path' | 'isWatch' | 'headers'>,
    header: string,
    values: readonly (string | undefined)[],
  ): Promise<void> {
    for (const [at, value] of values.entries()) {
      const said = await this.#said(withHeader({ method: 'GET', ...asked }, header, value));
      this.#note(what, said, at);
    }
  }

  async included(path: string): Promise<void> {
    const isWatch = path.includes('watch=');
    for (const [at, value] of INCLUDED.entries()) {
      const asked = `${path}${path.includes('?') ? '&' : '?'}includeObject=${value}`;
      const headers = { accept: TABLE };
      const said = await this.#said({ method: 'GET', path: asked, headers, isWatch });
      this.#note(`includeObject: ${path}`, said, at);
    }
  }

  async endings(path: string): Promise<void> {
    const isWatch = path.includes('watch=');
    for (const [at, value] of PRETTY.entries()) {
      const asked = value === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${value}`;
      const { status, headers, body } = await this.#client.send({
        method: 'GET',
        path: asked,
        headers: { accept: 'application/json' },
        isWatch,
      });
      const { 'content-type': type = '' } = headers;
      const shape = body.toString('latin1', 0, 3).startsWith('{\n ') ? 'indented' : 'compact';
      const said = `${String(status)} ${type}, ${shape}${endingOf(body, type)}`;
      this.#note(`ending: ${path}`, said, at);
    }
  }

  async encodings(path: string): Promise<void> {
    for (const [at, value] of ENCODINGS.entries()) {
      const headers = { accept: 'application/json', 'accept-encoding': value };
      const {
        status,
        headers: told,
        body,
      } = await this.#client.send({ method: 'GET', path, headers });
      const { vary = 'none', 'content-encoding': encoding = 'as it is' } = told;
      const text = encoding === 'gzip' ? gunzipSync(body) : body;
      const said = `${String(status)} ${encoding}, varies by ${vary}${endingOf(text, 'JSON')}`;
      this.#note(
        `accept-encoding: ${path === LARGE ? 'a large list' : 'a large object'}`,
        said,
        at,
      );
    }
  }

  async #said(asked: WireRequest, name = ''): Promise<string> {
    try {
      return observed(await this.#client.send(asked), name);
    } catch (error) {
      return `no answer: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #note(what: string, answer: string, header: number): void {
    const answers = (this.facts[what] ??= {});
    answers[answer] = [...(answers[answer] ?? []), header];
  }
}

function withHeader(asked: WireRequest, header: string, value: string | undefined): WireRequest {
  const { [header]: _, ...others } = asked.headers ?? {};
  return { ...asked, headers: value === undefined ? others : { ...others, [header]: value } };
}

/** Everything that scenes need. */
export async function furnishAll(client: WireClient): Promise<void> {
  for (const one of FURNITURE) await furnish(client, one);
}

/** Until it is there: a definition takes a moment to be served, a namespace to have its account. */
async function furnish(client: WireClient, asked: WireRequest): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const { status, body } = await client.send({ ...asked });
    if (status < 300 || status === 409) return;
    if (Date.now() > giveUpAt)
      throw new Error(`${asked.path}: ${String(status)} ${body.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
