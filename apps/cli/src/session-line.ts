import type { SessionSummary } from '@fovea/core/content';
import { cutToWidth } from './render/cut-to-width.ts';
import { sanitizeForTerminal } from './render/sanitize.ts';

/** One conversation in one line: id, time, title, model, workspace. Cut only where `widthColumns` is given. */
export function sessionLine(
  session: SessionSummary,
  screen: { readonly homeFolder: string; readonly widthColumns?: number },
): string {
  const workspace = shortenHome(session.workspace, screen.homeFolder);
  const facts = [session.id, session.updatedAt.slice(0, 16).replace('T', ' '), session.title, session.model, workspace];
  const line = sanitizeForTerminal(facts.map((fact) => fact.replace(/\s+/g, ' ').trim()).join('  '));
  return screen.widthColumns === undefined ? line : cutToWidth(line, screen.widthColumns);
}

function shortenHome(path: string, homeFolder: string): string {
  if (path === homeFolder) return '~';
  return /^[\\/]/.test(path.slice(homeFolder.length)) && path.startsWith(homeFolder)
    ? `~${path.slice(homeFolder.length)}`
    : path;
}
