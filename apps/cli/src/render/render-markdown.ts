import { styleText } from 'node:util';
import { lexer, type Token, type Tokens } from 'marked';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Options of {@link renderMarkdown}. */
export interface MarkdownStyle {
  /** Columns of the terminal. */
  readonly widthColumns: number;
  readonly hasColors: boolean;
}

type Format = Parameters<typeof styleText>[0];

/**
 * Markdown as styled terminal text, without a line feed at the end. HTML is shown as it is
 * written, links with their address. The text must be sanitised before.
 */
export function renderMarkdown(markdown: string, style: MarkdownStyle): string {
  return renderBlocks(lexer(markdown), style).replace(/\n+$/, '');
}

function renderBlocks(tokens: readonly Token[], style: MarkdownStyle): string {
  const blocks: string[] = [];
  for (const token of tokens) {
    const block = renderBlock(token, style);
    if (block !== '') blocks.push(block);
  }
  return blocks.join('\n\n');
}

function renderBlock(token: Token, style: MarkdownStyle): string {
  switch (token.type) {
    case 'space':
      return '';
    case 'heading':
      return paint(['bold', 'cyan'], inline(token.tokens ?? [], style), style);
    case 'code':
      return indent(paint('green', String(token['text']), style), '  ');
    case 'blockquote':
      return indent(paint('italic', renderBlocks(token.tokens ?? [], narrow(style, 2)), style), '│ ');
    case 'list':
      return renderList(parseList(token), style);
    case 'table':
      return renderTable(parseTable(token), style);
    case 'hr':
      return paint('dim', '─'.repeat(Math.min(style.widthColumns, 40)), style);
    default:
      return wrap(
        'tokens' in token && token.tokens !== undefined ? inline(token.tokens, style) : token.raw.trimEnd(),
        style,
      );
  }
}

function renderList(list: Tokens.List, style: MarkdownStyle): string {
  const start = typeof list.start === 'number' ? list.start : 1;
  const lines = list.items.map((item, index) => {
    const bullet = list.ordered ? `${start + index}. ` : '• ';
    const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const body = renderItem(item, narrow(style, bullet.length));
    return hang(`${box}${body}`, bullet);
  });
  return lines.join(list.loose ? '\n\n' : '\n');
}

function renderItem(item: Tokens.ListItem, style: MarkdownStyle): string {
  return item.tokens
    .filter((token) => token.type !== 'checkbox')
    .map((token) => renderBlock(token, style))
    .filter((block) => block !== '')
    .join('\n');
}

function renderTable(table: Tokens.Table, style: MarkdownStyle): string {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => inline(cell.tokens, style)));
  const widths = table.header.map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width))
      .join(paint('dim', ' │ ', style))
      .trimEnd(),
  );
  const rule = paint('dim', widths.map((width) => '─'.repeat(width)).join('─┼─'), style);
  return [lines[0] ?? '', rule, ...lines.slice(1)].join('\n');
}

function inline(tokens: readonly Token[], style: MarkdownStyle): string {
  return tokens.map((token) => renderInline(token, style)).join('');
}

function renderInline(token: Token, style: MarkdownStyle): string {
  const children = 'tokens' in token && token.tokens !== undefined ? inline(token.tokens, style) : undefined;
  switch (token.type) {
    case 'strong':
      return paint('bold', children ?? '', style);
    case 'em':
      return paint('italic', children ?? '', style);
    case 'del':
      return paint('strikethrough', children ?? '', style);
    case 'codespan':
      return paint('yellow', String(token['text']), style);
    case 'br':
      return '\n';
    case 'link':
      return renderLink(children ?? '', String(token['href']), style);
    case 'image':
      return `[${String(token['text'])}] (${String(token['href'])})`;
    case 'escape':
      return String(token['text']);
    default:
      return children ?? token.raw;
  }
}

function renderLink(label: string, address: string, style: MarkdownStyle): string {
  const target = paint(['blue', 'underline'], address, style);
  return label === '' || label === address ? target : `${label} (${target})`;
}

function parseList(token: Token): Tokens.List {
  return token as Tokens.List;
}

function parseTable(token: Token): Tokens.Table {
  return token as Tokens.Table;
}

function paint(format: Format, text: string, style: MarkdownStyle): string {
  return style.hasColors && text !== '' ? styleText(format, text, { validateStream: false }) : text;
}

function narrow(style: MarkdownStyle, columns: number): MarkdownStyle {
  return { ...style, widthColumns: Math.max(20, style.widthColumns - columns) };
}

function wrap(text: string, style: MarkdownStyle): string {
  return wrapAnsi(text, style.widthColumns, { hard: true, trim: true });
}

function indent(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
}

function hang(text: string, bullet: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index === 0 ? bullet : ' '.repeat(bullet.length)}${line}`)
    .join('\n');
}

function pad(text: string, widthColumns: number): string {
  return text + ' '.repeat(Math.max(0, widthColumns - stringWidth(text)));
}
