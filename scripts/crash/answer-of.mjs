/** The words of the running step after one more event: a new step begins without any. */
export function answerOf(words, event) {
  if (event.type === 'step-start') return '';
  if (event.type === 'step-snapshot') return event.text;
  return event.type === 'text-delta' ? words + event.text : words;
}
