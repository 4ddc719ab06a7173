import { toAppError } from '@fovea/core/base';
import type { QueueIntent, Session } from '@fovea/core/content';
import type { Conversation } from './conversation.ts';
import type { EnteredMessage } from './message-queue.ts';

/**
 * Puts one message into the queue of the conversation's session, which is made where there is none.
 * Gives the id of its turn; absent where it was refused, which is said. Throws nothing.
 */
export async function submitMessage(
  message: EnteredMessage,
  {
    chat,
    intent,
    attend,
  }: {
    readonly chat: Conversation;
    readonly intent: QueueIntent | undefined;
    /** Works on a session that was just made. */
    readonly attend: () => Promise<void>;
  },
): Promise<string | undefined> {
  const { fovea, draft, model, voice, approver } = chat;
  try {
    const session = await ensureSession(chat, attend);
    const accepted = await fovea.submit({
      sessionId: session.id,
      text: draft.expand(message.line),
      attachments: message.attachments.map((file) => file.path),
      model: model.id,
      approver,
      ...(intent === undefined ? {} : { intent }),
    });
    if (accepted.ok) {
      for (const notice of accepted.value.notices) voice.say(`! ${notice.message}`);
      return accepted.value.turnId;
    }
    for (const text of new Set(accepted.error.map((item) => item.message))) voice.complain(text);
  } catch (error) {
    voice.complainOf(toAppError(error));
  }
  return undefined;
}

async function ensureSession(chat: Conversation, attend: () => Promise<void>): Promise<Session> {
  if (chat.session !== undefined) return chat.session;
  const { fovea, workspace, model } = chat;
  const created = await fovea.createSession({ workspace, model: model.id });
  if (!created.ok) throw created.error;
  chat.session = created.value;
  await attend();
  return created.value;
}
