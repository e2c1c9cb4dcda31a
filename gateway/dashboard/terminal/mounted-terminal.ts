/**
 * xterm, loaded when a terminal is first opened. It lies in a shadow root, and the styles that it makes
 * while it runs become sheets of the browser: the policy of the page allows no style inside of a document.
 */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ITheme } from '@xterm/xterm';
import css from '@xterm/xterm/css/xterm.css' with { type: 'text' };

/** A terminal that is on the page. */
export interface MountedTerminal {
  /** Shows what came. */
  readonly write: (output: Uint8Array | string) => void;
  /** In characters. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Puts the cursor there. */
  readonly focus: () => void;
  /** Takes it off the page. */
  readonly remove: () => void;
}

/** What is told of a terminal. */
export interface TerminalEvents {
  /** The user has typed. */
  readonly typed: (text: string) => void;
  /** It has another size, in characters. */
  readonly resized: (columns: number, rows: number) => void;
  /** The user wants to leave it by key. */
  readonly left: () => void;
}

const SCROLLBACK_LINES = 5_000;
/** What is left below the last whole line has the colour of the page. */
const FRAME = `
  div:has(> .xterm), .xterm { height: 100%; }
  .xterm .xterm-viewport { background-color: transparent; }
`;

/** Shows an empty terminal that fills `host`. */
export function mountTerminal(host: HTMLElement, events: TerminalEvents): MountedTerminal {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const place = document.createElement('div');
  const frame = new CSSStyleSheet();
  frame.replaceSync(FRAME);
  const base = new CSSStyleSheet();
  base.replaceSync(css);
  root.adoptedStyleSheets = [base, frame];
  root.replaceChildren(place);
  const terminal = new Terminal({
    cursorBlink: !globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily: styleOf(host, '--mono'),
    fontSize: 13,
    screenReaderMode: true,
    scrollback: SCROLLBACK_LINES,
    theme: themeOf(host),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  open(terminal, place, root);
  fit.fit();
  terminal.onData(events.typed);
  terminal.onResize(({ cols, rows }) => {
    events.resized(cols, rows);
  });
  terminal.attachCustomKeyEventHandler((event) => {
    const leaves = event.key === 'Escape' && event.shiftKey;
    // The page would take the focus away from where it leads.
    if (leaves) event.stopPropagation();
    if (leaves && event.type === 'keydown') events.left();
    return !leaves;
  });
  const observer = new ResizeObserver(() => {
    fit.fit();
  });
  observer.observe(host);
  return {
    write: (output) => {
      terminal.write(output);
    },
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    focus: () => {
      terminal.focus();
    },
    remove: () => {
      observer.disconnect();
      terminal.dispose();
    },
  };
}

/**
 * xterm makes its style elements while it opens: in their place it gets other elements, whose text becomes a
 * sheet of the root.
 */
function open(terminal: Terminal, place: HTMLElement, root: ShadowRoot): void {
  const value = (tag: string): HTMLElement =>
    tag === 'style' ? sheetElement(root, element('span')) : element(tag);
  Object.defineProperty(document, 'createElement', { value, configurable: true });
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

function element(tag: string): HTMLElement {
  return document.createElementNS('http://www.w3.org/1999/xhtml', tag);
}

/** Colours of 24 bits are attributes `style` of spans; set as properties, the policy allows them. */
HTMLSpanElement.prototype.setAttribute = function (name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

function sheetElement(root: ShadowRoot, host: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets.push(sheet);
  host.hidden = true;
  Object.defineProperty(host, 'textContent', {
    set: (text: string) => {
      sheet.replaceSync(text);
    },
  });
  return host;
}

function styleOf(host: HTMLElement, name: string): string {
  return getComputedStyle(host).getPropertyValue(name).trim();
}

function themeOf(host: HTMLElement): ITheme {
  const [background, foreground] = ['--raised', '--ink'].map((name) => styleOf(host, name));
  const [red, green, yellow, blue] = ['--bad', '--good', '--busy', '--accent'].map((name) =>
    styleOf(host, name),
  );
  const [white, black] = ['--dim', '--ink'].map((name) => styleOf(host, name));
  return {
    ...(background === undefined ? {} : { background }),
    ...(foreground === undefined ? {} : { foreground, cursor: foreground }),
    selectionBackground: styleOf(host, '--selected'),
    ...{ red, green, yellow, blue, cyan: blue, magenta: styleOf(host, '--strong'), white, black },
    ...{ brightRed: red, brightGreen: green, brightYellow: yellow, brightBlue: blue },
    ...{ brightCyan: blue, brightMagenta: styleOf(host, '--strong') },
    ...{ brightWhite: foreground, brightBlack: white },
  } as ITheme;
}
