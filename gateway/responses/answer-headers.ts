/**
 * The headers that go with every answer: those that filters left, and the warnings. Texts of warnings may
 * name anything that a client wrote, so they are cut where they get too many, and written as UTF-8
 * bytes, which node takes for Latin-1 characters.
 *
 * In Kubernetes: WithWarningRecorder, apiserver/pkg/endpoints/filters, and NewWarningHeader,
 * apimachinery/pkg/util/net.
 */
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { AnswerHeaders } from './exchange.ts';

/** In characters, all texts together; beyond it each is cut. */
const ALL_MAX = 4_096;
const CUT_TO = 256;
const CONTROL = /\p{Cc}/u;
const PLAIN = /^[ !#-[\]-~]*$/;

/** What must not stand in a header is left out. */
export function warningHeaders(texts: readonly string[]): string[] {
  const clean = texts.filter((text) => text !== '' && !CONTROL.test(text));
  const length = clean.reduce((sum, text) => sum + lengthOf(text), 0);
  return (length <= ALL_MAX ? clean : cut(clean)).map(headerOf);
}

function cut(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length >= ALL_MAX) break;
    const short = Array.from(text).slice(0, CUT_TO);
    length += short.length;
    kept.push(short.join(''));
  }
  return kept;
}

function lengthOf(text: string): number {
  return PLAIN.test(text) ? text.length : Array.from(text).length;
}

function headerOf(text: string): string {
  if (PLAIN.test(text)) return `299 - "${text}"`;
  const quoted = text.replaceAll(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(quoted).toString('latin1')}"`;
}

/** A new object, to which the answer's own headers may be added. */
export function answerHeaders({ responseHeaders, warnings }: ReceivedRequest): AnswerHeaders {
  if (warnings.length === 0) return { ...responseHeaders };
  return { ...responseHeaders, Warning: warningHeaders(warnings) };
}
