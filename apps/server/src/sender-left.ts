/**
 * The reason with which a turn's `signal` is aborted when its sender goes away without a wish: its
 * program was told to end, or nobody is there to wait. A message that waits then stays in the queue;
 * with any other reason it is taken back.
 */
export const SENDER_LEFT = 'the sender has left';
