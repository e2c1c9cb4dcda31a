/**
 * That the documents still tell the truth: every relative link in a Markdown file leads
 * somewhere, and ARCHITECTURE.md names the filters in the order in which
 * actors/pipeline/filter-chain.ts builds them.
 */
import { posix } from 'node:path';
import { folderOf, type House, type TextFile, type Violations } from './house.ts';

const CHAIN = 'actors/pipeline/filter-chain.ts';
const ARCHITECTURE = 'ARCHITECTURE.md';

export function relativeLinks(house: House): Violations {
  const paths = new Set(house.files.map(({ path }) => path));
  for (const path of [...paths]) for (const folder of foldersAbove(path)) paths.add(folder);
  const markdown = house.files.filter(({ path }) => path.endsWith('.md'));
  const anchors = new Map(markdown.map(({ path, text }) => [path, anchorsIn(text)]));
  return markdown.flatMap((file) =>
    linksIn(file.text).flatMap((link) => {
      const [, anchor] = link.split('#');
      const path = resolvedLink(file.path, link);
      if (!paths.has(path)) return [`${file.path}: ${link} leads nowhere`];
      const isHeading = anchor === undefined || (anchors.get(path)?.has(anchor) ?? true);
      return isHeading ? [] : [`${file.path}: ${link} names no heading`];
    }),
  );
}

/** The filters, those whose place is only kept included, as both files have them. */
export function filterOrder(house: House): Violations {
  const [chain, architecture] = [CHAIN, ARCHITECTURE].map((path) => textAt(house, path));
  if (chain === undefined || architecture === undefined) {
    return [`${CHAIN} or ${ARCHITECTURE} is missing`];
  }
  const [built, told] = [filtersBuilt(chain), filtersTold(architecture)];
  if (built.length === 0) return [`${CHAIN}: filtersOf lists no filters`];
  if (built.join() === told.join()) return [];
  return [
    `${ARCHITECTURE}: the filters are told as ${told.join(' ')}`,
    `${CHAIN}: ${built.join(' ')}`,
  ];
}

/** Every filter has its test beside it, and every one stands in the chain. */
export function filtersTested(house: House): Violations {
  const filters = house.sources.filter(({ path }) => /^actors\/filters\/[^/.]+\.ts$/.test(path));
  const built = new Set(filtersBuilt(textAt(house, CHAIN) ?? ''));
  return filters.flatMap(({ path }) => {
    const test = path.replace(/\.ts$/, '.test.ts');
    const name = posix.basename(path, '.ts');
    return [
      ...(textAt(house, test) === undefined ? [`${path}: no test beside it`] : []),
      ...(built.has(name) ? [] : [`${path}: stands nowhere in the chain`]),
    ];
  });
}

/** Reads filtersOf: `=> cors(` is the filter whose import gives `cors`, `[audit]` a kept place. */
function filtersBuilt(chain: string): readonly string[] {
  const files = new Map<string, string>();
  for (const [, name = '', file = ''] of chain.matchAll(
    /\{ (\w+) \} from '\.\.\/filters\/(.+)\.ts'/g,
  )) {
    files.set(name, file);
  }
  const array =
    /function filtersOf[\s\S]*?return \[([\s\S]*?)\n {2}\] as const/.exec(chain)?.[1] ?? '';
  return [...array.matchAll(/=>\s+(\w+)\(|\[([a-z-]+)\]/g)].map(
    ([, call = '', kept]) => kept ?? files.get(call) ?? call,
  );
}

/** The numbered list under the heading of the filters; each item begins with its name. */
function filtersTold(architecture: string): readonly string[] {
  const section = /\n#+ The filters\n([\s\S]*?)(?=\n#|$)/.exec(architecture)?.[1] ?? '';
  return [...section.matchAll(/^\d+\. \[?`([a-z-]+)`/gm)].map(([, name = '']) => name);
}

function textAt(house: House, path: string): string | undefined {
  return house.files.find((file: TextFile) => file.path === path)?.text;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Where a link of the document leads to, from the root; its anchor is left out. */
export function resolvedLink(document: string, link: string): string {
  const [place = ''] = link.split('#');
  const target = place === '' ? document : posix.join(folderOf(document), place);
  return target.replace(/\/$/, '');
}

/** Links to other places of this repository, outside code. */
export function linksIn(markdown: string): readonly string[] {
  const prose = markdown.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, 'code');
  const found = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return found.filter((link) => !/^[a-z]+:/.test(link));
}

/** Headings as GitHub names them. */
function anchorsIn(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
