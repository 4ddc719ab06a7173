import type { ToolResultEvent } from './events.ts';
import type { ToolMessage } from './messages.ts';

/** A stored result as it is told; the preview is that of its first picture. */
export function toToolResultEvent({ toolCallId, isError, content, metadata }: ToolMessage): ToolResultEvent {
  const [first] = metadata.attachments;
  return {
    type: 'tool-result',
    toolCallId,
    isError,
    result: content,
    ...(first && {
      preview: {
        media_type: 'image',
        mime: first.mime,
        digest: first.digest,
        width: first.width,
        height: first.height,
      },
    }),
    attachments: metadata.attachments,
    ...(metadata.diff && { diff: metadata.diff }),
  };
}
