/**
 * Lines as people read them: `I1123 08:30:00.123456       1 serve.ts:137] "serving" port=6443`. The time
 * is that of the machine's zone, without a year. A value of several lines stands below its name, indented.
 *
 * In Kubernetes: klog/v2, internal/buffer and internal/serialize.
 */
import { goJson, goQuote } from '../../api/json/go-format.ts';
import type { JsonValue } from '../../api/json/json.ts';
import { errorText, type LineFormat } from './log-line.ts';

const PID_WIDTH = 7;

/** @param pid of the process that writes. */
export function textLines(pid: number): LineFormat {
  const process = String(pid).padStart(PID_WIDTH);
  return ({ severity, time, site, message, fields }) => {
    const place = site.slice(site.lastIndexOf('/') + 1);
    const { err, ...others } = fields;
    const said = `${severity}${stamp(time)} ${process} ${place}] ${goQuote(message)}`;
    const values = [['err', err] as const, ...Object.entries(others)];
    return `${said}${values.map(([name, value]) => pair(name, value)).join('')}\n`;
  };
}

function pair(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return ` ${name}=${textValue(value)}`;
  if (value instanceof Error) return ` ${name}=${textValue(errorText(value))}`;
  return ` ${name}=${jsonValue(value)}`;
}

function jsonValue(value: unknown): string {
  // Fields are texts, numbers and what is made of them.
  return goJson(value as JsonValue);
}

function textValue(text: string): string {
  if (!text.includes('\n')) return goQuote(text);
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `<\n${lines.map((line) => `\t${line}\n`).join('')} >`;
}

function stamp(time: number): string {
  const date = new Date(time);
  const day = two(date.getMonth() + 1) + two(date.getDate());
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  const micros = Math.floor((time - Math.floor(time / 1_000) * 1_000) * 1_000);
  return `${day} ${clock}.${String(micros).padStart(6, '0')}`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}
