import { AppError } from '../base/app-error.ts';
import { chatLimitRows } from './chat-limit-rows.ts';
import type { LimitRow } from './limit-row.ts';
import type { ToolImagePlacement } from './wire-api.ts';

/**
 * Further wires of suppliers whose Chat endpoint is described: the same models with the same eyes are
 * behind them, so the same figures hold until somebody documents others.
 */
export const cloneLimitRows: readonly LimitRow[] = [
  ...['volcengine-ark', 'openrouter', 'lmstudio', 'vllm', 'llamacpp'].map((id) =>
    cloneRow(id, { wire: 'responses', toolImages: 'after-group' }),
  ),
  // A clone hands `tool_result` to its models as text; a picture at the top level of the turn is seen everywhere.
  ...['zhipu', 'moonshot', 'minimax', 'openrouter', 'lmstudio', 'vllm', 'llamacpp'].map((id) =>
    cloneRow(id, { wire: 'messages', toolImages: 'toplevel-user' }),
  ),
];

function cloneRow(
  chatId: string,
  { wire, toolImages }: { readonly wire: 'responses' | 'messages'; readonly toolImages: ToolImagePlacement },
): LimitRow {
  const chatRow = chatLimitRows.find(({ id }) => id === chatId);
  if (chatRow === undefined) throw new AppError('INTERNAL', `there is no limit row ${chatId}`);
  // How a file is named is a matter of the wire.
  const { fileScheme: _fileScheme, ...row } = chatRow;
  return {
    ...row,
    id: `${chatId}-${wire}`,
    toolImages,
    fileId: false,
    detail: wire === 'messages' ? null : row.detail,
    confidence: 'L',
    source: `the figures of its Chat endpoint: ${row.source ?? ''}`,
  };
}
