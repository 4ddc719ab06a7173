import { chatRoot } from './chat/chat-root.ts';
import { messagesRoot } from './messages/messages-root.ts';
import { responsesRoot } from './responses/responses-root.ts';
import type { WireRoot } from './wire-root.ts';

/** The wires that this server speaks. A new one is a folder and a row here. */
export const wireRoots: readonly WireRoot[] = [chatRoot, responsesRoot, messagesRoot];
