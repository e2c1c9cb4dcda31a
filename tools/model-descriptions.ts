/**
 * Reads what kubernetes-models and @kubernetes-models/apimachinery say of types and their fields. They
 * are made from the OpenAPI document of the release that is served here, and keep line breaks and
 * what is said of fields whose type is a struct. Both are devDependencies of which nothing is run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** By field; '' is the type itself. */
export type Descriptions = Record<string, string>;

const PACKAGES = ['kubernetes-models', '@kubernetes-models/apimachinery'];
const SUFFIX = '.d.ts';
/** The last line of a file gives its type the name that OpenAPI gives it. */
const FULL_NAME = / as (IoK8s\w+) \};\s*$/;
const OF_TYPE = /\/\*\*\n((?: \*(?!\/).*\n)+) \*\/\nexport /;
const OF_FIELD = / {4}\/\*\*\n((?: {5}\*(?!\/).*\n)+) {5}\*\/\n {4}"([^"]+)"\??:/g;

/** Finds what is said of a type by its OpenAPI name: `io.k8s.api.core.v1.PodSpec`. */
export function modelDescriptions(): (typeId: string) => Descriptions {
  const files = new Map<string, string>();
  for (const file of PACKAGES.flatMap(filesOf)) {
    const source = readFileSync(file, 'utf8');
    const name = FULL_NAME.exec(source)?.[1];
    if (name !== undefined) files.set(plain(name), source);
  }
  return (typeId) => describedIn(files.get(plain(typeId)) ?? '');
}

export function describedIn(source: string): Descriptions {
  const said: Descriptions = {};
  const [, ofType] = OF_TYPE.exec(source) ?? [];
  if (ofType !== undefined) said[''] = textOf(ofType);
  for (const [, comment = '', field = ''] of source.matchAll(OF_FIELD)) {
    said[field] ??= textOf(comment);
  }
  return said;
}

function filesOf(name: string): string[] {
  const root = join(import.meta.dirname, '../node_modules', name);
  if (!existsSync(root)) throw new Error(`${name} is not installed: run npm ci`);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(SUFFIX) && !file.startsWith('_schemas'))
    .map((file) => join(root, file));
}

/** `io.k8s.apiextensions-apiserver…` is `IoK8sApiextensionsApiserver…` in the packages. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** Asterisks and slashes stand behind a backslash, and what is deprecated has a tag at its end. */
function textOf(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^ *\* ?/, ''))
    .join('\n')
    .replace(/^\n+|\n+$/g, '')
    .replace(/\n@deprecated$/, '')
    .replaceAll(/\\([*/])/g, '$1');
}
